import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from margrave.primitives import random_words
from margrave.solvers.coordinate_steps import ACTIVE, VIOLATION, hinge_passes, logistic_passes
from tests.solvers.one_label import KINDS, Problem


def dual(problem, multipliers):
    w = problem.features.T @ (problem.labels * multipliers)
    if problem.loss == "hinge":
        return multipliers.sum() - 0.5 * w @ w
    a, box = multipliers, problem.boxes
    with np.errstate(divide="ignore", invalid="ignore"):
        entropy = np.nan_to_num(a * np.log(a / box)) + np.nan_to_num((box - a) * np.log((box - a) / box))
    return -entropy.sum() - 0.5 * w @ w


def one_step(problem, multipliers, row):
    """The multipliers after a visit to one row alone."""
    objective, order = problem.objective, np.array([row])
    multipliers = multipliers.copy()
    state = objective.rows.state_of(multipliers * problem.labels)
    fixed = objective.rows.visited, problem.labels, problem.boxes, objective.rows.squares
    words = random_words(np.random.default_rng(0))
    if problem.loss == "hinge":
        memory = np.array([1, np.inf, -np.inf, np.inf])
        hinge_passes(*fixed, 0.0, 1, state, multipliers, order, memory, words)
    else:
        logistic_passes(*fixed, 1, state, multipliers, order, words)
    again = objective.rows.state_of(multipliers * problem.labels)
    for kept, fresh in zip(state, again, strict=True):
        assert kept == pytest.approx(fresh, abs=1e-9 * (1.0 + problem.boxes.max()))
    return multipliers


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_a_step_is_the_best_of_its_row(kind, loss, C):
    """Against a general search along the line; other multipliers stay."""
    problem = Problem(0, kind, loss, n=10, C=C)
    rng = np.random.default_rng(1)
    for row in range(10):
        before = problem.boxes * rng.choice([0.0, 0.3, 0.9, 1.0], size=10)
        if loss == "log":
            before = np.clip(before, 1e-6 * problem.boxes, (1 - 1e-6) * problem.boxes)
        after = one_step(problem, before, row)
        others = np.arange(10) != row
        assert np.array_equal(after[others], before[others])
        assert 0.0 <= after[row] <= problem.boxes[row]

        def along(value, row=row, before=before):
            moved = before.copy()
            moved[row] = value
            return -dual(problem, moved)

        found = minimize_scalar(along, bounds=(0.0, problem.boxes[row]), method="bounded", options={"xatol": 1e-12})
        assert dual(problem, after) >= -found.fun - 1e-8 * (1.0 + abs(found.fun))


def test_extremes_of_the_logistic_step():
    """Multipliers on their bounds, and boxes very small and very large, stay inside and finite."""
    for C in (1e-12, 1e-3, 1e6):
        problem = Problem(3, "dense", "log", n=10, C=C)
        for share in (0.0, 1.0, 1e-300, 1.0 - 1e-16):
            before = share * problem.boxes
            for row in range(10):
                after = one_step(problem, before, row)
                assert np.isfinite(after).all()
                assert 0.0 <= after[row] <= problem.boxes[row]
                assert dual(problem, after) >= dual(problem, before) - 1e-9 * abs(dual(problem, before))


def test_rows_at_their_bounds_are_left_out_and_come_back():
    """Passes only end where no row violates its condition, the ones left out included."""
    problem = Problem(4, "dense", "hinge", n=60, C=0.05)
    objective, multipliers = problem.objective, np.zeros(60)
    state, order = objective.rows.state(), objective.examples.copy()
    memory, words = np.array([60, np.inf, -np.inf, np.inf]), random_words(np.random.default_rng(0))
    fixed = objective.rows.visited, problem.labels, problem.boxes, objective.rows.squares
    least = 60
    for _ in range(500):
        hinge_passes(*fixed, 1e-8, 1, state, multipliers, order, memory, words)
        assert sorted(order.tolist()) == list(range(60))
        least = min(least, int(memory[ACTIVE]))
        if memory[VIOLATION] <= 1e-8:
            break
    assert memory[VIOLATION] <= 1e-8
    assert least < 60
    gradient = problem.labels * (problem.features @ (problem.features.T @ (problem.labels * multipliers))) - 1
    up, down = (
        np.where(multipliers > 0, np.maximum(gradient, 0), 0),
        np.where(multipliers < problem.boxes, np.minimum(gradient, 0), 0),
    )
    assert max(up.max(), -down.min()) < 1e-6
