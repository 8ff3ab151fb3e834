"""Stochastic steps: gradients of a few examples are those of the objective, and a start is never worse than none."""

import numpy as np
import pytest
from scipy import sparse

import margrave as mg
from margrave.losses import LogLoss, SmoothedHinge
from margrave.scores import Constant, Linear, ScoreModel, Sum
from margrave.solvers import LBFGS, Objective
from margrave.solvers.stochastic import stochastic_start

K = 3
RNG = np.random.default_rng(0)
LENGTHS = [*RNG.integers(1, 6, size=40).tolist(), 0, 1]
LABELS = RNG.integers(K, size=sum(LENGTHS)).astype(np.int32)
X = np.eye(K)[LABELS] + 0.7 * RNG.normal(size=(len(LABELS), K))
S = RNG.uniform(0, 2, size=len(LENGTHS))
CASES = {
    "dense": (X, Linear(), LogLoss()),
    "observed": (sparse.csr_array(X * (X > 0)), Linear(features="observed"), LogLoss()),
    "smoothed": (X, Linear(), SmoothedHinge(0.3)),
}


def objective_of(case, n_jobs=1, s=S, nodes=None):
    features, linear, loss = CASES[case]
    batch = mg.Sequence(boundary=True).build(mg.Sequences(features, LENGTHS), K)
    scorers = {"nodes": nodes or linear, "edges": Constant(), "boundary": Linear(bias=False)}
    model = ScoreModel.lay_out(batch, scorers, lambda: batch.graph.counts(LABELS)).bind(batch, n_jobs)
    options = {"C": 0.8, "penalty": {"nodes": 1.0, "edges": 0.3}, "sample_weight": s, "n_jobs": n_jobs}
    return Objective(model, LABELS, loss, mg.inference.Forest(), **options)


def total(objective, weights):
    return objective.value(weights) + objective.penalty(weights)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("s", [S, None], ids=["weighted", "plain"])
def test_a_step_is_the_gradient_of_these_examples(case, s):
    objective = objective_of(case, s=s)
    weights = RNG.normal(size=objective.n_weights)
    examples = np.array([7, 2, 40, 11])
    value, gradient = 0.0, np.zeros(objective.n_weights)
    for i in examples.tolist():
        part, slope = objective.value_and_gradient(weights, examples=slice(i, i + 1))
        value, gradient = value + part, gradient + slope
    assert objective.value_of(weights, examples) == pytest.approx(value, rel=1e-10)
    moved = weights.copy()
    objective.descend(moved, examples, 0.5)
    np.testing.assert_allclose(moved, weights - 0.5 * gradient, rtol=1e-9, atol=1e-10)


@pytest.mark.parametrize("case", CASES)
def test_a_few_passes_come_near_the_minimum(case):
    objective = objective_of(case)
    least = LBFGS(tol=1e-10).minimize(objective).history[-1]["objective"]
    nothing = total(objective, np.zeros(objective.n_weights))
    reached = total(objective, stochastic_start(objective, passes=10, random_state=0))
    assert least < reached < least + 0.2 * (nothing - least)


def test_a_start_is_never_made_worse():
    objective = objective_of("dense")
    minimum = LBFGS(tol=1e-12).minimize(objective).weights
    far = LBFGS(max_iter=1).minimize(objective).weights
    assert total(objective, stochastic_start(objective, 1, 0, start=minimum)) <= total(objective, minimum)
    assert total(objective, stochastic_start(objective, 1, 0, start=far)) < total(objective, far)


def test_the_same_seed_the_same_start_for_any_number_of_threads():
    first, same, other = (
        stochastic_start(objective_of("dense", n_jobs), 2, seed) for n_jobs, seed in ((1, 0), (3, 0), (1, 1))
    )
    np.testing.assert_array_equal(first, same)
    assert (first != other).any()


def test_terms_that_are_not_listed_go_without():
    objective = objective_of("dense", nodes=Sum([Linear(), Constant()]))
    assert stochastic_start(objective, 3, 0) is None
    solution = LBFGS(warm_up=3, random_state=0).minimize(objective)
    assert solution.converged


@pytest.mark.parametrize("case", CASES)
def test_warmed_up_it_comes_to_the_same_minimum(case):
    objective = objective_of(case)
    cold, warm = LBFGS(tol=1e-9).minimize(objective), LBFGS(tol=1e-9, warm_up=5, random_state=0).minimize(objective)
    assert warm.converged
    assert warm.history[0]["objective"] < cold.history[0]["objective"]
    assert warm.history[-1]["objective"] == pytest.approx(cold.history[-1]["objective"], rel=1e-8)


def test_passes_are_a_whole_number():
    with pytest.raises(ValueError, match=r"warm_up of LBFGS must be a whole number of at least 0, got 1\.5"):
        LBFGS(warm_up=1.5).minimize(objective_of("dense"))
