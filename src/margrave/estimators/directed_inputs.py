"""What the features say of each label: linear scores, kernels, landmarks, kernels of features and parents together."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from scipy import sparse

from margrave.graphs import Dependencies
from margrave.primitives import AnyArray, Floats, Integers, one_blas_thread
from margrave.scores import Kernel

#: Signs of parents inside a kernel are written out over all of their combinations.
MOST_JOINT = 12


class InputScores(Protocol):
    """What the features say of each label, in each order."""

    def check(self, n_orders: int, K: int, n_features: int) -> None:
        """Raise a ValueError where these are not scores of so many orders, labels and features."""
        ...

    def scores(self, X: Any, n_jobs: int) -> Floats:
        """Shape (n_orders, n_examples, K), columns as labels."""
        ...


@dataclass(frozen=True, eq=False)
class LinearInputs:
    """⟨w, x⟩ + b.

    Parameters
    ----------
    weights : array of shape (n_orders, K, n_features + 1)
        The bias comes last.
    """

    weights: Floats

    def check(self, n_orders: int, K: int, n_features: int) -> None:
        """See `InputScores.check`."""
        shaped("weights", self.weights, (n_orders, K, n_features + 1))

    def scores(self, X: Any, n_jobs: int) -> Floats:
        """See `InputScores.scores`."""
        n_orders, K, width = self.weights.shape
        if K == 0:
            return np.empty((n_orders, X.shape[0], 0))
        flat = self.weights.reshape(-1, width)
        with one_blas_thread():
            product = np.asarray(X @ np.ascontiguousarray(flat[:, :-1].T)) + flat[:, -1]
        return np.ascontiguousarray(product.reshape(len(product), n_orders, K).transpose(1, 0, 2))


@dataclass(frozen=True, eq=False)
class KernelInputs:
    """Σ over support rows of coefficient · k(row, x) + b.

    Parameters
    ----------
    kernel : Kernel
    support : array or CSR matrix of shape (n_support, n_features), or None where the kernel is precomputed
    rows : int array of shape (n_support,)
        Which training rows they were.
    coefficients : array of shape (n_orders, K, n_support + 1)
        The bias comes last.
    """

    kernel: Kernel
    support: AnyArray | sparse.csr_array | None
    rows: Integers
    coefficients: Floats

    def check(self, n_orders: int, K: int, n_features: int) -> None:
        """See `InputScores.check`."""
        shaped("coefficients", self.coefficients, (n_orders, K, len(self.rows) + 1))
        if self.support is not None:
            _check_rows("support", self.support, len(self.rows), n_features)
        elif len(self.rows) and not 0 <= self.rows.min() <= self.rows.max() < n_features:
            raise ValueError("rows of the kernel are not among those of training")

    def scores(self, X: Any, n_jobs: int) -> Floats:
        """See `InputScores.scores`."""
        products = self.products(X, n_jobs)
        return LinearInputs(self.coefficients).scores(products, n_jobs)

    def products(self, X: Any, n_jobs: int) -> Floats:
        """K of every example and every support row."""
        if self.support is None:
            return dense(X[:, self.rows])
        with one_blas_thread():
            return self.kernel.matrix(X, self.support, n_jobs)


@dataclass(frozen=True, eq=False)
class LandmarkInputs:
    """Linear scores of Nyström's features, k(x, landmarks) · map.

    Parameters
    ----------
    kernel : Kernel
    landmarks : array or CSR matrix of shape (n_landmarks, n_features)
    map : array of shape (n_landmarks, n_landmarks)
    linear : LinearInputs
    """

    kernel: Kernel
    landmarks: AnyArray | sparse.csr_array
    map: Floats
    linear: LinearInputs

    def check(self, n_orders: int, K: int, n_features: int) -> None:
        """See `InputScores.check`."""
        n = len(self.map)
        _check_rows("landmarks", self.landmarks, n, n_features)
        shaped("map", self.map, (n, n))
        self.linear.check(n_orders, K, n)

    def scores(self, X: Any, n_jobs: int) -> Floats:
        """See `InputScores.scores`."""
        return self.linear.scores(self.features(X, n_jobs), n_jobs)

    def features(self, X: Any, n_jobs: int) -> Floats:
        """Nyström's features of each row."""
        with one_blas_thread():
            return self.kernel.matrix(X, self.landmarks, n_jobs) @ self.map


