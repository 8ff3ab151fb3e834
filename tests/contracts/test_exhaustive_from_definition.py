"""The judge judged: enumeration in NumPy against enumeration in plain Python, which share no code."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.checks import problems
from margrave.inference import Added, Cost, EdgeScores, Exhaustive
from tests.contracts.definition import Enumerated, cost_of

KINDS = [kind for kind in problems.KINDS if kind is not problems.grids]
HALF = [[0.5, -0.5], [-0.5, 0.5]]


def scales_of(problem):
    """The fixed tables of the scaled blocks, read off by their cells."""
    blocks = {block.name: block for block in problem.graph.blocks}
    if problem.name == "signed labels":
        return {"pairs": HALF}
    if problem.name == "basis edges":
        return {"scaled": blocks["scaled"].basis.coefficients.reshape(3, 3)}
    return {}


def everything_added(graph, random):
    labels = random.integers(-1, np.diff(graph.first_state), dtype=np.int32)
    most = graph.most_states
    cost = Cost(labels, random.uniform(size=(most, most)), random.uniform(size=graph.n_variables))
    nodes = random.normal(size=graph.first_state[-1])
    nodes[random.random(len(nodes)) < 0.15] = -np.inf
    edge = random.permutation(np.repeat(np.arange(graph.n_edges), 2))
    return Added(cost, nodes, EdgeScores(edge, 0 * edge, 0 * edge, random.normal(size=len(edge))))


def extra_of(added, graph, example):
    if added is None:
        return lambda labels: 0.0
    edges = graph.topologies[graph.topology_of[example]].edges.tolist()
    first, first_edge = graph.first_variable[example], graph.first_edge[example]

    def extra(labels):
        total = cost_of(added.cost, graph, example, labels)
        for v, label in enumerate(labels):
            total += added.nodes[graph.first_state[first + v] + label]
        for e, (u, v) in enumerate(edges):
            if labels[u] == labels[v] == 0:
                total += added.edges.value[added.edges.edge == first_edge + e].sum()
        return total

    return extra


@pytest.mark.parametrize("with_added", [False, True])
@pytest.mark.parametrize("temperature", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_enumeration_is_the_definition(kind, temperature, with_added):
    random = np.random.default_rng(3)
    problem = kind(random)
    graph, scales = problem.graph, scales_of(problem)
    theta = random.normal(size=graph.n_entries)
    added = everything_added(graph, random) if with_added else None
    answer = Exhaustive().maximize(graph, theta, temperature=temperature, added=added, ask=("counts", "nodes", "edges"))
    counts = np.zeros(graph.n_entries)
    for i in range(len(graph)):
        true = Enumerated(graph, theta, i, temperature, extra_of(added, graph, i), scales)
        assert answer.values[i] == pytest.approx(true.value, abs=1e-10)
        variables = slice(graph.first_variable[i], graph.first_variable[i + 1])
        if temperature == 0:
            assert tuple(answer.labels[variables].tolist()) in true.best
            continue
        for entry, count in true.counts.items():
            counts[entry] += count
        for (v, state), chance in true.nodes.items():
            assert answer.node_marginals[graph.first_state[variables.start + v] + state] == pytest.approx(chance)
        edges = graph.topologies[graph.topology_of[i]].edges
        for (e, a, b), chance in true.edges.items():
            n_columns = graph.topologies[graph.topology_of[i]].n_states[edges[e, 1]]
            place = graph.first_pair[graph.first_edge[i] + e] + a * n_columns + b
            assert answer.edge_marginals[place] == pytest.approx(chance)
    if temperature > 0:
        np.testing.assert_allclose(answer.counts, counts, atol=1e-12)


@given(st.integers(0, 10**6), st.sampled_from([problems.chains, problems.trees, problems.summed_edges]))
def test_values_on_random_graphs(seed, kind):
    random = np.random.default_rng(seed)
    problem = kind(random)
    theta = random.normal(size=problem.graph.n_entries) * 10.0 ** random.integers(-1, 3)
    values = Exhaustive().maximize(problem.graph, theta, temperature=0.5).values
    example = int(random.integers(len(problem.graph)))
    assert values[example] == pytest.approx(Enumerated(problem.graph, theta, example, 0.5).value, rel=1e-12, abs=1e-9)
