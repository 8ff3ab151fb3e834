from itertools import pairwise

import numpy as np
import pytest

from margrave.checks.problems import KINDS, basis_edges, chains, mixed_states, summed_edges, trees
from margrave.graphs import FactorGraph


@pytest.fixture(params=KINDS, ids=lambda kind: kind.__name__)
def graph(request):
    return request.param(np.random.default_rng(0)).graph


def test_shared_blocks_stand_first(graph):
    for block in graph.blocks:
        assert (graph.starts[block.name] < graph.n_shared) == block.shared
    assert sum(block.size for block in graph.blocks) == graph.n_entries


def test_views_cover_theta_without_a_copy(graph):
    theta = np.zeros(graph.n_entries)
    for i, block in enumerate(graph.blocks):
        graph.view(theta, block.name)[:] += i + 1
    assert (theta > 0).all()
    assert theta.sum() == sum((i + 1) * block.size for i, block in enumerate(graph.blocks))


def test_local_layouts_hold_every_entry_that_an_example_reads(graph):
    """A labelling's counts lie inside the example's own layout, and those of other examples' rows outside."""
    for example in range(len(graph)):
        local, run = graph.local(example), slice(example, example + 1)
        inside = np.zeros(graph.n_entries)
        for own in local.own:
            inside[own] = 1.0
        inside[local.shared] = 1.0
        assert inside.sum() == local.size == len(local.gather(inside))
        assert (local.shared < graph.n_shared).all()
        n = graph.first_variable[example + 1] - graph.first_variable[example]
        counts = graph.counts(np.zeros(n, dtype=np.int32), examples=run)
        assert not counts[inside == 0].any()


def test_tied_entries_of_a_tree_are_only_those_that_it_reads():
    graph = trees(np.random.default_rng(0)).graph
    assert graph.local(0).shared.tolist() == list(range(18))  # both tables
    few = chains(np.random.default_rng(0), 2, [3, 1, 0]).graph
    assert [len(few.local(i).shared) for i in range(3)] == [4, 0, 0]


def test_rows_of_examples():
    graph = chains(np.random.default_rng(0), 2, [3, 0, 2]).graph
    assert graph.rows_of("nodes", slice(0, 1)) == slice(0, 3)
    assert graph.rows_of("nodes", slice(1, 2)) == slice(3, 3)
    assert graph.rows_of("nodes", slice(1, 3)) == slice(3, 5)
    assert graph.rows_of("table", slice(1, 2)) == slice(0, 1)


def test_first_state_and_first_pair_count_states_and_pairs():
    graph = mixed_states(np.random.default_rng(0)).graph
    assert np.diff(graph.first_state).tolist() == [2, 3, 2, 1, 3] * 2
    assert np.diff(graph.first_pair).tolist() == [6, 6, 3, 6] * 2
    assert (graph.n_variables, graph.n_edges, graph.most_states) == (10, 8, 3)


def test_slices_cover_all_examples_once_whatever_their_sizes():
    lengths = np.random.default_rng(0).integers(0, 6, size=100).tolist()
    slices = chains(np.random.default_rng(0), 2, lengths).graph.slices
    assert slices[0][0] == 0
    assert slices[-1][1] == 100
    assert all(a[1] == b[0] for a, b in pairwise(slices))
    assert len(slices) <= 16
    work = [sum(1 + 2 * n + 4 * max(n - 1, 0) for n in lengths[a:b]) for a, b in slices]
    assert max(work) <= sum(work) / len(slices) + 1 + 2 * 5 + 4 * 4  # at most one example too many


def test_a_batch_of_nothing():
    some = basis_edges(np.random.default_rng(0)).graph
    none = FactorGraph(some.blocks, [], [], {name: [0] for name in some.rows})
    assert (len(none), none.n_variables, none.slices) == (0, 0, ())
    assert none.counts(np.empty(0, dtype=np.int32)).sum() == 0
    assert none.most_states == 1


def test_two_kinds_of_rows_stand_where_the_data_put_them():
    graph = summed_edges(np.random.default_rng(0)).graph
    theta = np.arange(graph.n_entries, dtype=float)
    assert graph.starts == {"shared": 0, "nodes": 8, "own": 32}
    np.testing.assert_array_equal(graph.view(theta, "own")[2], [40, 41, 42, 43])
