"""Index arrays cost what distinct shapes cost, and tables that edges have in common are listed once."""

import numpy as np

from margrave.checks.problems import grids, summed_edges
from margrave.graphs import Block, FactorGraph, wiring


def many_grids(n):
    shape = grids(np.random.default_rng(0)).graph.topologies[0]
    blocks = [Block("nodes", 9 * n, 1, 2), Block("tables", 1, 2, 4, shared=True)]
    return FactorGraph(blocks, [shape], np.zeros(n), {"nodes": 9 * np.arange(n + 1)})


def test_a_thousand_equal_grids_cost_one_grid_of_indices():
    one, many = many_grids(1).wiring, many_grids(1000).wiring
    for array in range(len(one)):
        if array in (wiring.EXAMPLES, wiring.STARTS):
            assert many[array].shape[0] <= one[array].shape[0] + 999
        else:
            np.testing.assert_array_equal(one[array], many[array])


def test_twelve_edges_with_two_tied_tables_prepare_two_tables():
    sums = many_grids(3).wiring[wiring.SUMS]
    assert sums[:-1, wiring.PREPARED].tolist() == [0, 1]


def test_sums_with_a_table_of_the_examples_own_are_not_prepared():
    graph = summed_edges(np.random.default_rng(0)).graph
    sums = graph.wiring[wiring.SUMS]
    # in the order of the edges: two shared tables; a shared and an own one; two own and a shared one; none at all
    assert sums[:-1, wiring.PREPARED].tolist() == [0, -1, -1, 1]
    assert np.diff(sums[:, wiring.FIRST_TABLE]).tolist() == [2, 2, 3, 0]


def test_examples_begin_where_the_last_one_ended():
    examples = many_grids(3).wiring[wiring.EXAMPLES]
    assert examples[:, wiring.FIRST_VARIABLE].tolist() == [0, 9, 18, 27]
    assert examples[:, wiring.FIRST_EDGE].tolist() == [0, 12, 24, 36]
    assert examples[:, wiring.FIRST_STATE].tolist() == [0, 18, 36, 54]
    assert examples[:, wiring.FIRST_PAIR].tolist() == [0, 48, 96, 144]
