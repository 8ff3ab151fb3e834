"""Rows of a CSR matrix times weights, and back: kernels.

Scores gather a row of weights per feature; the way back scatters each feature's gradient. A scatter goes through a few
blocks of columns, each with its own matrix, so that a thread owns the weights it adds to and the part of them that it
touches stays in cache. `values` is None where every feature is 0 or 1: one more specialisation, no branch.
"""

import numpy as np

from margrave.primitives import Floats, Integers, Labels, kernel

Values = Floats | None


@kernel
def gather_all(
    pointer: Integers, columns: Labels, values: Values, weights: Floats, first: int, stop: int, add: bool, out: Floats
) -> None:
    """Scores of rows `first` to `stop` with a weight for every (feature, output)."""
    for r in range(first, stop):
        row = out[r - first]
        if not add:
            row[:] = 0.0
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            w = weights[np.uint64(columns[k])]
            if values is None:
                for a in range(len(row)):
                    row[a] += w[a]
            else:
                value = values[k]
                for a in range(len(row)):
                    row[a] += value * w[a]


@kernel
def scatter_all(
    pointer: Integers,
    columns: Labels,
    values: Values,
    gradient: Floats,
    first: int,
    stop: int,
    scale: float,
    out: Floats,
) -> None:
    """Add `scale` times the pull-back of rows `first` to `stop`; `gradient` begins with row `first`."""
    for r in range(first, stop):
        row = gradient[r - first]
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            w = out[np.uint64(columns[k])]
            value = scale if values is None else scale * values[k]
            for a in range(len(row)):
                w[a] += value * row[a]


@kernel
def gather_observed(
    pointer: Integers,
    columns: Labels,
    values: Values,
    weights: Floats,
    runs: Integers,
    outputs: Labels,
    first: int,
    stop: int,
    add: bool,
    out: Floats,
) -> None:
    """As `gather_all` where feature c has the weights `runs[c]:runs[c + 1]`, for the outputs named there."""
    for r in range(first, stop):
        row = out[r - first]
        if not add:
            row[:] = 0.0
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            c = np.uint64(columns[k])
            value = 1.0 if values is None else values[k]
            for i in range(np.uint64(runs[c]), np.uint64(runs[c + np.uint64(1)])):
                row[np.uint64(outputs[i])] += value * weights[i]


@kernel
def scatter_observed(
    pointer: Integers,
    columns: Labels,
    values: Values,
    gradient: Floats,
    runs: Integers,
    outputs: Labels,
    first: int,
    stop: int,
    scale: float,
    out: Floats,
) -> None:
    """As `scatter_all`, to observed weights."""
    for r in range(first, stop):
        row = gradient[r - first]
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            c = np.uint64(columns[k])
            value = scale if values is None else scale * values[k]
            for i in range(np.uint64(runs[c]), np.uint64(runs[c + np.uint64(1)])):
                out[i] += value * row[np.uint64(outputs[i])]


@kernel
def squares(
    pointer: Integers,
    columns: Labels,
    values: Values,
    gradient: Floats,
    runs: Integers,
    outputs: Labels,
    first: int,
    stop: int,
    scratch: Floats,
) -> float:
    """‖pull-back‖² of a few rows; `scratch` holds a zero per weight, and does again afterwards."""
    scatter_observed(pointer, columns, values, gradient, runs, outputs, first, stop, 1.0, scratch)
    total = 0.0
    for k in range(np.uint64(pointer[first]), np.uint64(pointer[stop])):
        c = np.uint64(columns[k])
        for i in range(np.uint64(runs[c]), np.uint64(runs[c + np.uint64(1)])):
            total += scratch[i] * scratch[i]
            scratch[i] = 0.0
    return total


@kernel
def gram(
    pointer: Integers, columns: Labels, values: Values, first: int, stop: int, scratch: Floats, out: Floats
) -> None:
    """Inner products of rows `first` to `stop`; `scratch` holds a zero per feature, and does again afterwards."""
    for r in range(first, stop):
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            scratch[np.uint64(columns[k])] += 1.0 if values is None else values[k]
        for q in range(first, stop):
            total = 0.0
            for k in range(np.uint64(pointer[q]), np.uint64(pointer[q + 1])):
                total += scratch[np.uint64(columns[k])] * (1.0 if values is None else values[k])
            out[r - first, q - first] = total
        for k in range(np.uint64(pointer[r]), np.uint64(pointer[r + 1])):
            scratch[np.uint64(columns[k])] = 0.0
