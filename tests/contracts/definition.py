"""The maximum, from its definition and nothing else: every labelling, one after the other, in plain Python.

Shares no code with the library: blocks are read as `FactorGraph` documents them (shared blocks first, rows by slots by
entries), bases by their names.
"""

from itertools import product
from math import exp, inf, log, sqrt


def layout(graph):
    """Where each block begins in θ."""
    starts, at = {}, 0
    for shared in (True, False):
        for block in graph.blocks:
            if block.shared == shared:
                starts[block.name] = at
                at += block.n_rows * block.n_slots * block.n_entries
    return starts


def terms_of_cell(block, cell, n_columns, scales):
    """Which entries a cell of a block reads, with which factors; `scales`: fixed tables of scaled blocks by name."""
    if block.basis is None:
        return [(cell, 1.0)]
    a, b = divmod(cell, n_columns)
    if block.name == "nodes":  # sign
        return [(0, cell - 0.5)]
    if block.name in scales:
        return [(0, scales[block.name][a][b])]
    if block.n_entries == 1:  # Potts
        return [(0, 1.0)] if a == b else []
    low, high = min(a, b), max(a, b)  # symmetric: the upper triangle row by row
    return [(low * n_columns - low * (low - 1) // 2 + high - low, 1.0)]


def entries_of(graph, example, labels, scales):
    """Every (entry of θ, factor) that a labelling of one example picks, and the states and pairs behind them."""
    t, starts, picked = graph.topologies[graph.topology_of[example]], layout(graph), []

    def pick(places, index, cell, n_columns):
        block = graph.blocks[places.block[index]]
        row = places.row[index] + (0 if block.shared else graph.rows[block.name][example])
        start = starts[block.name] + (row * block.n_slots + places.slot[index]) * block.n_entries
        for entry, factor in terms_of_cell(block, cell, n_columns, scales):
            if factor:
                picked.append((int(start + entry), factor))

    for v, label in enumerate(labels):
        pick(t.variables, v, label, int(t.n_states[v]))
    for e, (u, v) in enumerate(t.edges.tolist()):
        for k in range(t.tables.pointer[e], t.tables.pointer[e + 1]):
            first, second = (v, u) if t.tables.transposed[k] else (u, v)
            n_columns = int(t.n_states[second])
            pick(t.tables.places, k, labels[first] * n_columns + labels[second], n_columns)
    return picked


def all_labelings(graph, example):
    t = graph.topologies[graph.topology_of[example]]
    return list(product(*(range(n) for n in t.n_states.tolist())))


def cost_of(cost, graph, example, labels):
    """Σ over variables of weight · table[true, label]."""
    first, total = int(graph.first_variable[example]), 0.0
    for v, label in enumerate(labels):
        true = cost.labels[first + v]
        if true >= 0:
            total += cost.table[true][label] * (1.0 if cost.weights is None else cost.weights[first + v])
    return total


class Enumerated:
    """Value, best labellings, marginals and counts of one example.

    scores : the score of every labelling; extra(labels) is added to it
    """

    def __init__(self, graph, theta, example, temperature, extra=lambda labels: 0.0, scales=None):
        labelings = all_labelings(graph, example)
        picked = [entries_of(graph, example, labels, scales or {}) for labels in labelings]
        scores = [sum(theta[i] * f for i, f in p) + extra(labels) for labels, p in zip(labelings, picked, strict=True)]
        best = max(scores)
        self.n_labelings = len(labelings)
        self.best = [labels for labels, score in zip(labelings, scores, strict=True) if score >= best - 1e-12]
        if temperature == 0 or best == -inf:
            self.value, chances = best, [0.0] * len(scores)
        else:
            powers = [exp((score - best) / temperature) for score in scores]
            self.value = best + temperature * log(sum(powers))
            chances = [power / sum(powers) for power in powers]
        self.counts, self.nodes, self.edges = {}, {}, {}
        edges = graph.topologies[graph.topology_of[example]].edges.tolist()
        for labels, p, chance in zip(labelings, picked, chances, strict=True):
            for i, factor in p:
                self.counts[i] = self.counts.get(i, 0.0) + chance * factor
            for v, label in enumerate(labels):
                self.nodes[v, label] = self.nodes.get((v, label), 0.0) + chance
            for e, (u, v) in enumerate(edges):
                key = (e, labels[u], labels[v])
                self.edges[key] = self.edges.get(key, 0.0) + chance


def norm(vector):
    return sqrt(sum(x * x for x in vector))
