"""CSR matrices as kernels want them, and parts of them."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from margrave.primitives import AnyArray, Floats, Integers, Labels, even_slices, for_reading, kernel

_ROW_SLICES = 16


@dataclass(frozen=True, eq=False)
class Rows:
    """A CSR matrix; `values` is None where all are 1."""

    pointer: Integers
    columns: Labels
    values: Floats | None

    def __len__(self) -> int:
        return len(self.pointer) - 1


def rows_of(matrix: sparse.csr_array) -> Rows:
    """A SciPy matrix, in types that are the same whatever it was made with; copied only where they differ."""
    binary = bool((matrix.data == 1).all())
    return Rows(
        for_reading(matrix.indptr, np.int64),
        for_reading(matrix.indices, np.int32),
        None if binary else for_reading(matrix.data, np.float64),
    )


def row_slices(rows: Rows) -> list[tuple[int, int]]:
    """Runs of rows with about equal work, cut by the data alone."""
    return even_slices(rows.pointer[1:] + np.arange(1, len(rows.pointer)), _ROW_SLICES)


def selected(rows: Rows, slot: Labels) -> Rows:
    """The columns c with `slot[c]` of at least 0, under that number."""
    pointer = np.zeros(len(rows.pointer), dtype=np.int64)
    nothing = np.empty(0)
    _select(rows.pointer, rows.columns, rows.values, slot, pointer, np.empty(0, dtype=np.int32), nothing)
    columns = np.empty(pointer[-1], dtype=np.int32)
    values = None if rows.values is None else np.empty(pointer[-1])
    if len(columns):
        _select(rows.pointer, rows.columns, rows.values, slot, pointer, columns, nothing if values is None else values)
    return Rows(pointer, columns, values)


@kernel
def _select(
    pointer: Integers,
    columns: Labels,
    values: Floats | None,
    slot: Labels,
    new_pointer: Integers,
    new_columns: Labels,
    new_values: AnyArray,
) -> None:
    """Fill the new matrix, or only its pointer where the new columns have no room."""
    at = 0
    for r in range(len(pointer) - 1):
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            c = slot[columns[k]]
            if c >= 0:
                if len(new_columns) > 0:
                    new_columns[at] = c
                    if values is not None:
                        new_values[at] = values[k]
                at += 1
        new_pointer[r + 1] = at
