"""Forests, for kernels: scores by position, tables both ways round, and marginals back to where scores came from.

Positions are variables in an order that puts parents before children; `order` has a row per position. The length of
`dims` fixes the width of all rows, eight states per element, when a kernel is compiled.
"""

import numpy as np

from margrave.graphs.wiring import (
    COLUMNS,
    EDGE_RUNS,
    EDGES,
    EXAMPLES,
    FIRST_EDGE,
    FIRST_OF_EDGES,
    FIRST_OF_VARIABLES,
    FIRST_PAIR,
    FIRST_STATE,
    FIRST_VARIABLE,
    N_STATES,
    PAIR,
    PREPARED,
    ROWS,
    STATE,
    SUM,
    SUMS,
    TOPOLOGIES,
    TOPOLOGY,
    VARIABLES,
    Extra,
    Wiring,
    add_to_node,
    add_to_table,
    load_node,
    load_table,
    return_node,
    return_table,
)
from margrave.primitives import Floats, Integers, exp, inlined_kernel, kernel

VARIABLE, PARENT, EDGE, FLIP, CHILDREN = range(5)  # columns of `order`; FLIP: the edge is written child first
TINY = 1e-290  # below this a product may have lost digits, or vanished

Width = tuple[int, ...]
#: θ, wiring, the bases' coefficients, `order`, and what is added to scores: what every pass reads.
Inputs = tuple[Floats, Wiring, Floats, Integers, Extra]


@inlined_kernel
def shape_of(w: Wiring, example: int) -> tuple[int, int, int]:
    """Where an example's topology begins in VARIABLES and in EDGES, and how many variables it has."""
    topology = w[EXAMPLES][example, TOPOLOGY]
    skipped = w[TOPOLOGIES][topology, FIRST_OF_VARIABLES]
    n = w[TOPOLOGIES][topology + 1, FIRST_OF_VARIABLES] - skipped
    return skipped, w[TOPOLOGIES][topology, FIRST_OF_EDGES], n


@kernel
def load_example(example: int, inputs: Inputs, scores: Floats) -> None:
    """Write the scores of every variable's states, by position; the rest of each row is minus infinity."""
    theta, w, coefficients, order, extra = inputs
    skipped, _, n = shape_of(w, example)
    for p in range(n):
        v = order[skipped + p, VARIABLE]
        row = scores[p]
        row[:] = -np.inf
        n_states = load_node(theta, w, coefficients, example, skipped + v, row)
        state = w[EXAMPLES][example, FIRST_STATE] + w[VARIABLES][skipped + v, STATE]
        add_to_node(extra, w[EXAMPLES][example, FIRST_VARIABLE] + v, state, n_states, row)


@kernel
def load_edge(example: int, e: int, inputs: Inputs, raw: Floats) -> tuple[int, int]:
    """Write the table of an edge, counted in EDGES, with what is added to it; returns its numbers of states."""
    theta, w, coefficients, _, extra = inputs
    which = w[EDGES][e, SUM]
    n_u, n_v = w[SUMS][which, ROWS], w[SUMS][which, COLUMNS]
    load_table(theta, w, coefficients, example, which, n_u, n_v, raw)
    skipped = w[TOPOLOGIES][w[EXAMPLES][example, TOPOLOGY], FIRST_OF_EDGES]
    add_to_table(extra, w[EXAMPLES][example, FIRST_EDGE] + e - skipped, raw)
    return n_u, n_v


@kernel
def prepare_tables(
    dims: Width,
    theta: Floats,
    w: Wiring,
    coefficients: Floats,
    temperature: float,
    own: Floats,
    tables: Floats,
    peaks: Floats,
) -> None:
    """Load every sum of shared tables once, both ways round: `tables[i, 0]` is u by v, `tables[i, 1]` v by u."""
    raw = own[2]
    for which in range(len(w[SUMS]) - 1):
        i = w[SUMS][which, PREPARED]
        if i >= 0:
            n_u, n_v = w[SUMS][which, ROWS], w[SUMS][which, COLUMNS]
            load_table(theta, w, coefficients, 0, which, n_u, n_v, raw)
            peaks[i] = _prepare(dims, raw, n_u, n_v, temperature, tables[i])


