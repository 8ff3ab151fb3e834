"""What every loss promises, by enumeration."""

import numpy as np

from margrave.checks.oracle import close
from margrave.checks.problems import Problem, Random, all_problems
from margrave.inference import Added, Exhaustive
from margrave.losses import Loss
from margrave.primitives import Floats
from margrave.solvers import Objective

_STEP = 1e-5  # of finite differences
_SLACK = 1e-9


def check_loss(loss: Loss, random_state: int | None = 0) -> None:
    """Raise an AssertionError that names the promise which `loss` breaks.

    With Δ its cost and T its temperature: Δ is 0 at the truth and nowhere below; the loss is at least 0, convex, at
    least the hinge of Δ and at most T·log(labellings) above it, and a Δ never lowers it. So it bounds what it stands
    for: the cost of the predicted labelling, and at T > 0 the 0/1 loss times T·log 2. Its gradient is that of finite
    differences; at T = 0 it is a subgradient.

    Parameters
    ----------
    loss : Loss
    random_state : int or None

    Examples
    --------
    >>> from margrave.checks import check_loss
    >>> from margrave.losses import SmoothedHinge
    >>> check_loss(SmoothedHinge(0.5))
    """
    random = np.random.default_rng(random_state)
    name = type(loss).__name__
    assert np.isfinite(loss.temperature) and loss.temperature >= 0, f"{name}: temperature is {loss.temperature}"
    assert loss.scope in ("graph", "variable"), f"{name}: scope is {loss.scope!r}"
    problems = [problem for problem in all_problems(0) if problem.name not in ("grids", "signed labels")]
    fitting = [problem for problem in problems if _fits(loss, problem)]
    assert fitting, f"{name}: its cost fits no graph of two or three states"
    for problem in fitting:
        where = f"{name} on {problem.name}"
        _check_cost(loss, problem, where)
        objective = Objective(problem.model, problem.labels, loss, Exhaustive())
        for scale in (0.1, 1.0, 5.0):
            weights = scale * random.normal(size=objective.n_weights)
            _check_bounds(loss, objective, weights, where)
            _check_slopes(objective, weights, random, where)


def _fits(loss: Loss, problem: Problem) -> bool:
    """A cost matrix has one size, so a loss that has one is asked about graphs of that many states."""
    try:
        loss.against(problem.graph, problem.labels)
    except ValueError:
        return False
    return True


def _check_cost(loss: Loss, problem: Problem, where: str) -> None:
    graph, truth = problem.graph, problem.labels
    weights = np.linspace(0.0, 2.0, graph.n_variables)
    cost, weighted = loss.against(graph, truth), loss.against(graph, truth, weights)
    if cost is None or weighted is None:
        assert cost is weighted, f"{where}: weights of variables make a cost of nothing"
        return
    close(cost.of(truth), np.zeros(len(truth)), f"{where}: the truth costs something")
    n_states = np.diff(graph.first_state)
    for shift in range(1, graph.most_states):
        other = ((truth + shift) % n_states).astype(np.int32)
        assert (cost.of(other) >= 0).all(), f"{where}: a cost is below 0"
        close(weighted.of(other), weights * cost.of(other), f"{where}: weights of variables do not multiply its cost")


def _each(objective: Objective, weights: Floats) -> Floats:
    """The loss of each example."""
    runs = (slice(i, i + 1) for i in range(len(objective)))
    return np.array([objective.value_and_gradient(weights, examples=run)[0] for run in runs])


def _check_bounds(loss: Loss, objective: Objective, weights: Floats, where: str) -> None:
    graph, truth, temperature = objective.graph, objective.labels, loss.temperature
    losses, theta = _each(objective, weights), np.zeros(graph.n_entries)
    objective.model.scores(weights, theta)
    oracle, score = Exhaustive().prepare(graph), graph.values(theta, truth)
    best = oracle.maximize(theta)
    assert best.labels is not None
    cost = loss.against(graph, truth)
    hinge = oracle.maximize(theta, 0.0, None if cost is None else Added(cost=cost)).values - score
    costs = np.zeros(len(truth)) if cost is None else cost.of(best.labels)
    predicted = np.array([part.sum() for part in np.split(costs, graph.first_variable[1:-1])])
    wrong = np.array([part.any() for part in np.split(best.labels != truth, graph.first_variable[1:-1])])
    log_labelings = np.array([np.log(graph.topologies[t].n_states).sum() for t in graph.topology_of])
    slack = _SLACK * (1.0 + np.abs(score) + np.abs(losses))
    assert (losses >= -slack).all(), f"{where}: a loss is below 0"
    assert (losses >= predicted - slack).all(), f"{where}: a loss is below the cost of the predicted labelling"
    assert (losses >= hinge - slack).all(), f"{where}: a loss is below the hinge of its cost"
    most = hinge + temperature * log_labelings
    assert (losses <= most + slack).all(), f"{where}: a loss is more than T·log(labellings) above the hinge of its cost"
    if temperature > 0:
        least = temperature * np.log(2) * wrong
        assert (losses >= least - slack).all(), f"{where}: a loss is below T·log 2 times the 0/1 loss"
        without = oracle.maximize(theta, temperature).values - score
        assert (losses >= without - slack).all(), f"{where}: a loss is below the same without its cost"


def _check_slopes(objective: Objective, weights: Floats, random: Random, where: str) -> None:
    """Gradient and convexity, along a random line."""
    value, gradient = objective.value_and_gradient(weights)
    close(value, _each(objective, weights).sum(), f"{where}: the sum over examples is not the sum of their losses")
    direction = random.normal(size=len(weights))
    slope, slack = float(gradient @ direction), _SLACK * (1.0 + abs(value))
    if objective.loss.temperature > 0:
        up, down = (objective.value(weights + h * direction) for h in (_STEP, -_STEP))
        close(slope, (up - down) / (2 * _STEP), f"{where}: the gradient is not that of finite differences", 1e-5)
    for step in (-2.0, -0.1, 0.1, 2.0):
        there = objective.value(weights + step * direction)
        middle = objective.value(weights + 0.5 * step * direction)
        assert there >= value + step * slope - slack - _SLACK * abs(there), f"{where}: its tangent cuts through it"
        assert middle <= 0.5 * (value + there) + slack + _SLACK * abs(there), f"{where}: it is not convex along a line"
