"""Cuts of labels that look at each other: a bias inside each z_i, judged by searching the labellings again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from margrave.estimators.directed_inputs import (
    InputScores,
    JointKernelInputs,
    KernelInputs,
    LandmarkInputs,
    LinearInputs,
)
from margrave.estimators.directed_model import DirectedModel
from margrave.estimators.label_cuts import candidate_cuts
from margrave.features.label_table import Values
from margrave.inference import DirectedScores, LabelSearch
from margrave.metrics import multilabel_scores
from margrave.primitives import Booleans, Floats, Integers

#: Numbers of examples on that are tried lie between a quarter of the number now and four times that, then closer.
_SPREAD = 4.0
_SAME = 1e-12


@dataclass(frozen=True, eq=False)
class LeftOut:
    """Examples of a fold, as a model sees them that was trained on the others.

    Parameters
    ----------
    scores : one DirectedScores per order
        Of the labels that the model has.
    labels : int array of shape (n_model_labels,)
        Which labels those are; the others never changed in its training.
    constant : int8 array of shape (K,)
        What it says of those others: -1 or +1.
    truth : bool array of shape (n_examples, K)
    """

    scores: Sequence[DirectedScores]
    labels: Integers
    constant: Values
    truth: Booleans

    def found(self, cuts: Floats, search: LabelSearch, n_jobs: int) -> Values:
        """Labellings of least loss where each label's score is less by its cut; -1 or +1, shape (n_examples, K)."""
        out = np.tile(self.constant, (len(self.truth), 1))
        if len(self.labels) and len(out):
            less = [replace(order, inputs=order.inputs - cuts[self.labels]) for order in self.scores]
            out[:, self.labels] = search.best(less, None, n_jobs).labels
        return out

    def values(self, label: int, labels: Values) -> Floats:
        """The score of a label without its cut, its parents as in a labelling; the mean over orders."""
        here = np.flatnonzero(self.labels == label)
        if not len(here):
            return np.full(len(labels), float(self.constant[label]))
        own = labels[:, self.labels]
        of_orders = [s.score_at(int(np.flatnonzero(s.dependencies.order == here[0])[0]), own) for s in self.scores]
        return np.asarray(np.mean(of_orders, axis=0), dtype=np.float64)


class JointSearch:
    """Cuts one after the other, each the best of a few, measured on joint predictions of all examples left out.

    A round visits every label. Its values are the scores that the present predictions of its parents give; tried are
    `n_candidates` cuts of them that leave about a quarter to four times as many examples on as now, one that leaves
    none on, and 0, where the label is not tuned. For each all labels are searched again, since the others answer to it,
    and a cut is taken where the measure grows. Each later round looks twice as closely. The measure never falls below
    that of no cuts.

    Costs K · (n_candidates + 2) · n_rounds searches of all examples, and K · n_rounds sorts.

    Parameters
    ----------
    folds : sequence of LeftOut
    target : {"exact_match", "f1_micro", "f1_macro"}
    search : LabelSearch
    n_candidates, n_rounds, n_jobs : int
    """

    def __init__(
        self,
        folds: Sequence[LeftOut],
        target: str,
        search: LabelSearch,
        n_candidates: int,
        n_rounds: int,
        n_jobs: int,
    ) -> None:
        self._folds, self._target, self._search = folds, target, search
        self._n_candidates, self._n_rounds, self._n_jobs = n_candidates, n_rounds, n_jobs
        self._truth = np.concatenate([fold.truth for fold in folds])

    def cuts(self) -> Floats:
        """The best cuts found, shape (K,)."""
        cuts = np.zeros(self._truth.shape[1])
        labels = self.labels(cuts)
        best = self.measured(labels)
        for round_ in range(self._n_rounds):
            spread = _SPREAD ** (0.5**round_)
            for label in range(len(cuts)):
                for cut in self._candidates(label, labels, spread):
                    tried = cuts.copy()
                    tried[label] = cut
                    found = self.labels(tried)
                    value = self.measured(found)
                    if value > best + _SAME:
                        best, cuts, labels = value, tried, found
        return cuts

    def labels(self, cuts: Floats) -> Values:
        """Joint predictions of all examples left out, -1 or +1."""
        return np.concatenate([fold.found(cuts, self._search, self._n_jobs) for fold in self._folds])

    def measured(self, labels: Values) -> float:
        """The target of such predictions."""
        return multilabel_scores(self._truth, labels > 0)[self._target]

    def _candidates(self, label: int, labels: Values, spread: float) -> Floats:
        parts = np.split(labels, np.cumsum([len(fold.truth) for fold in self._folds])[:-1])
        values = [fold.values(label, part) for fold, part in zip(self._folds, parts, strict=True)]
        cuts, above = candidate_cuts(np.sort(np.concatenate(values))[::-1])
        now = max(int((labels[:, label] > 0).sum()), int(self._truth[:, label].sum()) // 2, 1)
        wanted = now * np.geomspace(1.0 / spread, spread, self._n_candidates)
        nearest = np.abs(above[:, None] - wanted).argmin(axis=0)
        return np.concatenate([cuts[np.unique(nearest)], cuts[:1], [0.0]])


def with_cuts(model: DirectedModel, cuts: Floats) -> DirectedModel:
    """The model with every score of a label less by its cut, in all orders: the cut becomes part of the bias."""
    return replace(model, inputs=_lowered(model.inputs, cuts))


def _lowered(inputs: InputScores | JointKernelInputs, cuts: Floats) -> InputScores | JointKernelInputs:
    if isinstance(inputs, LinearInputs):
        return LinearInputs(_less(inputs.weights, cuts))
    if isinstance(inputs, LandmarkInputs):
        return replace(inputs, linear=LinearInputs(_less(inputs.linear.weights, cuts)))
    if isinstance(inputs, KernelInputs | JointKernelInputs):
        return replace(inputs, coefficients=_less(inputs.coefficients, cuts))
    raise TypeError(f"a model with {type(inputs).__name__} has no scores of features to cut")


def _less(weights: Floats, cuts: Floats) -> Floats:
    """Weights of shape (n_orders, K, n + 1), whose last ones are biases, with those lowered."""
    result = weights.copy()
    result[..., -1] -= cuts
    return result
