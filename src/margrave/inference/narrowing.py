"""Beam search over the places of one order; kernels.

At each place every partial labelling that is kept gets both values, the one that the score prefers first, and those of
least loss are kept for the next place. Which these are, a heap with the worst on top knows; they move to a second set
of rows with all that they have said of later places.
"""

import numpy as np

from margrave.inference.branching import Wiring, loss_of, of_long_cliques
from margrave.inference.directed import Values
from margrave.primitives import Floats, Integers, inlined_kernel, kernel

#: Of kept partial labellings, twice, in turns (2, width, K): values by place; scores of all places given those values.
#: Then their partial losses (2, width).
Rows = tuple[Floats, Floats, Floats]
#: Their next values' losses, scores, and which of them, as a heap with the worst on top: loss, and 2 · row + value.
Next = tuple[Floats, Integers]


@inlined_kernel
def _offer(loss: float, code: int, n: int, following: Next) -> tuple[int, float]:
    """Put one among the `n` best; returns how many there are now, and the loss of what found no room."""
    losses, codes = following
    dropped = np.inf
    if n < len(losses):
        at = n
        n += 1
        while at > 0 and losses[(at - 1) // 2] < loss:
            losses[at], codes[at] = losses[(at - 1) // 2], codes[(at - 1) // 2]
            at = (at - 1) // 2
        losses[at], codes[at] = loss, code
    elif loss >= losses[0]:
        dropped = loss
    else:
        dropped, at = losses[0], 0
        while 2 * at + 1 < n:
            child = 2 * at + 1
            if child + 1 < n and losses[child + 1] > losses[child]:
                child += 1
            if losses[child] <= loss:
                break
            losses[at], codes[at] = losses[child], codes[child]
            at = child
        losses[at], codes[at] = loss, code
    return n, dropped


@inlined_kernel
def _move(place: int, n: int, side: int, table: Floats, rows: Rows, following: Next) -> None:
    """Write the chosen ones to the other side, and tell their later places of the new value."""
    all_values, all_ahead, partial = rows
    losses, codes = following
    for k in range(n):
        row = codes[k] >> 1
        value = 1.0 if codes[k] & 1 else -1.0
        values, ahead = all_values[1 - side, k], all_ahead[1 - side, k]
        for i in range(place):
            values[i] = all_values[side, row, i]
        values[place] = value
        for j in range(place + 1, len(values)):
            ahead[j] = all_ahead[side, row, j] + value * table[j]
        partial[1 - side, k] = losses[k]


@kernel
def narrow(
    example: int,
    inputs: Floats,
    wiring: Wiring,
    given: Values,
    smooth: bool,
    rows: Rows,
    following: Next,
    counts: Integers,
) -> float:
    """Keep the best at every place; returns the least partial loss that was dropped.

    `counts` becomes: how many labellings there are in the end, on which side of `rows`, and the nodes visited.
    """
    all_values, all_ahead, partial = rows
    K, n, side, nodes, dropped = len(given), 1, 0, 0, np.inf
    for i in range(K):
        all_ahead[0, 0, i] = inputs[i]
    partial[0, 0] = 0.0
    for place in range(K):
        found = 0
        for row in range(n):
            z = all_ahead[side, row, place] + of_long_cliques(wiring, example, place, all_values[side, row])
            preferred = given[place] if given[place] != 0 else (1 if z > 0.0 else -1)
            for value in (preferred, -preferred):
                loss = partial[side, row] + loss_of(value * z, smooth)
                found, lost = _offer(loss, 2 * row + (value > 0), found, following)
                dropped = min(dropped, lost)
                nodes += 1
                if given[place] != 0:
                    break
        _move(place, found, side, wiring[0][example if len(wiring[0]) > 1 else 0, place], rows, following)
        n, side = found, 1 - side
    counts[0], counts[1], counts[2] = n, side, nodes
    return dropped


@kernel
def narrow_all(
    first: int,
    stop: int,
    inputs: Floats,
    wiring: Wiring,
    given: Values,
    smooth: bool,
    rows: Rows,
    following: Next,
    counts: Integers,
    labels: Values,
    loss: Floats,
    bound: Floats,
    nodes: Integers,
) -> None:
    """The best that a beam finds of each of a run of examples.

    `labels` has a row for each of them, the other results one for every example.
    """
    for example in range(first, stop):
        known = given[example if len(given) > 1 else 0]
        dropped = narrow(example, inputs[example], wiring, known, smooth, rows, following, counts)
        n, side, best = counts[0], counts[1], 0
        for k in range(1, n):
            if rows[2][side, k] < rows[2][side, best]:
                best = k
        loss[example], nodes[example] = rows[2][side, best], counts[2]
        bound[example] = min(dropped, rows[2][side, best])
        for i in range(len(known)):
            labels[example - first, i] = np.int8(rows[0][side, best, i])
