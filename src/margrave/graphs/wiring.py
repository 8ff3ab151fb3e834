"""From entries to states and back, for kernels.

Scores stand in θ as entries of blocks; an algorithm thinks in states of variables and tables of edges. The functions
here load the one from the other (summing an edge's tables, expanding a basis, adding costs on the way) and return
marginals to where their scores came from. Every inference kernel is built on them.

The arrays that say what stands where form one tuple of two-dimensional integer arrays, the *wiring*: plain tuples of
one type reach compiled code fastest. The constants below name its arrays, and the columns of each.
"""

import numpy as np

from margrave.primitives import Floats, Integers, Labels, inlined_kernel, kernel

Wiring = tuple[Integers, ...]

EXAMPLES = 0  # one row per example, and one more that ends the last
TOPOLOGY, FIRST_VARIABLE, FIRST_EDGE, FIRST_STATE, FIRST_PAIR = range(5)
STARTS = 1  # (n_examples, n_blocks): where in θ the example's first row of a block begins
TOPOLOGIES = 2  # one row per topology, and one more that ends the last
FIRST_OF_VARIABLES, FIRST_OF_EDGES = range(2)
VARIABLES = 3  # the topologies' variables, one after the other
N_STATES, BLOCK, OFFSET, STATE = range(4)
EDGES = 4  # the topologies' edges
U, V, SUM, PAIR = range(4)
SUMS = 5  # the distinct sums of tables, and a row that ends the last
FIRST_TABLE, PREPARED, ROWS, COLUMNS = range(4)  # PREPARED counts the sums of shared tables alone; -1 for others
TABLES = 6  # (block, offset, transposed)
T_BLOCK, T_OFFSET, TRANSPOSED = range(3)
BASES = 7  # (n_blocks, 1): the block's first row in CELLS, or -1 where entries are states themselves
CELLS = 8  # (n_cells + 1, 1): where a cell's terms begin
TERMS = 9  # (n_terms, 1): the entry that a term reads; its coefficient is in an array of floats


#: What is added to the states' scores on loading is one more tuple; its arrays are empty where there is nothing to add.
Extra = tuple[Labels, Floats, Floats, Floats, Integers, Integers, Floats]
TRUE = 0  # labels per variable: the row of COSTS that applies; -1: no cost
COSTS = 1  # (n_labels, n_states)
NODE_WEIGHTS = 2  # per variable, multiplies its cost; empty: 1
NODE_SCORES = 3  # per state, as counted by FIRST_STATE and STATE
EDGE_RUNS = 4  # per edge, where its run of PAIRS begins; and where the last one ends
PAIRS = 5  # (n, 2): state of u, state of v
PAIR_SCORES = 6

NOTHING: Extra = (
    np.empty(0, np.int32),
    np.empty((0, 0)),
    np.empty(0),
    np.empty(0),
    np.empty(0, np.int64),
    np.empty((0, 2), np.int64),
    np.empty(0),
)


@inlined_kernel
def load_node(theta: Floats, w: Wiring, coefficients: Floats, example: int, variable: int, out: Floats) -> int:
    """Write the scores of a variable's states to `out`, return their number; `variable` counts in VARIABLES."""
    n: int = w[VARIABLES][variable, N_STATES]
    block = w[VARIABLES][variable, BLOCK]
    start = w[STARTS][example, block] + w[VARIABLES][variable, OFFSET]
    first_cell = w[BASES][block, 0]
    if first_cell < 0:
        for a in range(n):
            out[a] = theta[start + a]
    else:
        for a in range(n):
            total = 0.0
            for t in range(w[CELLS][first_cell + a, 0], w[CELLS][first_cell + a + 1, 0]):
                total += coefficients[t] * theta[start + w[TERMS][t, 0]]
            out[a] = total
    return n


@inlined_kernel
def add_to_node(extra: Extra, place: int, state: int, n: int, out: Floats) -> None:
    """Add the cost of variable `place` (counted over the batch) and its added scores, which begin at `state`."""
    if len(extra[TRUE]) > 0 and extra[TRUE][place] >= 0:
        weight = extra[NODE_WEIGHTS][place] if len(extra[NODE_WEIGHTS]) > 0 else 1.0
        label = extra[TRUE][place]
        for a in range(n):
            out[a] += weight * extra[COSTS][label, a]
    if len(extra[NODE_SCORES]) > 0:
        for a in range(n):
            out[a] += extra[NODE_SCORES][state + a]


