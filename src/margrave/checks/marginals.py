"""Scores and counts from their definitions, in plain Python: what checks compare with."""

from typing import Any

import numpy as np

from margrave.graphs import FactorGraph, Places
from margrave.inference import Added
from margrave.primitives import Floats, Labels


def tied_counts(graph: FactorGraph, nodes: Floats, edges: Floats, weights: Floats | None = None) -> Floats:
    """Marginals of all variables and edges summed into θ's layout, each example's times its weight.

    Examples
    --------
    >>> import numpy as np
    >>> from margrave.checks.marginals import tied_counts
    >>> from margrave.checks.problems import signed_trees
    >>> graph = signed_trees(np.random.default_rng(0)).graph
    >>> counts = tied_counts(graph, np.full(16, 0.5), np.full(24, 0.25))
    >>> float(counts[0])  # six edges agree, each with probability one half
    3.0
    """
    counts = np.zeros(graph.n_entries)
    for i in range(len(graph)):
        t, weight = graph.topologies[graph.topology_of[i]], 1.0 if weights is None else float(weights[i])
        for v in range(t.n_variables):
            first = graph.first_state[graph.first_variable[i] + v]
            entries, expansion = _place(graph, t.variables, v, i)
            counts[entries] += weight * (expansion @ nodes[first : first + t.n_states[v]])
        for e, (u, v) in enumerate(t.edges):
            first, stop = graph.first_pair[graph.first_edge[i] + e : graph.first_edge[i] + e + 2]
            pairs = edges[first:stop].reshape(t.n_states[u], t.n_states[v])
            for k in range(t.tables.pointer[e], t.tables.pointer[e + 1]):
                entries, expansion = _place(graph, t.tables.places, k, i)
                counts[entries] += weight * (expansion @ (pairs.T if t.tables.transposed[k] else pairs).ravel())
    return counts


def expected_score(graph: FactorGraph, theta: Floats, added: Added | None, example: int, labels: Labels) -> float:
    """What the labelling of one example is worth, what is added included; `labels` are all variables'."""
    t, total, added = graph.topologies[graph.topology_of[example]], 0.0, added or Added()
    origin, first_edge = graph.first_variable[example], graph.first_edge[example]
    for v in range(t.n_variables):
        label = int(labels[origin + v])
        entries, expansion = _place(graph, t.variables, v, example)
        total += _product(theta[entries], expansion[:, label])
        if added.cost is not None and added.cost.labels[origin + v] >= 0:
            weight = 1.0 if added.cost.weights is None else added.cost.weights[origin + v]
            total += weight * added.cost.table[added.cost.labels[origin + v], label]
        if added.nodes is not None:
            total += added.nodes[graph.first_state[origin + v] + label]
    for e, (u, v) in enumerate(t.edges):
        a, b = int(labels[origin + u]), int(labels[origin + v])
        for k in range(t.tables.pointer[e], t.tables.pointer[e + 1]):
            entries, expansion = _place(graph, t.tables.places, k, example)
            cell = b * t.n_states[u] + a if t.tables.transposed[k] else a * t.n_states[v] + b
            total += _product(theta[entries], expansion[:, cell])
        if added.edges is not None:
            x = added.edges
            total += float(x.value[(x.edge == first_edge + e) & (x.u == a) & (x.v == b)].sum())
    return float(total)


def _product(entries: Floats, coefficients: Floats) -> float:
    """Their scalar product, in which a coefficient of 0 leaves minus infinity out."""
    return float(sum(x * c for x, c in zip(entries, coefficients, strict=True) if c != 0))


def _place(graph: FactorGraph, places: Places, index: int, example: int) -> tuple[slice, Any]:
    """Where in θ a place's entries stand, and the matrix that expands them to cells."""
    block = graph.blocks[places.block[index]]
    row = places.row[index] + (0 if block.shared else graph.rows[block.name][example])
    start = int(graph.starts[block.name] + row * block.width + places.slot[index] * block.n_entries)
    matrix = np.eye(block.n_entries) if block.basis is None else block.basis.matrix()
    return slice(start, start + block.n_entries), matrix
