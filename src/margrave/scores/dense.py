"""Linear scores of dense features: matrix products, in chunks cut by the data."""

import numpy as np

from margrave.primitives import AnyArray, Floats, for_each
from margrave.scores.base import ALL

#: Rows, and columns, per chunk; fixed, so that sums are the same for any number of threads.
_ROWS, _COLUMNS = 4096, 256


class BoundDense:
    """See `BoundScorer`; weights are (n_features, n_outputs) row by row, then the biases.

    Features stay in the type that they were given in, and are converted chunk by chunk.
    """

    def __init__(self, features: AnyArray, n_outputs: int, bias: bool, n_jobs: int = 1) -> None:
        self._x, self._bias, self._n_jobs = features, bias, n_jobs
        self._shape = (features.shape[1], n_outputs)
        self._grams: dict[int, Floats] = {}

    def scores(self, weights: Floats, out: Floats, rows: slice = ALL, add: bool = False) -> None:
        """See `BoundScorer.scores`."""
        slopes, biases = self._split(weights)
        first, stop, _ = rows.indices(len(self._x))

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
        slopes, biases = self._split(out)
        first, stop, _ = rows.indices(len(self._x))

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
        if first not in self._grams or len(self._grams[first]) != stop - first:
            x = self._floats(slice(first, stop))
            self._grams[first] = x @ x.T + float(self._bias)
        return float(np.vdot(self._grams[first] @ gradient, gradient))

    def _split(self, weights: Floats) -> tuple[Floats, Floats]:
        n_slopes = self._shape[0] * self._shape[1]
        return weights[:n_slopes].reshape(self._shape), weights[n_slopes:]

    def _floats(self, rows: slice, columns: slice = ALL) -> Floats:
        return np.asarray(self._x[rows, columns], dtype=np.float64)