@kernel
def load_table(
    theta: Floats, w: Wiring, coefficients: Floats, example: int, which: int, n_u: int, n_v: int, out: Floats
) -> None:
    """Write sum number `which` of tables to `out[:n_u, :n_v]`."""
    for a in range(n_u):
        for b in range(n_v):
            out[a, b] = 0.0
    for t in range(w[SUMS][which, FIRST_TABLE], w[SUMS][which + 1, FIRST_TABLE]):
        block = w[TABLES][t, T_BLOCK]
        start = w[STARTS][example, block] + w[TABLES][t, T_OFFSET]
        first_cell = w[BASES][block, 0]
        if w[TABLES][t, TRANSPOSED] == 0:
            step_a, step_b = n_v, 1
        else:
            step_a, step_b = 1, n_u
        if first_cell < 0 and step_b == 1:  # as written: whole rows at once
            for a in range(n_u):
                for b in range(n_v):
                    out[a, b] += theta[start + a * n_v + b]
        elif first_cell < 0:
            for a in range(n_u):
                for b in range(n_v):
                    out[a, b] += theta[start + a * step_a + b * step_b]
        else:
            for a in range(n_u):
                for b in range(n_v):
                    cell = first_cell + a * step_a + b * step_b
                    for k in range(w[CELLS][cell, 0], w[CELLS][cell + 1, 0]):
                        out[a, b] += coefficients[k] * theta[start + w[TERMS][k, 0]]


@kernel
def add_to_table(extra: Extra, edge: int, out: Floats) -> None:
    """Add the scores of single pairs of states of `edge` (counted over the batch)."""
    if len(extra[EDGE_RUNS]) > 0:
        for k in range(extra[EDGE_RUNS][edge], extra[EDGE_RUNS][edge + 1]):
            out[extra[PAIRS][k, 0], extra[PAIRS][k, 1]] += extra[PAIR_SCORES][k]


@inlined_kernel
def return_node(
    marginal: Floats, weight: float, w: Wiring, coefficients: Floats, example: int, variable: int, counts: Floats
) -> None:
    """Write `weight` times a variable's marginal to the entries that scored it; no other variable reads them."""
    n = w[VARIABLES][variable, N_STATES]
    block = w[VARIABLES][variable, BLOCK]
    start = w[STARTS][example, block] + w[VARIABLES][variable, OFFSET]
    first_cell = w[BASES][block, 0]
    if first_cell < 0:
        for a in range(n):
            counts[start + a] = weight * marginal[a]
        return
    for a in range(n):
        for t in range(w[CELLS][first_cell + a, 0], w[CELLS][first_cell + a + 1, 0]):
            counts[start + w[TERMS][t, 0]] = 0.0
    for a in range(n):
        for t in range(w[CELLS][first_cell + a, 0], w[CELLS][first_cell + a + 1, 0]):
            counts[start + w[TERMS][t, 0]] += coefficients[t] * weight * marginal[a]


@kernel
def return_table(
    marginal: Floats,
    weight: float,
    w: Wiring,
    coefficients: Floats,
    example: int,
    which: int,
    n_u: int,
    n_v: int,
    counts: Floats,
    shared_counts: Floats,
) -> None:
    """Add `weight` times an edge's marginal to the entries of its tables, in `counts` or in `shared_counts`.

    Shared entries stand first in θ, so an index below `len(shared_counts)` is one of them.
    """
    n_shared = len(shared_counts)
    for t in range(w[SUMS][which, FIRST_TABLE], w[SUMS][which + 1, FIRST_TABLE]):
        block = w[TABLES][t, T_BLOCK]
        start = w[STARTS][example, block] + w[TABLES][t, T_OFFSET]
        first_cell = w[BASES][block, 0]
        out = shared_counts if start < n_shared else counts
        if w[TABLES][t, TRANSPOSED] == 0:
            step_a, step_b = n_v, 1
        else:
            step_a, step_b = 1, n_u
        for a in range(n_u):
            for b in range(n_v):
                value = weight * marginal[a, b]
                cell = a * step_a + b * step_b
                if first_cell < 0:
                    out[start + cell] += value
                else:
                    for k in range(w[CELLS][first_cell + cell, 0], w[CELLS][first_cell + cell + 1, 0]):
                        out[start + w[TERMS][k, 0]] += coefficients[k] * value
