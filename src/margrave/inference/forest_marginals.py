"""Marginals of forests, in scaled arithmetic.

Positions are variables in an order that puts parents before children. With ψ the exponentials of a variable's scores
over T, E those of an edge's table, a a parent's states and b a child's:

    upward      B_p(b) ∝ ψ_p(b) Π_children M_c(b),     M_p(a) = Σ_b E(a, b) B_p(b)
    downward    μ_p(b) = Σ_a μ_q(a)/M_p(a) · E(a, b) · B_p(b)          q the parent of p

B is scaled to sum to one, so nothing overflows; what underflows is noticed, and `forest_logarithms` does the example
again. A marginal needs no second set of messages: it is the parent's marginal times a conditional probability.
"""

import numpy as np

from margrave.graphs.wiring import (
    COLUMNS,
    EDGE_RUNS,
    EDGES,
    EXAMPLES,
    FIRST_PAIR,
    FIRST_STATE,
    N_STATES,
    PREPARED,
    ROWS,
    SUM,
    SUMS,
    VARIABLES,
    Extra,
    Wiring,
    return_table,
)
from margrave.inference.forest_loading import (
    EDGE,
    FLIP,
    PARENT,
    TINY,
    VARIABLE,
    Inputs,
    Width,
    load_example,
    most_variables,
    return_edge,
    return_nodes,
    shape_of,
    table_of,
)
from margrave.primitives import Floats, Integers, exp, kernel


@kernel
def marginals(
    dims: Width,
    first: int,
    stop: int,
    inputs: Inputs,
    temperature: float,
    tables: Floats,
    peaks: Floats,
    weights: Floats,
    values: Floats,
    counts: Floats,
    shared_counts: Floats,
    node_marginals: Floats,
    edge_marginals: Floats,
) -> int:
    """T times the log partition and, into arrays that are given for them, counts and marginals of a run of examples.

    Arrays of length 0 are not filled. Returns how many examples need logarithms; their values are NaN.
    """
    _, w, coefficients, order, _ = inputs
    width = 8 * len(dims)
    most, n_failed = most_variables(w, first, stop), 0
    belief, message, marginal = np.zeros((most, width)), np.zeros((most, width)), np.zeros((most, width))
    own = np.empty((3, width, width))
    sums = np.zeros(tables.shape if len(counts) > 0 else (0, 2, width, width))
    starts = w[EXAMPLES][first, FIRST_STATE], w[EXAMPLES][first, FIRST_PAIR]
    for example in range(first, stop):
        work = (belief, message, marginal, own)
        log_partition = _upward(dims, example, inputs, temperature, tables, peaks, *work)
        values[example - first] = temperature * log_partition
        if np.isnan(log_partition):
            n_failed += 1
        elif len(counts) + len(node_marginals) + len(edge_marginals) > 0:
            weight = weights[example] if len(weights) > 0 else 1.0
            _downward(
                dims, example, inputs, temperature, tables, peaks, *work, weight, sums, counts, shared_counts, edge_marginals, starts[1],
            )  # fmt: skip
            return_nodes(example, w, coefficients, order, marginal, weight, counts, node_marginals, starts[0])
    for which in range(len(w[SUMS]) - 1):
        i = w[SUMS][which, PREPARED]
        if i >= 0 and len(sums) > 0:
            n_u, n_v = w[SUMS][which, ROWS], w[SUMS][which, COLUMNS]
            for a in range(n_u):
                for b in range(n_v):
                    own[2, a, b] = tables[i, 0, a, b] * (sums[i, 0, a, b] + sums[i, 1, b, a])
            return_table(own[2], 1.0, w, coefficients, first, which, n_u, n_v, counts, shared_counts)
    return n_failed


@kernel
def _upward(
    dims: Width,
    example: int,
    inputs: Inputs,
    temperature: float,
    tables: Floats,
    peaks: Floats,
    belief: Floats,
    message: Floats,
    scratch: Floats,
    own: Floats,
) -> float:
    """Fill beliefs and messages; returns the log partition, or NaN where something that counts has vanished."""
    w, order, extra = inputs[1], inputs[3], inputs[4]
    width = 8 * len(dims)
    skipped, edges, n = shape_of(w, example)
    load_example(example, inputs, belief)
    log_scale, least = 0.0, 1.0
    for p in range(n):
        peak = np.max(belief[p])
        if peak == -np.inf:
            return np.nan
        log_scale += peak / temperature
        for a in range(width):
            belief[p, a] = exp((belief[p, a] - peak) / temperature)
    for k in range(n):
        p = n - 1 - k
        total = 0.0
        for a in range(width):
            total += belief[p, a]
        if not total > 0.0:
            return np.nan
        for a in range(width):
            belief[p, a] *= 1.0 / total
        for a in range(w[VARIABLES][skipped + order[skipped + p, VARIABLE], N_STATES]):
            least = min(least, belief[p, a])
        log_scale += np.log(total)
        parent = order[skipped + p, PARENT]
        if parent >= 0:
            e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
            table, peak = table_of(dims, example, e, inputs, temperature, tables, peaks, own)
            _times(dims, belief[p], table[1 - flip], message[p])
            for a in range(w[VARIABLES][skipped + order[skipped + parent, VARIABLE], N_STATES]):
                least = min(least, message[p, a])
            for a in range(width):
                belief[parent, a] *= message[p, a]
            log_scale += peak / temperature  # NaN stays NaN
    if least < TINY:
        load_example(example, inputs, scratch)
        if not _zeros_are_meant(w, order, skipped, edges, n, extra, tables, belief, message, scratch):
            return np.nan
    return log_scale


