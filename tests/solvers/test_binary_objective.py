import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.losses import Hinge, LogLoss
from margrave.scores.margins import Inputs, MarginRows
from margrave.scores.signs import Signs
from margrave.solvers import BinaryObjective
from tests.solvers.one_label import KINDS, LOSSES, Problem


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS), st.sampled_from(sorted(LOSSES)))
def test_values_are_those_of_the_formula(seed, kind, loss):
    problem = Problem(seed, kind, loss, n=8)
    weights = np.random.default_rng(seed).normal(size=problem.objective.n_weights)
    w = problem.explicit(weights)
    assert problem.objective.penalty(weights) == pytest.approx(0.5 * w @ w)
    assert problem.objective.value(weights) + problem.objective.penalty(weights) == pytest.approx(problem.primal(w))


@given(st.integers(0, 2**32 - 1), st.sampled_from(KINDS), st.sampled_from(sorted(LOSSES)))
def test_any_multipliers_give_a_bound(seed, kind, loss):
    """Dual value below the minimum; primal that of the weights; both as the formulas say."""
    problem = Problem(seed, kind, loss, n=8)
    rng = np.random.default_rng(seed)
    multipliers = problem.boxes * rng.choice([0.0, 1.0, rng.random()], size=8)
    reached = problem.objective.certify(multipliers)
    w = problem.features.T @ (multipliers * problem.labels)
    assert problem.explicit(reached.weights) == pytest.approx(w)
    assert reached.primal == pytest.approx(problem.primal(w))
    dual = multipliers.sum() - 0.5 * w @ w
    if loss == "log":
        parts = [(a, U) for a, U in zip(multipliers, problem.boxes, strict=True) if 0 < a < U]
        dual = -sum(a * np.log(a / U) + (U - a) * np.log((U - a) / U) for a, U in parts) - 0.5 * w @ w
    assert reached.dual == pytest.approx(dual, abs=1e-9)
    assert reached.gap == pytest.approx((reached.primal - dual) / reached.primal)
    least = problem.minimum()
    assert reached.dual <= least + 1e-6
    assert reached.primal >= least - 1e-6


@pytest.mark.parametrize("loss", LOSSES)
def test_multipliers_are_slopes(loss):
    """By finite differences, away from the kink."""
    problem = Problem(1, "dense", loss, n=12)
    weights = np.random.default_rng(1).normal(size=problem.objective.n_weights)
    multipliers = problem.objective.multipliers_at(weights)
    gradient = -problem.features.T @ (problem.labels * multipliers)
    for k in range(len(weights)):
        step = np.zeros(len(weights))
        step[k] = 1e-6
        slope = (problem.objective.value(weights + step) - problem.objective.value(weights - step)) / 2e-6
        assert gradient[k] == pytest.approx(slope, abs=1e-5)
    assert ((multipliers >= 0) & (multipliers <= problem.boxes)).all()


def test_half_of_the_box_at_the_kink():
    rows = MarginRows(Inputs.of(np.array([[1.0], [2.0], [-1.0]])), Signs.none(3))
    objective = BinaryObjective(rows, np.ones(3), np.array([2.0, 4.0, 8.0]), Hinge())
    assert objective.multipliers_at(np.array([1.0, 0.0])).tolist() == [1.0, 0.0, 8.0]


def test_rows_of_no_weight_take_no_part():
    problem = Problem(2)
    boxes = problem.boxes.copy()
    boxes[::2] = 0.0
    objective = BinaryObjective(problem.objective.rows, problem.labels, boxes, Hinge())
    assert objective.examples.tolist() == list(range(1, 25, 2))
    assert len(objective) == 25


def test_the_temperature_says_which_loss():
    problem = Problem(3)
    fixed = problem.objective.rows, problem.labels, problem.boxes
    assert BinaryObjective(*fixed, LogLoss()).smooth
    assert not BinaryObjective(*fixed, Hinge()).smooth