@dataclass(frozen=True, eq=False)
class JointKernelInputs:
    """A kernel of features and parents together: a function of the parents, so a polynomial in their signs.

    With i parents a score is a table of 2^i numbers; by the Walsh-Hadamard transform it is Σ over sets of parents of
    weight · Π of their signs, which searches know how to read.

    Parameters
    ----------
    kernel : Kernel
    support : array or CSR matrix of shape (n_support, n_features)
    values : int8 array of shape (n_support, K)
        Labels of the support rows, columns as labels.
    coefficients : array of shape (n_orders, K, n_support + 1)
    """

    kernel: Kernel
    support: AnyArray | sparse.csr_array
    values: AnyArray
    coefficients: Floats

    def check(self, n_orders: int, K: int, n_features: int) -> None:
        """See `InputScores.check`."""
        n = len(self.values)
        _check_rows("support", self.support, n, n_features)
        shaped("coefficients", self.coefficients, (n_orders, K, n + 1))
        if self.values.shape != (n, K) or K > MOST_JOINT:
            raise ValueError(f"a kernel with parents takes at most {MOST_JOINT} labels, a value each per row")

    def tables(self, order: int, d: Dependencies, X: Any, n_jobs: int) -> tuple[Floats, Floats]:
        """Scores without signs (n, K), and weights of all cliques (n, n_cliques); O(n · n_support · 2^K)."""
        inputs = np.empty((X.shape[0], d.n_labels))
        cliques = np.empty((X.shape[0], d.n_cliques))
        for place, label in enumerate(d.order.tolist()):
            weights = self.coefficients[order, label]
            table = np.empty((X.shape[0], 2**place))
            for number in range(2**place):
                signs = 1 - 2 * ((number >> np.arange(place)) & 1)
                table[:, number] = self._products(X, d.order[:place], signs, n_jobs) @ weights[:-1] + weights[-1]
            spectrum = _walsh_hadamard(table)
            inputs[:, label] = spectrum[:, 0]
            sets = [sum(1 << member for member in clique) for clique in d.cliques(place)]
            cliques[:, d.run(place)] = spectrum[:, sets]
        return inputs, cliques

    def _products(self, X: Any, parents: AnyArray, signs: AnyArray, n_jobs: int) -> Floats:
        rows = beside(X, np.tile(positive(signs), (X.shape[0], 1)))
        support = beside(self.support, positive(self.values[:, parents]))
        return self.kernel.matrix(rows, support, n_jobs)


def beside(rows: Any, columns: Floats) -> Any:
    """Features with more columns; sparse ones stay sparse."""
    if sparse.issparse(rows):
        return sparse.hstack([rows, sparse.csr_array(columns)], format="csr")
    return np.concatenate([rows, columns], axis=1)


def own_rows(X: Any, rows: Integers) -> Any:
    """Some rows of the features, copied, as a model keeps them; sparse ones stay sparse."""
    return sparse.csr_array(X[rows]) if sparse.issparse(X) else np.asarray(X[rows], dtype=np.float64)


def dense(rows: Any) -> Floats:
    """Features written out."""
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)


def positive(signs: AnyArray) -> Floats:
    """Labels as features of a kernel: 0 and 1, since not every kernel takes numbers below 0."""
    return (np.asarray(signs) > 0).astype(np.float64)


def _walsh_hadamard(table: Floats) -> Floats:
    """Weights w with table[:, number] = Σ over sets s of w_s Π over members of ±1, a set bit of a number being -1."""
    out = table.copy()
    half = 1
    while half < out.shape[1]:
        pairs = out.reshape(len(out), -1, 2, half)
        first, second = pairs[:, :, 0].copy(), pairs[:, :, 1].copy()
        pairs[:, :, 0], pairs[:, :, 1] = first + second, first - second
        half *= 2
    out /= out.shape[1]
    return out


@dataclass(frozen=True, eq=False)
class NoInputs:
    """A bias for each label, where there are no features: what is scored is only counted.

    Parameters
    ----------
    biases : array of shape (n_orders, K)
    """

    biases: Floats

    def check(self, n_orders: int, K: int, n_features: int) -> None:
        """See `InputScores.check`."""
        shaped("biases", self.biases, (n_orders, K))

    def scores(self, X: Any, n_jobs: int) -> Floats:
        """See `InputScores.scores`; `X` is the number of examples."""
        return np.repeat(self.biases[:, None, :], int(X), axis=1)


def shaped(name: str, array: Any, shape: tuple[int, ...]) -> None:
    """Raise a ValueError where something is not finite numbers of that shape."""
    good = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.shape == shape
    if not good or not np.isfinite(array).all():
        raise ValueError(f"{name} must be finite numbers of double precision, of shape {shape}")


def _check_rows(name: str, rows: Any, n: int, n_features: int) -> None:
    """As `shaped`, of features that may be sparse."""
    if sparse.issparse(rows) and rows.shape == (n, n_features):
        shaped(name, rows.data, rows.data.shape)
    else:
        shaped(name, rows, (n, n_features))
