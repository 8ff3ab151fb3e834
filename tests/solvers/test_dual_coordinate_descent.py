import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import SVC, LinearSVC

from margrave.losses import Hinge, LogLoss
from margrave.scores.margins import Inputs, MarginRows
from margrave.scores.signs import Signs
from margrave.solvers import BinaryObjective, DualCoordinateDescent
from tests.inference.directed_models import SLOW_KERNELS
from tests.solvers.one_label import KINDS, LOSSES, Problem


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("C", [0.01, 1.0, 10.0])
def test_the_minimum_is_that_of_a_general_solver(kind, loss, C):
    problem = Problem(0, kind, loss, C=C)
    solution = DualCoordinateDescent(tol=1e-8, random_state=0, max_iter=100_000).minimize(problem.objective)
    least = problem.minimum()
    assert solution.converged
    assert problem.primal(problem.explicit(solution.weights)) == pytest.approx(least, rel=1e-6)
    assert -1e-12 <= solution.gap <= 1e-8
    for record in solution.history:
        assert record["dual"] <= least * (1 + 1e-7)
        assert record["objective"] >= least * (1 - 1e-7)
        assert record["gap"] == pytest.approx((record["objective"] - record["dual"]) / record["objective"])
    assert ((solution.duals >= 0) & (solution.duals <= problem.boxes)).all()


def beside(problem):
    """Features with the intercept as one of them, for solvers that do not penalise theirs."""
    return np.ascontiguousarray(problem.features)


@pytest.mark.parametrize("kind", ["dense", "sparse", "binary"])
@pytest.mark.parametrize("C", [0.05, 1.0])
def test_the_hinge_is_liblinears(kind, C):
    problem = Problem(5, kind, n=80, C=C)
    rival = LinearSVC(loss="hinge", C=1.0, fit_intercept=False, tol=1e-10, max_iter=2_000_000, random_state=0)
    rival.fit(beside(problem), problem.labels, sample_weight=problem.boxes)
    ours = DualCoordinateDescent(tol=1e-11, max_iter=100_000, random_state=0).minimize(problem.objective)
    assert ours.weights == pytest.approx(rival.coef_[0], abs=1e-6)


@pytest.mark.parametrize("kind", ["dense", "sparse", "binary"])
def test_the_log_loss_is_scikit_learns(kind):
    problem = Problem(6, kind, "log", n=80)
    rival = LogisticRegression(C=1.0, fit_intercept=False, tol=1e-10, max_iter=10_000)
    rival.fit(beside(problem), problem.labels, sample_weight=problem.boxes)
    ours = DualCoordinateDescent(tol=1e-13, max_iter=100_000, random_state=0).minimize(problem.objective)
    assert ours.weights == pytest.approx(rival.coef_[0], abs=1e-6)


def test_the_kernel_machine_is_libsvms():
    """Its bias is not penalised, ours is: a constant in the kernel, where mirror images hold LIBSVM's own at zero."""
    problem = Problem(7, "gram", n=60)
    gram = problem.features @ problem.features.T
    doubled = np.block([[gram, -gram], [-gram, gram]])  # each row with its mirror image: no bias is best
    rival = SVC(kernel="precomputed", C=1.0, tol=1e-9)
    y, boxes = np.concatenate([problem.labels, -problem.labels]), np.concatenate([problem.boxes, problem.boxes])
    rival.fit(doubled, y, sample_weight=0.5 * boxes)
    ours = DualCoordinateDescent(tol=1e-10, max_iter=100_000, random_state=0).minimize(problem.objective)
    assert rival.intercept_[0] == pytest.approx(0.0, abs=1e-6)
    assert problem.objective.rows.margins(ours.weights) == pytest.approx(
        rival.decision_function(doubled)[:60], abs=1e-4
    )


def test_a_row_of_weight_two_is_a_row_that_stands_twice():
    problem = Problem(8, n=20)
    twice = np.concatenate([np.arange(20), [3, 7]])
    boxes = np.ones(20)
    boxes[[3, 7]] = 2.0
    solver = DualCoordinateDescent(tol=1e-11, random_state=0, max_iter=100_000)
    rows = MarginRows(Inputs.of(problem.x), Signs.none(20))
    one = solver.minimize(BinaryObjective(rows, problem.labels, boxes, Hinge()))
    rows = MarginRows(Inputs.of(problem.x[twice]), Signs.none(22))
    other = solver.minimize(BinaryObjective(rows, problem.labels[twice], np.ones(22), Hinge()))
    assert one.weights == pytest.approx(other.weights, abs=1e-6)


