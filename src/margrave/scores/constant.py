"""Scores that do not depend on features: one weight per output, or none at all."""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from margrave.graphs import Features
from margrave.primitives import Floats, Integers
from margrave.scores.base import ALL, Observed, Scorer, Which, pairs_or_refuse
from margrave.scores.listed import Listed


class Constant(Scorer):
    """One weight per output, the same for every row: a table of transitions, or a bias.

    Parameters
    ----------
    features : {"observed", "all"} or None, default=None
        Whether outputs that no training example shows have a weight. None: as the model does for the nodes.
    """

    def __init__(self, features: Which | None = None) -> None:
        self.features = features

    def lay_out(
        self, features: Features, n_outputs: int, truth: Observed | None = None, default: Which = "all"
    ) -> "ConstantLayout":
        """See `Scorer.lay_out`; features are not looked at."""
        if (self.features or default) == "all":
            return ConstantLayout(n_outputs, np.arange(n_outputs))
        return ConstantLayout(n_outputs, np.unique(pairs_or_refuse(truth, "Constant").outputs))


class Zero(Scorer):
    """No score at all: every output of every row is worth 0."""

    def lay_out(
        self,
        features: Features,
        n_outputs: int,
        truth: Observed | None = None,
        default: Literal["observed", "all"] = "all",
    ) -> "ConstantLayout":
        """See `Scorer.lay_out`."""
        return ConstantLayout(n_outputs, np.empty(0, dtype=np.int64))


@dataclass(frozen=True, eq=False)
class ConstantLayout:
    """Weight i is the score of output `outputs[i]`."""

    n_outputs: int
    outputs: Integers

    def __post_init__(self) -> None:
        if len(self.outputs) and not 0 <= self.outputs.min() <= self.outputs.max() < self.n_outputs:
            raise ValueError(f"outputs must be from 0 to {self.n_outputs - 1}")

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return len(self.outputs)

    def bind(self, features: Features, n_jobs: int = 1) -> "BoundConstant":
        """See `Layout.bind`."""
        return BoundConstant(self.outputs, self.n_outputs)

    def check(self, n_features: int | None, n_outputs: int) -> None:
        """See `Layout.check`."""
        if self.n_outputs != n_outputs:
            raise ValueError(f"a constant layout of {self.n_outputs} outputs")

    def matrix(self, weights: Floats) -> Floats:
        """See `Layout.matrix`; one row."""
        table = np.zeros((1, self.n_outputs))
        table[0, self.outputs] = weights
        return table


class BoundConstant:
    """See `BoundScorer`."""

    def __init__(self, outputs: Integers, n_outputs: int) -> None:
        self._outputs = outputs
        self._some = None if len(outputs) == n_outputs else outputs  # None: a weight for every output, in order

    def scores(self, weights: Floats, out: Floats, rows: slice = ALL, add: bool = False) -> None:
        """See `BoundScorer.scores`."""
        if self._some is None and not add:
            out[:] = weights
            return
        if not add:
            out[:] = 0.0
        out[:, ALL if self._some is None else self._some] += weights

    def add_pullback(self, gradient: Floats, out: Floats, rows: slice = ALL, scale: float = 1.0) -> None:
        """See `BoundScorer.add_pullback`."""
        out += scale * self._pulled(gradient)

    def quadratic(self, gradient: Floats, rows: slice = ALL) -> float:
        """See `BoundScorer.quadratic`."""
        pulled = self._pulled(gradient)
        return float(pulled @ pulled)

    def listed(self, n_rows: int) -> Listed:
        """See `BoundScorer.listed`: one feature, which is 1."""
        pointer, n = np.arange(n_rows + 1, dtype=np.int64), len(self._outputs)
        rows = Listed(pointer, np.zeros(n_rows, dtype=np.int32), None, n)
        runs = np.array([0, n], dtype=np.int64)
        return rows if self._some is None else replace(rows, runs=runs, outputs=self._some.astype(np.int32))

    def _pulled(self, gradient: Floats) -> Floats:
        total: Floats = gradient[0] if len(gradient) == 1 else gradient.sum(axis=0)
        return total if self._some is None else total[self._some]
