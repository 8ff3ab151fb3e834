"""Tables of labels with two values each, as -1 and +1; what is not known is 0."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from margrave.primitives import AnyArray, Integers

#: -1, +1, or 0 where a label is not known; a row per example.
Values = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class LabelTable:
    """What each column of Y is called and which values it has: learned once, by `learn`.

    Parameters
    ----------
    classes : tuple of arrays
        For each column its values, sorted: two, or one where a column never changes. The second is the positive one.
    one_column : bool
        Whether Y had one dimension.
    names : tuple of str or None
        Columns of a data frame.
    """

    classes: tuple[AnyArray, ...]
    one_column: bool
    names: tuple[str, ...] | None = None

    @classmethod
    def learn(cls, Y: Any) -> tuple[LabelTable, Values]:
        """The table of some training labels, and the labels as values.

        NaN, None and masked entries are unknown; so is -1 among integers where 0 occurs too.
        """
        names = tuple(map(str, Y.columns)) if hasattr(Y, "columns") else None
        one_column = len(np.shape(Y)) == 1 if hasattr(Y, "shape") else np.asarray(Y).ndim == 1
        columns, known, with_zeros = _columns(Y)
        if not columns:
            raise ValueError(f"Y must have a column per label, got none (shape {np.shape(Y)})")
        for column, mask, zeros in zip(columns, known, with_zeros, strict=True):
            if column.dtype.kind == "i" and zeros:
                np.logical_and(mask, column != -1, out=mask)
        pairs = enumerate(zip(columns, known, strict=True))
        found = [_two_values(column[mask], j, one_column) for j, (column, mask) in pairs]
        table = cls(tuple(found), one_column, names)
        constant = [j for j, values in enumerate(found) if len(values) == 1]
        if constant:
            which = ", ".join(table.name(j) for j in constant[:5]) + (" ..." if len(constant) > 5 else "")
            warnings.warn(
                f"{len(constant)} of {len(found)} labels never change in training ({which}): predicted as they are",
                UserWarning,
                stacklevel=4,
            )
        return table, table._values(columns, known)

    def read(self, Y: Any, what: str = "Y") -> Values:
        """Labels as values; one that was not seen in training is refused, but for -1 among integers: unknown."""
        columns, known, _ = _columns(Y)
        if len(columns) != len(self.classes):
            raise ValueError(f"{what} must have {len(self.classes)} columns as in fit, got {len(columns)}")
        for column, mask, values in zip(columns, known, self.classes, strict=True):
            if column.dtype.kind == "i" and -1 not in values.tolist():
                np.logical_and(mask, column != -1, out=mask)
        for j, (column, mask) in enumerate(zip(columns, known, strict=True)):
            unseen = column[mask][~np.isin(column[mask], self.classes[j])]
            if len(unseen):
                row = int(np.flatnonzero(mask & ~np.isin(column, self.classes[j]))[0])
                seen = unseen.tolist()[0]
                wanted = " or ".join(map(repr, self.classes[j].tolist()))
                raise ValueError(
                    f"{what}[{row}] has {seen!r} as label {self.name(j)}, which was {wanted} in training; "
                    "leave it unknown (NaN or None)"
                )
        return self._values(columns, known)

    def write(self, values: AnyArray) -> AnyArray:
        """Values, of the columns that change or of all, in the types that the labels were given in."""
        n = len(values)
        full = values if values.shape[1] == self.n_columns else self.widened(values)
        columns = [c[np.minimum((full[:, j] > 0).astype(np.int64), len(c) - 1)] for j, c in enumerate(self.classes)]
        if self.one_column:
            return columns[0]
        if len({column.dtype.kind for column in columns}) > 1:  # text, numbers, booleans side by side: each as it was
            columns = [column.astype(object) for column in columns]
        return np.stack(columns, axis=1) if columns else np.empty((n, 0))

    def widened(self, values: AnyArray, constant: float = 1, off: float | None = None) -> AnyArray:
        """A table of the columns that change, with `constant` in those that do not.

        With `off` in place of that where the column's only value is the one that is off in others, such as 0 of 0
        and 1.
        """
        full = np.full((len(values), self.n_columns), constant, dtype=values.dtype)
        if off is not None and len(self.shared_classes) == 2 and isinstance(self.shared_classes, np.ndarray):
            full[:, [j for j, c in enumerate(self.classes) if c[-1] != self.shared_classes[-1]]] = off
        full[:, self.changing] = values
        return full

    def agreeing(self, labels: AnyArray, Y: Any) -> AnyArray:
        """Which examples have the same labels in both tables, whatever values are in the second."""
        written, given = (_columns(table)[0] for table in (labels, Y))
        shapes = [(len(columns), *{len(column) for column in columns}) for columns in (written, given)]
        if shapes[0] != shapes[1]:
            wanted = f"({len(labels)}, {self.n_columns})"
            raise ValueError(f"Y must have shape {wanted}, a row per example and a column per label, got {np.shape(Y)}")
        pairs = [np.asarray(a == b, dtype=bool) for a, b in zip(written, given, strict=True)]
        same: AnyArray = np.all(pairs, axis=0)
        return same

    def check(self, n_changing: int) -> None:
        """Raise a ValueError where the table is not one of so many labels that change, as one from a file may be."""
        values: tuple[Any, ...] = self.classes
        if not all(isinstance(v, np.ndarray) and v.ndim == 1 and len(v) in (1, 2) for v in values):
            raise ValueError("a label must have one or two values")
        if len(self.changing) != n_changing or (self.one_column and self.n_columns != 1):
            raise ValueError(f"{n_changing} labels were trained, {len(self.changing)} are named")
        if self.names is not None and len(self.names) != self.n_columns:
            raise ValueError(f"{self.n_columns} labels have {len(self.names)} names")

    def name(self, column: int) -> str:
        """What a label is called: its column's name, or its number."""
        return str(column) if self.names is None else self.names[column]

    @property
    def n_columns(self) -> int:
        """Number of labels."""
        return len(self.classes)

    @property
    def shared_classes(self) -> AnyArray | list[AnyArray]:
        """The values that all columns have, or a list with each column's own."""
        most = max(self.classes, key=len)
        return most if all(np.isin(values, most).all() for values in self.classes) else list(self.classes)

    @property
    def changing(self) -> Integers:
        """The columns with two values."""
        return np.flatnonzero([len(values) == 2 for values in self.classes])

    def _values(self, columns: list[AnyArray], known: list[AnyArray]) -> Values:
        n = len(columns[0]) if columns else 0
        out = np.zeros((n, len(columns)), dtype=np.int8)
        for j, (column, mask) in enumerate(zip(columns, known, strict=True)):
            positive = column[mask] == self.classes[j][-1]
            out[mask, j] = np.where(positive, 1, -1)
        return out


