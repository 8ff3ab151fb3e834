"""All linear terms of a model as one list: for each row the runs of weights that it reads, and with what values.

Solvers that come back to single examples, thousands of times a second, cannot afford to ask each scorer in turn.
Whatever is linear in listed features (dense, sparse, observed, constant) is one matrix of rows here, the terms' rows
one below the other: row r reads `weights[runs[f]:runs[f + 1]]` times a value for each feature f of its own.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from margrave.primitives import AnyArray, Floats, Integers, Labels, inlined_kernel, kernel

#: What kernels read: the arrays below, in the order of these names.
Rows = tuple[Integers, Labels, Floats, Integers, Labels, Integers, Integers]
POINTER, FEATURES, VALUES, RUNS, OUTPUTS, TERMS, EXAMPLE_ROWS = range(7)
#: Columns of TERMS: first row in the list, where the term's block begins in θ, numbers per row, whether an earlier term
#: scores the block too, whether all examples share the rows. EXAMPLE_ROWS has two columns a term: first row and last.
FIRST_ROW, THETA, WIDTH, ADDS, SHARED = range(5)


@dataclass(frozen=True, eq=False)
class Listed:
    """One scorer's rows; `values` is None where all are 1, and weights count from the scorer's first."""

    pointer: Integers
    features: Labels
    values: Floats | None
    runs: Integers
    outputs: Labels


def full_runs(n_features: int, n_outputs: int) -> tuple[Integers, Labels]:
    """Runs of features that have a weight for every output."""
    runs = np.arange(n_features + 1, dtype=np.int64) * n_outputs
    return runs, np.tile(np.arange(n_outputs, dtype=np.int32), n_features)


def with_bias(rows: Listed, n_outputs: int) -> Listed:
    """A feature more, the last, that is 1 in every row; its weights stand behind the others."""
    n_features, n_rows = len(rows.runs) - 1, len(rows.pointer) - 1
    places = rows.pointer[1:]
    features = np.insert(rows.features, places, np.int32(n_features))
    return Listed(
        rows.pointer + np.arange(n_rows + 1),
        features,
        None if rows.values is None else np.insert(rows.values, places, 1.0),
        np.append(rows.runs, rows.runs[-1] + n_outputs),
        np.concatenate([rows.outputs, np.arange(n_outputs, dtype=np.int32)]),
    )


def stacked(parts: Sequence[Listed]) -> tuple[Integers, Labels, Floats, Integers, Labels]:
    """The rows of all parts, one part below the other; each one's weights begin where those before it end."""
    n_entries = np.cumsum([0] + [len(part.features) for part in parts])
    n_features = np.cumsum([0] + [len(part.runs) - 1 for part in parts])
    pointers = [part.pointer[:-1] + at for part, at in zip(parts, n_entries[:-1], strict=True)]
    features = [part.features + np.int32(at) for part, at in zip(parts, n_features[:-1], strict=True)]
    n_weights = np.cumsum([0] + [part.runs[-1] for part in parts])
    runs = [part.runs[:-1] + at for part, at in zip(parts, n_weights[:-1], strict=True)]
    return (
        np.concatenate([*pointers, n_entries[-1:]]).astype(np.int64),
        _joined(features, np.int32),
        _values(parts),
        np.concatenate([*runs, n_weights[-1:]]).astype(np.int64),
        _joined([part.outputs for part in parts], np.int32),
    )


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
        width = rows[TERMS][t, WIDTH]
        for i in range(min(1, len(examples)) if rows[TERMS][t, SHARED] else len(examples)):
            example = examples[i]
            for r in range(rows[EXAMPLE_ROWS][example, 2 * t], rows[EXAMPLE_ROWS][example, 2 * t + 1]):
                at = rows[TERMS][t, THETA] + (r - rows[TERMS][t, FIRST_ROW]) * width
                row = theta[at : at + width]
                if not rows[TERMS][t, ADDS]:
                    for a in range(width):
                        row[a] = 0.0
                for k in range(np.uint64(rows[POINTER][r]), np.uint64(rows[POINTER][r + 1])):
                    _gather(rows, k, weights, row)


@inlined_kernel
def _gather(rows: Rows, k: int, weights: Floats, row: Floats) -> None:
    """Add entry k's weights times its value to a row of scores."""
    f = np.uint64(rows[FEATURES][k])
    first, stop = np.uint64(rows[RUNS][f]), np.uint64(rows[RUNS][f + np.uint64(1)])
    value = rows[VALUES][k] if len(rows[VALUES]) > 0 else 1.0
    width = np.uint64(len(row))
    if stop - first == width:  # a weight for every output, in order
        for a in range(width):
            row[a] += value * weights[first + a]
    else:
        for j in range(first, stop):
            row[np.uint64(rows[OUTPUTS][j])] += value * weights[j]


@kernel
def add_listed(rows: Rows, examples: Integers, gradient: Floats, scale: float, out: Floats) -> None:
    """Add `scale` times the pull-back of some examples' part of a gradient in θ; what they share counts once."""
    for t in range(len(rows[TERMS])):
        width = rows[TERMS][t, WIDTH]
        for i in range(min(1, len(examples)) if rows[TERMS][t, SHARED] else len(examples)):
            example = examples[i]
            for r in range(rows[EXAMPLE_ROWS][example, 2 * t], rows[EXAMPLE_ROWS][example, 2 * t + 1]):
                at = rows[TERMS][t, THETA] + (r - rows[TERMS][t, FIRST_ROW]) * width
                row = gradient[at : at + width]
                for k in range(np.uint64(rows[POINTER][r]), np.uint64(rows[POINTER][r + 1])):
                    _scatter(rows, k, scale, row, out)


@inlined_kernel
def _scatter(rows: Rows, k: int, scale: float, row: Floats, out: Floats) -> None:
    """Add entry k's value times a row of the gradient to its weights."""
    f = np.uint64(rows[FEATURES][k])
    first, stop = np.uint64(rows[RUNS][f]), np.uint64(rows[RUNS][f + np.uint64(1)])
    value = scale * rows[VALUES][k] if len(rows[VALUES]) > 0 else scale
    width = np.uint64(len(row))
    if stop - first == width:
        for a in range(width):
            out[first + a] += value * row[a]
    else:
        for j in range(first, stop):
            out[j] += value * row[np.uint64(rows[OUTPUTS][j])]
