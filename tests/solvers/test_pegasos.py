import numpy as np
import pytest
from scipy.special import expit

from margrave.checks import check_solver
from margrave.solvers import BinaryObjective, DualCoordinateDescent, Pegasos
from tests.solvers.lone_label import FORMS, LoneLabel


def test_the_contract_of_solvers():
    check_solver(Pegasos(tol=1e-2, max_iter=100_000))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize("C", [0.02, 0.3])
def test_the_least_that_liblinear_finds(C, loss, form):
    label = LoneLabel.random(0, C=C)
    solution = Pegasos(tol=5e-3, random_state=0, max_iter=100_000).minimize(label.objective(loss, form))
    least, reached = label.liblinear(loss), solution.history[-1]["objective"]
    assert solution.converged
    assert least * (1 - 1e-6) <= reached <= least * (1 + 6e-3)
    assert reached * (1 - solution.gap) <= least * (1 + 1e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_near_dual_coordinate_descents_weights(loss, form):
    label = LoneLabel.random(1, C=0.1)
    one = Pegasos(tol=1e-3, random_state=0, max_iter=100_000).minimize(label.objective(loss, form))
    other = DualCoordinateDescent(tol=1e-9, random_state=0).minimize(label.objective(loss, form))
    # ½‖w − w*‖² is at most the distance of the primal from its minimum
    apart = label.objective(loss, form).penalty(one.weights - other.weights)
    assert apart <= 1e-3 * one.history[-1]["objective"] + 1e-9


def textbook(label, loss, orders):
    """The algorithm as the paper has it, on w itself, with λ/2 ‖w‖² + the mean of the rows' losses."""
    rows, y, room = label.rows, label.y, label.weights
    on = room > 0
    lam, w, t = 1.0 / room[on].sum(), np.zeros(rows.shape[1]), 0
    for order in orders:
        for row in order:
            t += 1
            z = y[row] * (rows[row] @ w)
            slope = (1.0 if z < 1 else 0.0) if loss == "hinge" else expit(-z)
            w = w - 1.0 / (lam * t) * (lam * w - room[row] / room[on].mean() * slope * y[row] * rows[row])
    return w


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_the_steps_are_the_papers(loss):
    """With equal rows, so that shuffling them changes nothing."""
    one = LoneLabel.random(2, n=1, C=0.5)
    many = LoneLabel(*(np.repeat(part, 7, axis=0) for part in (one.x, one.signs, one.y, np.array([0.3]))))
    passes = 5
    solution = Pegasos(tol=0.0, max_iter=passes, random_state=0).minimize(many.objective(loss))
    assert np.allclose(solution.weights, textbook(many, loss, [range(7)] * passes), atol=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize("passes", [1, 3, 8])
def test_weights_come_with_duals_after_every_pass(loss, passes):
    label = LoneLabel.random(3, C=2.0)
    solution = Pegasos(tol=0.0, max_iter=passes, random_state=4).minimize(label.objective(loss))
    a = solution.duals
    assert (a >= 0).all() and (a <= label.weights).all()
    assert np.allclose(solution.weights, label.rows.T @ (a * label.y), atol=1e-12)
    record = solution.history[-1]
    assert record["iteration"] == passes
    assert record["objective"] == pytest.approx(label.primal(solution.weights, loss))
    assert record["dual"] == pytest.approx(label.dual(a, loss))
    assert record["dual"] <= label.liblinear(loss) * (1 + 1e-6)
    shares = passes * a[label.weights > 0] / label.weights[label.weights > 0]
    assert (np.allclose(shares, shares.round())) == (loss == "hinge")  # every visit adds a whole share, or none


def test_the_running_weights_are_those_of_the_duals():
    label = LoneLabel.random(5, C=0.5)
    run = Pegasos(random_state=0).begin(label.objective("hinge", "sparse"), None)
    run.advance(3)
    v = run.objective.rows.weights_of(run.state)
    assert np.allclose(v / 3, run.solution().weights, atol=1e-12)


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_a_start_is_a_first_pass(loss):
    label = LoneLabel.random(6, C=0.1)
    best = DualCoordinateDescent(tol=1e-9).minimize(label.objective(loss)).weights
    given = best.copy()
    few = Pegasos(tol=0.0, max_iter=2, random_state=0)
    started, cold = (few.minimize(label.objective(loss), start) for start in (best, None))
    assert started.history[-1]["objective"] < cold.history[-1]["objective"]
    assert np.array_equal(best, given)


def test_the_same_seed_the_same_way():
    label = LoneLabel.random(7)

    def solved(seed):
        return Pegasos(tol=0.0, max_iter=3, random_state=seed).minimize(label.objective("hinge")).weights

    assert np.array_equal(solved(1), solved(1))
    assert not np.array_equal(solved(1), solved(2))


def test_rows_without_any_weight():
    label = LoneLabel.random(8)
    label.weights[:] = 0.0
    solution = Pegasos(random_state=0).minimize(label.objective("hinge"))
    assert solution.converged and not solution.weights.any()


def test_what_it_needs_to_see():
    assert Pegasos.objective_type is BinaryObjective
