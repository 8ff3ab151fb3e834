"""Kernels: inner products of rows in spaces that are never written down.

linear     ⟨x, z⟩                      rbf        exp(−γ ‖x − z‖²)
poly       (γ ⟨x, z⟩ + c)^degree       laplacian  exp(−γ Σ |x − z|)
chi2       exp(−γ Σ (x − z)²/(x + z)), x and z at least 0, 0/0 = 0
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from margrave.primitives import AnyArray, Floats, exp, for_each, for_reading, kernel

NAMES = ("linear", "poly", "rbf", "chi2", "laplacian", "precomputed")
#: Kernels that are e^(−γ · distance).
DISTANCES = ("rbf", "chi2", "laplacian")
_ROWS = 64


class Kernel(BaseEstimator):
    """A kernel, with its parameters.

    Parameters
    ----------
    name : {"linear", "poly", "rbf", "chi2", "laplacian", "precomputed"} or callable
        A callable gets two matrices of rows and gives their inner products. "precomputed": rows are inner products
        already.
    gamma : float or None, default=None
        γ. None: of the training rows, 1/mean ‖x‖² for poly, 1/(columns · variance) for rbf, 1/mean distance for chi2
        and laplacian; see `settled`.
    degree : int, default=3
    coef0 : float, default=1.0
        c of poly.
    normalize : bool, default=True
        Whether to divide by √(k(x, x) k(z, z)).

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> mg.scores.Kernel("rbf", gamma=0.5).matrix(np.array([[0.0], [2.0]])).round(3)
    array([[1.   , 0.135],
           [0.135, 1.   ]])
    """

    def __init__(
        self,
        name: str | Callable[..., Any] = "rbf",
        *,
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        normalize: bool = True,
    ) -> None:
        self.name = name
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.normalize = normalize

    def settled(self, rows: AnyArray) -> "Kernel":
        """The same kernel with γ as a number, worked out on training rows where it is None."""
        self._check()
        if self.gamma is not None or self.name not in ("poly", *DISTANCES):
            return Kernel(**self.get_params())
        if self.name == "poly":
            scale = float(_squares(rows).mean())
        elif self.name == "rbf":
            scale = float(rows.shape[1] * _variance(rows))
        else:
            scale = float(_distances(self.name, rows, rows, 1).mean())
        return Kernel(**{**self.get_params(), "gamma": 1.0 / scale if scale > 0 else 1.0})

    def matrix(self, x: AnyArray, z: AnyArray | None = None, n_jobs: int = 1) -> Floats:
        """Inner products of rows of x with rows of z (None: with each other), shape (len(x), len(z)).

        O(len(x) · len(z) · columns); sparse rows stay sparse for linear, poly and rbf.
        """
        self._check()
        if self.name == "precomputed":
            return _dense(x)
        other = x if z is None else z
        k = self._values(x, other, n_jobs)
        if self.normalize and self.name not in DISTANCES:
            norms = np.sqrt(self.squares(x)), np.sqrt(self.squares(other))
            k = k / np.outer(np.where(norms[0] > 0, norms[0], 1.0), np.where(norms[1] > 0, norms[1], 1.0))
        return k

    def squares(self, x: AnyArray) -> Floats:
        """k(x, x) of every row, before it is normalized."""
        if self.name in DISTANCES:
            return np.ones(x.shape[0])
        if callable(self.name):
            return np.array(
                [float(np.asarray(self.name(x[i : i + 1], x[i : i + 1])).item()) for i in range(x.shape[0])]
            )
        return self.of_statistic(_squares(x))

    def of_statistic(self, statistic: Floats) -> Floats:
        """The kernel as a function of the inner product (linear, poly) or of the distance that it is made of.

        Distances are overwritten.
        """
        if self.name == "linear":
            return statistic
        if self.name == "poly":
            result: Floats = (self._gamma() * statistic + self.coef0) ** self.degree
            return result
        exponentiate(statistic, -self._gamma())
        return statistic

    def _values(self, x: AnyArray, z: AnyArray, n_jobs: int) -> Floats:
        if callable(self.name):
            k = np.asarray(self.name(x, z), dtype=np.float64)
            if k.shape != (x.shape[0], z.shape[0]):
                raise ValueError(f"kernel must give shape {(x.shape[0], z.shape[0])} for these rows, got {k.shape}")
            return k
        if self.name in ("linear", "poly"):
            return self.of_statistic(_inner(x, z))
        return self.of_statistic(_distances(self.name, x, z, n_jobs))

    def _gamma(self) -> float:
        if self.gamma is None:
            raise ValueError("gamma is not settled; use Kernel.settled(training_rows)")
        return float(self.gamma)

    def _check(self) -> None:
        if not callable(self.name) and self.name not in NAMES:
            raise ValueError(f"kernel must be one of {', '.join(map(repr, NAMES))}, or a callable; got {self.name!r}")
        gamma: Any = self.gamma
        if gamma is not None and not (isinstance(gamma, int | float | np.number) and gamma > 0):
            raise ValueError(f"gamma must be above 0, or None (worked out on the training rows), got {gamma!r}")
        degree: Any = self.degree
        if not isinstance(degree, int | np.integer) or degree < 1:
            raise ValueError(f"degree must be a whole number of at least 1, got {self.degree!r}")


def _inner(x: AnyArray, z: AnyArray) -> Floats:
    product: Any = x @ z.T
    return np.asarray(product.toarray() if sparse.issparse(product) else product, dtype=np.float64)


def _squares(x: AnyArray) -> Floats:
    if sparse.issparse(x):
        matrix: Any = x
        return np.asarray(matrix.multiply(matrix).sum(axis=1), dtype=np.float64).ravel()
    rows = np.asarray(x, dtype=np.float64)
    squares: Floats = np.einsum("ij,ij->i", rows, rows)
    return squares


def _variance(x: AnyArray) -> float:
    if not sparse.issparse(x):
        return float(np.var(np.asarray(x, dtype=np.float64)))
    mean = x.sum() / np.prod(x.shape)
    return float(_squares(x).sum() / np.prod(x.shape) - mean**2)


def _dense(x: AnyArray) -> Floats:
    rows: Any = x
    return for_reading(rows.toarray() if sparse.issparse(x) else x, np.float64)


def _distances(name: Any, x: AnyArray, z: AnyArray, n_jobs: int) -> Floats:
    if name == "rbf":
        squared = _inner(x, z)
        finish_squares(squared, _squares(x), _squares(z))
        if x is z:
            np.fill_diagonal(squared, 0.0)
        return squared
    x, z = (part if sparse.issparse(part) else _dense(part) for part in (x, z))
    if name == "chi2" and min(_least(x), _least(z)) < 0:
        raise ValueError("the chi2 kernel needs features of at least 0; scale them, or use 'laplacian'")
    out = np.empty((x.shape[0], z.shape[0]))
    n_columns = _ROWS if sparse.issparse(z) else max(z.shape[0], 1)  # of sparse rows a few are written out at a time

    def work(first: int) -> None:
        rows = slice(first, first + _ROWS)
        part = _dense(x[rows])
        for begin in range(0, z.shape[0], n_columns):
            others = _dense(z[begin : begin + n_columns])
            block = np.empty((len(part), len(others)))
            (chi2_distances if name == "chi2" else absolute_distances)(part, others, block)
            out[rows, begin : begin + n_columns] = block

    for_each(work, range(0, x.shape[0], _ROWS), n_jobs)
    return out


def _least(x: AnyArray) -> float:
    """The smallest entry, 0 where there is none."""
    entries: Any = x.data if sparse.issparse(x) else x
    return float(entries.min(initial=0.0))


@kernel
def finish_squares(products: Floats, of_rows: Floats, of_columns: Floats) -> None:
    """‖x − z‖² where ⟨x, z⟩ stood; what rounding puts below 0 is 0."""
    for i in range(len(products)):
        row, square = products[i], of_rows[i]
        for j in range(len(row)):
            row[j] = max(square + of_columns[j] - 2.0 * row[j], 0.0)


@kernel
def exponentiate(table: Floats, scale: float) -> None:
    """Table ← e^(scale · table)."""
    for i in range(len(table)):
        row = table[i]
        for j in range(len(row)):
            row[j] = exp(scale * row[j])


@kernel
def chi2_distances(x: Floats, z: Floats, out: Floats) -> None:
    """Σ (x − z)²/(x + z), a term of 0/0 being 0."""
    for i in range(len(x)):
        for j in range(len(z)):
            total = 0.0
            for d in range(x.shape[1]):
                apart = x[i, d] - z[j, d]
                total += apart * apart / max(x[i, d] + z[j, d], 1e-300)
            out[i, j] = total


@kernel
def absolute_distances(x: Floats, z: Floats, out: Floats) -> None:
    """Σ |x − z|."""
    for i in range(len(x)):
        for j in range(len(z)):
            total = 0.0
            for d in range(x.shape[1]):
                total += abs(x[i, d] - z[j, d])
            out[i, j] = total
