import numpy as np
import pytest

import margrave as mg
from margrave.losses.base import cost_against
from tests.solvers.tiny_chains import TinyChains

COSTLY = [mg.losses.Hinge, mg.losses.SmoothedHinge, mg.losses.SoftmaxMargin]


@pytest.fixture
def graph():
    return TinyChains.random(0, lengths=(2, 1), n_states=3).batch().graph


@pytest.mark.parametrize("kind", COSTLY)
def test_hamming_costs_one_for_every_other_label(kind, graph):
    labels = np.array([0, 2, 1], dtype=np.int32)
    cost = kind().against(graph, labels)
    assert cost.table.tolist() == [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    assert cost.of(np.array([0, 1, 0])).tolist() == [0, 1, 1]


@pytest.mark.parametrize("kind", COSTLY)
def test_a_matrix_has_a_row_per_true_label(kind, graph):
    table = [[0, 1, 2], [3, 0, 4], [5, 6, 0]]
    cost = kind(cost=table).against(graph, np.array([1, 1, 0], dtype=np.int32))
    assert cost.of(np.array([0, 2, 2])).tolist() == [3, 4, 2]


def test_node_weights_multiply_costs(graph):
    labels = np.array([0, 2, 1], dtype=np.int32)
    cost = cost_against("hamming", graph, labels, np.array([0.5, 0.0, 3.0]))
    assert cost.of(np.array([1, 1, 1])).tolist() == [0.5, 0, 0]
    assert cost.of(np.array([1, 1, 2])).tolist() == [0.5, 0, 3]


def test_unknown_labels_cost_nothing(graph):
    cost = cost_against("hamming", graph, np.array([-1, 2, -1], dtype=np.int32))
    assert cost.of(np.array([0, 0, 0])).tolist() == [0, 1, 0]


@pytest.mark.parametrize("kind", COSTLY)
@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        ("euclidean", r"cost must be 'hamming' or a matrix of shape \(3, 3\), got 'euclidean'"),
        (np.ones((2, 2)) - np.eye(2), r"cost must have shape \(3, 3\), a row per true label, got \(2, 2\)"),
        (np.ones(3), r"cost must have shape \(3, 3\), a row per true label, got \(3,\)"),
        (np.ones((3, 3)), "0 on the diagonal"),
        (np.eye(3) - 1, "at least 0"),
        ([[0, np.inf, 1], [1, 0, 1], [1, 1, 0]], "finite"),
        ([[0, np.nan, 1], [1, 0, 1], [1, 1, 0]], "finite"),
    ],
)
def test_bad_costs_are_refused(kind, cost, sentence, graph):
    with pytest.raises(ValueError, match=sentence):
        kind(cost=cost).against(graph, np.array([0, 2, 1], dtype=np.int32))
