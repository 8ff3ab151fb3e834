"""Row transformers for sequences: scale, project or bin every row of every sequence alike."""

from collections.abc import Iterable
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.sparse import csr_array, csr_matrix, issparse, vstack
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from margrave.primitives import AnyArray, Integers

Rows: TypeAlias = AnyArray | csr_array | csr_matrix


class PerRow(TransformerMixin, BaseEstimator):
    """Applies a transformer of rows to all rows of a list of matrices, and cuts the result as the input was cut.

    The rows of all sequences are stacked into one matrix, which the transformer sees once; so statistics such as a mean
    are those over all rows. Costs one copy of the data beside what the transformer costs.

    Parameters
    ----------
    transformer : scikit-learn transformer
        Takes a matrix (n_rows, d), returns a matrix with as many rows. It is cloned, never fitted itself.

    Attributes
    ----------
    transformer_ : scikit-learn transformer
        The fitted copy.
    n_features_in_ : int
        The columns seen by `fit`.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.preprocessing import StandardScaler
    >>> X = [np.array([[0.0], [2.0]]), np.array([[4.0]])]
    >>> [x.ravel().round(3).tolist() for x in PerRow(StandardScaler()).fit_transform(X)]
    [[-1.225, 0.0], [1.225]]
    """

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def fit(self, X: Iterable[Rows], y: object = None) -> Self:
        """Fit a copy of the transformer to the rows of all sequences.

        Parameters
        ----------
        X : iterable of n matrices (T_i, d), dense or CSR
            The sequences; a sequence may be empty, but not all of them.
        y : None
            Ignored: labels of sequences are not labels of rows.

        Returns
        -------
        self
        """
        rows, _ = _stack(X)
        fitted = clone(self.transformer).fit(_at_least_one(rows))
        self.transformer_, self.n_features_in_ = fitted, rows.shape[1]
        return self

    def fit_transform(self, X: Iterable[Rows], y: object = None) -> list[Rows]:
        """Fit a copy of the transformer to the rows of all sequences, and transform them.

        Parameters
        ----------
        X : iterable of n matrices (T_i, d), dense or CSR
            The sequences; a sequence may be empty, but not all of them.
        y : None
            Ignored: labels of sequences are not labels of rows.

        Returns
        -------
        list of n matrices (T_i, d')
            Dense or CSR as the transformer returns them.
        """
        rows, lengths = _stack(X)
        fitted = clone(self.transformer)
        result = _split(fitted.fit_transform(_at_least_one(rows)), lengths)
        self.transformer_, self.n_features_in_ = fitted, rows.shape[1]
        return result

    def transform(self, X: Iterable[Rows]) -> list[Rows]:
        """Transform the rows of all sequences.

        Parameters
        ----------
        X : iterable of n matrices (T_i, d), dense or CSR
            The sequences; any of them may be empty.

        Returns
        -------
        list of n matrices (T_i, d')
            Dense or CSR as the transformer returns them.
        """
        check_is_fitted(self, "transformer_")
        rows, lengths = _stack(X, self.n_features_in_)
        if rows.shape[0]:
            return _split(self.transformer_.transform(rows), lengths)
        # Transformers refuse a matrix without rows; a row of zeros tells the shape and type of their answer.
        answer = _matrix(self.transformer_.transform(np.zeros((1, self.n_features_in_))))
        return [answer[:0] for _ in lengths]


def _stack(X: Iterable[Rows], n_columns: int | None = None) -> tuple[Rows, Integers]:
    """All rows below one another (n_rows, d), and how many each sequence has (n,)."""
    if issparse(X) or isinstance(X, str):
        raise TypeError(f"X: expected a list of matrices, got one {type(X).__name__}; wrap it into a list")
    matrices = [_matrix(x) for x in X]
    expected, where = n_columns, "fit"
    for index, matrix in enumerate(matrices):
        if _is_empty(matrix):
            continue
        if matrix.ndim != 2:
            raise ValueError(
                f"X[{index}]: expected a matrix (n_rows, n_columns), got shape {matrix.shape}; "
                f"X is a list of matrices: wrap a single one into a list"
            )
        if expected is None:
            expected, where = matrix.shape[1], f"X[{index}]"
        if matrix.shape[1] != expected:
            raise ValueError(
                f"X[{index}]: expected {expected} columns as in {where}, got {matrix.shape[1]}; "
                f"give every sequence the same columns"
            )
    lengths = np.array([matrix.shape[0] for matrix in matrices], dtype=np.int64)
    return _stacked([matrix for matrix in matrices if not _is_empty(matrix)], expected or 0), lengths


def _stacked(matrices: list[Rows], n_columns: int) -> Rows:
    n_sparse = sum(map(issparse, matrices))
    if n_sparse not in (0, len(matrices)):
        raise TypeError(
            f"X: expected all sequences dense or all sparse, got {n_sparse} sparse of {len(matrices)}; "
            f"convert them with scipy.sparse.csr_array"
        )
    if not matrices:
        return np.empty((0, n_columns))
    return vstack(matrices, format="csr") if n_sparse else np.concatenate(matrices)


def _split(rows: Any, lengths: Integers) -> list[Rows]:
    """Cut rows (n_rows, d') into sequences of the given lengths; dense pieces are views."""
    rows = _matrix(rows)
    if rows.shape[0] != lengths.sum():
        raise ValueError(
            f"transformer: expected one row for each of {lengths.sum()} rows, got {rows.shape[0]}; "
            f"PerRow takes transformers that keep the rows"
        )
    ends = np.cumsum(lengths)
    return [rows[end - length : end] for end, length in zip(ends, lengths, strict=True)]


def _at_least_one(rows: Rows) -> Rows:
    if not rows.shape[0]:
        raise ValueError("X: expected at least one row to fit the transformer to, got none")
    return rows


def _matrix(rows: Any) -> Rows:
    return rows.tocsr() if issparse(rows) else np.asarray(rows)


def _is_empty(matrix: Rows) -> bool:
    # Without rows there is nothing to check: an empty list has no columns, and is a sequence of length 0 all the same.
    return bool(matrix.shape[:1] == (0,))
