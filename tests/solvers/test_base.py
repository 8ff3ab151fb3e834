import numpy as np
import pytest
from threadpoolctl import ThreadpoolController

from margrave.inference import Forest
from margrave.inference.forest import ForestOracle
from margrave.losses import Hinge, LogLoss
from margrave.solvers import LBFGS, DualObjective, FrankWolfe, Interrupted, Objective
from tests.solvers.tiny_chains import TinyChains

SOLVERS = [
    (LBFGS(tol=1e-12), Objective, LogLoss()),
    (FrankWolfe(tol=1e-12, max_iter=40, check_every=2, random_state=0), DualObjective, Hinge()),
]


@pytest.fixture(params=SOLVERS, ids=["LBFGS", "FrankWolfe"])
def problem(request):
    solver, kind, loss = request.param
    return solver, TinyChains.random(1).seen_by(kind, loss, C=2.0)


def value(objective, weights):
    return objective.value(weights) + objective.penalty(weights)


def test_records(problem):
    solver, objective = problem
    solution = solver.minimize(objective)
    iterations = [record["iteration"] for record in solution.history]
    seconds = [record["seconds"] for record in solution.history]
    assert set(solution.history[0]) == {"iteration", "objective", "dual", "gap", "seconds"}
    assert iterations == sorted(set(iterations)) and iterations[0] >= 1
    assert seconds == sorted(seconds) and seconds[0] >= 0


def test_the_callback_sees_every_record_and_may_stop(problem):
    solver, objective = problem
    seen = []

    def callback(record):
        seen.append(record)
        return len(seen) == 3

    solution = solver.minimize(objective, callback=callback)
    assert seen == solution.history
    assert len(seen) == 3
    assert not solution.converged


@pytest.mark.parametrize("answer", [None, False, 1, "yes"])
def test_only_true_stops(problem, answer):
    solver, objective = problem
    n_records = len(solver.minimize(objective).history)
    assert len(solver.minimize(objective, callback=lambda record: answer).history) == n_records


def test_an_interrupt_carries_the_solution_so_far(problem):
    solver, objective = problem
    whole = solver.minimize(objective).history

    def callback(record):
        if record["iteration"] >= whole[3]["iteration"]:
            raise KeyboardInterrupt

    with pytest.raises(Interrupted) as caught:
        solver.minimize(objective, callback=callback)
    assert isinstance(caught.value, KeyboardInterrupt)
    solution = caught.value.solution
    assert [record["objective"] for record in solution.history] == [record["objective"] for record in whole[:4]]
    assert value(objective, solution.weights) == pytest.approx(whole[3]["objective"], rel=1e-9)
    assert solution.gap == pytest.approx(whole[3]["gap"], rel=1e-6)
    assert not solution.converged


def test_other_exceptions_go_through(problem):
    solver, objective = problem

    def callback(record):
        raise ZeroDivisionError("the callback's own")

    with pytest.raises(ZeroDivisionError, match="the callback's own"):
        solver.minimize(objective, callback=callback)


def test_max_iter_is_the_last_iteration(problem):
    solver, objective = problem
    solution = type(solver)(tol=0.0, max_iter=7).minimize(objective)
    assert solution.history[-1]["iteration"] == 7
    assert not solution.converged


def test_blas_has_one_thread_inside_and_what_it_had_afterwards(problem):
    solver, objective = problem

    def blas_threads():
        return {library["num_threads"] for library in ThreadpoolController().select(user_api="blas").info()}

    inside = []
    with ThreadpoolController().limit(limits=2, user_api="blas"):
        solver.minimize(objective, callback=lambda record: inside.append(blas_threads()))
        assert blas_threads() == {2}
    assert inside
    assert all(threads == {1} for threads in inside)


def test_solvers_do_not_change(problem):
    solver, objective = problem
    before = solver.get_params()
    solver.minimize(objective)
    assert solver.get_params() == before


