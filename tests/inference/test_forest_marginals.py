"""Scaled arithmetic: quick, and never silently wrong."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.checks.problems import summed_edges, trees
from margrave.inference import Added, Exhaustive, Forest, forest
from tests.inference.graphs import fill, path, path_best, path_sums, star, tied


@pytest.mark.parametrize("n_states", [2, 5])
def test_absorbing_states_and_a_forced_last_state(n_states, monkeypatch):
    """Once up, never down: messages fall by a factor a step, over 200 steps; state 0 is forced at the end."""
    random = np.random.default_rng(0)
    graph, nodes = path(200, n_states), 3.0 * random.normal(size=(200, n_states))
    table = np.where(np.triu(np.ones((n_states, n_states))) > 0, random.normal(size=(n_states, n_states)), -np.inf)
    nodes[:, 1:] += 5.0
    for forced in (0, n_states - 1):
        ends = nodes.copy()
        ends[-1] = -np.inf
        ends[-1, forced] = 0.0
        answer = Forest().maximize(graph, fill(graph, ends, table), temperature=1.0)
        value, marginals = path_sums(ends, table, 1.0)
        assert answer.values[0] == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(answer.node_marginals.reshape(200, -1), marginals, atol=1e-9)


def test_hard_zeros_that_are_meant_stay_in_scaled_arithmetic(monkeypatch):
    """Forbidden states are no reason for logarithms, which cost ten times as much."""
    monkeypatch.setattr(forest, "log_marginals", None)
    random = np.random.default_rng(0)
    graph, nodes = path(50, 4), random.normal(size=(50, 4))
    nodes[random.random((50, 4)) < 0.3] = -np.inf
    nodes[:, 0] = 0.0
    table = random.normal(size=(4, 4))
    table[1, 2] = table[3, 0] = -np.inf
    value, marginals = path_sums(nodes, table, 1.0)
    answer = Forest().maximize(graph, fill(graph, nodes, table), temperature=1.0)
    assert answer.values[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(answer.node_marginals.reshape(50, 4), marginals, atol=1e-12)


def test_a_message_near_the_least_beside_a_belief_near_the_most():
    """The first variable must be in a state that allows one next state only, hardly; the rest is free, and grows."""
    nodes, table = np.zeros((63, 3)), np.zeros((3, 3))
    table[0], nodes[0, 1:], nodes[1, 1] = (-np.inf, -641.3, -np.inf), -np.inf, -69.0
    graph = path(63, 3)
    answer = Forest().maximize(graph, fill(graph, nodes, table), temperature=1.0, ask=("counts", "nodes", "edges"))
    value, marginals = path_sums(nodes, table, 1.0)
    assert answer.values[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(answer.node_marginals.reshape(63, 3), marginals, atol=1e-12)
    counts = graph.view(Forest().maximize(graph, fill(graph, nodes, table), temperature=1.0).counts, "tables")
    np.testing.assert_allclose(counts.ravel(), answer.edge_marginals.reshape(62, 9).sum(axis=0), atol=1e-12)


@pytest.mark.parametrize("where", ["node", "table", "meeting"])
def test_all_labellings_forbidden(where):
    """The value is minus infinity, and nothing is NaN; the other example is not touched by it."""
    graph = path(3, 2, n_examples=2)
    theta, nodes = np.zeros(graph.n_entries), np.zeros(12)
    if where == "node":
        nodes[2:4] = -np.inf
    elif where == "table":
        graph.view(theta, "tables")[:] = -np.inf
    else:  # every state is allowed somewhere, but no pair of allowed ones
        graph.view(theta, "tables")[:] = [0.0, -np.inf, -np.inf, 0.0]
        nodes[[0, 3]] = -np.inf
    answer = Forest().maximize(
        graph, theta, temperature=1.0, added=Added(nodes=nodes), ask=("counts", "nodes", "edges")
    )
    assert answer.values[0] == -np.inf
    for array in (answer.counts, answer.node_marginals, answer.edge_marginals):
        assert np.isfinite(array).all()
    truth = Exhaustive().maximize(graph, theta, temperature=1.0, added=Added(nodes=nodes))
    assert answer.values[1] == truth.values[1]
    np.testing.assert_allclose(answer.node_marginals[6:], truth.node_marginals[6:])


@pytest.mark.parametrize("n_pairs", range(64, 78))
def test_a_hub_whose_leaves_disagree(n_pairs):
    """Products of messages fade through the numbers that have lost digits, where they must not be trusted."""
    graph, table = star(2 * n_pairs, 2), np.array([[0.0, -10.0], [-10.0, 0.0]])
    nodes = np.zeros((2 * n_pairs + 1, 2))
    nodes[1 : n_pairs + 1, 1] = nodes[n_pairs + 1 :, 0] = -np.inf
    answer = Forest().maximize(graph, fill(graph, nodes, table), temperature=1.0)
    assert answer.values[0] == pytest.approx(np.log(2) - 10.0 * n_pairs, rel=1e-13)
    np.testing.assert_allclose(answer.node_marginals[:2], [0.5, 0.5])


@pytest.mark.parametrize("lost", [-690.0, -700.0, -704.0, -707.0])
def test_a_fading_state_that_decides_in_the_end(lost):
    """State 1 of the middle variable falls below the normal numbers, but the next edge lets nothing else through."""
    graph = tied(3, [(0, 1), (1, 2)], 2, slots=[0, 1])
    first, second = [[-400.0, 0.0], [-400.0, 0.0]], [[-665.0, 0.0], [-40.0, 0.0]]
    theta = fill(graph, [[0.0, 0.0], [0.0, lost], [0.0, -np.inf]], first, second)
    answer, truth = (inference.maximize(graph, theta, temperature=1.0) for inference in (Forest(), Exhaustive()))
    assert answer.values[0] == pytest.approx(truth.values[0], abs=1e-9)
    np.testing.assert_allclose(answer.node_marginals, truth.node_marginals, atol=1e-9)


@given(
    st.integers(0, 10**6),
    st.integers(1, 25),
    st.integers(2, 5),
    st.floats(-2.0, 4.0),
    st.floats(-2.0, 1.0),
    st.floats(0.0, 0.4),
)
def test_never_below_the_maximum_on_paths(seed, length, n_states, log_scale, log_temperature, forbidden):
    random, temperature = np.random.default_rng(seed), 10.0**log_temperature
    graph = path(length, n_states)
    nodes, table = (
        np.where(random.random(shape) < forbidden, -np.inf, 10.0**log_scale * random.normal(size=shape))
        for shape in ((length, n_states), (n_states, n_states))
    )
    value = Forest().maximize(graph, fill(graph, nodes, table), temperature=temperature).values[0]
    best, true = (
        path_best(nodes, table),
        path_sums(nodes, table, temperature)[0] if path_best(nodes, table) > -np.inf else -np.inf,
    )
    assert value >= best - 1e-9 * (1 + abs(best)) if best > -np.inf else value == -np.inf
    assert value == pytest.approx(true, rel=1e-9, abs=1e-9)


@given(st.integers(0, 10**6), st.floats(-1.0, 4.0), st.sampled_from([trees, summed_edges]))
def test_never_below_the_maximum_on_trees(seed, log_scale, kind):
    random = np.random.default_rng(seed)
    graph = kind(random).graph
    theta = 10.0**log_scale * random.normal(size=graph.n_entries)
    theta[random.random(len(theta)) < 0.1] = -np.inf
    answer, truth = (i.maximize(graph, theta, temperature=1.0) for i in (Forest(), Exhaustive()))
    np.testing.assert_allclose(answer.values, truth.values, rtol=1e-10, atol=1e-10)
    best = Exhaustive().maximize(graph, theta).values
    assert (answer.values >= np.where(np.isfinite(best), best - 1e-9 * (1 + np.abs(best)), best)).all()