@kernel
def _prepare(dims: Width, raw: Floats, n_u: int, n_v: int, temperature: float, out: Floats) -> float:
    """Write a table (T = 0) or its exponentials, both ways round; returns the maximum divided out.

    NaN instead says that the exponential of a finite score vanished.
    """
    width = 8 * len(dims)
    peak = -np.inf if temperature > 0.0 else 0.0
    for a in range(width):
        for b in range(n_v if a < n_u else 0, width):
            raw[a, b] = -np.inf
    if temperature > 0.0:
        for a in range(n_u):
            for b in range(n_v):
                peak = max(peak, raw[a, b])
        if peak == -np.inf:
            peak = 0.0
    vanished = False
    for a in range(width):
        for b in range(width):
            out[0, a, b] = raw[a, b]
            out[1, a, b] = -np.inf if temperature == 0.0 else 0.0
        if temperature > 0.0:
            for b in range(width):
                e = exp((raw[a, b] - peak) / temperature)
                vanished |= e < TINY and raw[a, b] > -np.inf
                out[0, a, b] = e
    for b in range(n_v):
        for a in range(n_u):
            out[1, b, a] = out[0, a, b]
    return np.nan if vanished else peak


@inlined_kernel
def table_of(
    dims: Width, example: int, e: int, inputs: Inputs, temperature: float, peaks: Floats, own: Floats
) -> tuple[int, float]:
    """Which prepared table an edge has, and its peak; -1: none, so one is made in `own`, as `_prepare` writes it."""
    w, extra = inputs[1], inputs[4]
    i = w[SUMS][w[EDGES][e, SUM], PREPARED]
    if i >= 0 and len(extra[EDGE_RUNS]) == 0:
        return i, peaks[i]
    return -1, _own_table(dims, example, e, inputs, temperature, own)


@kernel
def _own_table(dims: Width, example: int, e: int, inputs: Inputs, temperature: float, own: Floats) -> float:
    n_u, n_v = load_edge(example, e, inputs, own[2])
    return _prepare(dims, own[2], n_u, n_v, temperature, own[:2])


@kernel
def return_nodes(
    example: int,
    w: Wiring,
    coefficients: Floats,
    order: Integers,
    marginal: Floats,
    weight: float,
    counts: Floats,
    node_marginals: Floats,
    state_start: int,
) -> None:
    """Put the marginals of an example's variables, by position, into counts and marginals as asked."""
    skipped, _, n = shape_of(w, example)
    for p in range(n):
        v = skipped + order[skipped + p, VARIABLE]
        if len(counts) > 0:
            return_node(marginal[p], weight, w, coefficients, example, v, counts)
        if len(node_marginals) > 0:
            at = w[EXAMPLES][example, FIRST_STATE] - state_start + w[VARIABLES][v, STATE]
            for a in range(w[VARIABLES][v, N_STATES]):
                node_marginals[at + a] = marginal[p, a]


@kernel
def return_edge(
    example: int,
    e: int,
    pair: Floats,
    weight: float,
    w: Wiring,
    coefficients: Floats,
    counts: Floats,
    shared_counts: Floats,
    edge_marginals: Floats,
    pair_start: int,
) -> None:
    """Put an edge's marginal into counts and marginals as asked; e counts in EDGES."""
    which = w[EDGES][e, SUM]
    n_u, n_v = w[SUMS][which, ROWS], w[SUMS][which, COLUMNS]
    if len(counts) > 0:
        return_table(pair, weight, w, coefficients, example, which, n_u, n_v, counts, shared_counts)
    if len(edge_marginals) > 0:
        at = w[EXAMPLES][example, FIRST_PAIR] - pair_start + w[EDGES][e, PAIR]
        for a in range(n_u):
            for b in range(n_v):
                edge_marginals[at + a * n_v + b] = pair[a, b]
