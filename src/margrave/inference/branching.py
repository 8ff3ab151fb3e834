"""Depth-first branch and bound over the places of one order; kernels.

At each place the value that the score prefers is tried first, the other one only if what is paid so far leaves room
for it: that one costs at least as much, so where the first fails the second fails too. Partial losses only grow, so
whatever has reached the bound is given up with all its completions.

What the places still to come must cost at least is added to a partial loss: the loss of a score as large as inputs and
weights allow. These sums are made once per example, so they cost nothing on the way; where labels are independent they
are the cost itself.

When a place gets its value, what that adds to the scores of all later places is written to a row of its own; going back
is then free, and deep in the tree, where a search spends its time, few places are left to write to.
"""

import numpy as np

from margrave.inference.directed import Values
from margrave.primitives import Floats, Integers, inlined_kernel, kernel

#: Tables [parent, child] of cliques with one parent, shape (n or 1, K, K); of the others: where each place's cliques
#: begin, first member, members, their weights (n or 1, n_cliques); Σ |w| over the cliques of each place (n or 1, K).
Wiring = tuple[Floats, Integers, Integers, Integers, Floats, Floats]
#: Values by place; scores by place; scores of later places given the first ones (K + 1, K); partial losses (K + 1);
#: what the places from each one on cost at least (K + 1); which branches of a place were tried (none, first, both).
Path = tuple[Floats, Floats, Floats, Floats, Floats, Integers]
#: The best labellings found, as a heap with the worst on top: losses, and whose; values by place; how many (a number).
Heap = tuple[Floats, Integers, Values, Integers]

#: What a search remembers between calls.
DEPTH, NODES, LEAVES = range(3)


@inlined_kernel
def loss_of(z: float, smooth: bool) -> float:
    """[1 − z]₊ or log(1 + e^(−z))."""
    if smooth:
        logistic: float = max(0.0, -z) + np.log1p(np.exp(-abs(z)))
        return logistic
    hinge: float = max(0.0, 1.0 - z)
    return hinge


@inlined_kernel
def of_long_cliques(wiring: Wiring, example: int, place: int, values: Floats) -> float:
    """What the values before a place say of it by cliques of several of them."""
    _, pointer, first_member, members, weights, _ = wiring
    total = 0.0
    if len(members) > 0:
        of_cliques = weights[example if len(weights) > 1 else 0]
        for c in range(pointer[place], pointer[place + 1]):
            product = of_cliques[c]
            for m in range(first_member[c], first_member[c + 1]):
                product *= values[members[m]]
            total += product
    return total


@inlined_kernel
def score(wiring: Wiring, example: int, place: int, path: Path) -> float:
    """What the features and the values before a place say of it."""
    values, _, ahead, _, _, _ = path
    total: float = ahead[place, place] + of_long_cliques(wiring, example, place, values)
    return total


@inlined_kernel
def lowered(limit: float, best: float, slack: float, heap: Heap) -> float:
    """The loss from which on labellings are given up: none is kept that is worse than the best by more than `slack`.

    Nor one that is worse than all that the heap has room for.
    """
    losses, _, _, count = heap
    if slack < np.inf:
        limit = min(limit, best + slack)
    if count[0] == len(losses):
        limit = min(limit, losses[0])
    return limit


@inlined_kernel
def enter(wiring: Wiring, example: int, place: int, path: Path) -> None:
    """Tell later places of the value at `place`."""
    values, _, ahead, _, _, _ = path
    before, after = ahead[place], ahead[place + 1]
    table = wiring[0][example if len(wiring[0]) > 1 else 0, place]
    value = values[place]
    for j in range(place + 1, len(before)):
        after[j] = before[j] + value * table[j]


