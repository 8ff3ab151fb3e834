"""Weights listed row by row: every (row, weight) pair once, with the output that the weight scores."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from margrave.primitives import AnyArray, Booleans, Floats, Integers, Labels, kernel
from margrave.scores.rows import Rows

Outputs = NDArray[np.integer[Any]]
_FEW = 2**8


@dataclass(frozen=True, eq=False)
class Visits:
    """Row r visits `weights[pointer[r]:pointer[r + 1]]`; `values` is None where all are 1.

    There are millions of visits, so outputs take 8 bits where that is enough.
    """

    pointer: Integers
    weights: Labels
    outputs: Outputs
    values: Floats | None


def list_visits(
    rows: Rows, chosen: Booleans, runs: Integers, outputs: Labels, low: int, high: int, n_outputs: int
) -> Visits:
    """The visits of weights `low` to `high`, of chosen features."""
    pointer, valued = np.zeros(len(rows.pointer), dtype=np.int64), rows.values is not None
    small: type[np.integer[Any]] = np.uint8 if n_outputs <= _FEW else np.int32
    room: tuple[Labels, Outputs, Floats] = np.empty(0, dtype=np.int32), np.empty(0, dtype=small), np.empty(0)
    args = (rows.pointer, rows.columns, rows.values, chosen, runs, outputs, low, high, pointer)
    _list(*args, *room)
    n = int(pointer[-1])
    room = np.empty(n, dtype=np.int32), np.empty(n, dtype=small), np.empty(n if valued else 0)
    if n:
        _list(*args, *room)
    return Visits(pointer, room[0], room[1], room[2] if valued else None)


@kernel
def _list(
    pointer: Integers,
    columns: Labels,
    values: Floats | None,
    chosen: Booleans,
    runs: Integers,
    outputs: Labels,
    low: int,
    high: int,
    new_pointer: Integers,
    new_weights: Labels,
    new_outputs: Outputs,
    new_values: AnyArray,
) -> None:
    """Fill the lists, or only the pointer where they have no room."""
    at = 0
    for r in range(len(pointer) - 1):
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            c = columns[k]
            if chosen[c]:
                for i in range(max(runs[c], low), min(runs[c + 1], high)):
                    if len(new_weights) > 0:
                        new_weights[at] = i
                        new_outputs[at] = outputs[i]
                        if values is not None:
                            new_values[at] = values[k]
                    at += 1
        new_pointer[r + 1] = at


@kernel
def gather_visits(
    pointer: Integers,
    which: Labels,
    outputs: Outputs,
    values: Floats | None,
    weights: Floats,
    first: int,
    stop: int,
    out: Floats,
) -> None:
    """Add the visited weights to the scores of rows `first` to `stop`."""
    for r in range(first, stop):
        row = out[r - first]
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            value = 1.0 if values is None else values[k]
            row[np.uint64(outputs[k])] += value * weights[np.uint64(which[k])]


@kernel
def scatter_visits(
    pointer: Integers,
    which: Labels,
    outputs: Outputs,
    values: Floats | None,
    gradient: Floats,
    first: int,
    stop: int,
    scale: float,
    out: Floats,
) -> None:
    """Add `scale` times the gradient of rows `first` to `stop` to the visited weights."""
    for r in range(first, stop):
        row = gradient[r - first]
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            value = scale if values is None else scale * values[k]
            out[np.uint64(which[k])] += value * row[np.uint64(outputs[k])]
