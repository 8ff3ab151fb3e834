"""Linear scores of sparse features with observed weights only: feature c has a weight for some outputs, not for all.

Most visits of weights belong to a few features that have weights for many outputs. A whole batch therefore goes through
two matrices: features with weights for at least a fourth of the outputs, the most frequent first, through a small dense
table that stays in cache; the others visit by visit, each (row, weight) pair listed once. A few rows at a time, as dual
solvers ask for, go through the features' runs of weights as they stand.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from margrave.primitives import Booleans, Floats, Integers, Labels, even_slices, for_each, for_reading, once
from margrave.scores.base import ALL
from margrave.scores.listed import Listed, with_bias
from margrave.scores.rows import Rows, row_slices, rows_of, selected
from margrave.scores.sparse_passes import gather_all, gather_observed, scatter_all, scatter_observed, squares
from margrave.scores.visits import Visits, gather_visits, list_visits, scatter_visits

#: Features with weights for at least this share of the outputs go through a dense table.
_DENSE = 0.25


class BoundObserved:
    """See `BoundScorer`; feature c has weights `runs[c]` to `runs[c + 1]`, for the outputs named there; then biases."""

    def __init__(
        self,
        features: sparse.csr_array,
        n_outputs: int,
        bias: bool,
        runs: Integers,
        outputs: Labels,
        n_jobs: int = 1,
    ) -> None:
        self._x = rows_of(features)
        self._bias, self._n_jobs = bias, n_jobs
        self._n_outputs, self._n_slopes = n_outputs, len(outputs)
        self._in_use = False  # whether a whole batch has been asked for before: then the two matrices will pay
        self._runs, self._outputs = for_reading(runs, np.int64), for_reading(outputs, np.int32)

    def scores(self, weights: Floats, out: Floats, rows: slice = ALL, add: bool = False) -> None:
        """See `BoundScorer.scores`."""
        first, stop, _ = rows.indices(len(self._x))
        slopes = weights[: self._n_slopes]
        if stop - first < len(self._x) or not self._in_use:
            self._in_use |= stop - first == len(self._x)
            self._plain_scores(weights, out, first, stop, add)
            return
        parts = self._parts
        table = np.zeros((parts.n_features, self._n_outputs))
        table.reshape(-1)[parts.places] = slopes[parts.weights]

        def work(run: tuple[int, int]) -> None:
            x, rare, part = parts.frequent, parts.rare, out[run[0] : run[1]]
            gather_all(x.pointer, x.columns, x.values, table, *run, add, part)
            gather_visits(rare.pointer, rare.weights, rare.outputs, rare.values, slopes, *run, part)
            if self._bias:
                part += weights[self._n_slopes :]

        for_each(work, parts.slices, self._n_jobs)

    def _plain_scores(self, weights: Floats, out: Floats, first: int, stop: int, add: bool) -> None:
        """Run by run of weights, as they stand: for some rows, and for those who ask for all rows but once."""
        x, slopes = self._x, weights[: self._n_slopes]

        def work(run: tuple[int, int]) -> None:
            part = out[run[0] - first : run[1] - first]
            gather_observed(x.pointer, x.columns, x.values, slopes, self._runs, self._outputs, *run, add, part)
            if self._bias:
                part += weights[self._n_slopes :]

        whole = stop - first == len(x)
        for_each(work, row_slices(x) if whole else [(first, stop)], self._n_jobs)

    def add_pullback(self, gradient: Floats, out: Floats, rows: slice = ALL, scale: float = 1.0) -> None:
        """See `BoundScorer.add_pullback`."""
        first, stop, _ = rows.indices(len(self._x))
        slopes = out[: self._n_slopes]
        if self._bias:
            out[self._n_slopes :] += scale * gradient.sum(axis=0)
        if stop - first < len(self._x):
            x, observed = self._x, (self._runs, self._outputs)
            scatter_observed(x.pointer, x.columns, x.values, gradient, *observed, first, stop, scale, slopes)
            return
        parts = self._parts
        table = np.zeros((parts.n_features, self._n_outputs))

        def work(block: Rows | Visits) -> None:
            if isinstance(block, Rows):
                scatter_all(block.pointer, block.columns, block.values, gradient, 0, stop, scale, table)
            else:
                args = (gradient, 0, stop, scale, slopes)
                scatter_visits(block.pointer, block.weights, block.outputs, block.values, *args)

        for_each(work, parts.blocks, self._n_jobs)
        slopes[parts.weights] += table.reshape(-1)[parts.places]

    def quadratic(self, gradient: Floats, rows: slice = ALL) -> float:
        """See `BoundScorer.quadratic`: by a scratch vector, since rows share only the outputs that both have."""
        x, (first, stop, _) = self._x, rows.indices(len(self._x))
        observed = (self._runs, self._outputs)
        total = squares(x.pointer, x.columns, x.values, gradient, *observed, first, stop, self._scratch)
        return float(total) + self._bias * float((gradient.sum(axis=0) ** 2).sum())

    def listed(self, n_rows: int) -> Listed:
        """See `BoundScorer.listed`."""
        x = self._x
        rows = Listed(x.pointer, x.columns, x.values, self._n_slopes, self._runs, self._outputs)
        return with_bias(rows, self._n_outputs) if self._bias else rows

    @once
    def _scratch(self) -> Floats:
        return np.zeros(self._n_slopes)

    @once
    def _parts(self) -> "_Parts":
        """The two matrices, made when a whole batch is first asked for."""
        n_weights = np.diff(self._runs)
        uses = np.bincount(self._x.columns, minlength=len(n_weights))
        many = np.flatnonzero(n_weights >= max(2.0, _DENSE * self._n_outputs))
        many = many[np.argsort(-uses[many], kind="stable")]
        slot = np.full(len(n_weights), -1, dtype=np.int32)
        slot[many] = np.arange(len(many))
        of_weight = np.repeat(slot, n_weights)
        dense = np.flatnonzero(of_weight >= 0)
        frequent = selected(self._x, slot)
        rare = self._visits(slot < 0, 0, self._n_slopes)
        blocks: list[Rows | Visits] = [frequent, rare]
        if self._n_jobs > 1:
            ends = np.cumsum(np.where(of_weight < 0, np.repeat(uses, n_weights), 0))
            blocks = self._cut(frequent, np.cumsum(uses[many]), slot < 0, ends)
        places = of_weight[dense] * np.int64(self._n_outputs) + self._outputs[dense]
        return _Parts(len(many), dense, places, frequent, rare, blocks, row_slices(self._x))

    def _cut(self, frequent: Rows, uses: Integers, rare: Booleans, visits: Integers) -> list[Rows | Visits]:
        """Both matrices in as many blocks of columns as there are threads; uses and visits are running sums."""
        slots, found = np.arange(len(uses)), dict[int, Rows | Visits]()
        runs = [(False, run) for run in even_slices(uses, self._n_jobs)]
        runs += [(True, run) for run in even_slices(visits, self._n_jobs)]

        def make(block: int) -> None:
            of_rare, (low, high) = runs[block]
            own = np.where((slots >= low) & (slots < high), slots, -1).astype(np.int32)
            found[block] = self._visits(rare, low, high) if of_rare else selected(frequent, own)

        for_each(make, range(len(runs)), self._n_jobs)
        return [found[block] for block in range(len(runs))]

    def _visits(self, rare: Booleans, low: int, high: int) -> Visits:
        return list_visits(self._x, rare, self._runs, self._outputs, low, high, self._n_outputs)


@dataclass(frozen=True, eq=False)
class _Parts:
    """How a whole batch is gone through."""

    n_features: int  # with a row in the dense table
    weights: Integers  # the weights that stand in the dense table, ...
    places: Integers  # ... and where in it
    frequent: Rows  # features of the dense table
    rare: Visits  # the other features
    blocks: list[Rows | Visits]  # the same for the way back; for threads cut so that no two blocks share a weight
    slices: list[tuple[int, int]]
