"""How many tokens, and how many whole sequences, are labelled rightly."""

from collections.abc import Sequence
from itertools import chain
from operator import eq
from typing import Any

import numpy as np

from margrave.metrics.pairs import LabelSequences, paired_labels
from margrave.primitives import Integers


def token_accuracy(y_true: LabelSequences, y_pred: LabelSequences) -> float:
    """Share of the tokens that are labelled rightly: sum_i sum_t [y_it = z_it] / sum_i T_i.

    Parameters
    ----------
    y_true, y_pred : n sequences of T_i labels each
        True and predicted labels; lists or arrays. Labels that occur in one of them only are wrong, not refused.

    Returns
    -------
    float
        Between 0 and 1; NaN where there is no token at all.

    Examples
    --------
    >>> token_accuracy([["N", "V"], ["N", "N"]], [["N", "V"], ["N", "V"]])
    0.75
    """
    pairs = paired_labels(y_true, y_pred)
    n_tokens = sum(len(labels) for labels, _ in pairs)
    n_right = sum(sum(map(eq, labels, guesses)) for labels, guesses in pairs)
    return float(n_right / n_tokens) if n_tokens else float("nan")


def sequence_accuracy(y_true: LabelSequences, y_pred: LabelSequences) -> float:
    """Share of the sequences all of whose tokens are labelled rightly; 1 minus the 0/1 loss.

    Parameters
    ----------
    y_true, y_pred : n sequences of T_i labels each
        True and predicted labels; lists or arrays. A sequence of length 0 is right.

    Returns
    -------
    float
        Between 0 and 1; NaN where there is no sequence at all.

    Examples
    --------
    >>> sequence_accuracy([["N", "V"], ["N", "N"]], [["N", "V"], ["N", "V"]])
    0.5
    """
    pairs = paired_labels(y_true, y_pred)
    return sum(all(map(eq, labels, guesses)) for labels, guesses in pairs) / len(pairs) if pairs else float("nan")


def confusion_matrix(y_true: LabelSequences, y_pred: LabelSequences, labels: Sequence[Any] | None = None) -> Integers:
    """Count the tokens by true label (rows) and predicted label (columns), as scikit-learn's function of that name.

    Parameters
    ----------
    y_true, y_pred : n sequences of T_i labels each
        True and predicted labels; lists or arrays.
    labels : sequence of K labels, optional
        The order of rows and columns; tokens whose true or predicted label is not among them are left out. None: all
        labels that occur in either, sorted.

    Returns
    -------
    ndarray (K, K), int64
        Entry (k, l) counts the tokens labelled k that were predicted as l.

    Raises
    ------
    ValueError
        `labels` holds a label twice.
    TypeError
        `labels` is None and the labels that occur cannot be sorted.

    Examples
    --------
    >>> confusion_matrix([["N", "V"], ["N", "N"]], [["N", "V"], ["N", "V"]])
    array([[2, 1],
           [0, 1]])
    """
    pairs = paired_labels(y_true, y_pred)
    names = _all_labels(pairs) if labels is None else list(labels)
    place = {name: index for index, name in enumerate(names)}
    if len(place) != len(names):
        twice = next(name for index, name in enumerate(names) if place[name] != index)
        raise ValueError(f"labels: expected each label once, got {twice!r} twice; leave one out")
    matrix = np.zeros((len(names), len(names)), dtype=np.int64)
    for truth, guesses in pairs:
        for label, guess in zip(truth, guesses, strict=True):
            row, column = place.get(label), place.get(guess)
            if row is not None and column is not None:
                matrix[row, column] += 1
    return matrix


def _all_labels(pairs: list[tuple[list[Any], list[Any]]]) -> list[Any]:
    found = set(chain.from_iterable(chain.from_iterable(pairs)))
    try:
        return sorted(found)
    except TypeError:
        kinds = ", ".join(sorted({type(label).__name__ for label in found}))
        raise TypeError(
            f"y_true, y_pred: expected labels of one kind, got {kinds}; pass labels= for an order"
        ) from None
