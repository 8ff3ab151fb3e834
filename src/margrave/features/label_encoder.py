"""Labels of sequences as numbers, and back."""

import warnings
from typing import Any

import numpy as np

from margrave.graphs import Sequences
from margrave.primitives import AnyArray, Integers, Labels


def flat_labels(y: Any, X: Sequences) -> AnyArray:
    """The labels of all positions in one array; checked against the lengths of X.

    Parameters
    ----------
    y : list of label sequences, or one array over all positions where X is stacked
    X : Sequences
    """
    if isinstance(y, str | bytes | dict) or not hasattr(y, "__len__"):
        raise TypeError(f"y must be a list with a label sequence for each sequence of X, got {type(y).__name__}")
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype != object and len(y) == int(X.lengths.sum()):
        return _checked(y, X.lengths)
    if len(y) != len(X):
        raise ValueError(f"X has {len(X)} sequences, y has {len(y)}")
    for i, (labels, length) in enumerate(zip(y, X.lengths, strict=True)):
        if isinstance(labels, str | bytes) or not hasattr(labels, "__len__"):
            raise TypeError(f"y[{i}] must be a list of labels, got {labels!r}; split a string with list(...)")
        if len(labels) != length:
            raise ValueError(f"X[{i}] has {length} positions, but y[{i}] has {len(labels)} labels")
    filled = [np.asarray(labels) for labels in y if len(labels)]
    _refuse_unknown(y)
    if any(part.ndim != 1 for part in filled):
        bad = next(i for i, labels in enumerate(y) if len(labels) and np.ndim(labels) != 1)
        raise ValueError(f"y[{bad}] must have one label per position, got shape {np.shape(y[bad])}")
    kinds = {_kind(part) for part in filled}
    if len(kinds) > 1:
        raise TypeError(f"labels must be of one type, got {' and '.join(sorted(kinds))}")
    return _checked(np.concatenate(filled) if filled else np.empty(0), X.lengths)


def _kind(part: AnyArray) -> str:
    if part.dtype.kind == "O":
        return "text" if all(isinstance(label, str) for label in part) else "objects"
    return "text" if part.dtype.kind in "US" else "numbers"


def _checked(labels: AnyArray, lengths: Integers) -> AnyArray:
    """No label may be unknown, or of a type that has no order."""
    if labels.dtype.kind == "O":
        if not all(isinstance(label, str) for label in labels):
            raise TypeError("labels must be all text or all numbers")
        return labels.astype(str)
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        at = int(np.flatnonzero(np.isnan(labels))[0])
        i = int(np.searchsorted(np.cumsum(lengths), at, side="right"))
        raise ValueError(_UNKNOWN.format(i, at - int(lengths[:i].sum())))
    return labels


#: Types of labels that are neither None nor NaN.
_KNOWN = {str, np.str_, int, bool}
_UNKNOWN = "y[{}] has no label at position {}; every label must be known"


def _refuse_unknown(y: Any) -> None:
    """Refuse None, NaN and masked labels, and lists of several types: arrays would make other labels of them."""
    for i, labels in enumerate(y):
        if isinstance(labels, np.ma.MaskedArray) and labels.mask.any():
            raise ValueError(_UNKNOWN.format(i, int(labels.mask.argmax())))
        if getattr(labels, "dtype", np.dtype(object)).kind not in "Of":
            continue
        kinds = set(map(type, labels))
        if not kinds <= _KNOWN:
            for position, label in enumerate(labels):
                if label is None or _is_nan(label):
                    raise ValueError(_UNKNOWN.format(i, position))
        if len(kinds) > 1 and len({issubclass(kind, str) for kind in kinds}) > 1:
            names = ", ".join(sorted(kind.__name__ for kind in kinds))
            raise TypeError(f"y[{i}] has labels of the types {names}; labels must be all text or all numbers")


def _is_nan(label: object) -> bool:
    return isinstance(label, float | np.floating) and bool(np.isnan(label))


def learn_classes(labels: AnyArray) -> tuple[AnyArray, Labels]:
    """The distinct labels, sorted, and each label's number."""
    if not len(labels):
        raise ValueError("y holds no labels at all: every sequence is empty")
    classes, numbers = np.unique(labels, return_inverse=True)
    if len(classes) == 1:
        warnings.warn(
            f"y has only one label, {classes.tolist()[0]!r}: every prediction will be it", UserWarning, stacklevel=4
        )
    return classes, numbers.astype(np.int32)


def known_labels(labels: AnyArray, classes: AnyArray) -> Labels:
    """Each label's number, -1 for labels that are not among `classes`."""
    if not len(labels):
        return np.empty(0, dtype=np.int32)
    if (labels.dtype.kind in "US") != (classes.dtype.kind in "US"):
        return np.full(len(labels), -1, dtype=np.int32)
    at = np.minimum(np.searchsorted(classes, labels), len(classes) - 1)
    return np.where(classes[at] == labels, at, -1).astype(np.int32)
