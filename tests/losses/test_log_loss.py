import numpy as np
import pytest

import margrave as mg
from margrave.solvers import Objective
from tests.solvers.tiny_chains import TinyChains


def test_temperature_scope_and_cost():
    loss, graph = mg.losses.LogLoss(), TinyChains.random(0).batch().graph
    assert (loss.temperature, loss.scope) == (1.0, "graph")
    assert loss.against(graph, np.zeros(9, dtype=np.int32)) is None


def test_value_by_hand():
    # two positions, labels (0, 1); only label 1 is worth something: log 2 each, so p = 1/3 and 2/3
    chains = TinyChains([np.ones((2, 1))], [np.array([0, 1], dtype=np.int32)], 2)
    weights = np.array([0, np.log(2), 0, 0, 0, 0, 0, 0])
    value, gradient = chains.seen_by(Objective, mg.losses.LogLoss()).value_and_gradient(weights)
    assert value == pytest.approx(-np.log(1 / 3) - np.log(2 / 3))
    # expected counts minus true counts; expected tables are products, as the positions are independent
    expected = [2 / 3 - 1, 4 / 3 - 1, 2 / 3 - 1, 4 / 3 - 1, 1 / 9, 2 / 9 - 1, 2 / 9, 4 / 9]
    assert np.allclose(gradient, expected)


def test_values_and_gradients_by_enumeration():
    chains = TinyChains.random(1, lengths=(3, 1, 2), n_states=3)
    weights = np.random.default_rng(2).normal(size=chains.n_weights)
    value, gradient = chains.seen_by(Objective, mg.losses.LogLoss()).value_and_gradient(weights)
    assert value == pytest.approx(chains.objective(weights, 1.0, 1.0, etas=0.0), rel=1e-12)
    assert np.allclose(gradient, chains.derivatives(weights, 1.0, 1.0, etas=0.0)[0], rtol=1e-11, atol=1e-12)


def test_at_least_log_2_where_the_best_labelling_is_wrong():
    for seed in range(10):
        chains = TinyChains.random(seed, lengths=(3,))
        weights = np.random.default_rng(seed).normal(size=chains.n_weights)
        scores = chains.all_features(0) @ weights
        wrong = chains.labelings(0)[np.argmax(scores)] != tuple(chains.y[0])
        assert chains.seen_by(Objective, mg.losses.LogLoss()).value(weights) >= wrong * np.log(2)
