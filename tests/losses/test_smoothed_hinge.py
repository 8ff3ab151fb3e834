import numpy as np
import pytest

import margrave as mg
from margrave.solvers import Objective
from tests.solvers.tiny_chains import TinyChains


@pytest.mark.parametrize("epsilon", [0.1, 1, 2.5])
def test_temperature_is_epsilon(epsilon):
    assert mg.losses.SmoothedHinge(epsilon).temperature == epsilon


@pytest.mark.parametrize("epsilon", [0, -1.0, np.inf, np.nan])
def test_other_epsilons_are_refused(epsilon):
    with pytest.raises(ValueError, match=r"epsilon must be a number above 0, got .*; use Hinge for 0"):
        mg.losses.SmoothedHinge(epsilon).temperature  # noqa: B018


def test_value_by_hand():
    # all scores are 0: two positions with a cost of 1 each, so ε log (1 + e^(1/ε))²
    chains = TinyChains([np.ones((2, 1))], [np.array([0, 1], dtype=np.int32)], 2)
    objective = chains.seen_by(Objective, mg.losses.SmoothedHinge(0.5))
    assert objective.value(np.zeros(8)) == pytest.approx(0.5 * 2 * np.log(1 + np.exp(2)))


@pytest.mark.parametrize("epsilon", [0.05, 0.7])
@pytest.mark.parametrize("cost", [None, [[0, 2], [0.5, 0]]])
def test_values_by_enumeration(epsilon, cost):
    chains = TinyChains.random(1)
    weights = np.random.default_rng(2).normal(size=chains.n_weights)
    loss = mg.losses.SmoothedHinge(epsilon) if cost is None else mg.losses.SmoothedHinge(epsilon, cost)
    expected = chains.objective(weights, epsilon, 1.0, costly=True, etas=0.0, cost=cost)
    assert chains.seen_by(Objective, loss).value(weights) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0])
def test_between_the_hinge_and_the_hinge_plus_the_entropy(epsilon):
    chains = TinyChains.random(3)
    weights = np.random.default_rng(4).normal(size=chains.n_weights)
    hinge = chains.seen_by(Objective, mg.losses.Hinge()).value(weights)
    smoothed = chains.seen_by(Objective, mg.losses.SmoothedHinge(epsilon)).value(weights)
    n_positions = len(chains.labels)
    assert hinge <= smoothed <= hinge + epsilon * n_positions * np.log(2)
