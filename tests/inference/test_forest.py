import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.checks.problems import chains, grids, mixed_states, random_tree, signed_labels
from margrave.graphs import Block, EdgeTables, FactorGraph, Places, Topology
from margrave.inference import Exhaustive, Forest
from margrave.inference.forest import blocks_to_clear, forest_order
from tests.inference.graphs import fill, path, path_best, path_sums, star, tied


@pytest.mark.parametrize("kind", [grids, signed_labels], ids=lambda kind: kind.__name__)
def test_loops_are_refused_in_a_sentence(kind):
    graph = kind(np.random.default_rng(0)).graph
    with pytest.raises(ValueError, match=r"Forest was given a graph with a loop \(topology 0\); use Exhaustive"):
        Forest().maximize(graph, np.zeros(graph.n_entries))


def test_a_loop_beside_a_tree_is_found():
    """As many edges as a tree of all variables would have."""
    assert "loop" in Forest().refusal(tied(4, [(0, 1), (1, 2), (2, 0)], 2))
    assert Forest().refusal(tied(4, [(0, 1), (1, 2)], 2)) is None


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_parents_come_before_their_children(seed, n_variables):
    random = np.random.default_rng(seed)
    kept = random.random(n_variables - 1) < 0.8
    edges = random_tree(n_variables, random)[kept]
    order = forest_order(tied(n_variables, edges, 2).topologies[0])
    assert sorted(order[:, 0].tolist()) == list(range(n_variables))
    assert (order[:, 1] < 0).sum() == n_variables - len(edges)
    assert sorted(order[order[:, 1] >= 0, 2].tolist()) == list(range(len(edges)))
    for position, (variable, parent, edge, child_first, children) in enumerate(order.tolist()):
        assert children == (order[:, 1] == position).sum()
        if parent >= 0:
            assert parent < position
            ends = (variable, order[parent, 0]) if child_first else (order[parent, 0], variable)
            assert tuple(edges[edge].tolist()) == tuple(int(end) for end in ends)


def test_a_path_too_long_for_recursion():
    graph = path(3000, 2)
    assert Forest().maximize(graph, np.zeros(graph.n_entries)).values.tolist() == [0.0]


@pytest.mark.parametrize("n_leaves", [1, 2, 600])
def test_flat_scores_count_labellings(n_leaves):
    """Messages of many leaves are multiplied at the hub: unscaled, 22^600 would leave the range of floats."""
    graph = tied(n_leaves + 1, [(0, leaf) for leaf in range(1, n_leaves + 1)], 22)
    value = Forest().maximize(graph, np.zeros(graph.n_entries), temperature=1.0).values[0]
    np.testing.assert_allclose(value, (n_leaves + 1) * np.log(22), rtol=1e-13)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_a_star_with_a_thousand_leaves(temperature):
    """Given the hub's state the leaves are independent: a sum of a thousand terms each."""
    random = np.random.default_rng(0)
    graph, nodes, table = star(1000, 3), random.normal(size=(1001, 3)), random.normal(size=(3, 3))
    answer = Forest().maximize(graph, fill(graph, nodes, table), temperature=temperature)
    given_hub = table[None] + nodes[1:, None, :]
    if temperature == 0:
        hub = nodes[0] + given_hub.max(axis=2).sum(axis=0)
        assert answer.values[0] == pytest.approx(hub.max(), rel=1e-12)
        assert answer.labels[0] == hub.argmax()
    else:
        hub = nodes[0] + np.log(np.exp(given_hub).sum(axis=2)).sum(axis=0)
        assert answer.values[0] == pytest.approx(np.logaddexp.reduce(hub), rel=1e-12)
        np.testing.assert_allclose(answer.node_marginals[:3], np.exp(hub - np.logaddexp.reduce(hub)), rtol=1e-9)


@pytest.mark.parametrize("n_states", [1, 26])
def test_numbers_of_states(n_states):
    random = np.random.default_rng(0)
    graph, nodes, table = path(4, n_states), random.normal(size=(4, n_states)), random.normal(size=(n_states,) * 2)
    theta = fill(graph, nodes, table)
    assert Forest().maximize(graph, theta).values[0] == pytest.approx(path_best(nodes, table), rel=1e-12)
    value, marginals = path_sums(nodes, table, 0.7)
    answer = Forest().maximize(graph, theta, temperature=0.7)
    assert answer.values[0] == pytest.approx(value, rel=1e-12)
    np.testing.assert_allclose(answer.node_marginals.reshape(4, -1), marginals, rtol=1e-9)


