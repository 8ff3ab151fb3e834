"""Linear scores of dense features: matrix products, in chunks cut by the data."""

import numpy as np
from scipy import sparse

from margrave.primitives import AnyArray, Floats, for_each, for_reading, kernel
from margrave.scores.base import ALL
from margrave.scores.listed import Listed, with_bias

#: Up to this many rows are not worth a matrix product.
_FEW = 64
#: Rows, and columns, per chunk; fixed, so that sums are the same for any number of threads.
_ROWS, _COLUMNS = 4096, 256
#: Features of up to this many numbers are converted once.
_SMALL = 2**23


class BoundDense:
    """See `BoundScorer`; weights are (n_features, n_outputs) row by row, then the biases.

    Large features stay in the type that they were given in, and are converted chunk by chunk.
    """

    def __init__(self, features: AnyArray, n_outputs: int, bias: bool, n_jobs: int = 1) -> None:
        floats = features.size <= _SMALL or features.dtype == np.float64
        self._x = for_reading(features, np.float64) if floats else features
        self._bias, self._n_jobs = bias, n_jobs
        self._shape = (features.shape[1], n_outputs)
        self._visited: dict[int, tuple[Floats, Floats]] = {}

    def scores(self, weights: Floats, out: Floats, rows: slice = ALL, add: bool = False) -> None:
        """See `BoundScorer.scores`."""
        first, stop, _ = rows.indices(len(self._x))
        if stop - first <= _FEW:
            few_scores(self._few(first, stop)[0], weights, self._bias, add, out)
            return
        slopes, biases = self._split(weights)

        def work(start: int) -> None:
            chunk = slice(start, min(start + _ROWS, stop))
            target = out[chunk.start - first : chunk.stop - first]
            if add:
                target += self._floats(chunk) @ slopes
            else:
                np.dot(self._floats(chunk), slopes, out=target)
            if self._bias:
                target += biases

        for_each(work, range(first, stop, _ROWS), self._n_jobs)

    def add_pullback(self, gradient: Floats, out: Floats, rows: slice = ALL, scale: float = 1.0) -> None:
        """See `BoundScorer.add_pullback`."""
        first, stop, _ = rows.indices(len(self._x))
        if stop - first <= _FEW:
            few_pullback(self._few(first, stop)[0], gradient, scale, self._bias, out)
            return
        slopes, biases = self._split(out)

        def work(column: int) -> None:
            columns = slice(column, column + _COLUMNS)
            for start in range(first, stop, _ROWS):
                chunk = slice(start, min(start + _ROWS, stop))
                part = self._floats(chunk, columns).T @ gradient[chunk.start - first : chunk.stop - first]
                slopes[columns] += part if scale == 1.0 else scale * part

        for_each(work, range(0, self._shape[0], _COLUMNS), self._n_jobs)
        if self._bias:
            biases += scale * gradient.sum(axis=0)

    def quadratic(self, gradient: Floats, rows: slice = ALL) -> float:
        """See `BoundScorer.quadratic`: ⟨G, D Dᵀ⟩ with the rows' Gram matrix G, made at the first call."""
        first, stop, _ = rows.indices(len(self._x))
        return float(few_squares(self._few(first, stop)[1], gradient))

    def listed(self, n_rows: int) -> Listed | None:
        """See `BoundScorer.listed`; zeros are left out. None for large features, whose list would be larger still."""
        if self._x.size > _SMALL:
            return None
        x = sparse.csr_array(self._x)
        pointer, features = x.indptr.astype(np.int64), x.indices.astype(np.int32)
        values = None if (x.data == 1).all() else x.data.astype(np.float64)
        rows = Listed(pointer, features, values, self._shape[0] * self._shape[1])
        return with_bias(rows, self._shape[1]) if self._bias else rows

    def _few(self, first: int, stop: int) -> tuple[Floats, Floats]:
        """A run of rows and its Gram matrix, kept: dual solvers come back to the same runs thousands of times."""
        visited = self._visited.get(first)
        if visited is None or len(visited[0]) != stop - first:
            x = self._floats(slice(first, stop))
            visited = self._visited[first] = x, x @ x.T + float(self._bias)
        return visited

    def _split(self, weights: Floats) -> tuple[Floats, Floats]:
        n_slopes = self._shape[0] * self._shape[1]
        return weights[:n_slopes].reshape(self._shape), weights[n_slopes:]

    def _floats(self, rows: slice, columns: slice = ALL) -> Floats:
        part = self._x[rows] if columns == ALL else self._x[rows, columns]
        return part if part.dtype == np.float64 else part.astype(np.float64, order="C")


@kernel
def few_scores(x: Floats, weights: Floats, bias: bool, add: bool, out: Floats) -> None:
    """As `BoundDense.scores` for a few rows, where a matrix product's own overhead would be all of the time."""
    width = out.shape[1]
    biases = weights[x.shape[1] * width :]
    for r in range(len(x)):
        row = out[r]
        for a in range(width):
            row[a] = (row[a] if add else 0.0) + (biases[a] if bias else 0.0)
        for d in range(x.shape[1]):
            value = x[r, d]
            if value != 0.0:
                w = weights[d * width : (d + 1) * width]
                for a in range(width):
                    row[a] += value * w[a]


@kernel
def few_pullback(x: Floats, gradient: Floats, scale: float, bias: bool, out: Floats) -> None:
    """As `BoundDense.add_pullback` for a few rows."""
    width = gradient.shape[1]
    biases = out[x.shape[1] * width :]
    for r in range(len(x)):
        row = gradient[r]
        if bias:
            for a in range(width):
                biases[a] += scale * row[a]
        for d in range(x.shape[1]):
            value = scale * x[r, d]
            if value != 0.0:
                w = out[d * width : (d + 1) * width]
                for a in range(width):
                    w[a] += value * row[a]


@kernel
def few_squares(gram: Floats, gradient: Floats) -> float:
    """Σ over pairs of rows of gram · ⟨gradient, gradient⟩."""
    total = 0.0
    for r in range(len(gram)):
        for q in range(r + 1):
            inner = 0.0
            for a in range(gradient.shape[1]):
                inner += gradient[r, a] * gradient[q, a]
            total += (1.0 if q == r else 2.0) * gram[r, q] * inner
    return total
