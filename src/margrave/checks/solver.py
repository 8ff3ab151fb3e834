"""What every solver promises, against general solvers on small problems."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.base import clone

from margrave.checks.binary import binary_problems
from margrave.checks.optimum import hinge_minimum, smooth_minimum
from margrave.checks.problems import Problem, Random, chains, label_graphs, signed_trees, summed_edges
from margrave.inference import Exhaustive
from margrave.losses import Hinge, LogLoss, Loss, SmoothedHinge, SoftmaxMargin
from margrave.solvers import BinaryObjective, Interrupted, Objective, Record, Solution, Solver

_LOSSES: tuple[Loss, ...] = (LogLoss(), Hinge(), SmoothedHinge(0.5), SoftmaxMargin())
_NEAR = 0.02  # relative: how near the minimum a solver must come in its own number of iterations, whatever its `tol`
_KEYS = {"iteration", "objective", "dual", "gap", "seconds"}

AnySolver = Solver[Any]
Seen = Objective | BinaryObjective


def check_solver(solver: AnySolver, random_state: int | None = 0) -> None:
    """Raise an AssertionError that names the promise which `solver` breaks.

    A loss is either refused in a sentence, or lowered to the minimum that a general solver finds: no more than
    gap · objective above it, where gap is what the solution says of itself, and no more than a fiftieth. A run can be
    stopped by its callback, started anywhere, and interrupted with the last complete iteration kept; it changes no
    parameter, and does the same again.

    Parameters
    ----------
    solver : Solver
        Its `tol` is what it is held to; a `random_state` of None is replaced by 0.
    random_state : int or None

    Examples
    --------
    >>> from margrave.checks import check_solver
    >>> from margrave.solvers import LBFGS
    >>> check_solver(LBFGS(tol=1e-6))
    """
    solver = clone(solver)
    if solver.get_params().get("random_state", 0) is None:
        solver.set_params(random_state=0)
    random, name, taken = np.random.default_rng(random_state), type(solver).__name__, 0
    cases = binary_problems if issubclass(solver.objective_type, BinaryObjective) else _cases(solver)
    for loss in _LOSSES:
        for kind, objective, judged in cases(random, loss):
            where = f"{name}, {type(loss).__name__} on {kind}"
            if not _refused(solver, objective, where):
                taken += 1
                _check_run(solver, objective, _minimum(judged), where)
    assert taken, f"{name} refuses every loss"


def _cases(solver: AnySolver) -> Any:
    """Objectives as the solver wants them, each with one that a general solver can minimise: itself."""

    def cases(random: Random, loss: Loss) -> Iterator[tuple[str, Objective, Objective]]:
        kinds = chains(random, 2, (3, 0, 1, 3)), label_graphs(random), summed_edges(random), signed_trees(random)
        for problem in kinds:
            objective = _objective(solver, problem, loss, random)
            yield problem.name, objective, objective

    return cases


def _minimum(objective: Objective) -> float:
    return smooth_minimum(objective) if objective.loss.temperature > 0 else hinge_minimum(objective)


def _objective(solver: AnySolver, problem: Problem, loss: Loss, random: Random) -> Objective:
    """With a C, penalties and sample weights that no two groups or examples have in common."""
    names = sorted({term.penalty for term in problem.model.model.terms})
    objective: Objective = solver.objective_type(
        problem.model,
        problem.labels,
        loss,
        Exhaustive(),
        C=0.7,
        penalty=dict(zip(names, (0.5, 2.0), strict=False)),
        sample_weight=random.uniform(0.5, 1.5, size=len(problem.graph)),
    )
    return objective


def _refused(solver: AnySolver, objective: Seen, where: str) -> bool:
    reason = solver.refusal(objective)
    if reason is None:
        return False
    assert type(solver).__name__ in str(reason), f"{where}: a refusal must name the solver"
    assert len(reason.split()) > 5 and "use" in reason, f"{where}: a refusal must name a way out, got {reason!r}"
    try:
        solver.minimize(objective)
    except ValueError as error:
        assert str(error) == reason, f"{where}: minimize must raise the refusal's own sentence, got {error}"
        return True
    raise AssertionError(f"{where}: minimize takes what refusal refuses")


def _check_run(solver: AnySolver, objective: Seen, optimum: float, where: str) -> None:
    parameters = solver.get_params()
    solution = solver.minimize(objective)
    assert solver.get_params() == parameters, f"{where}: a run changed the solver's parameters"
    _check_solution(solution, objective, optimum, where)
    _check_history(solution, where)
    value = objective.value(solution.weights) + objective.penalty(solution.weights)
    assert value - optimum <= max(solver.tol, _NEAR) * value, (
        f"{where}: {value:.6g} is not near the minimum {optimum:.6g}"
    )
    tells = np.isnan(solution.gap) or not solution.converged or solution.gap <= solver.tol
    assert tells, f"{where}: converged with a gap of {solution.gap:.3g}"
    again = solver.minimize(objective)
    assert np.array_equal(solution.weights, again.weights), f"{where}: a second run gives other weights"
    warm = solver.minimize(objective, start=solution.weights)
    _check_solution(warm, objective, optimum, f"{where}, started at the solution")
    _check_callback(solver, objective, optimum, where)
    _check_interrupt(solver, objective, optimum, where)


def _check_solution(solution: Solution, objective: Seen, optimum: float, where: str) -> None:
    weights = solution.weights
    assert weights.shape == (objective.n_weights,) and np.isfinite(weights).all(), f"{where}: weights are not usable"
    value, tolerance = objective.value(weights) + objective.penalty(weights), 1e-9 + 1e-8 * optimum
    assert value >= optimum - tolerance, (
        f"{where}: {value:.12g} is below the minimum {optimum:.12g}: another objective?"
    )
    if not np.isnan(solution.gap):
        assert solution.gap >= -1e-12, f"{where}: the gap is below 0: {solution.gap:.3g}"
        above = value - optimum
        assert above <= solution.gap * value + tolerance, (
            f"{where}: {above:.3g} above the minimum, but the gap promises {solution.gap * value:.3g}"
        )


def _check_history(solution: Solution, where: str) -> None:
    history = solution.history
    assert history, f"{where}: no history"
    for record in history:
        assert set(record) == _KEYS, f"{where}: a record has {sorted(record)}, not {sorted(_KEYS)}"
        dual = record["dual"]
        assert dual is None or dual <= record["objective"] * (1 + 1e-12) + 1e-12, f"{where}: a dual is above its primal"
    iterations = [record["iteration"] for record in history]
    assert iterations[0] >= 1 and (np.diff(iterations) > 0).all(), f"{where}: iterations do not rise: {iterations}"
    assert (np.diff([record["seconds"] for record in history]) >= 0).all(), f"{where}: time runs backwards"


def _check_callback(solver: AnySolver, objective: Seen, optimum: float, where: str) -> None:
    seen: list[Record] = []

    def stop(record: Record) -> bool:
        seen.append(record)
        return True

    stopped = solver.minimize(objective, callback=stop)
    assert len(seen) == 1 == len(stopped.history), f"{where}: a callback that returns True does not stop it"
    assert stopped.history[0] == seen[0], f"{where}: the callback is told something else than the history"
    _check_solution(stopped, objective, optimum, f"{where}, stopped by its callback")
    told: list[Record] = []
    whole = solver.minimize(objective, callback=told.append)
    assert told == whole.history, f"{where}: a callback that returns nothing changes the run, or misses reports"


def _check_interrupt(solver: AnySolver, objective: Seen, optimum: float, where: str) -> None:
    def interrupt(record: Record) -> Any:
        raise KeyboardInterrupt

    try:
        solver.minimize(objective, callback=interrupt)
    except Interrupted as interrupted:
        _check_solution(interrupted.solution, objective, optimum, f"{where}, interrupted")
        assert len(interrupted.solution.history) == 1, f"{where}: interrupted, the history is not that of the iteration"
        return
    raise AssertionError(f"{where}: an interrupt must come out as solvers.Interrupted")