def _columns(Y: Any) -> tuple[list[AnyArray], list[AnyArray], list[bool]]:
    """Y column by column, in types of their own; where each is known; whether integers of its array are 0."""
    if sparse.issparse(Y):
        Y = Y.toarray()
    if hasattr(Y, "to_numpy"):  # a data frame may have a type per column, and a mark of its own for what is missing
        frames = [Y[name] for name in Y.columns] if hasattr(Y, "columns") else [Y]
        parts = [frame.to_numpy() for frame in frames]
        missing = [
            frame.isna().to_numpy() if hasattr(frame, "isna") else np.zeros(len(frame), bool) for frame in frames
        ]
    else:
        mask = np.ma.getmaskarray(Y) if np.ma.isMaskedArray(Y) else None
        table = _table(np.ma.getdata(Y) if mask is not None else Y)
        known = np.ones(table.shape, dtype=bool) if mask is None else ~mask.reshape(table.shape)
        parts = [table[:, j] for j in range(table.shape[1])]
        zeros = table.dtype.kind == "i" and bool((table == 0).any())
        return parts, [known[:, j] & _known(parts[j]) for j in range(len(parts))], [zeros] * len(parts)
    return (
        parts,
        [_known(part) & ~gone for part, gone in zip(parts, missing, strict=True)],
        [part.dtype.kind == "i" and bool((part == 0).any()) for part in parts],
    )


def _table(Y: Any) -> AnyArray:
    table = np.asarray(Y)
    if table.ndim == 0 or table.ndim > 2:
        raise ValueError(f"Y must be a table with a row per example and a column per label, got shape {table.shape}")
    if table.dtype.kind not in "biufUO":
        raise ValueError(f"Y must hold numbers, booleans or text, got dtype {table.dtype}")
    shaped: AnyArray = table[:, None] if table.ndim == 1 else table
    return shaped


def _known(column: AnyArray) -> AnyArray:
    """Neither NaN nor None."""
    if column.dtype.kind == "f":
        return np.logical_not(np.isnan(column))
    if column.dtype.kind == "O":
        return np.array([not (v is None or (isinstance(v, float) and np.isnan(v))) for v in column], dtype=bool)
    return np.ones(len(column), dtype=bool)


def _two_values(known: AnyArray, column: int, alone: bool) -> AnyArray:
    try:
        values = np.unique(known.astype(str) if _all_text(known) else known)
    except TypeError:
        raise ValueError(f"label {column} mixes values of several types; give it two values of one type") from None
    if values.dtype.kind == "O":  # numbers that stood beside None
        values = np.unique(np.array(values.tolist()))
    if not len(values):
        raise ValueError(f"label {column} is unknown for every example; leave the column out")
    if values.dtype.kind == "f" and np.isinf(values).any():
        raise ValueError(f"label {column} has infinity as a value; leave it unknown (NaN), or give it a number")
    if len(values) > 2:
        raise ValueError(_too_many(values, column, alone))
    return values


def _too_many(values: AnyArray, column: int, alone: bool) -> str:
    shown = ", ".join(map(repr, values[:4].tolist())) + (", ..." if len(values) > 4 else "")
    if values.dtype.kind == "f" and (values != np.round(values)).any():
        return f"Unknown label type: continuous. Label {column} has {len(values)} values: {shown}; give it two"
    start = "Only binary classification is supported. The type of the target is multiclass. " if alone else ""
    return (
        f"{start}Label {column} must have two values, got {len(values)}: {shown}; "
        "give each of several values a column of its own (see sklearn.preprocessing.LabelBinarizer)"
    )


def _all_text(values: AnyArray) -> bool:
    return values.dtype.kind == "O" and len(values) > 0 and all(isinstance(value, str) for value in values)
