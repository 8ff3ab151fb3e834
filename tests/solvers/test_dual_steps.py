"""Steps for several examples in one kernel, against the same steps scorer by scorer."""

import numpy as np
import pytest
from scipy import sparse

import margrave as mg
from margrave.losses import Hinge
from margrave.scores import Constant, Linear, ScoreModel
from margrave.solvers import DualObjective, FrankWolfe

LENGTHS, K = [3, 1, 0, 4, 2, 1], 3
COST = [[0, 2, 1], [1, 0, 3], [0.5, 1, 0]]
RNG = np.random.default_rng(5)
X = RNG.normal(size=(sum(LENGTHS), 6)) * (RNG.random((sum(LENGTHS), 6)) < 0.5)
LABELS = RNG.integers(K, size=len(X)).astype(np.int32)
S = np.array([1.0, 0.5, 1.0, 2.0, 0.0, 1.5])
CASES = {
    "dense": (X, Linear(), Constant()),
    "all": (sparse.csr_array(X), Linear(features="all", bias=True), Constant()),
    "observed": (sparse.csr_array(X), Linear(features="observed"), Constant("observed")),
    "binary": (sparse.csr_array((X != 0).astype(float)), Linear(features="observed", bias=True), Constant()),
}


def objective_of(case, listed, boundary=True, s=S):
    features, nodes, edges = CASES[case]
    batch = mg.Sequence(boundary=boundary).build(mg.Sequences(features, LENGTHS), K)
    scorers = {"nodes": nodes, "edges": edges, "boundary": Linear(bias=False)}
    model = ScoreModel.lay_out(batch, scorers, lambda: batch.graph.counts(LABELS))
    penalty, node_weights = {"nodes": 1.0, "edges": 0.2}, np.linspace(0.5, 1.5, len(X))
    options = {"C": 0.7, "penalty": penalty, "sample_weight": s, "node_weights": node_weights}
    objective = DualObjective(model.bind(batch), LABELS, Hinge(COST), mg.inference.Forest(), **options)
    if not listed:
        objective.__dict__["_rows"] = None
    return objective


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("s", [S, None], ids=["weighted", "plain"])
def test_one_example_at_a_time_both_ways_are_one(case, s):
    states = []
    for listed in (True, False):
        objective = objective_of(case, listed, s=s)
        weights, duals = np.zeros(objective.n_weights), objective.at_truth()
        steps = [objective.improve(weights, duals, np.array([i])) for _ in range(6) for i in (3, 0, 5, 1, 2, 4)]
        states.append((weights, duals.own, duals.shared, duals.costs, np.array(steps)))
        np.testing.assert_allclose(weights, objective.weights_of(duals), atol=1e-12)
    for ours, theirs in zip(*states, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("case", CASES)
def test_together_no_step_lowers_the_dual(case):
    """Answers may be old, steps are not: the dual rises whatever the examples' order."""
    objective, everyone = objective_of(case, listed=True), np.arange(len(LENGTHS))
    weights, duals = np.zeros(objective.n_weights), objective.at_truth()
    reached = [objective.dual(weights, duals)]
    for _ in range(20):
        objective.improve(weights, duals, RNG.permutation(everyone))
        reached.append(objective.dual(objective.weights_of(duals), duals))
        np.testing.assert_allclose(weights, objective.weights_of(duals), atol=1e-12)
    assert (np.diff(reached) >= -1e-12).all() and reached[-1] > reached[0]


@pytest.mark.parametrize("together", [1, 2, 6])
def test_any_number_together_comes_to_the_same_end(together):
    objective = objective_of("dense", listed=True)
    weights, duals = np.zeros(objective.n_weights), objective.at_truth()
    rng = np.random.default_rng(0)
    for _ in range(1000):
        order = rng.permutation(len(LENGTHS))
        for first in range(0, len(order), together):
            objective.improve(weights, duals, order[first : first + together])
    primal, dual, gap = objective.certify(weights, duals)
    assert 0 <= gap <= 5e-2
    solution = FrankWolfe(tol=1e-3, max_iter=5000, random_state=0).minimize(objective_of("dense", listed=False))
    assert dual <= solution.history[-1]["objective"] and primal >= solution.history[-1]["dual"]


def test_answers_of_other_weights_guide_steps_that_are_still_the_best():
    objective = objective_of("dense", True)
    guide = RNG.normal(size=objective.n_weights)
    results = []
    for listed in (True, False):
        objective = objective_of("dense", listed)
        weights, duals = np.zeros(objective.n_weights), objective.at_truth()
        for i in (0, 3, 5):
            objective.improve(weights, duals, np.array([i]), guide)
        results.append(weights)
    np.testing.assert_allclose(*results, atol=1e-12)
    assert results[0].any()
