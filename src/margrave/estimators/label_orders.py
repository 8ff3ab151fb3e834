"""Orders of labels, chosen on the training data alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np

from margrave.estimators.directed_training import Examples
from margrave.losses import Loss
from margrave.primitives import AnyArray, Floats, Integers, for_each
from margrave.scores.margins import MarginRows
from margrave.scores.signs import Signs
from margrave.solvers import BinaryObjective, Solver

#: Most labels for which all subsets are looked at: features, kernels.
MOST_EXACT, MOST_EXACT_KERNEL = 8, 6
FOLDS = 5


class CrossValidation:
    """Binary problems of one label and some neighbours, trained on folds and judged on the examples left out.

    Parameters
    ----------
    examples : Examples
    loss : Loss
    solver : Solver of BinaryObjective
    rng : random generator
        Of the folds.
    """

    def __init__(
        self, examples: Examples, loss: Loss, solver: Solver[BinaryObjective], rng: np.random.Generator
    ) -> None:
        self._loss, self._solver = loss, solver
        n = len(examples.values)
        of = rng.permutation(n) % min(FOLDS, n)
        self._folds = [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(min(FOLDS, n))]
        self._all = examples
        self._parts = [examples.take(train) for train, _ in self._folds]

    def margins(self, label: int, neighbours: tuple[int, ...] = ()) -> Floats:
        """⟨w, row⟩ of every example under the weights of the folds that it is not in; neighbours are at their truth."""
        out = np.empty(len(self._all.values))
        for (train, test), part in zip(self._folds, self._parts, strict=True):
            rows = MarginRows(part.inputs, _neighbours(part.values, neighbours))
            labels = np.where(part.values[:, label] > 0, 1.0, -1.0)
            weights = np.ascontiguousarray(part.weights[:, label])
            found = self._solver.minimize(BinaryObjective(rows, labels, weights, self._loss)).weights
            width = part.inputs.n_columns + 1
            signs = self._all.values[test][:, neighbours] if neighbours else np.zeros((len(test), 0))
            out[test] = self._all.inputs.scores(found[:width], test, train) + signs @ found[width:]
        return out

    def f_score(self, label: int) -> float:
        """F of a label's own classifier, over the examples that have a weight: where the label is known."""
        seen = self._all.weights[:, label] > 0
        predicted, true = self.margins(label)[seen] > 0, self._all.values[seen, label] > 0
        pairs = predicted.sum() + true.sum()
        return float(2.0 * (predicted & true).sum() / pairs) if pairs else 0.0

    def cost(self, label: int, neighbours: tuple[int, ...]) -> float:
        """Loss of a label on examples left out, weighted as in training."""
        z = np.where(self._all.values[:, label] > 0, 1.0, -1.0) * self.margins(label, neighbours)
        losses = np.logaddexp(0.0, -z) if self._loss.temperature > 0 else np.maximum(1.0 - z, 0.0)
        return float(self._all.weights[:, label] @ losses)


def _neighbours(values: AnyArray, neighbours: tuple[int, ...]) -> Signs:
    """Signs of single labels; those that are +1 are listed."""
    rows, columns = np.nonzero(values[:, neighbours] > 0) if neighbours else (np.empty(0, int), np.empty(0, int))
    pointer = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=len(values)))])
    return Signs(np.full(len(neighbours), -1.0), pointer.astype(np.int64), columns.astype(np.int32))


def f_score_order(folds: CrossValidation, values: AnyArray, n_jobs: int) -> Integers:
    """Labels by the F-score of a classifier of their own, on examples that it has not seen; the highest first."""
    K = values.shape[1]
    scores = np.empty(K)

    def work(label: int) -> None:
        scores[label] = folds.f_score(label)

    for_each(work, range(K), n_jobs)
    return np.argsort(-scores, kind="stable")


def least_loss_order(folds: CrossValidation, values: AnyArray, exact_up_to: int, n_jobs: int) -> tuple[Integers, float]:
    """The order in which each label, given all before it, costs least on examples left out; and what it costs.

    The cost of a label depends on the set before it. Up to `exact_up_to` labels the best order is found over all sets,
    cost*(S) = min over i in S of cost*(S without i) + cost(i | S without i), with K 2^(K-1) problems per fold. Beyond,
    labels are inserted one after the other, by F-score, each where the total grows least: about K² problems per fold.
    """
    K = values.shape[1]
    if K <= exact_up_to:
        return _over_subsets(K, _costs(folds, list(_all_questions(K)), n_jobs))
    return _by_insertion(folds, f_score_order(folds, values, n_jobs).tolist(), n_jobs)


Question = tuple[int, tuple[int, ...]]


def _all_questions(K: int) -> Iterator[Question]:
    for label in range(K):
        others = [other for other in range(K) if other != label]
        for size in range(K):
            for before in combinations(others, size):
                yield label, before


def _costs(folds: CrossValidation, questions: list[Question], n_jobs: int) -> dict[Question, float]:
    found: dict[Question, float] = {}

    def work(question: Question) -> None:
        found[question] = folds.cost(*question)

    for_each(work, questions, n_jobs)
    return found


def _over_subsets(K: int, costs: dict[Question, float]) -> tuple[Integers, float]:
    best: dict[tuple[int, ...], tuple[float, tuple[int, ...]]] = {(): (0.0, ())}
    for size in range(1, K + 1):
        for labels in combinations(range(K), size):
            options = []
            for last in labels:
                before = tuple(label for label in labels if label != last)
                options.append((best[before][0] + costs[last, before], (*best[before][1], last)))
            best[labels] = min(options)
    total, order = best[tuple(range(K))]
    return np.array(order, dtype=np.int64), total


def _by_insertion(folds: CrossValidation, labels: list[int], n_jobs: int) -> tuple[Integers, float]:
    """What a label after the new one costs does not depend on where before it that stands: 2t + 1 questions for t."""
    order: list[int] = []
    now: list[float] = []  # cost of each label given those before it
    for new in labels:
        prefix = [tuple(sorted(order[:i])) for i in range(len(order) + 1)]
        questions = [(new, before) for before in prefix]
        questions += [(old, tuple(sorted((*prefix[i], new)))) for i, old in enumerate(order)]
        costs = _costs(folds, questions, n_jobs)
        after = [costs[question] for question in questions[len(prefix) :]]
        totals = [sum(now[:i]) + costs[new, prefix[i]] + sum(after[i:]) for i in range(len(prefix))]
        at = int(np.argmin(totals))
        now = [*now[:at], costs[new, prefix[at]], *after[at:]]
        order.insert(at, new)
    return np.array(order, dtype=np.int64), sum(now)


def random_orders(n: int, K: int, given: Sequence[Integers], rng: np.random.Generator) -> list[Integers]:
    """The given orders, and random permutations up to n."""
    return [*given, *(rng.permutation(K) for _ in range(n - len(given)))]
