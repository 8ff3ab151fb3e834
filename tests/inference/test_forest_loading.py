import numpy as np
import pytest

from margrave.checks.problems import summed_edges
from margrave.graphs.wiring import NOTHING, PREPARED, SUMS
from margrave.inference.forest import Forest
from tests.inference.graphs import fill, path


def prepared(graph, theta, temperature):
    """Tables and peaks as an oracle has them after a question."""
    oracle = Forest().prepare(graph)
    oracle.maximize(theta, temperature)
    return oracle._tables, oracle._peaks


def test_best_labellings_read_tables_as_they_are_both_ways_round():
    graph, table = path(2, 3), np.arange(9.0).reshape(3, 3)
    tables, peaks = prepared(graph, fill(graph, 0.0, table), 0.0)
    np.testing.assert_array_equal(tables[0, 0, :3, :3], table)
    np.testing.assert_array_equal(tables[0, 1, :3, :3], table.T)
    assert (tables[0, :, 3:] == -np.inf).all()
    assert (tables[0, :, :, 3:] == -np.inf).all()
    assert peaks.tolist() == [0.0]


def test_sums_read_exponentials_with_the_largest_score_divided_out():
    graph, table = path(2, 3), np.arange(9.0).reshape(3, 3)
    tables, peaks = prepared(graph, fill(graph, 0.0, table), 0.5)
    np.testing.assert_allclose(tables[0, 0, :3, :3], np.exp((table - 8.0) / 0.5), rtol=1e-13)
    np.testing.assert_array_equal(tables[0, 1], tables[0, 0].T)
    assert not tables[0, :, 3:].any()
    assert peaks.tolist() == [8.0]


@pytest.mark.parametrize(("low", "vanishes"), [(-600.0, False), (-700.0, True), (-1e9, True), (-np.inf, False)])
def test_finite_scores_that_vanish_are_noticed_and_forbidden_ones_are_not_taken_for_them(low, vanishes):
    graph = path(2, 2)
    _, peaks = prepared(graph, fill(graph, 0.0, [[0.0, low], [0.0, 0.0]]), 1.0)
    assert bool(np.isnan(peaks[0])) == vanishes


def test_a_table_that_forbids_everything_has_no_peak_to_divide_by():
    graph = path(2, 2)
    tables, peaks = prepared(graph, fill(graph, 0.0, np.full((2, 2), -np.inf)), 1.0)
    assert not tables.any()
    assert peaks.tolist() == [0.0]


def test_tables_of_the_examples_own_are_left_to_them():
    graph = summed_edges(np.random.default_rng(0)).graph
    tables, _ = prepared(graph, np.zeros(graph.n_entries), 0.0)
    assert len(tables) == (graph.wiring[SUMS][:-1, PREPARED] >= 0).sum() == 2
    assert len(NOTHING[0]) == 0
