"""Scores large against the temperature: the fallback is taken, and right."""

import numpy as np
import pytest

import margrave as mg
from margrave.checks.problems import basis_edges, chains, mixed_states, summed_edges, trees
from margrave.inference import Added, EdgeScores, Exhaustive, Forest, forest
from tests.inference.graphs import fill, path, path_sums

EVERYTHING = ("counts", "nodes", "edges")


@pytest.fixture
def fallbacks(monkeypatch):
    """How often logarithms were needed."""
    calls, original = [], forest.log_marginals

    def counted(*args):
        calls.append(args)
        return original(*args)

    monkeypatch.setattr(forest, "log_marginals", counted)
    return calls


@pytest.mark.parametrize("kind", [chains, trees, summed_edges, basis_edges, mixed_states], ids=lambda k: k.__name__)
def test_cold_and_large(kind, fallbacks):
    random = np.random.default_rng(0)
    graph = kind(random).graph
    theta, weights = 100 * random.normal(size=graph.n_entries), random.uniform(size=len(graph))
    options = {"temperature": 0.01, "weights": weights, "ask": EVERYTHING}
    answer, truth = (inference.maximize(graph, theta, **options) for inference in (Forest(), Exhaustive()))
    assert fallbacks
    for name in ("values", "counts", "node_marginals", "edge_marginals"):
        np.testing.assert_allclose(getattr(answer, name), getattr(truth, name), rtol=1e-10, atol=1e-10)


def test_close_calls_among_large_scores(fallbacks):
    """Large scores that almost cancel, so that marginals are neither 0 nor 1."""
    random = np.random.default_rng(1)
    graph = path(30, 3)
    big = 900.0 * random.integers(-1, 2, size=(29, 1))
    nodes = random.normal(size=(30, 3))
    nodes[:-1] += big
    nodes[:, 2] -= 800.0
    table = random.normal(size=(3, 3)) + 800.0 * np.outer([0, 0, 1], [1, 1, 1])
    value, marginals = path_sums(nodes, table, 0.7)
    answer = Forest().maximize(graph, fill(graph, nodes, table), temperature=0.7)
    assert fallbacks
    assert answer.values[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(answer.node_marginals.reshape(30, 3), marginals, atol=1e-9)
    assert ((marginals > 0.01) & (marginals < 0.99)).any()


def test_only_the_examples_that_need_it_are_done_again(fallbacks):
    random = np.random.default_rng(0)
    graph = path(3, 2, n_examples=40)
    theta = random.normal(size=graph.n_entries)
    easy = Forest().maximize(graph, theta, temperature=1.0)
    assert not fallbacks
    nodes = np.zeros(240)
    nodes[6 * 7] = 800.0  # its other state's product vanishes; the table's pairs then decide nothing
    hard = Forest().maximize(graph, theta, temperature=1.0, added=Added(nodes=nodes))
    assert len(fallbacks) == 1
    others = np.arange(40) != 7
    np.testing.assert_array_equal(hard.values[others], easy.values[others])
    truth = Exhaustive().maximize(graph, theta, temperature=1.0, added=Added(nodes=nodes))
    np.testing.assert_allclose(hard.counts, truth.counts, atol=1e-12)
    np.testing.assert_allclose(hard.values, truth.values, rtol=1e-12)


def test_large_scores_of_single_pairs(fallbacks):
    graph = path(3, 2)
    edges = EdgeScores(np.array([0, 1]), np.array([0, 1]), np.array([1, 1]), np.array([1000.0, -np.inf]))
    theta = np.random.default_rng(0).normal(size=graph.n_entries)
    options = {"temperature": 1.0, "added": Added(edges=edges), "ask": EVERYTHING}
    answer, truth = (inference.maximize(graph, theta, **options) for inference in (Forest(), Exhaustive()))
    assert fallbacks
    for name in ("values", "counts", "edge_marginals"):
        np.testing.assert_allclose(getattr(answer, name), getattr(truth, name), rtol=1e-10, atol=1e-10)


def test_long_paths_of_large_scores_keep_their_digits():
    """Twenty thousand variables, scores a thousand times the temperature: marginals still add up, and so do counts."""
    n, random = 20_000, np.random.default_rng(0)
    graph = mg.Sequence().build(mg.Sequences(np.zeros((n, 0)), [n]), 3).graph
    theta = 10.0 * random.normal(size=graph.n_entries)
    found = mg.inference.Forest().maximize(graph, theta, temperature=0.01)
    best = mg.inference.Forest().maximize(graph, theta)
    np.testing.assert_allclose(found.node_marginals.reshape(n, 3).sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(found.counts[: graph.n_shared].sum(), n - 1, rtol=1e-12)
    assert best.values[0] <= found.values[0] <= best.values[0] + 0.01 * n * np.log(3)
