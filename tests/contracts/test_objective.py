"""Structure x inference x loss: one Objective for all, against enumeration in plain Python and finite differences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.checks import problems
from margrave.inference import Exhaustive, Forest
from margrave.losses import Hinge, LogLoss, SmoothedHinge, SoftmaxMargin
from margrave.solvers import DualObjective, Objective
from tests.contracts.definition import Enumerated, cost_of, entries_of
from tests.contracts.test_exhaustive_from_definition import scales_of

ASYMMETRIC = {2: [[0.0, 1.0], [3.0, 0.0]], 3: [[0.0, 1.0, 2.0], [0.5, 0.0, 1.0], [3.0, 1.0, 0.0]]}
LOSSES = [LogLoss(), Hinge(), SmoothedHinge(0.1), SoftmaxMargin(), "asymmetric"]
STEP = 1e-5


def loss_for(loss, graph):
    return Hinge(ASYMMETRIC[graph.most_states]) if loss == "asymmetric" else loss


def objective_of(problem, loss, inference, random, kind=Objective, **options):
    weights = random.uniform(0.5, 2.0, size=len(problem.graph))
    nodes = random.uniform(0.5, 2.0, size=problem.graph.n_variables)
    options = {"C": 0.7, "sample_weight": weights, "node_weights": nodes, **options}
    return kind(problem.model, problem.labels, loss, inference, **options)


def true_losses(problem, objective, weights, node_weights):
    """Each example's maximum over all labellings, minus the truth's score."""
    graph, labels, theta = problem.graph, problem.labels, np.zeros(problem.graph.n_entries)
    problem.model.scores(weights, theta)
    cost = objective.loss.against(graph, labels, node_weights)
    losses = []
    for i in range(len(graph)):
        extra = (lambda y, i=i: 0.0) if cost is None else (lambda y, i=i: cost_of(cost, graph, i, y))
        value = Enumerated(graph, theta, i, objective.loss.temperature, extra, scales_of(problem)).value
        truth = labels[graph.first_variable[i] : graph.first_variable[i + 1]].tolist()
        picked = entries_of(graph, i, truth, scales_of(problem))
        losses.append(value - sum(theta[entry] * factor for entry, factor in picked))
    return np.array(losses)


def pairs():
    for kind in problems.KINDS:
        for inference in (Exhaustive(), Forest()):
            graph = kind(np.random.default_rng(0)).graph
            if inference.refusal(graph) is None:
                yield pytest.param(kind, inference, id=f"{kind.__name__}-{type(inference).__name__}")


@pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: loss if isinstance(loss, str) else type(loss).__name__)
@pytest.mark.parametrize(("kind", "inference"), list(pairs()))
def test_value_and_gradient(kind, inference, loss):
    random = np.random.default_rng(11)
    problem = kind(random)
    graph = problem.graph
    node_weights = random.uniform(0.5, 2.0, size=graph.n_variables)
    objective = objective_of(problem, loss_for(loss, graph), inference, random, node_weights=node_weights)
    weights = random.normal(size=objective.n_weights)
    value, gradient = objective.value_and_gradient(weights)
    losses = true_losses(problem, objective, weights, node_weights)
    assert value == pytest.approx(0.7 * objective.sample_weight @ losses, rel=1e-10)
    assert objective.value(weights) == pytest.approx(value, rel=1e-12)
    direction = random.normal(size=len(weights))
    up, down = (objective.value(weights + h * direction) for h in (STEP, -STEP))
    assert gradient @ direction == pytest.approx((up - down) / (2 * STEP), rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("kind", problems.KINDS, ids=lambda kind: kind.__name__)
def test_runs_of_examples_add_up(kind):
    random = np.random.default_rng(5)
    problem = kind(random)
    for loss in (LogLoss(), Hinge()):
        objective = objective_of(problem, loss, Exhaustive(), random)
        weights, total, whole = random.normal(size=objective.n_weights), 0.0, np.zeros(objective.n_weights)
        for run in (slice(0, 1), slice(1, 2), slice(2, None), slice(1, 1)):
            value, gradient = objective.value_and_gradient(weights, examples=run)
            total, whole = total + value, whole + gradient
        value, gradient = objective.value_and_gradient(weights)
        assert total == pytest.approx(value, rel=1e-12)
        np.testing.assert_allclose(whole, gradient, atol=1e-12)


def test_all_numbers_of_threads_give_the_same_bits():
    random = np.random.default_rng(2)
    problem = problems.chains(random, 3, [4, 2, 1, 0, 5] * 12)
    weights = random.normal(size=problem.model.n_weights)
    for loss in (LogLoss(), Hinge()):
        answers = []
        for n_jobs in (1, 2, 3):
            args = problem.labels, loss, Forest()
            answers.append(Objective(problem.model, *args, n_jobs=n_jobs).value_and_gradient(weights))
        assert len({value for value, _ in answers}) == 1
        assert all(np.array_equal(gradient, answers[0][1]) for _, gradient in answers)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1, 5], "label of variable 2 is 5, but its states are 0 to 1"),
        ([0, 2, 1], "label of variable 1 is 2, but its states are 0 to 1"),
        ([0, -1, 0], "label of variable 1 is -1"),
        ([0, 1], r"shape \(3,\)"),
    ],
)
def test_labels_that_are_no_states_are_refused(labels, message):
    problem = problems.chains(np.random.default_rng(0), 2, [3])
    with pytest.raises(ValueError, match=message):
        Objective(problem.model, np.array(labels, dtype=np.int32), LogLoss(), Forest())


@given(st.integers(0, 10**6), st.sampled_from(problems.KINDS))
def test_the_dual_is_below_the_primal_whatever_the_duals(seed, kind):
    """Frank-Wolfe's own steps at random sizes: any mixture of labellings is feasible."""
    random = np.random.default_rng(seed)
    objective = objective_of(kind(random), Hinge(), Exhaustive(), random, DualObjective)
    weights, duals = np.zeros(objective.n_weights), objective.at_truth()
    for example in random.integers(len(objective), size=6).tolist():
        labels = objective.answer(weights, example).labels
        _, cost = objective.toward(labels, example, duals)
        step = float(random.random())
        objective.move(weights, example, step)
        duals.costs[example] += step * (cost - duals.costs[example])
        objective.take(example, duals, step)
    np.testing.assert_allclose(weights, objective.weights_of(duals), atol=1e-10)
    anywhere = random.normal(size=len(weights))
    primal = min(objective.value(w) + objective.penalty(w) for w in (weights, anywhere, 0 * weights))
    assert objective.dual(weights, duals) <= primal + 1e-9 * (1 + abs(primal))
