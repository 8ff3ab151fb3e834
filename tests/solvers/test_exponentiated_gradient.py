import numpy as np
import pytest
from scipy.special import expit

from margrave.checks import check_solver
from margrave.solvers import BinaryObjective, DualCoordinateDescent, ExponentiatedGradient
from tests.solvers.lone_label import FORMS, LoneLabel


def test_the_contract_of_solvers():
    check_solver(ExponentiatedGradient(tol=1e-5))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize("C", [0.02, 1.0, 30.0])
def test_the_least_that_liblinear_finds(C, loss, form):
    label = LoneLabel.random(0, C=C)
    solution = ExponentiatedGradient(tol=1e-5, random_state=0).minimize(label.objective(loss, form))
    least, reached = label.liblinear(loss), solution.history[-1]["objective"]
    assert solution.converged
    assert least * (1 - 1e-5) <= reached <= least * (1 + 2e-5)
    assert reached * (1 - solution.gap) <= least * (1 + 1e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_near_dual_coordinate_descents_weights(loss, form):
    label = LoneLabel.random(1)
    one = ExponentiatedGradient(tol=1e-6, random_state=0).minimize(label.objective(loss, form))
    other = DualCoordinateDescent(tol=1e-9, random_state=0).minimize(label.objective(loss, form))
    # ½‖w − w*‖² is at most the distance of the primal from its minimum
    apart = label.objective(loss, form).penalty(one.weights - other.weights)
    assert apart <= 2e-6 * one.history[-1]["objective"]


@pytest.mark.parametrize("loss", ["hinge", "log"])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_the_dual_rises_with_every_pass(loss, C):
    label = LoneLabel.random(2, C=C)
    run = ExponentiatedGradient(random_state=0).begin(label.objective(loss), None)
    duals = []
    for last in range(1, 30):
        run.advance(last)
        duals.append(label.dual(run.multipliers, loss))
        assert (run.multipliers >= 0).all() and (run.multipliers <= label.weights).all()
    assert (np.diff(duals) >= -1e-12 * abs(duals[-1])).all()
    assert duals[-1] <= label.liblinear(loss) * (1 + 1e-6)


def test_at_the_best_the_log_loss_stands_at_its_fixed_point():
    label = LoneLabel.random(3)
    solution = ExponentiatedGradient(tol=1e-9, random_state=0).minimize(label.objective("log"))
    z = label.y * (label.rows @ solution.weights)
    assert np.allclose(solution.duals, label.weights * expit(-z), atol=1e-4)


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_its_record_is_true(loss):
    label = LoneLabel.random(4, C=3.0)
    solution = ExponentiatedGradient(tol=0.0, max_iter=5, random_state=0).minimize(label.objective(loss))
    record = solution.history[-1]
    assert np.allclose(solution.weights, label.rows.T @ (solution.duals * label.y), atol=1e-12)
    assert record["iteration"] == 5
    assert record["objective"] == pytest.approx(label.primal(solution.weights, loss))
    assert record["dual"] == pytest.approx(label.dual(solution.duals, loss))


def test_it_begins_small():
    label = LoneLabel.random(5)
    run = ExponentiatedGradient().begin(label.objective("hinge"), None)
    assert np.allclose(run.multipliers, 0.01 * label.weights)


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_a_start_saves_passes(loss):
    label = LoneLabel.random(6, n=200)
    best = DualCoordinateDescent(tol=1e-9).minimize(label.objective(loss)).weights
    given = best.copy()
    one = ExponentiatedGradient(tol=0.0, max_iter=1, random_state=0)
    started, cold = (one.minimize(label.objective(loss), start) for start in (best, None))
    assert started.history[-1]["objective"] < cold.history[-1]["objective"]
    assert np.array_equal(best, given)


@pytest.mark.parametrize("loss", ["hinge", "log"])
def test_weights_far_apart(loss):
    """A row that weighs a millionth, and one that weighs a million times more, each at rates of its own."""
    label = LoneLabel.random(7, n=20)
    label.weights[:2] = 1e-6, 1e6
    solution = ExponentiatedGradient(tol=1e-4, random_state=0, max_iter=100_000).minimize(label.objective(loss))
    other = DualCoordinateDescent(tol=1e-8, random_state=0, max_iter=1_000_000).minimize(label.objective(loss))
    assert solution.converged and np.isfinite(solution.weights).all()
    assert solution.history[-1]["objective"] == pytest.approx(other.history[-1]["objective"], rel=2e-4)


def test_the_same_seed_the_same_way():
    label = LoneLabel.random(8)

    def solved(seed):
        return ExponentiatedGradient(tol=0.0, max_iter=3, random_state=seed).minimize(label.objective("hinge")).weights

    assert np.array_equal(solved(1), solved(1))
    assert not np.array_equal(solved(1), solved(2))


def test_rows_without_any_weight():
    label = LoneLabel.random(9)
    label.weights[:] = 0.0
    solution = ExponentiatedGradient(random_state=0).minimize(label.objective("hinge"))
    assert solution.converged and not solution.weights.any()


def test_what_it_needs_to_see():
    assert ExponentiatedGradient.objective_type is BinaryObjective