@pytest.mark.parametrize("loss", [Hinge(), LogLoss()], ids=repr)
def test_rows_without_weight_change_nothing(loss):
    problem = Problem(9, n=30)
    boxes = problem.boxes.copy()
    boxes[20:] = 0.0
    solver = DualCoordinateDescent(tol=1e-10, random_state=0)
    rows = MarginRows(Inputs.of(problem.x), Signs.none(30))
    part = MarginRows(Inputs.of(problem.x[:20]), Signs.none(20))
    one = solver.minimize(BinaryObjective(rows, problem.labels, boxes, loss))
    other = solver.minimize(BinaryObjective(part, problem.labels[:20], boxes[:20], loss))
    assert one.weights == pytest.approx(other.weights, abs=1e-6)
    assert (one.duals[20:] == 0).all()


@pytest.mark.parametrize("loss", [Hinge(), LogLoss()], ids=repr)
def test_no_rows_and_one_class(loss):
    rows = MarginRows(Inputs.of(np.empty((0, 3))), Signs.none(0))
    nothing = DualCoordinateDescent().minimize(BinaryObjective(rows, np.empty(0), np.empty(0), loss))
    assert nothing.weights.tolist() == [0.0] * 4
    rows = MarginRows(Inputs.of(np.ones((5, 1))), Signs.none(5))
    alike = DualCoordinateDescent(tol=1e-8).minimize(BinaryObjective(rows, np.ones(5), np.ones(5), loss))
    assert alike.converged
    assert alike.weights[0] == pytest.approx(alike.weights[1])


def test_rows_that_contradict_each_other():
    rows = MarginRows(Inputs.of(np.ones((4, 2))), Signs.none(4))
    objective = BinaryObjective(rows, np.array([1.0, -1.0, 1.0, -1.0]), np.ones(4), Hinge())
    solution = DualCoordinateDescent(tol=1e-9).minimize(objective)
    assert solution.converged
    assert solution.weights == pytest.approx(np.zeros(3), abs=1e-6)


def test_the_seed_fixes_the_result():
    problem = Problem(10, n=60)
    runs = [DualCoordinateDescent(random_state=s).minimize(problem.objective).weights for s in (1, 1, 2)]
    assert np.array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_a_start_near_the_end_takes_fewer_passes():
    problem = Problem(11, "dense", "log", n=60)
    solver = DualCoordinateDescent(tol=1e-8, random_state=0)
    cold = solver.minimize(problem.objective)
    warm = solver.minimize(problem.objective, start=cold.weights)
    assert warm.history[-1]["iteration"] <= cold.history[-1]["iteration"]
    assert warm.weights == pytest.approx(cold.weights, abs=1e-4)


@pytest.mark.skipif(SLOW_KERNELS, reason="about the size of a data set")
def test_wide_sparse_rows():
    rng = np.random.default_rng(12)
    x = sparse.random_array((400, 3000), density=0.01, rng=rng, format="csr")
    y = np.where(rng.random(400) < 0.2, 1.0, -1.0)
    objective = BinaryObjective(MarginRows(Inputs.of(x), Signs.none(400)), y, np.full(400, 3.0), Hinge())
    ours = DualCoordinateDescent(tol=1e-10, random_state=0).minimize(objective)
    rival = LinearSVC(loss="hinge", C=3.0, fit_intercept=False, tol=1e-9, max_iter=1_000_000, random_state=0)
    rival.fit(sparse.hstack([x, np.ones((400, 1))], format="csr"), y)
    assert ours.weights == pytest.approx(rival.coef_[0], abs=1e-5)


@pytest.mark.parametrize("loss", [Hinge(), LogLoss()], ids=["hinge", "log"])
@pytest.mark.parametrize("kind", ["dense", "Gram matrix"])
def test_single_precision_is_for_steps_alone(kind, loss):
    """Inputs that single precision cannot hold: what is told of them on the way is true of them as they are."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(220, 100)) + 1.0 / 3.0
    labels = np.where(X[:, 0] + 0.5 * rng.normal(size=220) > 0, 1.0, -1.0)
    inputs = Inputs.of(X) if kind == "dense" else Inputs.of_gram(X @ X.T)
    assert np.abs(inputs.short_table - inputs.table).max() > 1e-9
    objective = BinaryObjective(MarginRows(inputs, Signs.none(220)), labels, np.full(220, 0.02), loss)
    solution = DualCoordinateDescent(tol=1e-9, random_state=0).minimize(objective)
    assert solution.converged and solution.gap <= 1e-9
    value = objective.value(solution.weights) + objective.penalty(solution.weights)
    assert solution.history[-1]["objective"] == pytest.approx(value, rel=1e-13)
    assert solution.history[-1]["gap"] == pytest.approx(solution.gap, abs=1e-12)
