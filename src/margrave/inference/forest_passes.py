"""Message passing on forests, in kernels.

Positions are variables in an order that puts parents before children. With ψ the exponentials of a variable's scores over
T, E those of an edge's table, a parent's states and b a child's:

    upward      B_p(b) ∝ ψ_p(b) Π_children M_c(b),     M_p(a) = Σ_b E(a, b) B_p(b)
    downward    μ_p(b) = Σ_a μ_q(a)/M_p(a) · E(a, b) · B_p(b)          q the parent of p

B is scaled to sum to one, so nothing overflows; what underflows is noticed, and `forest_logarithms` does the example again.
A marginal needs no logarithm and no second set of messages: it is the parent's marginal times a conditional probability.
The length of `dims` fixes the width of all rows, eight states per element, when the kernel is compiled.
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
from margrave.primitives import Floats, Integers, Labels, exp, kernel

VARIABLE, PARENT, EDGE, FLIP = range(4)  # columns of `order`; FLIP: the edge is written child first
TINY = 1e-290  # below this a product may have lost digits, or vanished

Width = tuple[int, ...]


# ---------------------------------------------------------------------- loading


@kernel
def shape_of(w: Wiring, example: int) -> tuple[int, int, int]:
    """Where an example's topology begins in VARIABLES and in EDGES, and how many variables it has."""
    topology = w[EXAMPLES][example, TOPOLOGY]
    skipped = w[TOPOLOGIES][topology, FIRST_OF_VARIABLES]
    n = w[TOPOLOGIES][topology + 1, FIRST_OF_VARIABLES] - skipped
    return skipped, w[TOPOLOGIES][topology, FIRST_OF_EDGES], n


@kernel
def most_variables(w: Wiring, first: int, stop: int) -> int:
    """The most variables that any of the examples has."""
    most = 0
    for example in range(first, stop):
        most = max(most, w[EXAMPLES][example + 1, FIRST_VARIABLE] - w[EXAMPLES][example, FIRST_VARIABLE])
    return most


@kernel
def load_example(
    example: int, theta: Floats, w: Wiring, coefficients: Floats, order: Integers, extra: Extra, scores: Floats
) -> None:
    """Write the scores of every variable's states, by position; the rest of each row is minus infinity."""
    skipped, _, n = shape_of(w, example)
    for p in range(n):
        v = order[skipped + p, VARIABLE]
        row = scores[p]
        row[:] = -np.inf
        n_states = load_node(theta, w, coefficients, example, skipped + v, row)
        state = w[EXAMPLES][example, FIRST_STATE] + w[VARIABLES][skipped + v, STATE]
        add_to_node(extra, w[EXAMPLES][example, FIRST_VARIABLE] + v, state, n_states, row)


@kernel
def load_edge(
    example: int, e: int, theta: Floats, w: Wiring, coefficients: Floats, extra: Extra, raw: Floats
) -> tuple[int, int]:
    """Write the table of an edge, counted in EDGES, with what is added to it; returns its numbers of states."""
    which = w[EDGES][e, SUM]
    n_u, n_v = w[SUMS][which, ROWS], w[SUMS][which, COLUMNS]
    load_table(theta, w, coefficients, example, which, n_u, n_v, raw)
    skipped = w[TOPOLOGIES][w[EXAMPLES][example, TOPOLOGY], FIRST_OF_EDGES]
    add_to_table(extra, w[EXAMPLES][example, FIRST_EDGE] + e - skipped, raw)
    return n_u, n_v


@kernel
def prepare_tables(
    dims: Width, theta: Floats, w: Wiring, coefficients: Floats, temperature: float, tables: Floats, peaks: Floats
) -> None:
    """Load every sum of shared tables once, both ways round: `tables[i, 0]` is u by v, `tables[i, 1]` v by u."""
    raw = np.empty((8 * len(dims), 8 * len(dims)))
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
    peak = -np.inf
    for a in range(n_u):
        for b in range(n_v):
            peak = max(peak, raw[a, b])
    if temperature == 0.0 or peak == -np.inf:
        peak = 0.0
    vanished = False
    for a in range(width):
        for b in range(width):
            score = raw[a, b] - peak if a < n_u and b < n_v else -np.inf
            if temperature > 0.0:
                e = exp(score / temperature)
                vanished |= e < TINY and score > -np.inf
                score = e
            out[0, a, b] = score
            out[1, b, a] = score
    return np.nan if vanished else peak


@kernel
def _table_of(
    dims: Width,
    example: int,
    e: int,
    theta: Floats,
    w: Wiring,
    coefficients: Floats,
    extra: Extra,
    temperature: float,
    tables: Floats,
    peaks: Floats,
    own: Floats,
) -> tuple[Floats, float]:
    """An edge's table as `_prepare` writes it, and its peak: prepared already, or made in `own` where it is the example's."""
    i = w[SUMS][w[EDGES][e, SUM], PREPARED]
    if i >= 0 and len(extra[EDGE_RUNS]) == 0:
        return tables[i], peaks[i]
    raw = own[2]
    n_u, n_v = load_edge(example, e, theta, w, coefficients, extra, raw)
    return own[:2], _prepare(dims, raw, n_u, n_v, temperature, own[:2])


# ---------------------------------------------------------------------- T = 0


