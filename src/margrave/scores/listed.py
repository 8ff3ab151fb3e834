"""All linear terms of a model as one list: for each row the runs of weights that it reads, and with what values.

Solvers that come back to single examples, thousands of times a second, cannot afford to ask each scorer in turn.
Whatever is linear in listed features (dense, sparse, observed, constant) is one matrix of rows here, the terms' rows
one below the other: row r reads a run of weights times a value for each feature f of its own. Where a term has a weight
for every feature and output, the run of f begins at f times the width; looking that up would cost as much as a weight
does, as there are many features. In other terms it is `runs[f]` to `runs[f + 1]`, for the outputs named there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from margrave.primitives import AnyArray, Floats, Integers, Labels, inlined_kernel, kernel

#: What kernels read: the arrays below, in the order of these names.
Rows = tuple[Integers, Labels, Floats, Integers, Labels, Integers, Integers]
POINTER, FEATURES, VALUES, RUNS, OUTPUTS, TERMS, EXAMPLE_ROWS = range(7)
#: Columns of TERMS: first row in the list, where the term's block begins in θ, numbers per row, whether an earlier term
#: scores the block too, whether all examples share the rows, where its weights begin, where its names of outputs do; -1
#: there says that it has a weight for everything. EXAMPLE_ROWS has two columns a term: first row and last.
FIRST_ROW, THETA, WIDTH, ADDS, SHARED, FIRST_WEIGHT, FIRST_OUTPUT = range(7)


@dataclass(frozen=True, eq=False)
class Listed:
    """One scorer's rows; `values` is None where all are 1, and weights count from the scorer's first.

    `runs` and `outputs` are None where feature f has a weight for every output, in order, from f · n_outputs on.
    """

    pointer: Integers
    features: Labels
    values: Floats | None
    n_weights: int
    runs: Integers | None = None
    outputs: Labels | None = None


def with_bias(rows: Listed, n_outputs: int) -> Listed:
    """A feature more, the last, that is 1 in every row; its weights stand behind the others."""
    n_features = rows.n_weights // n_outputs if rows.runs is None else len(rows.runs) - 1
    n_rows, n_weights, places = len(rows.pointer) - 1, rows.n_weights + n_outputs, rows.pointer[1:]
    every = np.arange(n_outputs, dtype=np.int32)
    return Listed(
        rows.pointer + np.arange(n_rows + 1),
        np.insert(rows.features, places, np.int32(n_features)),
        None if rows.values is None else np.insert(rows.values, places, 1.0),
        n_weights,
        None if rows.runs is None else np.append(rows.runs, n_weights),
        None if rows.outputs is None else np.concatenate([rows.outputs, every]),
    )


def stacked(parts: Sequence[Listed]) -> tuple[tuple[Integers, Labels, Floats, Integers, Labels], Integers]:
    """All arrays of `Rows` but the last two, and TERMS' columns of first weights and first outputs.

    The rows of all parts stand one part below the other, and so do the runs of those parts that have some.
    """
    n_entries = np.cumsum([0] + [len(part.features) for part in parts])
    pointers = [part.pointer[:-1] + at for part, at in zip(parts, n_entries[:-1], strict=True)]
    features, runs, outputs = list[Labels](), list[Integers](), list[Labels]()
    firsts, n_runs, n_outputs, n_weights = list[tuple[int, int]](), 0, 0, 0
    for part in parts:
        listed = part.runs is not None and part.outputs is not None
        features.append(part.features + np.int32(n_runs) if listed else part.features)
        firsts.append((n_weights, n_outputs if listed else -1))
        n_weights += part.n_weights
        if part.runs is not None and part.outputs is not None:
            runs.append(part.runs)
            outputs.append(part.outputs)
            n_runs, n_outputs = n_runs + len(part.runs), n_outputs + len(part.outputs)
    pointer = np.concatenate([*pointers, n_entries[-1:]]).astype(np.int64)
    arrays = pointer, _joined(features, np.int32), _values(parts), _joined(runs, np.int64), _joined(outputs, np.int32)
    return arrays, np.array(firsts, dtype=np.int64)


def _values(parts: Sequence[Listed]) -> Floats:
    """The values of all parts, or no value at all where each is 1."""
    if all(part.values is None for part in parts):
        return np.empty(0)
    return np.concatenate([np.ones(len(p.features)) if p.values is None else p.values for p in parts])


def _joined(arrays: list[AnyArray], dtype: type) -> AnyArray:
    return np.concatenate([*arrays, np.empty(0, dtype=dtype)]).astype(dtype, copy=False)


@kernel
def load_listed(rows: Rows, examples: Integers, weights: Floats, theta: Floats) -> None:
    """Write the scores of some examples to θ; what examples share is written once."""
    for t in range(len(rows[TERMS])):
        width, own = rows[TERMS][t, WIDTH], weights[rows[TERMS][t, FIRST_WEIGHT] :]
        for i in range(min(1, len(examples)) if rows[TERMS][t, SHARED] else len(examples)):
            example = examples[i]
            for r in range(rows[EXAMPLE_ROWS][example, 2 * t], rows[EXAMPLE_ROWS][example, 2 * t + 1]):
                at = rows[TERMS][t, THETA] + (r - rows[TERMS][t, FIRST_ROW]) * width
                row = theta[at : at + width]
                if not rows[TERMS][t, ADDS]:
                    for a in range(width):
                        row[a] = 0.0
                for k in range(np.uint64(rows[POINTER][r]), np.uint64(rows[POINTER][r + 1])):
                    _gather(rows, k, rows[TERMS][t, FIRST_OUTPUT], own, row)


@inlined_kernel
def _gather(rows: Rows, k: int, first_output: int, weights: Floats, row: Floats) -> None:
    """Add entry k's weights times its value to a row of scores."""
    f, width = np.uint64(rows[FEATURES][k]), np.uint64(len(row))
    value = rows[VALUES][k] if len(rows[VALUES]) > 0 else 1.0
    if first_output < 0:
        for a in range(width):
            row[a] += value * weights[f * width + a]
        return
    outputs = rows[OUTPUTS][first_output:]
    for j in range(np.uint64(rows[RUNS][f]), np.uint64(rows[RUNS][f + np.uint64(1)])):
        row[np.uint64(outputs[j])] += value * weights[j]


