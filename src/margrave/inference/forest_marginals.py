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
    return_table,
)
from margrave.inference.forest_loading import (
    CHILDREN,
    EDGE,
    FLIP,
    PARENT,
    TINY,
    VARIABLE,
    Inputs,
    Width,
    load_example,
    return_edge,
    return_nodes,
    shape_of,
    table_of,
)
from margrave.inference.forest_rows import add_products, exponentials, lower_to, times_rows
from margrave.primitives import Floats, inlined_kernel, kernel

#: Beliefs of only children are scaled where their sum has left this range; TINY is far enough below it, and a ratio, at
#: most 1/TINY, times a belief does not overflow, nor do sums of such products.
SMALL, LARGE = 1e-20, 1e10


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
    work: Floats,
    own: Floats,
    sums: Floats,
    values: Floats,
    counts: Floats,
    shared_counts: Floats,
    node_marginals: Floats,
    edge_marginals: Floats,
) -> int:
    """T times the log partition and, into arrays that are given for them, counts and marginals of a run of examples.

    Arrays of length 0 are not filled. Returns how many examples need logarithms; their values are NaN. `work` is three
    arrays with a row per variable of the largest example and one more; `own` is three tables; `sums` has the shape of
    `tables` and is clear.
    """
    _, w, coefficients, order, _ = inputs
    n_failed = 0
    state_start, pair_start = w[EXAMPLES][first, FIRST_STATE], w[EXAMPLES][first, FIRST_PAIR]
    for example in range(first, stop):
        log_partition = _upward(dims, example, inputs, temperature, tables, peaks, work, own)
        values[example - first] = temperature * log_partition
        if np.isnan(log_partition):
            n_failed += 1
        elif len(counts) + len(node_marginals) + len(edge_marginals) > 0:
            weight = weights[example] if len(weights) > 0 else 1.0
            _downward(dims, example, inputs, temperature, tables, peaks, work, own)
            _edges(dims, example, inputs, tables, temperature, peaks, work, own, weight, sums,
                   counts, shared_counts, edge_marginals, pair_start)  # fmt: skip
            return_nodes(example, w, coefficients, order, work[2], weight, counts, node_marginals, state_start)
    for which in range(len(w[SUMS]) - 1):
        i = w[SUMS][which, PREPARED]
        if i >= 0 and len(counts) > 0:
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
    work: Floats,
    own: Floats,
) -> float:
    """Fill beliefs and messages; returns the log partition, or NaN where something that counts has vanished."""
    w, order = inputs[1], inputs[3]
    belief, message = work[0], work[1]
    width = 8 * len(dims)
    skipped, edges, n = shape_of(w, example)
    load_example(example, inputs, belief)
    log_scale, least = exponentials(dims, n, temperature, belief), work[2, 0]
    least[:] = 1.0
    for k in range(n):
        p = n - 1 - k
        parent = order[skipped + p, PARENT]
        total = 0.0
        for a in range(width):
            total += belief[p, a]
        alone = parent >= 0 and order[skipped + parent, CHILDREN] == 1
        if not (alone and SMALL < total < LARGE):  # along a path seldom, and foreseen: products need not wait for sums
            if not total >= TINY:
                return np.nan
            scale = 1.0 / total
            for a in range(width):  # a product below TINY has lost digits: made 0, it is noticed below
                belief[p, a] = belief[p, a] * scale if belief[p, a] >= TINY else 0.0
            log_scale += np.log(total)
        lower_to(dims, belief[p], least)
        if parent >= 0:
            e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
            i, peak = table_of(dims, example, e, inputs, temperature, peaks, own)
            times_rows(dims, belief[p], tables[i, 1 - flip] if i >= 0 else own[1 - flip], message[p])
            if not alone:  # an only child's message that vanishes shows in the belief
                lower_to(dims, message[p], least)
            for a in range(width):
                belief[parent, a] *= message[p, a]
            log_scale += peak / temperature  # NaN stays NaN
    if _has_vanished(inputs, skipped, n, least, belief, message):
        load_example(example, inputs, work[2])
        if not _zeros_are_meant(example, inputs, tables, work):
            return np.nan
    return log_scale