@kernel
def best_labels(
    dims: Width,
    first: int,
    stop: int,
    theta: Floats,
    w: Wiring,
    coefficients: Floats,
    order: Integers,
    extra: Extra,
    tables: Floats,
    peaks: Floats,
    values: Floats,
    best: Labels,
) -> None:
    """Best labelling of examples `first` to `stop`; `values` and `best` begin with the first of them."""
    width = 8 * len(dims)
    scores, message = np.empty((most_variables(w, first, stop), width)), np.empty(width)
    own = np.empty((3, width, width))
    for example in range(first, stop):
        skipped, edges, n = shape_of(w, example)
        load_example(example, theta, w, coefficients, order, extra, scores)
        total = 0.0
        for k in range(n):
            p = n - 1 - k
            parent = order[skipped + p, PARENT]
            if parent < 0:
                total += np.max(scores[p])
                continue
            e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
            table, _ = _table_of(dims, example, e, theta, w, coefficients, extra, 0.0, tables, peaks, own)
            _best_plus(dims, scores[p], table[1 - flip], message)
            for a in range(width):
                scores[parent, a] += message[a]
        values[example - first] = total
        place = w[EXAMPLES][example, FIRST_VARIABLE] - w[EXAMPLES][first, FIRST_VARIABLE]
        for p in range(n):
            v, parent = order[skipped + p, VARIABLE], order[skipped + p, PARENT]
            if parent >= 0:
                chosen = best[place + order[skipped + parent, VARIABLE]]
                e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
                table, _ = _table_of(dims, example, e, theta, w, coefficients, extra, 0.0, tables, peaks, own)
                for b in range(width):
                    scores[p, b] += table[flip, chosen, b]
            winner = 0
            for b in range(1, w[VARIABLES][skipped + v, N_STATES]):
                if scores[p, b] > scores[p, winner]:
                    winner = b
            best[place + v] = winner


@kernel
def _best_plus(dims: Width, scores: Floats, rows: Floats, out: Floats) -> None:
    """out[a] = max over b of scores[b] + rows[b, a]; eight b at a time stay in registers."""
    width = 8 * len(dims)
    for a in range(width):
        out[a] = -np.inf
    for b in range(0, width, 8):
        s0, s1, s2, s3 = scores[b], scores[b + 1], scores[b + 2], scores[b + 3]
        s4, s5, s6, s7 = scores[b + 4], scores[b + 5], scores[b + 6], scores[b + 7]
        for a in range(width):
            low = max(max(s0 + rows[b, a], s1 + rows[b + 1, a]), max(s2 + rows[b + 2, a], s3 + rows[b + 3, a]))
            high = max(max(s4 + rows[b + 4, a], s5 + rows[b + 5, a]), max(s6 + rows[b + 6, a], s7 + rows[b + 7, a]))
            out[a] = max(out[a], max(low, high))


# ---------------------------------------------------------------------- T > 0


@kernel
def marginals(
    dims: Width,
    first: int,
    stop: int,
    theta: Floats,
    w: Wiring,
    coefficients: Floats,
    order: Integers,
    extra: Extra,
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
    """T times the log partition and, where arrays are given for them, counts and marginals of examples `first` to `stop`.

    Arrays of length 0 are not filled. Returns how many examples need logarithms; their values are NaN.
    """
    width = 8 * len(dims)
    most, n_failed = most_variables(w, first, stop), 0
    belief, message, marginal = np.zeros((most, width)), np.zeros((most, width)), np.zeros((most, width))
    own = np.empty((3, width, width))
    sums = np.zeros(tables.shape if len(counts) > 0 else (0, 2, width, width))
    starts = w[EXAMPLES][first, FIRST_STATE], w[EXAMPLES][first, FIRST_PAIR]
    for example in range(first, stop):
        log_partition = _upward(
            dims, example, theta, w, coefficients, order, extra, temperature, tables, peaks, belief, message, marginal, own
        )
        values[example - first] = temperature * log_partition
        if np.isnan(log_partition):
            n_failed += 1
        elif len(counts) + len(node_marginals) + len(edge_marginals) > 0:
            weight = weights[example] if len(weights) > 0 else 1.0
            _downward(
                dims, example, theta, w, coefficients, order, extra, temperature, tables, peaks, belief, message, marginal,
                own, weight, sums, counts, shared_counts, edge_marginals, starts[1],
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
    theta: Floats,
    w: Wiring,
    coefficients: Floats,
    order: Integers,
    extra: Extra,
    temperature: float,
    tables: Floats,
    peaks: Floats,
    belief: Floats,
    message: Floats,
    scratch: Floats,
    own: Floats,
) -> float:
    """Fill beliefs and messages; returns the log partition, or NaN where something that counts has vanished."""
    width = 8 * len(dims)
    skipped, edges, n = shape_of(w, example)
    load_example(example, theta, w, coefficients, order, extra, belief)
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
            table, peak = _table_of(dims, example, e, theta, w, coefficients, extra, temperature, tables, peaks, own)
            _times(dims, belief[p], table[1 - flip], message[p])
            for a in range(w[VARIABLES][skipped + order[skipped + parent, VARIABLE], N_STATES]):
                least = min(least, message[p, a])
            for a in range(width):
                belief[parent, a] *= message[p, a]
            log_scale += peak / temperature  # NaN stays NaN
    if least < TINY:
        load_example(example, theta, w, coefficients, order, extra, scratch)
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
    theta: Floats,
    w: Wiring,
    coefficients: Floats,
    order: Integers,
    extra: Extra,
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
    """Fill marginals by position, and those of edges: shared tables' into `sums`, still to be multiplied by the table."""
    width = 8 * len(dims)
    ratio, product = np.empty(width), np.empty(width)
    skipped, edges, n = shape_of(w, example)
    for p in range(n):
        parent = order[skipped + p, PARENT]
        if parent < 0:
            marginal[p] = belief[p]
            continue
        e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
        table, _ = _table_of(dims, example, e, theta, w, coefficients, extra, temperature, tables, peaks, own)
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


# ---------------------------------------------------------------------- where marginals go


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