@kernel
def add_listed(rows: Rows, examples: Integers, gradient: Floats, scale: float, out: Floats) -> None:
    """Add `scale` times the pull-back of some examples' part of a gradient in θ; what they share counts once."""
    for t in range(len(rows[TERMS])):
        width, own = rows[TERMS][t, WIDTH], out[rows[TERMS][t, FIRST_WEIGHT] :]
        for i in range(min(1, len(examples)) if rows[TERMS][t, SHARED] else len(examples)):
            example = examples[i]
            for r in range(rows[EXAMPLE_ROWS][example, 2 * t], rows[EXAMPLE_ROWS][example, 2 * t + 1]):
                at = rows[TERMS][t, THETA] + (r - rows[TERMS][t, FIRST_ROW]) * width
                row = gradient[at : at + width]
                for k in range(np.uint64(rows[POINTER][r]), np.uint64(rows[POINTER][r + 1])):
                    _scatter(rows, k, rows[TERMS][t, FIRST_OUTPUT], scale, row, own)


@inlined_kernel
def _scatter(rows: Rows, k: int, first_output: int, scale: float, row: Floats, out: Floats) -> None:
    """Add entry k's value times a row of the gradient to its weights."""
    f, width = np.uint64(rows[FEATURES][k]), np.uint64(len(row))
    value = scale * rows[VALUES][k] if len(rows[VALUES]) > 0 else scale
    if first_output < 0:
        for a in range(width):
            out[f * width + a] += value * row[a]
        return
    outputs = rows[OUTPUTS][first_output:]
    for j in range(np.uint64(rows[RUNS][f]), np.uint64(rows[RUNS][f + np.uint64(1)])):
        out[j] += value * row[np.uint64(outputs[j])]
