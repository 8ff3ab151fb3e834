import numpy as np
import pytest

from margrave.checks import check_solver, problems
from margrave.checks.binary import binary_problems
from margrave.checks.optimum import hinge_minimum, smooth_minimum
from margrave.inference import Exhaustive
from margrave.losses import Hinge, LogLoss
from margrave.solvers import LBFGS, BinaryObjective, DualCoordinateDescent, FrankWolfe, Objective


@pytest.mark.parametrize(
    "solver",
    [
        LBFGS(tol=1e-7),
        LBFGS(memory=1),
        FrankWolfe(max_iter=300),
        FrankWolfe(max_iter=300, average=False, steps=3),
        DualCoordinateDescent(),
        DualCoordinateDescent(tol=1e-9),
        DualCoordinateDescent(max_iter=100, random_state=3),
    ],
    ids=repr,
)
def test_solvers(solver):
    check_solver(solver)


def test_the_quadratic_program_is_the_hinge_objective():
    """Its minimum is a value of the objective, and no other point is below."""
    random = np.random.default_rng(0)
    problem = problems.signed_trees(random)
    objective = Objective(problem.model, problem.labels, Hinge(), Exhaustive(), C=2.0, penalty=0.5)
    least = hinge_minimum(objective)
    for scale in np.geomspace(0.01, 10, 30):
        weights = scale * random.normal(size=objective.n_weights)
        assert objective.value(weights) + objective.penalty(weights) >= least
    w, best = np.zeros(objective.n_weights), np.inf
    for k in range(3000):  # subgradient descent: slow, and no relative of the program
        value, gradient = objective.value_and_gradient(w)
        value += objective.penalty(w, gradient)
        best = min(best, value)
        w -= 2.0 / (0.5 * (k + 2)) * gradient if k > 10 else 0.1 * gradient
    assert best == pytest.approx(least, rel=1e-2)


def test_the_smooth_minimum_has_no_slope():
    problem = problems.signed_trees(np.random.default_rng(0))
    objective = Objective(problem.model, problem.labels, LogLoss(), Exhaustive())
    least = smooth_minimum(objective)
    random = np.random.default_rng(1)
    for scale in np.geomspace(0.01, 10, 30):
        weights = scale * random.normal(size=objective.n_weights)
        assert objective.value(weights) + objective.penalty(weights) >= least


class Spoiled(LBFGS):
    def minimize(self, objective, start=None, callback=None):
        return self.spoil(super().minimize(objective, start, callback), objective)

    def spoil(self, solution, objective):
        return solution


class Boaster(Spoiled):
    """Claims a gap that its weights do not have."""

    def spoil(self, solution, objective):
        solution.weights = solution.weights * 0.99
        solution.gap = 0.0
        return solution


class Lazy(LBFGS):
    def minimize(self, objective, start=None, callback=None):
        solution = super().minimize(objective, start, callback)
        solution.weights, solution.gap = 0.0 * solution.weights, np.nan
        return solution


class Deaf(LBFGS):
    def minimize(self, objective, start=None, callback=None):
        return super().minimize(objective, start, lambda record: [callback and callback(record)])


class Swallows(LBFGS):
    def minimize(self, objective, start=None, callback=None):
        try:
            return super().minimize(objective, start, callback)
        except KeyboardInterrupt:
            return super().minimize(objective, start)


class Restless(LBFGS):
    def minimize(self, objective, start=None, callback=None):
        self.max_iter += 1
        return super().minimize(objective, start, callback)


class Negative(Spoiled):
    def spoil(self, solution, objective):
        solution.gap = -1.0
        return solution


class Repeats(Spoiled):
    def spoil(self, solution, objective):
        solution.history = solution.history * 2
        return solution


class Mute(LBFGS):
    def refusal(self, objective):
        return "LBFGS does not"


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (Boaster, "but the gap promises"),
        (Lazy, "not near the minimum"),
        (Deaf, "does not stop it"),
        (Swallows, "must come out as solvers.Interrupted"),
        (Restless, "changed the solver's parameters"),
        (Negative, "the gap is below 0"),
        (Repeats, "iterations do not rise"),
        (Mute, "must name"),
    ],
)
def test_what_is_broken_is_named(broken, message):
    with pytest.raises(AssertionError, match=message):
        check_solver(broken(tol=1e-6))


class Shrunk(DualCoordinateDescent):
    """Its weights are not those of its multipliers."""

    def minimize(self, objective, start=None, callback=None):
        solution = super().minimize(objective, start, callback)
        solution.weights = 0.9 * solution.weights
        return solution


class Unregularised(DualCoordinateDescent):
    """Minimises with another C."""

    def begin(self, objective, start):
        return super().begin(
            BinaryObjective(objective.rows, objective.labels, 2.0 * objective.weights, objective.loss), start
        )


@pytest.mark.parametrize("broken", [Shrunk, Unregularised])
def test_what_is_broken_of_one_label_is_seen(broken):
    with pytest.raises(AssertionError, match=r"above the minimum, but the gap promises|not near the minimum"):
        check_solver(broken(tol=1e-6))


def test_problems_of_one_label_are_what_they_say():
    """The two objectives of each are the same function, judged at any weights by neither."""
    random = np.random.default_rng(0)
    for loss in (Hinge(), LogLoss()):
        for name, objective, judged in binary_problems(random, loss):
            if name == "Gram matrix":
                continue  # other weights
            for _ in range(3):
                weights = random.normal(size=objective.n_weights)
                assert objective.value(weights) == pytest.approx(judged.value(weights))
                assert objective.penalty(weights) == pytest.approx(judged.penalty(weights))
