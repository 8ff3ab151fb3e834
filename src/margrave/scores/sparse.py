"""Linear scores of sparse features: gathers and scatters of rows of weights."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy import sparse

from margrave.primitives import Floats, Integers, Labels, even_slices, for_each, for_reading
from margrave.scores.base import ALL
from margrave.scores.dense import few_squares
from margrave.scores.sparse_passes import (
    gather_all,
    gather_observed,
    gram,
    scatter_all,
    scatter_observed,
    split_columns,
    squares,
)

#: Into how many blocks of columns a scatter is cut, if the matrix is large enough to be worth it.
_N_BLOCKS, _LARGE = 4, 100_000
_ROW_SLICES = 16


@dataclass(frozen=True, eq=False)
class _Rows:
    """A CSR matrix as kernels want it."""

    pointer: Integers
    columns: Labels
    values: Floats | None

    def block(self, low: int, high: int) -> "_Rows":
        """The columns `low` to `high`, numbered as before."""
        pointer = np.zeros(len(self.pointer), dtype=np.int64)
        nothing = np.empty(0, dtype=np.int32), np.empty(0)
        split_columns(self.pointer, self.columns, self.values, low, high, pointer, *nothing)
        columns = np.empty(pointer[-1], dtype=np.int32)
        values = None if self.values is None else np.empty(pointer[-1])
        if len(columns):
            kept = np.empty(0) if values is None else values
            split_columns(self.pointer, self.columns, self.values, low, high, pointer, columns, kept)
        return _Rows(pointer, columns, values)


class BoundSparse:
    """See `BoundScorer`; the weights are all (`outputs` None) or observed ones, then the biases."""

    def __init__(
        self,
        features: sparse.csr_array,
        n_outputs: int,
        bias: bool,
        runs: Integers | None,
        outputs: Labels | None,
        n_jobs: int = 1,
    ) -> None:
        binary = bool((features.data == 1).all())
        self._x = _Rows(
            for_reading(features.indptr, np.int64),
            for_reading(features.indices, np.int32),
            None if binary else for_reading(features.data, np.float64),
        )
        self._shape, self._bias, self._n_jobs = (features.shape[1], n_outputs), bias, n_jobs
        self._observed = () if runs is None or outputs is None else (for_reading(runs, np.int64), outputs)
        self._n_slopes = len(outputs) if outputs is not None else features.shape[1] * n_outputs
        self._grams: dict[int, Floats] = {}

    def scores(self, weights: Floats, out: Floats, rows: slice = ALL, add: bool = False) -> None:
        """See `BoundScorer.scores`."""
        x, (first, stop, _) = self._x, rows.indices(len(self._x.pointer) - 1)
        slopes = self._slopes(weights)

        def work(run: tuple[int, int]) -> None:
            part = out[run[0] - first : run[1] - first]
            if self._observed:
                gather_observed(x.pointer, x.columns, x.values, slopes, *self._observed, *run, add, part)
            else:
                gather_all(x.pointer, x.columns, x.values, slopes, *run, add, part)
            if self._bias:
                part += weights[self._n_slopes :]

        whole = stop - first == len(x.pointer) - 1
        for_each(work, self._row_slices if whole else [(first, stop)], self._n_jobs)

    def add_pullback(self, gradient: Floats, out: Floats, rows: slice = ALL, scale: float = 1.0) -> None:
        """See `BoundScorer.add_pullback`."""
        first, stop, _ = rows.indices(len(self._x.pointer) - 1)
        slopes = self._slopes(out)

        def work(x: _Rows) -> None:
            if self._observed:
                args = (*self._observed, first, stop, scale, slopes)
                scatter_observed(x.pointer, x.columns, x.values, gradient, *args)
            else:
                scatter_all(x.pointer, x.columns, x.values, gradient, first, stop, scale, slopes)

        whole = stop - first == len(self._x.pointer) - 1
        for_each(work, self._column_blocks if whole else [self._x], self._n_jobs)
        if self._bias:
            out[self._n_slopes :] += scale * gradient.sum(axis=0)

    def quadratic(self, gradient: Floats, rows: slice = ALL) -> float:
        """See `BoundScorer.quadratic`: by the rows' Gram matrix where all weights exist, else by a scratch vector."""
        x, (first, stop, _) = self._x, rows.indices(len(self._x.pointer) - 1)
        if self._observed:
            args = (*self._observed, first, stop, self._scratch)
            total = squares(x.pointer, x.columns, x.values, gradient, *args)
            return float(total) + self._bias * float((gradient.sum(axis=0) ** 2).sum())
        if first not in self._grams or len(self._grams[first]) != stop - first:
            products = np.empty((stop - first, stop - first))
            gram(x.pointer, x.columns, x.values, first, stop, self._scratch, products)
            self._grams[first] = products + float(self._bias)
        return float(few_squares(self._grams[first], gradient))

    @cached_property
    def _row_slices(self) -> list[tuple[int, int]]:
        return even_slices(self._x.pointer[1:] + np.arange(1, len(self._x.pointer)), _ROW_SLICES)

    @cached_property
    def _column_blocks(self) -> list[_Rows]:
        """Runs of columns with about equal numbers of entries."""
        if len(self._x.columns) < _LARGE:
            return [self._x]
        filled = np.bincount(self._x.columns, minlength=self._shape[0])
        return [self._x.block(low, high) for low, high in even_slices(np.cumsum(filled), _N_BLOCKS)]

    @cached_property
    def _scratch(self) -> Floats:
        return np.zeros(self._n_slopes if self._observed else self._shape[0])

    def _slopes(self, weights: Floats) -> Floats:
        slopes = weights[: self._n_slopes]
        return slopes if self._observed else slopes.reshape(self._shape)
