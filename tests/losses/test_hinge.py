import numpy as np
import pytest

import margrave as mg
from margrave.solvers import Objective
from tests.solvers.tiny_chains import TinyChains


def two_positions():
    """One feature that is 1, two labels; the truth is (0, 1)."""
    return TinyChains([np.ones((2, 1))], [np.array([0, 1], dtype=np.int32)], 2)


def test_temperature_and_scope():
    assert mg.losses.Hinge().temperature == 0.0
    assert mg.losses.Hinge().scope == "graph"


def test_value_by_hand():
    # weights: label 1 is worth 2 everywhere, a change from 0 to 1 is worth 1
    weights = np.array([0, 2, 0, 0, 0, 1, 0, 0.0])
    objective = two_positions().seen_by(Objective, mg.losses.Hinge())
    # scores 00: 0, 01: 2 + 1, 10: 2, 11: 4; with costs 00: 1, 01: 3, 10: 4, 11: 5; so 5 - 3
    value, gradient = objective.value_and_gradient(weights)
    assert value == pytest.approx(2.0)
    # features of 11 minus those of 01, the bias as one more feature
    assert gradient.tolist() == [-1, 1, -1, 1, 0, -1, 0, 1]


def test_nothing_is_lost_where_every_other_labelling_is_worth_less_by_its_cost():
    weights = np.array([0, 0, 0, 0, 0, 2.0, 0, 0])  # 01 is worth 2, the others 0, their costs are 1, 2, 1
    objective = two_positions().seen_by(Objective, mg.losses.Hinge())
    value, gradient = objective.value_and_gradient(weights)
    assert value == 0.0
    assert not gradient.any()


def test_cost_matrix_and_node_weights_by_hand():
    table, node_weights = [[0, 3], [5, 0]], np.array([1.0, 2.0])
    objective = two_positions().seen_by(Objective, mg.losses.Hinge(cost=table), node_weights=node_weights)
    # all scores are 0: the dearest labelling, 10, costs 1 * 3 + 2 * 5
    assert objective.value(np.zeros(8)) == pytest.approx(13.0)


@pytest.mark.parametrize("cost", [None, [[0, 1, 2], [3, 0, 4], [5, 6, 0]]])
def test_values_by_enumeration(cost):
    chains = TinyChains.random(1, lengths=(3, 1, 2), n_states=3)
    weights = np.random.default_rng(2).normal(size=chains.n_weights)
    loss = mg.losses.Hinge() if cost is None else mg.losses.Hinge(cost)
    expected = sum(chains.loss(i, weights, 0.0, chains.costs(i, cost)) for i in range(3))
    assert chains.seen_by(Objective, loss).value(weights) == pytest.approx(expected, rel=1e-12)


def test_never_below_the_cost_of_the_best_labelling():
    for seed in range(10):
        chains = TinyChains.random(seed, lengths=(3,))
        weights = np.random.default_rng(seed).normal(size=chains.n_weights)
        best = np.argmax(chains.all_features(0) @ weights)
        value = chains.seen_by(Objective, mg.losses.Hinge()).value(weights)
        assert value >= chains.costs(0)[best] - 1e-12