@inlined_kernel
def _has_vanished(inputs: Inputs, skipped: int, n: int, least: Floats, belief: Floats, message: Floats) -> bool:
    """Whether a belief or a message of a state that exists is below TINY; rows of minima that are not can tell soon."""
    w, order = inputs[1], inputs[3]
    most, low = 0, False
    for v in range(n):
        most = max(most, w[VARIABLES][skipped + v, N_STATES])
    for a in range(most):
        low |= least[a] < TINY
    if low:
        for p in range(n):
            v, parent = order[skipped + p, VARIABLE], order[skipped + p, PARENT]
            for a in range(w[VARIABLES][skipped + v, N_STATES]):
                if belief[p, a] < TINY:
                    return True
            if parent >= 0:
                for a in range(w[VARIABLES][skipped + order[skipped + parent, VARIABLE], N_STATES]):
                    if message[p, a] < TINY:
                        return True
    return False


@kernel
def _zeros_are_meant(example: int, inputs: Inputs, tables: Floats, work: Floats) -> bool:
    """Whether exactly the states that minus infinity forbids have vanished; `work[2]` has the scores, and loses them.

    A state is possible if its score is finite and from each child something possible leads to it: forbidden states make
    messages whose range grows with the length of a path, so no bound on the scores can tell. An example with tables of
    its own is not looked into, but left to logarithms.
    """
    _, w, _, order, extra = inputs
    belief, message, scores = work[0], work[1], work[2]
    skipped, edges, n = shape_of(w, example)
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
    work: Floats,
    own: Floats,
) -> None:
    """Fill marginals; messages become the ratios μ_q/M_p."""
    w, order = inputs[1], inputs[3]
    belief, message, marginal = work[0], work[1], work[2]
    width = 8 * len(dims)
    skipped, edges, n = shape_of(w, example)
    for p in range(n):
        parent = order[skipped + p, PARENT]
        if parent < 0:
            for b in range(width):
                marginal[p, b] = belief[p, b]
            continue
        e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
        for a in range(width):
            message[p, a] = marginal[parent, a] / message[p, a] if message[p, a] > 0.0 else 0.0
        i, _ = table_of(dims, example, e, inputs, temperature, peaks, own)
        times_rows(dims, message[p], tables[i, flip] if i >= 0 else own[flip], marginal[p])
        for b in range(width):
            marginal[p, b] *= belief[p, b]


@kernel
def _edges(
    dims: Width,
    example: int,
    inputs: Inputs,
    tables: Floats,
    temperature: float,
    peaks: Floats,
    work: Floats,
    own: Floats,
    weight: float,
    sums: Floats,
    counts: Floats,
    shared_counts: Floats,
    edge_marginals: Floats,
    pair_start: int,
) -> None:
    """Return the marginals of edges; those of prepared tables go into `sums`, still to be multiplied by the table."""
    _, w, coefficients, order, _ = inputs
    ratio, belief, pair = work[1], work[0], own[2]
    skipped, edges, n = shape_of(w, example)
    p = 0
    while p < n:
        if order[skipped + p, PARENT] < 0:
            p += 1
            continue
        e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
        i, _ = table_of(dims, example, e, inputs, temperature, peaks, own)
        if i >= 0 and len(edge_marginals) == 0:
            run = 1
            while run < 4 and p + run < n and _same_table(inputs, skipped, edges, p, p + run):
                run += 1
            add_products(dims, ratio, belief, p, run, weight, sums[i, flip])
            p += run
            continue
        if i >= 0 and len(counts) > 0:
            add_products(dims, ratio, belief, p, 1, weight, sums[i, flip])
        for a in range(w[SUMS][w[EDGES][e, SUM], ROWS]):
            for b in range(w[SUMS][w[EDGES][e, SUM], COLUMNS]):
                from_a, to_b = (a, b) if flip == 0 else (b, a)
                score = tables[i, 0, a, b] if i >= 0 else own[0, a, b]
                pair[a, b] = ratio[p, from_a] * score * belief[p, to_b]
        some = counts[: 0 if i >= 0 else len(counts)]
        return_edge(example, e, pair, weight, w, coefficients, some, shared_counts, edge_marginals, pair_start)
        p += 1


@inlined_kernel
def _same_table(inputs: Inputs, skipped: int, edges: int, p: int, q: int) -> bool:
    w, order = inputs[1], inputs[3]
    if order[skipped + q, PARENT] < 0 or order[skipped + q, FLIP] != order[skipped + p, FLIP]:
        return False
    mine, other = w[EDGES][edges + order[skipped + p, EDGE], SUM], w[EDGES][edges + order[skipped + q, EDGE], SUM]
    return bool(mine == other)
