"""Branch and bound for the mean loss of several orders; kernels.

No order of labels suits several orders at once: a term (order m, label i) is known only when the label and everything
before it in m are set. So a partial labelling is bounded by

    1/M Σ_i min over free y_i of Σ_m loss(y_i s_mi + r_mi),

with s the part of a score that is known and r = Σ |w| over the cliques of the term that have a free member: what is not
known can add no more. The label whose two values differ most in this sum is set next, the cheaper value first.
"""

import numpy as np

from margrave.inference.branching import DEPTH, LEAVES, NODES, Heap, keep, loss_of, lowered
from margrave.inference.directed import Values
from margrave.primitives import Floats, Integers, inlined_kernel, kernel

#: Terms are m · K + i. For each clique its term and its members (labels): where they begin, and a list; for each label
#: the cliques that it is a member of: pointer and list; weights (n or 1, n_cliques).
Terms = tuple[Integers, Integers, Integers, Integers, Integers, Floats]
#: By depth: s and r of each term, the sums over m of both values of each label, the label set there, which branches
#: were tried. Then: values by label (0: free), partial losses by depth, free members and product of each clique.
Tree = tuple[Floats, Floats, Floats, Floats, Integers, Integers, Floats, Floats, Integers, Floats]


@inlined_kernel
def _sum_losses(depth: int, smooth: bool, tree: Tree) -> None:
    """The sums over orders of what each value of each label costs at least."""
    known, reach, plus, minus, _, _, _, _, _, _ = tree
    K = plus.shape[1]
    for i in range(K):
        plus[depth, i] = 0.0
        minus[depth, i] = 0.0
    for m in range(known.shape[1] // K):
        s, r = known[depth, m * K : (m + 1) * K], reach[depth, m * K : (m + 1) * K]
        if smooth:
            for i in range(K):
                plus[depth, i] += loss_of(s[i] + r[i], True)
                minus[depth, i] += loss_of(r[i] - s[i], True)
        else:
            for i in range(K):
                plus[depth, i] += max(0.0, 1.0 - s[i] - r[i])
                minus[depth, i] += max(0.0, 1.0 + s[i] - r[i])


@inlined_kernel
def _partial(depth: int, tree: Tree) -> float:
    """The bound of the formula above."""
    known, _, plus, minus, _, _, values, _, _, _ = tree
    total = 0.0
    for i in range(len(values)):
        if values[i] == 0.0:
            total += min(plus[depth, i], minus[depth, i])
        else:
            total += plus[depth, i] if values[i] > 0.0 else minus[depth, i]
    result: float = total / (known.shape[1] // len(values))
    return result


@inlined_kernel
def _set(example: int, terms: Terms, label: int, value: float, depth: int, smooth: bool, tree: Tree) -> None:
    """Give a free label a value; the rows of `depth + 1` are what is known then."""
    known, reach, _, _, _, _, values, partial, free, products = tree
    term_of, _, _, pointer, cliques, all_weights = terms
    weights = all_weights[example if len(all_weights) > 1 else 0]
    for t in range(known.shape[1]):
        known[depth + 1, t] = known[depth, t]
        reach[depth + 1, t] = reach[depth, t]
    values[label] = value
    for k in range(pointer[label], pointer[label + 1]):
        c = cliques[k]
        free[c] -= 1
        products[c] *= value
        if free[c] == 0:
            known[depth + 1, term_of[c]] += weights[c] * products[c]
            reach[depth + 1, term_of[c]] -= abs(weights[c])
    _sum_losses(depth + 1, smooth, tree)
    partial[depth + 1] = _partial(depth + 1, tree)


@inlined_kernel
def _unset(terms: Terms, label: int, tree: Tree) -> None:
    _, _, _, _, _, _, values, _, free, products = tree
    _, _, _, pointer, cliques, _ = terms
    for k in range(pointer[label], pointer[label + 1]):
        free[cliques[k]] += 1
        products[cliques[k]] *= values[label]
    values[label] = 0.0


@inlined_kernel
def _next_label(depth: int, tree: Tree) -> int:
    """The free label whose values differ most."""
    _, _, plus, minus, _, _, values, _, _, _ = tree
    found, largest = -1, -1.0
    for i in range(len(values)):
        if values[i] == 0.0:
            apart = abs(plus[depth, i] - minus[depth, i])
            if apart > largest:
                found, largest = i, apart
    return found


@kernel
def begin_average(
    example: int, inputs: Floats, terms: Terms, given: Values, smooth: bool, tree: Tree, heap: Heap, memory: Integers
) -> None:
    """Make ready for an example, whose scores without any labels are `inputs` (one per term); set what is given."""
    known, reach, _, _, _, tried, values, partial, free, products = tree
    term_of, first_member, _, _, _, all_weights = terms
    weights = all_weights[example if len(all_weights) > 1 else 0]
    for t in range(len(inputs)):
        known[0, t], reach[0, t] = inputs[t], 0.0
    for c in range(len(term_of)):
        free[c], products[c] = first_member[c + 1] - first_member[c], 1.0
        reach[0, term_of[c]] += abs(weights[c])
    for i in range(len(values)):
        values[i] = 0.0
    _sum_losses(0, smooth, tree)
    partial[0] = _partial(0, tree)
    for i in range(len(values)):
        if given[i] != 0:
            _set(example, terms, i, float(given[i]), 0, smooth, tree)
            for t in range(len(inputs)):
                known[0, t], reach[0, t] = known[1, t], reach[1, t]
    _sum_losses(0, smooth, tree)
    partial[0] = _partial(0, tree)
    tried[0] = 0
    heap[3][0] = 0
    memory[DEPTH], memory[NODES], memory[LEAVES] = 0, 0, 0


@kernel
def search_average(
    example: int,
    terms: Terms,
    n_free: int,
    smooth: bool,
    ceiling: float,
    slack: float,
    max_nodes: int,
    tree: Tree,
    heap: Heap,
    memory: Integers,
) -> float:
    """As `branching.search`, for the mean of several orders; `n_free` labels are not given."""
    _, _, plus, minus, chosen, tried, values, partial, _, _ = tree
    losses, _, _, count = heap
    depth, nodes = memory[DEPTH], memory[NODES]
    best = np.inf
    for k in range(count[0]):
        best = min(best, losses[k])
    limit = lowered(ceiling, best, slack, heap)
    while depth >= 0:
        if partial[depth] >= limit:
            tried[depth] = 2
        elif depth == n_free:
            keep(partial[depth], values, heap)
            memory[LEAVES] += 1
            best = min(best, partial[depth])
            limit = lowered(limit, best, slack, heap)
            tried[depth] = 2
        if tried[depth] == 2:
            depth -= 1
            if depth >= 0:
                _unset(terms, chosen[depth], tree)
            continue
        if tried[depth] == 0:
            if nodes >= max_nodes and (memory[LEAVES] > 0 or ceiling < np.inf):
                break
            label = _next_label(depth, tree)
            chosen[depth] = label
            nodes += 2
        label = chosen[depth]
        cheaper = 1.0 if plus[depth, label] < minus[depth, label] else -1.0
        value = cheaper if tried[depth] == 0 else -cheaper
        tried[depth] += 1
        _set(example, terms, label, value, depth, smooth, tree)
        depth += 1
        tried[depth] = 0
    memory[DEPTH], memory[NODES] = depth, nodes
    if depth < 0:
        return limit
    least: float = min(limit, _least_open(depth, tree))
    return least


@inlined_kernel
def _least_open(depth: int, tree: Tree) -> float:
    """The least bound of what has not been tried: here, and the other values on the way here."""
    known, _, plus, minus, chosen, tried, values, partial, _, _ = tree
    least: float = partial[depth]
    for d in range(depth):
        if tried[d] == 1:
            apart = abs(plus[d, chosen[d]] - minus[d, chosen[d]])
            least = min(least, partial[d] + apart / (known.shape[1] // len(values)))
    return least
