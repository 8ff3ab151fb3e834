import numpy as np
import pytest

import margrave as mg
from margrave.solvers import Objective
from tests.solvers.tiny_chains import TinyChains


def test_temperature_is_one():
    assert mg.losses.SoftmaxMargin().temperature == 1.0


def test_value_by_hand():
    # all scores are 0, every wrong label of the two positions costs 1: log (1 + e)²
    chains = TinyChains([np.ones((2, 1))], [np.array([0, 1], dtype=np.int32)], 2)
    value = chains.seen_by(Objective, mg.losses.SoftmaxMargin()).value(np.zeros(8))
    assert value == pytest.approx(2 * np.log(1 + np.e))


@pytest.mark.parametrize("cost", [None, [[0, 1, 2], [3, 0, 4], [5, 6, 0]]])
def test_values_by_enumeration(cost):
    chains = TinyChains.random(1, lengths=(3, 1, 2), n_states=3)
    weights = np.random.default_rng(2).normal(size=chains.n_weights)
    loss = mg.losses.SoftmaxMargin() if cost is None else mg.losses.SoftmaxMargin(cost)
    expected = chains.objective(weights, 1.0, 1.0, costly=True, etas=0.0, cost=cost)
    assert chains.seen_by(Objective, loss).value(weights) == pytest.approx(expected, rel=1e-12)


def test_gradient_by_enumeration():
    chains = TinyChains.random(5, lengths=(3, 2), n_states=3)
    weights = np.random.default_rng(6).normal(size=chains.n_weights)
    _, gradient = chains.seen_by(Objective, mg.losses.SoftmaxMargin()).value_and_gradient(weights)
    expected, _ = chains.derivatives(weights, 1.0, 1.0, costly=True, etas=0.0)
    assert np.allclose(gradient, expected, rtol=1e-11, atol=1e-12)


def test_never_below_the_log_loss():
    chains = TinyChains.random(7)
    weights = np.random.default_rng(8).normal(size=chains.n_weights)
    log_loss = chains.seen_by(Objective, mg.losses.LogLoss()).value(weights)
    assert chains.seen_by(Objective, mg.losses.SoftmaxMargin()).value(weights) >= log_loss
