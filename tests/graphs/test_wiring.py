"""Loading scores and returning marginals are each other's transposes, and both are what enumeration reads."""

import numpy as np
import pytest

from margrave.checks.marginals import tied_counts
from margrave.checks.problems import KINDS
from margrave.graphs import wiring as w


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def graph(request):
    return request.param(np.random.default_rng(0)).graph


def members(graph):
    """(example, variables, edges): where its topology's rows stand in VARIABLES and EDGES."""
    arrays = graph.wiring
    for i, t in enumerate(graph.topology_of):
        starts, ends = arrays[w.TOPOLOGIES][t], arrays[w.TOPOLOGIES][t + 1]
        yield i, range(starts[0], ends[0]), range(starts[1], ends[1])


def load(graph, theta):
    """All variables' scores and all edges' tables, end to end."""
    nodes, pairs = np.zeros(graph.first_state[-1]), np.zeros(graph.first_pair[-1])
    row, table = np.empty(8), np.empty((8, 8))
    args = theta, graph.wiring, graph.coefficients
    at_node = at_pair = 0
    for i, variables, edges in members(graph):
        for v in variables:
            n = w.load_node(*args, i, v, row)
            nodes[at_node : at_node + n] = row[:n]
            at_node += n
        for e in edges:
            which = graph.wiring[w.EDGES][e, w.SUM]
            n_u, n_v = graph.wiring[w.SUMS][which, w.ROWS :]
            w.load_table(*args, i, which, n_u, n_v, table)
            pairs[at_pair : at_pair + n_u * n_v] = table[:n_u, :n_v].ravel()
            at_pair += n_u * n_v
    return nodes, pairs


def give_back(graph, nodes, pairs):
    counts = np.zeros(graph.n_entries)
    args = graph.wiring, graph.coefficients
    at_node = at_pair = 0
    for i, variables, edges in members(graph):
        for v in variables:
            n = graph.wiring[w.VARIABLES][v, w.N_STATES]
            w.return_node(nodes[at_node : at_node + n].copy(), 1.0, *args, i, v, counts)
            at_node += n
        for e in edges:
            which = graph.wiring[w.EDGES][e, w.SUM]
            n_u, n_v = graph.wiring[w.SUMS][which, w.ROWS :]
            marginal = pairs[at_pair : at_pair + n_u * n_v].reshape(n_u, n_v).copy()
            w.return_table(marginal, 1.0, *args, i, which, n_u, n_v, counts, counts[: graph.n_shared])
            at_pair += n_u * n_v
    return counts


def test_marginals_go_back_where_the_definition_says(graph):
    random = np.random.default_rng(1)
    nodes, pairs = random.random(graph.first_state[-1]), random.random(graph.first_pair[-1])
    np.testing.assert_allclose(give_back(graph, nodes, pairs), tied_counts(graph, nodes, pairs), atol=1e-12)


def test_loading_is_the_transpose_of_giving_back(graph):
    random = np.random.default_rng(2)
    theta = random.normal(size=graph.n_entries)
    nodes, pairs = random.normal(size=graph.first_state[-1]), random.normal(size=graph.first_pair[-1])
    loaded_nodes, loaded_pairs = load(graph, theta)
    there = loaded_nodes @ nodes + loaded_pairs @ pairs
    assert there == pytest.approx(theta @ give_back(graph, nodes, pairs), rel=1e-10)
