"""Any form of sequences that users have, as one matrix with a row per position."""

from collections.abc import Sequence as Listing
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from margrave.features.encoder import TokenEncoder
from margrave.graphs import Sequences
from margrave.primitives import AnyArray

Kind = Literal["dense", "sparse", "tokens"]


class SequenceEncoder(BaseEstimator):
    """Learns what the columns are (their number, or their names), then stacks sequences into those columns.

    Takes lists of dense arrays, of SciPy sparse matrices, of data frames, of lists of feature dicts or of lists of
    strings (what sklearn-crfsuite takes), or `Sequences` as they are.

    Attributes
    ----------
    kind_ : {"dense", "sparse", "tokens"}
    n_features_in_ : int
    names_ : TokenEncoder or None
        Names of the columns, where tokens have named attributes.
    columns_ : list of str or None
        Names of the columns of data frames: those that are given later must have the same, in the same order.

    Examples
    --------
    >>> import numpy as np
    >>> from margrave.features import SequenceEncoder
    >>> stacked = SequenceEncoder().fit_transform([np.zeros((3, 2)), np.ones((1, 2))])
    >>> stacked.features.shape, stacked.lengths
    ((4, 2), array([3, 1]))
    """

    def fit_transform(self, X: Any, y: object = None) -> Sequences:
        """Learn the columns, and stack."""
        if isinstance(X, Sequences) and isinstance(X.encoder, SequenceEncoder):
            self.__dict__.update(X.encoder.__dict__)
            _check_finite(X.features, X.lengths)
            return X
        kind, columns = _kind(X), _columns(X, None)
        names = TokenEncoder() if kind == "tokens" else None
        stacked = Sequences(*names.fit_transform(X)) if names is not None else _stacked(X, kind, None)
        self.kind_, self.names_, self.n_features_in_ = kind, names, int(stacked.features.shape[1])
        self.columns_ = columns
        return Sequences(stacked.features, stacked.lengths, self)

    def fit(self, X: Any, y: object = None) -> Self:
        """Learn the columns."""
        self.fit_transform(X)
        return self

    def transform(self, X: Any) -> Sequences:
        """Stack sequences in the columns that `fit` has learned."""
        if not isinstance(X, Sequences) and not len(_items(X)):
            return Sequences(self._no_rows(), np.zeros(0, dtype=np.int64), self)
        kind = _kind(X, default=self.kind_)
        _columns(X, self.columns_)
        self._refuse_other_names(X)
        if self.names_ is not None and kind == "tokens":
            return Sequences(*self.names_.transform(X), self)
        if (kind == "tokens") != (self.kind_ == "tokens") and not isinstance(X, Sequences):
            raise ValueError(f"X holds {_WORDS[kind]}, but the model was fitted on {_WORDS[self.kind_]}")
        stacked = _stacked(X, kind, self.n_features_in_)
        return Sequences(stacked.features, stacked.lengths, self)

    def _refuse_other_names(self, X: Any) -> None:
        """Columns that another encoder has numbered mean something else here, however many they are."""
        other = X.encoder if isinstance(X, Sequences) else None
        if self.names_ is None or other is self or not isinstance(other, SequenceEncoder) or other.names_ is None:
            return
        if other.names_ is not self.names_ and other.names_.vocabulary_ != self.names_.vocabulary_:
            raise ValueError("X was encoded for another model, with other columns; encode it with this model's encode")

    def _no_rows(self) -> Any:
        empty = np.zeros((0, self.n_features_in_))
        return empty if self.kind_ == "dense" else sparse.csr_array(empty)


_WORDS = {"dense": "arrays", "sparse": "sparse matrices", "tokens": "tokens with named features"}


def _items(X: Any) -> Listing[Any]:
    """The sequences in X, or a TypeError that says what was expected."""
    wanted = "X must be a list of sequences (arrays, sparse matrices, or lists of feature dicts)"
    if isinstance(X, str | bytes | dict) or sparse.issparse(X) or not hasattr(X, "__len__"):
        raise TypeError(f"{wanted}, got {type(X).__name__}")
    if isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype != object:
        raise ValueError(
            f"{wanted}, got one array of shape {X.shape}; put a single sequence in a list, "
            "or stacked sequences into Sequences(X, lengths)"
        )
    if hasattr(X, "columns"):
        raise TypeError(f"{wanted}, got one data frame; group its rows by sequence")
    items: Listing[Any] = X
    return items


def _kind(X: Any, default: Kind = "dense") -> Kind:
    """What the first sequence that tells is made of."""
    if isinstance(X, Sequences):
        return "sparse" if sparse.issparse(X.features) else "dense"
    for item in _items(X):
        if sparse.issparse(item):
            return "sparse"
        if isinstance(item, np.ndarray) or hasattr(item, "to_numpy"):
            if np.ndim(item) > 0 and len(item) and np.asarray(item).dtype != object:
                return "dense"
        if hasattr(item, "__len__") and len(item) and not hasattr(item, "to_numpy"):
            first = next(iter(item))
            numbers = isinstance(first, list | tuple | np.ndarray) and len(first) and _is_number(first[0])
            return "dense" if numbers else "tokens"
    return default


