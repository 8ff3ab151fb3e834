import numpy as np
import pytest
from scipy.special import expit, logit

from margrave.primitives import random_words
from margrave.solvers.exponentiated_steps import CUT, FARTHEST, GROWTH, exponentiated_passes
from tests.solvers.lone_label import LoneLabel


def visited_once(label, loss, share, rate):
    """One visit of a problem of a single row; returns its multiplier, t and rate before and after, and its z."""
    objective = label.objective(loss)
    t, rates, multipliers = np.array([logit(share)]), np.array([rate]), share * label.weights
    state = objective.rows.state_of(multipliers * label.y)
    before = multipliers.copy()
    z = float(label.y[0] * objective.rows.margins_of(state)[0])
    fixed = objective.rows.visited, label.y, label.weights, objective.rows.squares, objective.smooth, 1
    words = random_words(np.random.default_rng(0))
    exponentiated_passes(*fixed, state, multipliers, t, rates, np.array([0]), words)
    assert np.allclose(objective.rows.weights_of(state), label.rows.T @ (multipliers * label.y))
    return before, multipliers, float(t[0]), float(rates[0]), z


def one_row(seed, C=1.0):
    label = LoneLabel.random(seed, n=10, C=C)
    return LoneLabel(*(part[:1] for part in (label.x, label.signs, label.y, label.weights)))


@pytest.mark.parametrize(("loss", "T"), [("hinge", 0), ("log", 1)])
@pytest.mark.parametrize("share", [0.01, 0.5, 0.9])
def test_a_small_step_is_the_formulas(loss, T, share):
    label, rate = one_row(0), 0.01
    before, after, t, new_rate, z = visited_once(label, loss, share, rate)
    assert t == pytest.approx((1 - rate * T) * logit(share) + rate * ((1 if T == 0 else 0) - z))
    assert after[0] == pytest.approx(label.weights[0] / (1 + np.exp(-t)))
    assert new_rate == pytest.approx(GROWTH * rate)
    assert label.dual(after, loss) > label.dual(before, loss)


@pytest.mark.parametrize(("loss", "rate"), [("hinge", 1000.0), ("log", 0.9)])
@pytest.mark.parametrize("seed", range(5))
def test_a_rate_that_is_too_large_is_halved_until_the_dual_does_not_fall(loss, rate, seed):
    label = one_row(seed)
    label.weights[0] = 3.0 if loss == "hinge" else 100.0
    share = 0.01 / (label.rows[0] @ label.rows[0]) / label.weights[0]  # far too small: the slope is steep
    before, after, _, new_rate, z = visited_once(label, loss, share, rate)
    cuts = np.log(new_rate / rate) / np.log(CUT)
    assert cuts == pytest.approx(round(cuts)) and cuts >= 1
    assert label.dual(after, loss) > label.dual(before, loss)
    # twice that rate would have made the dual fall
    slope = (1.0 if loss == "hinge" else -logit(share)) - z
    far = np.clip(logit(share) + new_rate / CUT * slope, -FARTHEST, FARTHEST)
    assert label.dual(label.weights * expit(far), loss) < label.dual(before, loss)


@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize("share", [0.001, 0.3, 0.999])
def test_whatever_the_rate_the_dual_does_not_fall(loss, share):
    label = one_row(2, C=5.0)
    for rate in np.geomspace(1e-3, 1e6 if loss == "hinge" else 1.0, 40):
        before, after, t, new_rate, _ = visited_once(label, loss, share, rate)
        assert label.dual(after, loss) >= label.dual(before, loss) - 1e-12
        assert abs(t) <= FARTHEST and new_rate <= GROWTH * rate * (1 + 1e-12)


def test_where_the_slope_is_zero_nothing_moves():
    label = one_row(1)
    square = label.rows[0] @ label.rows[0]
    label.weights[0] = 2 / square  # at half of it z = 1
    before, after, t, _, z = visited_once(label, "hinge", 0.5, 1.0)
    assert z == pytest.approx(1)
    assert np.allclose(after, before, atol=1e-15) and abs(t) < 1e-12
