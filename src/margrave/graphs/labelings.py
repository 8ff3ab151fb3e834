"""Labellings against scores: their counts, and what they are worth; kernels."""

from margrave.graphs.wiring import (
    BASES,
    BLOCK,
    CELLS,
    EDGES,
    EXAMPLES,
    FIRST_OF_EDGES,
    FIRST_OF_VARIABLES,
    FIRST_TABLE,
    FIRST_VARIABLE,
    N_STATES,
    OFFSET,
    STARTS,
    SUM,
    SUMS,
    T_BLOCK,
    T_OFFSET,
    TABLES,
    TERMS,
    TOPOLOGIES,
    TOPOLOGY,
    TRANSPOSED,
    VARIABLES,
    U,
    V,
    Wiring,
)
from margrave.primitives import Floats, Integers, Labels, kernel


@kernel
def count_labels(
    labels: Labels,
    origin: int,
    weights: Floats,
    w: Wiring,
    coefficients: Floats,
    first: int,
    stop: int,
    counts: Floats,
    shared_counts: Floats,
) -> None:
    """Add the 0/1 marginals of a labelling of examples `first` to `stop`, times each example's weight, to the counts.

    `labels` begins with variable `origin` of the batch.
    """
    n_shared = len(shared_counts)
    for example in range(first, stop):
        weight = weights[example] if len(weights) > 0 else 1.0
        topology = w[EXAMPLES][example, TOPOLOGY]
        first_variable = w[EXAMPLES][example, FIRST_VARIABLE] - origin
        skipped = w[TOPOLOGIES][topology, FIRST_OF_VARIABLES]
        for v in range(skipped, w[TOPOLOGIES][topology + 1, FIRST_OF_VARIABLES]):
            block = w[VARIABLES][v, BLOCK]
            start = w[STARTS][example, block] + w[VARIABLES][v, OFFSET]
            _add_cell(labels[first_variable + v - skipped], weight, start, block, w, coefficients, counts)
        for e in range(w[TOPOLOGIES][topology, FIRST_OF_EDGES], w[TOPOLOGIES][topology + 1, FIRST_OF_EDGES]):
            which = w[EDGES][e, SUM]
            for t in range(w[SUMS][which, FIRST_TABLE], w[SUMS][which + 1, FIRST_TABLE]):
                block = w[TABLES][t, T_BLOCK]
                start = w[STARTS][example, block] + w[TABLES][t, T_OFFSET]
                cell = _cell(labels, w, first_variable, skipped, e, w[TABLES][t, TRANSPOSED])
                _add_cell(cell, weight, start, block, w, coefficients, shared_counts if start < n_shared else counts)


@kernel
def count_some(
    labels: Labels,
    examples: Integers,
    weights: Floats,
    w: Wiring,
    coefficients: Floats,
    counts: Floats,
    shared_counts: Floats,
) -> None:
    """As `count_labels` for listed examples; `labels` are those of the whole batch."""
    for i in range(len(examples)):
        count_labels(labels, 0, weights, w, coefficients, examples[i], examples[i] + 1, counts, shared_counts)


@kernel
def score_labels(
    theta: Floats,
    labels: Labels,
    origin: int,
    w: Wiring,
    coefficients: Floats,
    first: int,
    stop: int,
    values: Floats,
) -> None:
    """Write the score of a labelling of each of examples `first` to `stop`; `labels` begins with variable `origin`."""
    for example in range(first, stop):
        total = 0.0
        topology = w[EXAMPLES][example, TOPOLOGY]
        first_variable = w[EXAMPLES][example, FIRST_VARIABLE] - origin
        skipped = w[TOPOLOGIES][topology, FIRST_OF_VARIABLES]
        for v in range(skipped, w[TOPOLOGIES][topology + 1, FIRST_OF_VARIABLES]):
            block = w[VARIABLES][v, BLOCK]
            start = w[STARTS][example, block] + w[VARIABLES][v, OFFSET]
            total += _read_cell(theta, labels[first_variable + v - skipped], start, block, w, coefficients)
        for e in range(w[TOPOLOGIES][topology, FIRST_OF_EDGES], w[TOPOLOGIES][topology + 1, FIRST_OF_EDGES]):
            which = w[EDGES][e, SUM]
            for t in range(w[SUMS][which, FIRST_TABLE], w[SUMS][which + 1, FIRST_TABLE]):
                block = w[TABLES][t, T_BLOCK]
                start = w[STARTS][example, block] + w[TABLES][t, T_OFFSET]
                cell = _cell(labels, w, first_variable, skipped, e, w[TABLES][t, TRANSPOSED])
                total += _read_cell(theta, cell, start, block, w, coefficients)
        values[example - first] = total


@kernel
def _cell(labels: Labels, w: Wiring, first_variable: int, skipped: int, edge: int, transposed: int) -> int:
    """Which cell of a table the labels of the edge's two ends pick."""
    u, v = w[EDGES][edge, U], w[EDGES][edge, V]
    a, b = labels[first_variable + u], labels[first_variable + v]
    cell: int = a * w[VARIABLES][skipped + v, N_STATES] + b
    if transposed != 0:
        cell = b * w[VARIABLES][skipped + u, N_STATES] + a
    return cell


@kernel
def _add_cell(
    cell: int, weight: float, start: int, block: int, w: Wiring, coefficients: Floats, counts: Floats
) -> None:
    first_cell = w[BASES][block, 0]
    if first_cell < 0:
        counts[start + cell] += weight
    else:
        for k in range(w[CELLS][first_cell + cell, 0], w[CELLS][first_cell + cell + 1, 0]):
            counts[start + w[TERMS][k, 0]] += coefficients[k] * weight


@kernel
def _read_cell(theta: Floats, cell: int, start: int, block: int, w: Wiring, coefficients: Floats) -> float:
    first_cell = w[BASES][block, 0]
    total: float = 0.0
    if first_cell < 0:
        total = theta[start + cell]
        return total
    for k in range(w[CELLS][first_cell + cell, 0], w[CELLS][first_cell + cell + 1, 0]):
        total += coefficients[k] * theta[start + w[TERMS][k, 0]]
    return total