def test_ties_give_a_labelling_that_is_worth_the_value():
    for graph in (path(5, 3), mixed_states(np.random.default_rng(0)).graph):
        theta = np.zeros(graph.n_entries)
        answer = Forest().maximize(graph, theta)
        np.testing.assert_array_equal(graph.values(theta, answer.labels), answer.values)
    table = np.array([[0.0, 1.0], [1.0, 0.0]])  # two best labellings, which a choice variable by variable would mix
    graph = path(6, 2)
    answer = Forest().maximize(graph, fill(graph, 0.0, table))
    assert np.abs(np.diff(answer.labels)).tolist() == [1] * 5


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_empty_examples_are_worth_nothing(temperature):
    graph = chains(np.random.default_rng(0), 2, [0, 0]).graph
    answer = Forest().maximize(graph, np.zeros(graph.n_entries), temperature=temperature)
    assert answer.values.tolist() == [0.0, 0.0]
    assert len(answer.labels if temperature == 0 else answer.node_marginals) == 0


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_no_examples_at_all(temperature):
    some = path(3, 2)
    none = FactorGraph(some.blocks, some.topologies, [], {"nodes": [0]})
    answer = Forest().maximize(none, np.zeros(none.n_entries), temperature=temperature)
    assert len(answer.values) == 0


def test_entropy_of_independent_variables_is_the_sum_of_theirs():
    graph = tied(3, [(0, 1)], 2)
    oracle = Forest().prepare(graph)
    answer = oracle.maximize(np.zeros(graph.n_entries), 1.0, ask=("nodes", "edges"))
    assert oracle.entropy(answer).tolist() == pytest.approx([3 * np.log(2)])
    with pytest.raises(ValueError, match="entropy needs node and edge marginals"):
        oracle.entropy(oracle.maximize(np.zeros(graph.n_entries), 1.0, ask=("nodes",)))


def test_answers_have_the_labels_of_their_example_only():
    graph = chains(np.random.default_rng(0), 2, [4, 1, 3]).graph
    oracle = Forest().prepare(graph)
    assert [len(oracle.answer(np.zeros(graph.n_entries), i).labels) for i in (0, 1, 2)] == [4, 1, 3]


def gappy():
    """Rows and slots that nobody reads, in blocks of the examples' own."""
    tables = EdgeTables.one_each(Places.of([1], 1, 0))
    shape = Topology([2, 2], [(0, 1)], Places.of(0, 0, [0, 2]), tables)
    blocks = [Block("nodes", 2, 3, 2), Block("tables", 4, 1, 4)]
    return FactorGraph(blocks, [shape], [0, 0], {"nodes": [0, 1, 2], "tables": [0, 2, 4]})


def test_entries_that_nobody_reads_count_nothing():
    graph = gappy()
    out = np.full(graph.n_entries, np.nan)
    theta = np.random.default_rng(0).normal(size=graph.n_entries)
    counts = Forest().maximize(graph, theta, temperature=1.0, out=out).counts
    np.testing.assert_allclose(counts, Exhaustive().maximize(graph, theta, temperature=1.0).counts, atol=1e-12)
    assert counts.sum() == pytest.approx(2 * 3)


def test_only_blocks_with_gaps_or_tables_are_cleared():
    assert blocks_to_clear(gappy()) == ["nodes", "tables"]
    assert blocks_to_clear(path(3, 2)) == []


def test_scores_that_change_between_questions_are_read_anew():
    random = np.random.default_rng(0)
    graph = path(4, 3)
    oracle, theta = Forest().prepare(graph), np.empty(graph.n_entries)
    for temperature in (0.0, 1.0, 0.0, 0.5):
        theta[:] = random.normal(size=graph.n_entries)
        truth = Exhaustive().maximize(graph, theta, temperature=temperature).values
        assert oracle.maximize(theta, temperature).values == pytest.approx(truth)
