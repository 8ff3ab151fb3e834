import numpy as np
import pytest

from margrave.losses import Hinge, LogLoss, SmoothedHinge, SoftmaxMargin
from margrave.solvers import BinaryObjective, DualCoordinateDescent
from margrave.solvers.binary_solver import MultiplierRun
from tests.solvers.one_label import KINDS, LOSSES, Problem


@pytest.mark.parametrize("loss", [SmoothedHinge(0.5), SoftmaxMargin(), Hinge(np.ones((2, 2)))], ids=repr)
def test_other_losses_are_refused_by_name(loss):
    problem = Problem(0)
    objective = BinaryObjective(problem.objective.rows, problem.labels, problem.boxes, loss)
    message = r"(?s)DualCoordinateDescent takes Hinge\(\) or LogLoss\(\) of one label, not .*: use one of these"
    with pytest.raises(ValueError, match=message):
        DualCoordinateDescent().minimize(objective)


def test_losses_that_are_taken():
    for loss in (Hinge(), LogLoss()):
        problem = Problem(0)
        objective = BinaryObjective(problem.objective.rows, problem.labels, problem.boxes, loss)
        assert DualCoordinateDescent().refusal(objective) is None


class TwoAtATime(MultiplierRun):
    def passes(self, n):
        return min(n, 2)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("loss", LOSSES)
def test_a_run_begins_where_it_is_told_and_counts_passes(kind, loss):
    problem = Problem(1, kind, loss)
    best = DualCoordinateDescent(tol=1e-10, random_state=0).minimize(problem.objective)
    run = TwoAtATime(problem.objective, best.weights)
    assert [run.advance(5).gap and run.iteration for _ in range(3)] == [2, 4, 5]
    begun = run.solution()
    if loss == "log":  # the multipliers of the hinge's kinks are open
        assert begun.weights == pytest.approx(best.weights, abs=1e-4)
    cold = TwoAtATime(problem.objective, None).solution()
    assert (cold.weights == 0).all()
    assert begun.gap < cold.gap


@pytest.mark.parametrize("loss", LOSSES)
def test_an_error_in_the_multipliers_is_told(loss):
    """The gap is of multipliers and weights as they are, not of what a run remembers."""
    problem = Problem(2, "dense", loss)
    run = DualCoordinateDescent(tol=1e-10, random_state=0).begin(problem.objective, None)
    while run.advance(10_000).gap > 1e-9 and run.iteration < 10_000:
        pass
    run.multipliers[:5] = 0.5 * run.multipliers[:5] + 0.25 * problem.boxes[:5]
    spoiled = run.solution()
    w = problem.features.T @ (problem.labels * run.multipliers)
    assert spoiled.weights == pytest.approx(w)
    assert spoiled.gap > 1e-4
    assert problem.primal(w) - problem.minimum() <= spoiled.gap * problem.primal(w) + 1e-9
    run.state[0][:] = 17.0  # nor of the weights that it moves along
    assert run.solution().weights == pytest.approx(w)
