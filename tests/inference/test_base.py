import numpy as np
import pytest

from margrave.graphs import wiring
from margrave.inference import Added, Cost, EdgeScores, Exhaustive, Forest
from tests.inference.graphs import path


def test_costs_are_read_row_by_truth_and_unknown_costs_nothing():
    table = np.array([[0.0, 1.0, 2.0], [3.0, 0.0, 4.0], [5.0, 6.0, 0.0]])
    true, other = np.array([2, -1, 0, 1], dtype=np.int32), np.array([1, 1, 2, 1], dtype=np.int32)
    assert Cost(true, table).of(other).tolist() == [6.0, 0.0, 2.0, 0.0]
    assert Cost(true, table, np.array([2.0, 1.0, 0.5, 1.0])).of(other).tolist() == [12.0, 0.0, 1.0, 0.0]


def test_scores_of_pairs_are_sorted_by_edge():
    graph = path(4, 2)
    edges = EdgeScores(np.array([2, 0, 2]), np.array([1, 0, 0]), np.array([0, 1, 1]), np.array([3.0, 1.0, 2.0]))
    extra = Added(edges=edges).extra(graph)
    assert extra[wiring.EDGE_RUNS].tolist() == [0, 1, 1, 3]
    assert extra[wiring.PAIRS].tolist() == [[0, 1], [1, 0], [0, 1]]
    assert extra[wiring.PAIR_SCORES].tolist() == [1.0, 3.0, 2.0]


def test_nothing_added_is_nothing():
    assert all(len(array) == 0 for array in Added().extra(path(2, 2)))


@pytest.mark.parametrize("inference", [Exhaustive(), Forest()], ids=lambda inference: type(inference).__name__)
class TestRefusals:
    def test_theta_of_another_length(self, inference):
        with pytest.raises(ValueError, match=r"theta must have shape \(8,\), got \(7,\)"):
            inference.maximize(path(2, 2), np.zeros(7))

    @pytest.mark.parametrize("temperature", [-1.0, np.nan, np.inf])
    def test_temperatures_that_are_none(self, inference, temperature):
        with pytest.raises(ValueError, match="temperature must be a number of at least 0"):
            inference.maximize(path(2, 2), np.zeros(8), temperature=temperature)


def test_best_labellings_only():
    class BestOnly(Exhaustive):
        positive_temperatures = False

    assert BestOnly().maximize(path(2, 2), np.zeros(8)).values.tolist() == [0.0]
    with pytest.raises(ValueError, match="BestOnly gives best labellings only, it was asked at T = 1"):
        BestOnly().maximize(path(2, 2), np.zeros(8), temperature=1.0)


@pytest.mark.parametrize("inference", [Exhaustive(), Forest()], ids=lambda inference: type(inference).__name__)
def test_integers_and_read_only_scores_are_taken(inference):
    graph = path(2, 2)
    theta = np.arange(8)
    theta.flags.writeable = False
    assert inference.maximize(graph, theta).values.tolist() == [15.0]  # states 1 and 1: 5, 7 and the table's 3


@pytest.mark.parametrize("inference", [Exhaustive(), Forest()], ids=lambda inference: type(inference).__name__)
def test_only_what_was_asked_for_is_made(inference):
    graph = path(3, 2)
    for ask in ((), ("nodes",), ("edges",), ("counts",)):
        answer = inference.maximize(graph, np.zeros(graph.n_entries), temperature=1.0, ask=ask)
        assert (answer.counts is not None) == ("counts" in ask)
        assert (answer.node_marginals is not None) == ("nodes" in ask)
        assert (answer.edge_marginals is not None) == ("edges" in ask)
        assert answer.values[0] == pytest.approx(np.log(8))
