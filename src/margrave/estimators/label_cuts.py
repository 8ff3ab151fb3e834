"""Cuts of decision values, one per label, that a measure of label sets wants: a label is on where its value is above.

Only the order of the values counts, so between two neighbouring values all cuts are alike: a label of n examples has
at most n + 1 cuts to try, and one pass over its sorted values judges all of them.

References
----------
R.-E. Fan and C.-J. Lin, A study on threshold selection for multi-label classification, National Taiwan University,
2007.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from margrave.metrics import multilabel_scores
from margrave.primitives import AnyArray, Booleans, Floats, Integers

#: What cuts are chosen for.
TARGETS = ("exact_match", "f1_micro", "f1_macro")
#: A measure that is better by less is the same.
_SAME = 1e-12


def candidate_cuts(falling: Floats) -> tuple[Floats, Integers]:
    """All cuts of some values that differ, and how many values lie above each.

    The first is the highest value, which has none above it; then the middles of neighbours; the last is below them all.

    Parameters
    ----------
    falling : array of shape (n_examples,)
        The values, the highest first.

    Examples
    --------
    >>> candidate_cuts(np.array([0.5, 0.5, -1.0]))
    (array([ 0.5 , -0.25, -2.  ]), array([0, 2, 3]))
    """
    steps = np.flatnonzero(falling[:-1] > falling[1:])
    high, low = falling[steps], falling[steps + 1]
    middle = low + (high - low) / 2.0
    middle = np.where(middle < high, middle, low)  # neighbours may leave no room for one
    below = falling[-1] - max(1.0, abs(falling[-1]))
    return np.concatenate([falling[:1], middle, [below]]), np.concatenate([[0], steps + 1, [len(falling)]])


def best_cut(falling: Floats, measured: Floats, now: float) -> float:
    """The cut of greatest measure: `now` unless another is better; of equal ones the nearest to `now`.

    Parameters
    ----------
    falling : array of shape (n_examples,)
        Decision values, the highest first.
    measured : array of shape (n_examples + 1,)
        The measure where the k highest are on, for every k.
    now : float

    Examples
    --------
    >>> best_cut(np.array([3.0, 2.0, 1.0]), np.array([0.0, 0.4, 0.9, 0.7]), now=0.0)
    1.5
    """
    cuts, above = candidate_cuts(falling)
    found = measured[above]
    if found.max() <= measured[int((falling > now).sum())] + _SAME:
        return now
    best = cuts[found >= found.max() - _SAME]
    return float(best[np.argmin(np.abs(best - now))])


def f1_by_number(truth: Booleans, both: float = 0.0, either: float = 0.0) -> Floats:
    """F, 2 b / (t + p) with 0/0 = 0, where the first k examples are on, for every k from 0 to n.

    Parameters
    ----------
    truth : bool array of shape (n_examples,)
        In the order in which examples become on.
    both, either : float
        What other labels add to b and to t + p.

    Examples
    --------
    >>> f1_by_number(np.array([True, False, True]))
    array([0.        , 0.66666667, 0.5       , 0.8       ])
    """
    right = _sums(truth) + both
    pairs = np.arange(len(truth) + 1) + truth.sum() + either
    return np.where(pairs > 0, 2.0 * right / np.maximum(pairs, 1.0), 0.0)


def exact_by_number(truth: Booleans, right: Booleans) -> Floats:
    """The share of examples with all labels right, where this one is on for the first k examples, for every k.

    Parameters
    ----------
    truth : bool array of shape (n_examples,)
        In the order in which examples become on.
    right : bool array of shape (n_examples,)
        Whether the other labels of an example are all right.

    Examples
    --------
    >>> exact_by_number(np.array([True, False]), np.array([True, True]))
    array([0.5, 1. , 0.5])
    """
    at_none = (right & ~truth).sum()
    shares: Floats = (at_none + _sums(np.where(truth, 1.0, -1.0) * right)) / len(truth)
    return shares


def cyclic_cuts(values: Floats, truth: Booleans, target: str, start: Floats) -> Floats:
    """Improve one label's cut after the other, exactly, given those of the others, until none can be improved.

    The measure grows with every change, so it is never below that of `start`, and the search ends: at cuts none of
    which can be improved alone, not at the best of all. For macro F labels do not meet, and that is the best of all.
    O(K n log n) to begin with, then O(K n) a round.

    Parameters
    ----------
    values : array of shape (n_examples, K)
    truth : bool array of shape (n_examples, K)
    target : {"exact_match", "f1_micro", "f1_macro"}
    start : array of shape (K,)

    Examples
    --------
    >>> values = np.array([[-0.2, -1.0], [-0.4, 2.0], [-1.0, 1.0]])
    >>> truth = np.array([[True, False], [False, True], [False, False]])
    >>> cyclic_cuts(values, truth, "exact_match", np.zeros(2))
    array([-0.3,  1.5])
    """
    cuts, on = start.astype(np.float64), values > start
    orders = np.argsort(-values, axis=0, kind="stable")
    changed = True
    while changed:
        changed = False
        for label in range(values.shape[1]):
            order = orders[:, label]
            measured = _measured(label, order, on, truth, target)
            cut = best_cut(values[order, label], measured, float(cuts[label]))
            if cut != cuts[label]:
                cuts[label], on[:, label], changed = cut, values[:, label] > cut, True
    return cuts


def tuned_cuts(values: Floats, truth: Booleans, target: str) -> Floats:
    """Cyclic cuts from two starts: 0, and the cuts with the greatest F of each label alone; the better ones.

    Where many labels have to become on at once to make an example right, no single cut improves on those at 0.
    Parameters are those of `cyclic_cuts`.

    Examples
    --------
    >>> values, truth = np.array([[-0.2, -1.0], [-0.4, -2.0]]), np.array([[True, True], [False, False]])
    >>> cyclic_cuts(values, truth, "exact_match", np.zeros(2))
    array([0., 0.])
    >>> tuned_cuts(values, truth, "exact_match")
    array([-0.3, -1.5])
    """
    at_zero = np.zeros(values.shape[1])
    alone = cyclic_cuts(values, truth, "f1_macro", at_zero)
    found = [cyclic_cuts(values, truth, target, start) for start in (at_zero, alone)]
    return max(found, key=lambda cuts: multilabel_scores(truth, values > cuts)[target])


def _measured(label: int, order: Integers, on: Booleans, truth: Booleans, target: str) -> Floats:
    """The target with the first k examples of an order on in one label, the others as they are."""
    falling = truth[order, label]
    if target == "f1_macro":
        return f1_by_number(falling)
    others = np.arange(on.shape[1]) != label
    if target == "exact_match":
        return exact_by_number(falling, (on == truth)[:, others].all(axis=1)[order])
    both, pairs = (on & truth)[:, others].sum(), on[:, others].sum() + truth[:, others].sum()
    return f1_by_number(falling, float(both), float(pairs))


def svm1_cuts(folds: Sequence[tuple[Floats, Booleans]], fbr: float = 0.0) -> Floats:
    """SVM.1: for each label the mean over folds of the cut with the greatest F on that fold, the nearest to 0.

    Where a fold's greatest F is below `fbr`, its cut is the highest decision value of that fold instead, which none of
    its examples is above: a label that is hardly found is not guessed at, as a cut that is too low costs more.

    Parameters
    ----------
    folds : sequence of (values, truth)
        Decision values and labels of examples left out, arrays of shape (n_examples, K).
    fbr : float

    Examples
    --------
    >>> folds = [(np.array([[1.0], [2.0]]), np.array([[False], [True]]))]
    >>> svm1_cuts(folds)
    array([1.5])
    >>> svm1_cuts([*folds, (np.array([[3.0], [4.0]]), np.array([[False], [False]]))], fbr=0.1)
    array([2.75])
    """
    of_folds = [[_f1_cut(*pair, fbr) for pair in zip(v.T, t.T, strict=True)] for v, t in folds]
    return np.asarray(np.mean(of_folds, axis=0), dtype=np.float64)


def _f1_cut(values: Floats, truth: Booleans, fbr: float) -> float:
    order = np.argsort(-values, kind="stable")
    measured = f1_by_number(truth[order])
    if measured.max() < fbr:
        return float(values.max())
    return best_cut(values[order], measured, 0.0)


def _sums(numbers: AnyArray) -> Floats:
    """Of the first k, for every k."""
    return np.concatenate([[0.0], np.cumsum(numbers, dtype=np.float64)])