def test_an_interrupt_inside_an_iteration(problem, monkeypatch):
    """Wherever it comes, the weights are some iterate's, and what is said about them is true."""
    solver, objective = problem
    reference = type(solver)(tol=1e-9, max_iter=5000).minimize(objective)
    lowest = reference.history[-1]["objective"] * (1 - reference.gap)
    n_interrupted = 0
    for method in ("scores", "add_pullback"):
        for countdown in (1, 2, 3, 5, 8, 11):
            interrupt_at(monkeypatch, objective.model.bound[0], method, countdown)
            try:
                solver.minimize(objective)
            except KeyboardInterrupt as interrupted:
                if not isinstance(interrupted, Interrupted):
                    continue  # before there was a run, so that there is no solution
                solution = interrupted.solution
            else:
                continue  # one that needs fewer calls than that
            finally:
                monkeypatch.undo()
            found = value(objective, solution.weights)
            assert np.isfinite(found)
            assert found * (1 - solution.gap) <= lowest * (1 + 1e-8)
            n_interrupted += 1
    assert n_interrupted >= 6


def interrupt_at(monkeypatch, scorer, method, countdown):
    original, left = getattr(type(scorer), method), [countdown]

    def interrupted(self, *args, **options):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return original(self, *args, **options)

    monkeypatch.setattr(type(scorer), method, interrupted)


@pytest.mark.parametrize("answer", [True, np.True_])
def test_any_true_stops(problem, answer):
    solver, objective = problem
    assert len(solver.minimize(objective, callback=lambda record: answer).history) == 1


@pytest.mark.parametrize("answer", [1, "yes", [0], False, np.False_, None])
def test_what_is_not_true_does_not_stop(problem, answer):
    solver, objective = problem
    assert len(solver.minimize(objective, callback=lambda record: answer).history) > 1


@pytest.mark.parametrize(
    ("solver", "parameter", "value"),
    [
        (LBFGS, "memory", 0),
        (LBFGS, "max_iter", 0),
        (LBFGS, "max_iter", "5"),
        (LBFGS, "tol", -1.0),
        (LBFGS, "tol", float("nan")),
        (LBFGS, "tol", "small"),
        (FrankWolfe, "steps", 0),
        (FrankWolfe, "together", 0),
        (FrankWolfe, "check_every", 0),
        (FrankWolfe, "check_every", 2.5),
        (FrankWolfe, "max_iter", True),
    ],
)
def test_parameters_out_of_range_are_refused(solver, parameter, value):
    kind, loss = (Objective, LogLoss()) if solver is LBFGS else (DualObjective, Hinge())
    objective = TinyChains.random(1).seen_by(kind, loss)
    with pytest.raises(ValueError, match=f"{parameter} of {solver.__name__} must be .* at least .*, got"):
        solver(**{parameter: value}).minimize(objective)


class Guess(Forest):
    """Answers that are too low, or bounds that are too high, and says so."""

    def __init__(self, kind="none", slack=0.0):
        self.kind = kind
        self.slack = slack

    def prepare(self, graph, n_jobs=1):
        oracle, original = super().prepare(graph, n_jobs), ForestOracle.maximize

        def maximize(*args, **options):
            answer = original(oracle, *args, **options)
            answer.bounds, answer.bound_kind = answer.values + self.slack, self.kind
            return answer

        oracle.maximize = maximize
        return oracle


def test_no_certificate_without_a_bound(problem):
    solver, objective = problem
    loss = objective.loss
    guessed = TinyChains.random(1).seen_by(type(objective), loss, C=2.0, inference=Guess("none"))
    solution = type(solver)(max_iter=20).minimize(guessed)
    assert np.isnan(solution.gap) and np.isnan(solution.history[-1]["gap"])


def test_upper_bounds_widen_the_gap(problem):
    solver, objective = problem
    loss, slack = objective.loss, 0.25
    bounded = TinyChains.random(1).seen_by(type(objective), loss, C=2.0, inference=Guess("upper", slack))
    options = {"average": False, "random_state": 0} if isinstance(solver, FrankWolfe) else {}
    exact, wide = (type(solver)(max_iter=20, tol=0.0, **options).minimize(seen) for seen in (objective, bounded))
    more = 2.0 * slack * len(objective)  # C times the slack of each example
    assert wide.history[-1]["objective"] == pytest.approx(exact.history[-1]["objective"] + more, rel=1e-6)