@kernel
def keep(loss: float, values: Floats, heap: Heap) -> None:
    """Put a labelling among the best; where there is no room, in the place of the worst."""
    losses, slots, kept, count = heap
    n = count[0]
    if n < len(losses):
        at, slot = n, n
        count[0] = n + 1
        while at > 0 and losses[(at - 1) // 2] < loss:
            losses[at], slots[at] = losses[(at - 1) // 2], slots[(at - 1) // 2]
            at = (at - 1) // 2
    else:
        at, slot = 0, slots[0]
        while 2 * at + 1 < n:
            child = 2 * at + 1
            if child + 1 < n and losses[child + 1] > losses[child]:
                child += 1
            if losses[child] <= loss:
                break
            losses[at], slots[at] = losses[child], slots[child]
            at = child
    losses[at], slots[at] = loss, slot
    for i in range(len(values)):
        kept[slot, i] = np.int8(values[i])


@kernel
def search(
    example: int,
    wiring: Wiring,
    given: Values,
    smooth: bool,
    ceiling: float,
    slack: float,
    max_nodes: int,
    path: Path,
    heap: Heap,
    memory: Integers,
) -> float:
    """Go on until all is tried or `max_nodes` nodes are visited; returns a bound of all that has not been kept.

    Labellings of loss below `ceiling` are kept, as many as the heap has room for, and none worse than the best by more
    than `slack`. Without a ceiling, one labelling at least is completed
    whatever `max_nodes` says.
    """
    values, scores, _, partial, rest, tried = path
    losses, _, _, count = heap
    K = len(values)
    depth, nodes = memory[DEPTH], memory[NODES]
    best = np.inf
    for k in range(count[0]):
        best = min(best, losses[k])
    limit = lowered(ceiling, best, slack, heap)
    while depth >= 0:
        if depth == K:
            keep(partial[K], values, heap)
            memory[LEAVES] += 1
            best = min(best, partial[K])
            limit = lowered(limit, best, slack, heap)
            depth -= 1
            continue
        if tried[depth] == 0:
            if nodes >= max_nodes and (memory[LEAVES] > 0 or ceiling < np.inf):
                break
            z = score(wiring, example, depth, path)
            scores[depth] = z
            if given[depth] != 0:
                values[depth] = float(given[depth])
                tried[depth] = 2
                nodes += 1
            else:
                values[depth] = 1.0 if z > 0.0 else -1.0
                tried[depth] = 1
                nodes += 2
        elif tried[depth] == 1:
            values[depth] = -values[depth]
            tried[depth] = 2
        else:
            depth -= 1
            continue
        partial[depth + 1] = partial[depth] + loss_of(values[depth] * scores[depth], smooth)
        if partial[depth + 1] + rest[depth + 1] < limit:
            enter(wiring, example, depth, path)
            depth += 1
            if depth < K:
                tried[depth] = 0
        elif tried[depth] == 1:
            depth -= 1  # the other value costs no less
    memory[DEPTH], memory[NODES] = depth, nodes
    if depth < 0:
        return limit
    open_below = partial[depth] + rest[depth]
    for d in range(depth):
        if tried[d] == 1:
            open_below = min(open_below, partial[d] + loss_of(-values[d] * scores[d], smooth) + rest[d + 1])
    least: float = min(limit, open_below)
    return least


@kernel
def begin(
    example: int, inputs: Floats, wiring: Wiring, given: Values, smooth: bool, path: Path, heap: Heap, memory: Integers
) -> None:
    """Make ready for another example, whose scores without any labels are `inputs`."""
    _, _, ahead, partial, rest, tried = path
    reach, K = wiring[5][example if len(wiring[5]) > 1 else 0], len(inputs)
    rest[K] = 0.0
    for i in range(K - 1, -1, -1):
        ahead[0, i] = inputs[i]
        z = abs(inputs[i]) if given[i] == 0 else given[i] * inputs[i]
        rest[i] = rest[i + 1] + loss_of(z + reach[i], smooth)
    partial[0], tried[0] = 0.0, 0
    heap[3][0] = 0
    memory[DEPTH], memory[NODES], memory[LEAVES] = 0, 0, 0


@kernel
def complete(example: int, wiring: Wiring, given: Values, smooth: bool, path: Path, heap: Heap) -> None:
    """Keep the labelling that takes the preferred value at every place."""
    values = path[0]
    total = 0.0
    for place in range(len(values)):
        z = score(wiring, example, place, path)
        values[place] = (1.0 if z > 0.0 else -1.0) if given[place] == 0 else float(given[place])
        total += loss_of(values[place] * z, smooth)
        enter(wiring, example, place, path)
    keep(total, values, heap)


@kernel
def search_all(
    first: int,
    stop: int,
    inputs: Floats,
    wiring: Wiring,
    given: Values,
    smooth: bool,
    ceiling: float,
    max_nodes: int,
    path: Path,
    heap: Heap,
    memory: Integers,
    labels: Values,
    loss: Floats,
    bound: Floats,
    nodes: Integers,
) -> None:
    """The best labelling of each of a run of examples; where none is below the ceiling, the preferred values.

    `labels` has a row for each of them, the other results one for every example.
    """
    for example in range(first, stop):
        known = given[example if len(given) > 1 else 0]
        begin(example, inputs[example], wiring, known, smooth, path, heap, memory)
        floor = search(example, wiring, known, smooth, ceiling, np.inf, max_nodes, path, heap, memory)
        if heap[3][0] == 0:
            complete(example, wiring, known, smooth, path, heap)
        loss[example] = heap[0][0]
        bound[example] = min(floor, heap[0][0])
        nodes[example] = memory[NODES]
        for i in range(len(known)):
            labels[example - first, i] = heap[2][0, i]