def _columns(X: Any, expected: list[str] | None) -> list[str] | None:
    """The names of data frames' columns, or None where there are no frames; a ValueError where they differ."""
    if isinstance(X, Sequences):
        return None
    where = "the model was fitted on" if expected is not None else "the data frames before it have"
    for i, item in enumerate(_items(X)):
        if not hasattr(item, "columns"):
            continue
        found = [str(name) for name in item.columns]
        if expected is not None and found != expected:
            raise ValueError(f"X[{i}] has the columns {found}, but {where} {expected}: select these, in this order")
        expected = found
    return expected


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool | np.bool_)


def _stacked(X: Any, kind: Kind, n_columns: int | None) -> Sequences:
    """Stack matrices, checked one by one; `n_columns` is None where the first with rows decides."""
    if isinstance(X, Sequences):
        if n_columns is not None and X.features.shape[1] != n_columns:
            raise ValueError(f"X has {X.features.shape[1]} features, the model was fitted on {n_columns}")
        matrix = _matrix(X.features, kind, "X.features")
        _check_finite(matrix, X.lengths)
        return Sequences(matrix, X.lengths)
    parts: list[Any] = []
    lengths: list[int] = []
    for i, item in enumerate(_items(X)):
        part = _matrix(item, kind, f"X[{i}]")
        lengths.append(part.shape[0])
        if not part.shape[0]:
            continue
        if n_columns is not None and part.shape[1] != n_columns:
            where = "the model was fitted on" if not parts else "the sequences before it have"
            raise ValueError(f"X[{i}] has {part.shape[1]} features, {where} {n_columns}")
        n_columns = part.shape[1]
        parts.append(part)
    empty = np.zeros((0, n_columns or 0))
    if kind == "sparse":
        matrix = sparse.csr_array(sparse.vstack(parts, format="csr")) if parts else sparse.csr_array(empty)
    else:
        matrix = np.concatenate(parts) if parts else empty
    _check_finite(matrix, np.array(lengths, dtype=np.int64))
    return Sequences(matrix, np.array(lengths, dtype=np.int64))


def _matrix(item: Any, kind: Kind, name: str) -> Any:
    """One sequence as a matrix of numbers of the right kind."""
    if kind == "sparse":
        if not sparse.issparse(item) and np.size(item):
            raise TypeError(f"{name} is {type(item).__name__}, but the other sequences are sparse matrices")
        matrix = sparse.csr_array(item) if np.size(item) or sparse.issparse(item) else sparse.csr_array((0, 0))
        try:
            matrix.check_format(full_check=True)  # kernels follow its indices without a look
        except ValueError as error:
            raise ValueError(f"{name} is no valid sparse matrix: {error}") from None
    elif sparse.issparse(item):
        raise TypeError(f"{name} is a sparse matrix, but the other sequences are arrays; convert with .toarray()")
    else:
        if isinstance(item, np.ma.MaskedArray) and item.mask.any():
            raise ValueError(f"{name} has masked values; fill them, or leave the sequence out")
        matrix = np.asarray(item)
        matrix = matrix.reshape(0, 0) if matrix.size == 0 and matrix.ndim < 2 else matrix
    if matrix.ndim != 2:
        raise ValueError(f"{name} must have shape (positions, features), got {matrix.shape}")
    if matrix.dtype.kind == "O":
        matrix = _from_objects(matrix, name)
    if matrix.dtype.kind not in "biuf":
        raise TypeError(f"{name} must hold numbers, got dtype {matrix.dtype}")
    return matrix


def _from_objects(matrix: Any, name: str) -> Any:
    try:
        return matrix.astype(np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"{name} must hold numbers, got dtype object") from None


def _check_finite(matrix: Any, lengths: AnyArray) -> None:
    values = matrix.data if sparse.issparse(matrix) else matrix
    if values.dtype.kind != "f" or np.isfinite(values).all():
        return
    if sparse.issparse(matrix):
        entry = int(np.flatnonzero(~np.isfinite(values))[0])
        row = int(np.searchsorted(matrix.indptr, entry, side="right")) - 1
    else:
        row = int(np.flatnonzero(~np.isfinite(values).all(axis=1))[0])
    ends = np.cumsum(lengths)
    sequence = int(np.searchsorted(ends, row, side="right"))
    position = row - int(ends[sequence] - lengths[sequence])
    raise ValueError(f"X[{sequence}] has NaN or infinity at position {position}; impute, or leave the sequence out")