@kernel
def _zeros_are_meant(
    w: Wiring,
    order: Integers,
    skipped: int,
    edges: int,
    n: int,
    extra: Extra,
    tables: Floats,
    belief: Floats,
    message: Floats,
    scores: Floats,
) -> bool:
    """Whether exactly the states that minus infinity forbids have vanished; `scores` are overwritten.

    A state is possible if its score is finite and from each child something possible leads to it: forbidden states make
    messages whose range grows with the length of a path, so no bound on the scores can tell. An example with tables of
    its own is not looked into, but left to logarithms.
    """
    for k in range(n):
        p = n - 1 - k
        v, parent = order[skipped + p, VARIABLE], order[skipped + p, PARENT]
        n_states = w[VARIABLES][skipped + v, N_STATES]
        for b in range(n_states):
            if (scores[p, b] > -np.inf) != (belief[p, b] >= TINY):
                return False
        if parent < 0:
            continue
        i = w[SUMS][w[EDGES][edges + order[skipped + p, EDGE], SUM], PREPARED]
        if i < 0 or len(extra[EDGE_RUNS]) > 0:
            return False
        table = tables[i, order[skipped + p, FLIP]]
        for a in range(w[VARIABLES][skipped + order[skipped + parent, VARIABLE], N_STATES]):
            possible = False
            for b in range(n_states):
                possible |= table[a, b] > 0.0 and scores[p, b] > -np.inf
            if possible != (message[p, a] >= TINY):
                return False
            if not possible:
                scores[parent, a] = -np.inf
    return True


@kernel
def _downward(
    dims: Width,
    example: int,
    inputs: Inputs,
    temperature: float,
    tables: Floats,
    peaks: Floats,
    belief: Floats,
    message: Floats,
    marginal: Floats,
    own: Floats,
    weight: float,
    sums: Floats,
    counts: Floats,
    shared_counts: Floats,
    edge_marginals: Floats,
    pair_start: int,
) -> None:
    """Fill marginals by position, and of edges: shared tables' go into `sums`, still to be multiplied by the table."""
    _, w, coefficients, order, extra = inputs
    width = 8 * len(dims)
    ratio, product = np.empty(width), np.empty(width)
    skipped, edges, n = shape_of(w, example)
    for p in range(n):
        parent = order[skipped + p, PARENT]
        if parent < 0:
            marginal[p] = belief[p]
            continue
        e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
        table, _ = table_of(dims, example, e, inputs, temperature, tables, peaks, own)
        for a in range(width):
            ratio[a] = marginal[parent, a] / message[p, a] if message[p, a] > 0.0 else 0.0
        _times(dims, ratio, table[flip], product)
        for b in range(width):
            marginal[p, b] = product[b] * belief[p, b]
        i = w[SUMS][w[EDGES][e, SUM], PREPARED]
        in_sums = i >= 0 and len(extra[EDGE_RUNS]) == 0
        if in_sums and len(counts) > 0:
            for a in range(width):
                r = weight * ratio[a]
                for b in range(width):
                    sums[i, flip, a, b] += r * belief[p, b]
        if not in_sums or len(edge_marginals) > 0:
            n_u, n_v = w[SUMS][w[EDGES][e, SUM], ROWS], w[SUMS][w[EDGES][e, SUM], COLUMNS]
            for a in range(n_u):
                for b in range(n_v):
                    from_a, to_b = (a, b) if flip == 0 else (b, a)
                    own[2, a, b] = ratio[from_a] * table[0, a, b] * belief[p, to_b]
            some = counts if not in_sums else counts[:0]
            return_edge(example, e, own[2], weight, w, coefficients, some, shared_counts, edge_marginals, pair_start)


@kernel
def _times(dims: Width, vector: Floats, rows: Floats, out: Floats) -> None:
    """out[a] = Σ over b of vector[b] · rows[b, a]; eight b at a time stay in registers."""
    width = 8 * len(dims)
    for a in range(width):
        out[a] = 0.0
    for b in range(0, width, 8):
        x0, x1, x2, x3 = vector[b], vector[b + 1], vector[b + 2], vector[b + 3]
        x4, x5, x6, x7 = vector[b + 4], vector[b + 5], vector[b + 6], vector[b + 7]
        for a in range(width):
            low = x0 * rows[b, a] + x1 * rows[b + 1, a] + x2 * rows[b + 2, a] + x3 * rows[b + 3, a]
            high = x4 * rows[b + 4, a] + x5 * rows[b + 5, a] + x6 * rows[b + 6, a] + x7 * rows[b + 7, a]
            out[a] += low + high
