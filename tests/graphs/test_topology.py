import pickle

import numpy as np
import pytest

from margrave.graphs import EdgeTables, Places, Topology


def shape(n_states=(2, 2, 2), edges=((0, 1), (1, 2)), variables=None, tables=None):
    variables = Places.of(0, np.arange(len(n_states)), 0) if variables is None else variables
    tables = EdgeTables.one_each(Places.of(np.ones(len(edges)), 0, 0)) if tables is None else tables
    return Topology(n_states, edges, variables, tables)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"variables": Places.of(0, [0, 1], 0)}, "a place for each of the 3 variables, got 2"),
        ({"n_states": (2, 0, 2)}, "at least 1 everywhere"),
        ({"tables": EdgeTables.one_each(Places.of([1], 0, 0))}, "must serve 2 edges, got 1"),
        ({"edges": ((0, 1), (1, 3))}, r"edge 1 joins \(.*1.*3.*\), but the variables are 0 to 2"),
        ({"edges": ((0, -1), (1, 2))}, "edge 0 joins"),
        ({"edges": ((0, 1), (2, 2))}, "edge 1 joins a variable to itself"),
        ({"edges": ((0, 1), (1, 0))}, "edge 1 joins .* a second time; give one edge the sum of their tables"),
        (
            {"tables": EdgeTables(np.array([0, 2, 1]), Places.of([1], 0, 0), np.array([False]))},
            "tables.pointer must rise from 0 to the number of tables, 1",
        ),
        (
            {"tables": EdgeTables(np.array([0, 1, 3]), Places.of([1, 1], 0, 0), np.zeros(2, bool))},
            "tables.pointer must rise from 0 to the number of tables, 2",
        ),
        (
            {"tables": EdgeTables(np.array([0, 1, 2]), Places.of([1, 1], 0, 0), np.zeros(1, bool))},
            "tables.transposed must have 2 values, got 1",
        ),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        shape(**options)


def test_empty_shapes():
    empty = Topology([], [], Places.of([], [], []), EdgeTables.sums([]))
    assert (empty.n_variables, empty.n_edges) == (0, 0)


def test_what_is_derived_is_computed_once_and_not_pickled():
    topology, calls = shape(), []

    def count(t):
        calls.append(t)
        return t.n_edges

    assert topology.cached(count) == topology.cached(count) == 2
    assert calls == [topology]
    copy = pickle.loads(pickle.dumps(topology))
    assert copy.cached(len_of) == 3
    np.testing.assert_array_equal(copy.edges, topology.edges)


def len_of(topology):
    return topology.n_variables


def test_sums_of_tables_are_kept_edge_by_edge():
    tables = EdgeTables.sums([[(1, 0, 0, False), (2, 3, 4, True)], [], [(5, 0, 0, False)]])
    assert tables.pointer.tolist() == [0, 2, 2, 3]
    assert tables.places.block.tolist() == [1, 2, 5]
    assert tables.places.row.tolist() == [0, 3, 0]
    assert tables.transposed.tolist() == [False, True, False]
