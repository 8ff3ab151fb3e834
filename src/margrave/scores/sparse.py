"""Linear scores of sparse features with all weights: gathers and scatters of rows of weights."""

import numpy as np
from scipy import sparse

from margrave.primitives import Floats, even_slices, for_each, once
from margrave.scores.base import ALL
from margrave.scores.dense import few_squares
from margrave.scores.listed import Listed, with_bias
from margrave.scores.rows import Rows, row_slices, rows_of, selected
from margrave.scores.sparse_passes import gather_all, gram, scatter_all

#: Matrices with fewer entries than this are not cut into blocks of columns.
_LARGE = 100_000


class BoundSparse:
    """See `BoundScorer`; weights are (n_features, n_outputs) row by row, then the biases."""

    def __init__(self, features: sparse.csr_array, n_outputs: int, bias: bool, n_jobs: int = 1) -> None:
        self._x = rows_of(features)
        self._shape, self._bias, self._n_jobs = (features.shape[1], n_outputs), bias, n_jobs
        self._n_slopes = features.shape[1] * n_outputs
        self._grams: dict[int, Floats] = {}

    def scores(self, weights: Floats, out: Floats, rows: slice = ALL, add: bool = False) -> None:
        """See `BoundScorer.scores`."""
        x, (first, stop, _) = self._x, rows.indices(len(self._x))
        slopes = weights[: self._n_slopes].reshape(self._shape)

        def work(run: tuple[int, int]) -> None:
            part = out[run[0] - first : run[1] - first]
            gather_all(x.pointer, x.columns, x.values, slopes, *run, add, part)
            if self._bias:
                part += weights[self._n_slopes :]

        for_each(work, self._row_slices if stop - first == len(x) else [(first, stop)], self._n_jobs)

    def add_pullback(self, gradient: Floats, out: Floats, rows: slice = ALL, scale: float = 1.0) -> None:
        """See `BoundScorer.add_pullback`."""
        first, stop, _ = rows.indices(len(self._x))
        slopes = out[: self._n_slopes].reshape(self._shape)

        def work(x: Rows) -> None:
            scatter_all(x.pointer, x.columns, x.values, gradient, first, stop, scale, slopes)

        for_each(work, self._column_blocks if stop - first == len(self._x) else [self._x], self._n_jobs)
        if self._bias:
            out[self._n_slopes :] += scale * gradient.sum(axis=0)

    def quadratic(self, gradient: Floats, rows: slice = ALL) -> float:
        """See `BoundScorer.quadratic`: by the rows' Gram matrix, made at the first call."""
        x, (first, stop, _) = self._x, rows.indices(len(self._x))
        if first not in self._grams or len(self._grams[first]) != stop - first:
            products = np.empty((stop - first, stop - first))
            gram(x.pointer, x.columns, x.values, first, stop, self._scratch, products)
            self._grams[first] = products + float(self._bias)
        return float(few_squares(self._grams[first], gradient))

    def listed(self, n_rows: int) -> Listed:
        """See `BoundScorer.listed`."""
        x = self._x
        rows = Listed(x.pointer, x.columns, x.values, self._n_slopes)
        return with_bias(rows, self._shape[1]) if self._bias else rows

    @once
    def _row_slices(self) -> list[tuple[int, int]]:
        return row_slices(self._x)

    @once
    def _column_blocks(self) -> list[Rows]:
        """Runs of columns with about equal numbers of entries."""
        if len(self._x.columns) < _LARGE or self._n_jobs == 1:
            return [self._x]
        columns = np.arange(self._shape[0], dtype=np.int32)
        filled = np.cumsum(np.bincount(self._x.columns, minlength=self._shape[0]))
        cuts = even_slices(filled, self._n_jobs)
        return [selected(self._x, np.where((columns >= a) & (columns < b), columns, np.int32(-1))) for a, b in cuts]

    @once
    def _scratch(self) -> Floats:
        return np.zeros(self._shape[0])
