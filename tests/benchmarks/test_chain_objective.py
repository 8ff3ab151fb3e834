"""The judge between libraries, judged by enumeration of all labellings."""

from itertools import pairwise, product

import numpy as np
import pytest

from benchmarks._chain_objective import penalised_log_loss


def by_enumeration(features, lengths, labels, weights, transitions):
    total = (weights**2).sum() + (transitions**2).sum()
    first = 0
    for length in lengths:
        rows = features[first : first + length] @ weights

        def score(path, rows=rows):
            meetings = sum(transitions[a, b] for a, b in pairwise(path))
            return sum(row[k] for row, k in zip(rows, path, strict=True)) + meetings

        paths = product(range(weights.shape[1]), repeat=int(length))
        total += np.log(sum(np.exp(score(path)) for path in paths)) - score(tuple(labels[first : first + length]))
        first += length
    return total


@pytest.mark.parametrize("lengths", [[1], [4], [3, 1, 2], [2, 0, 3]])
def test_the_objective_is_the_textbooks(lengths):
    rng = np.random.default_rng(0)
    n, d, k = sum(lengths), 5, 3
    features, labels = rng.normal(size=(n, d)), rng.integers(k, size=n).astype(np.int32)
    weights, transitions = rng.normal(size=(d, k)), rng.normal(size=(k, k))
    arguments = features, np.array(lengths), labels, weights, transitions
    assert penalised_log_loss(*arguments) == pytest.approx(by_enumeration(*arguments), rel=1e-12)
