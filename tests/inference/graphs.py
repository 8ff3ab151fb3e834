"""Graphs that tests of inference have in common, and sums over their labellings by a recursion in NumPy."""

import numpy as np

from margrave.graphs import Block, EdgeTables, FactorGraph, Places, Topology


def tied(n_variables, edges, n_states, n_examples=1, slots=None):
    """Equal examples whose edges share one table, or the table of their slot."""
    edges = np.array(edges, dtype=np.int64).reshape(-1, 2)
    slots = np.zeros(len(edges), dtype=np.int64) if slots is None else np.array(slots)
    tables = EdgeTables.one_each(Places.of(np.ones(len(edges), dtype=np.int64), 0, slots))
    shape = Topology(np.full(n_variables, n_states), edges, Places.of(0, np.arange(n_variables), 0), tables)
    nodes = Block("nodes", n_variables * n_examples, 1, n_states)
    table = Block("tables", 1, int(slots.max(initial=0)) + 1, n_states**2, shared=True)
    rows = {"nodes": n_variables * np.arange(n_examples + 1)}
    return FactorGraph([nodes, table], [shape], np.zeros(n_examples), rows)


def path(length, n_states, n_examples=1):
    return tied(length, [(v, v + 1) for v in range(length - 1)], n_states, n_examples)


def star(n_leaves, n_states):
    return tied(n_leaves + 1, [(0, v) for v in range(1, n_leaves + 1)], n_states)


def fill(graph, nodes, *tables):
    """θ from scores of nodes and the tables of the slots."""
    theta = np.zeros(graph.n_entries)
    graph.view(theta, "nodes")[:] = nodes
    graph.view(theta, "tables")[:] = np.concatenate([np.ravel(table) for table in tables])
    return theta


def log_sum(values, axis=None):
    peak = np.max(values, axis=axis, keepdims=True)
    finite = np.where(np.isfinite(peak), peak, 0.0)
    with np.errstate(divide="ignore"):
        return np.squeeze(np.log(np.sum(np.exp(values - finite), axis=axis, keepdims=True)) + finite, axis=axis)


def path_sums(nodes, table, temperature):
    """T log Z and node marginals of a path, forwards and backwards with log-sum-exp."""
    nodes, table, n = nodes / temperature, table / temperature, len(nodes)
    forward, backward = nodes.astype(float).copy(), np.zeros_like(nodes, dtype=float)
    for v in range(1, n):
        forward[v] += log_sum(forward[v - 1][:, None] + table, axis=0)
    for v in range(n - 2, -1, -1):
        backward[v] = log_sum(table + nodes[v + 1] + backward[v + 1], axis=1)
    total = log_sum(forward[-1])
    return temperature * total, np.exp(forward + backward - total)


def path_best(nodes, table):
    """The best score of a path, forwards."""
    best = nodes[0]
    for row in nodes[1:]:
        best = row + (best[:, None] + table).max(axis=0)
    return best.max()
