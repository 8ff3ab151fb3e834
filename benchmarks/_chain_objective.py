"""The objective of a linear-chain CRF by the textbook, in NumPy: the judge between libraries, of none of them.

‖w‖² + Σ over sequences of log Z − score of the true labels                    (CRFsuite's objective at c2 = 1)
"""

from typing import Any

import numpy as np

from margrave.primitives import Floats, Integers, Labels


def penalised_log_loss(features: Any, lengths: Integers, labels: Labels, weights: Floats, transitions: Floats) -> float:
    """The objective of dense weights (n_features, n_states) and transitions (n_states, n_states), all in float64.

    `features` is the CSR matrix of all positions, sequence after sequence.
    """
    scores = features @ weights
    first = np.cumsum(lengths) - lengths
    inner = np.setdiff1d(np.arange(len(labels)), first)
    truth = scores[np.arange(len(labels)), labels].sum() + transitions[labels[inner - 1], labels[inner]].sum()
    penalty = float((weights**2).sum() + (transitions**2).sum())
    return penalty + float(_log_partitions(scores, first, lengths, transitions).sum() - truth)


def _log_partitions(scores: Floats, first: Integers, lengths: Integers, transitions: Floats) -> Floats:
    """Log-sum-exp from left to right, all sequences abreast; those that have ended drop out."""
    first, lengths = first[lengths > 0], lengths[lengths > 0]
    forward = scores[first]
    for t in range(1, int(lengths.max(initial=0))):
        going = lengths > t
        forward[going] = _log_sum(forward[going][:, :, None] + transitions) + scores[first[going] + t]
    return _log_sum(forward)


def _log_sum(values: Floats) -> Floats:
    """log Σ exp over axis 1."""
    peak = values.max(axis=1)
    total: Floats = peak + np.log(np.exp(values - np.expand_dims(peak, 1)).sum(axis=1))
    return total
