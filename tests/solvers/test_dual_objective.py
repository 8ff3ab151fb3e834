"""Certificates are real: primal and dual computed again from nothing but the data and the dual variables."""

import sys

import numpy as np
import pytest
from scipy.optimize import linprog

import margrave as mg
from margrave.losses import Hinge
from margrave.scores import Constant, ScoreModel, Zero
from margrave.solvers import DualObjective, FrankWolfe, Interrupted, dual_objective
from tests.solvers.structural_svm import solve
from tests.solvers.tiny_chains import TinyChains

C, ETAS, COST = 0.6, {"nodes": 1.0, "edges": 0.25}, [[0, 2, 1], [1, 0, 3], [0.5, 1, 0]]
S = np.array([1.0, 0.5, 2.0, 1.0, 0.0])


@pytest.fixture(scope="module")
def chains():
    return TinyChains.random(21, lengths=(3, 1, 2, 0, 2), n_states=3)


def objective_of(chains, **options):
    return chains.seen_by(DualObjective, Hinge(COST), C=C, penalty=ETAS, sample_weight=S, **options)


@pytest.fixture(scope="module")
def objective(chains):
    return objective_of(chains)


@pytest.fixture(scope="module", params=[False, True], ids=["last", "mean"])
def solution(request, chains):
    solver = FrankWolfe(tol=1e-3, max_iter=500, check_every=5, random_state=0, average=request.param)
    return solver.minimize(objective_of(chains))


def marginals_of(chains, duals):
    """Each example's node marginals (T, K), pair counts (K, K) and cost out of the arrays of `Duals`."""
    K, at, pair = chains.n_states, chains.n_states**2, 0
    found = []
    for i, x in enumerate(chains.X):
        nodes, pairs = duals.own[at : at + len(x) * K].reshape(-1, K), np.zeros((K, K))
        at += len(x) * K
        if len(x) > 1:  # a chain without edges touches no table
            pairs = duals.shared[pair : pair + K * K].reshape(K, K)
            pair += K * K
        found.append((nodes, pairs, duals.costs[i]))
    assert (at, pair) == (len(duals.own), len(duals.shared))
    return found


def weights_by_formula(chains, duals):
    """w_g = (C/η_g) Σ s_i f_i ⊗ (y_i − μ_i)."""
    K, total = chains.n_states, np.zeros(chains.n_weights)
    for i, (nodes, pairs, _) in enumerate(marginals_of(chains, duals)):
        mean = np.concatenate([(chains.X[i].T @ nodes).ravel(), nodes.sum(axis=0), pairs.ravel()])
        total += S[i] * (chains.joint_features(i, chains.y[i]) - mean)
    assert len(total) == (2 + 1) * K + K * K
    return C * total / chains.etas(**ETAS)


def dual_by_formula(chains, duals):
    """C Σ s_i ⟨Δ_i, μ_i⟩ − Σ η/2 w²; the costs from the node marginals, not from the numbers beside them."""
    cost = np.array(COST)
    products = [np.sum(cost[y] * nodes) for y, (nodes, _, _) in zip(chains.y, marginals_of(chains, duals), strict=True)]
    return C * (S @ products) - 0.5 * np.sum(chains.etas(**ETAS) * weights_by_formula(chains, duals) ** 2)


def primal_by_enumeration(chains, weights):
    return chains.objective(weights, 0.0, C, costly=True, etas=chains.etas(**ETAS), s=S, cost=COST)


# ----------------------------------------------------------------------------------------------------- the certificate


def test_weights_are_those_of_the_duals(chains, solution):
    assert np.allclose(solution.weights, weights_by_formula(chains, solution.duals), rtol=1e-12, atol=1e-12)


def test_the_gap_is_primal_minus_dual(chains, solution):
    primal, dual = primal_by_enumeration(chains, solution.weights), dual_by_formula(chains, solution.duals)
    assert solution.gap == pytest.approx((primal - dual) / primal, rel=1e-9)
    assert 0 < solution.gap <= 1e-3
    assert solution.history[-1]["objective"] == pytest.approx(primal, rel=1e-10)
    assert solution.history[-1]["dual"] == pytest.approx(dual, rel=1e-10)


def test_the_optimum_lies_between_dual_and_primal(chains, solution):
    truth = solve(chains, C, chains.etas(**ETAS), S, COST).value
    assert dual_by_formula(chains, solution.duals) <= truth * (1 + 1e-8)
    assert truth <= primal_by_enumeration(chains, solution.weights) * (1 + 1e-8)


def distance_from_mixtures(chains, i, nodes, pairs, cost):
    """How far an example's numbers are from any mixture of its labellings: an LP over all of them."""
    K, columns = chains.n_states, []
    for z in chains.labelings(i):
        table = np.zeros((K, K))
        np.add.at(table, (z[:-1], z[1:]), 1)
        columns.append(np.concatenate([np.eye(K)[list(z)].ravel(), table.ravel()]))
    a = np.vstack([np.array(columns).T, chains.costs(i, COST), np.ones(len(columns))])
    b = np.concatenate([nodes.ravel(), pairs.ravel(), [cost, 1.0]])
    n, m = a.shape[1], len(b)
    # min Σ |A p − b| over p ≥ 0
    return linprog(
        np.concatenate([np.zeros(n), np.ones(2 * m)]), A_eq=np.hstack([a, np.eye(m), -np.eye(m)]), b_eq=b
    ).fun


def test_duals_are_marginals_of_labellings(chains, solution):
    for i, numbers in enumerate(marginals_of(chains, solution.duals)):
        assert distance_from_mixtures(chains, i, *numbers) < 1e-8


def test_at_the_truth_everything_is_zero(objective, chains):
    duals = objective.at_truth()
    assert np.allclose(weights_by_formula(chains, duals), 0.0, atol=1e-14)
    assert np.allclose(objective.weights_of(duals), 0.0, atol=1e-14)
    assert dual_by_formula(chains, duals) == pytest.approx(0.0, abs=1e-14)
    assert not duals.costs.any()


# ------------------------------------------------------------------------------------------------------ planted errors


@pytest.mark.parametrize("array", ["own", "shared", "costs"])
@pytest.mark.parametrize("error", [1e-4, -1e-4])
def test_an_error_in_a_dual_changes_the_gap(objective, solution, chains, array, error):
    honest = objective.certify(solution.weights, solution.duals)
    planted = solution.duals.copy()
    at = {"own": 9, "shared": 0, "costs": 0}[array]  # numbers of the first example, whose weight is not 0
    getattr(planted, array)[at] += error
    primal, dual, gap = objective.certify(solution.weights, planted)
    assert primal == honest[0]  # of the weights, whatever the duals say
    assert abs(gap - honest[2]) > 1e-7
    if array != "costs":
        w = weights_by_formula(chains, planted)
        costs = C * (S @ planted.costs)
        assert dual == pytest.approx(costs - 0.5 * np.sum(chains.etas(**ETAS) * w**2), rel=1e-10)


@pytest.mark.parametrize("array", ["own", "shared", "costs"])
def test_an_error_in_a_run_is_not_hidden(chains, array):
    run = FrankWolfe(average=False, random_state=0).begin(objective_of(chains), None)
    run.advance(10)
    before = run.solution().gap
    getattr(run._duals, array)[{"own": 9, "shared": 0, "costs": 0}[array]] += 0.05
    assert abs(run.solution().gap - before) > 1e-4


def test_an_error_in_the_running_weights_is_repaired(chains):
    run = FrankWolfe(average=False, random_state=0).begin(objective_of(chains), None)
    run.advance(10)
    before = run.solution()
    run._weights += 0.1
    after = run.solution()
    assert np.array_equal(after.weights, before.weights)
    assert after.gap == before.gap


# ---------------------------------------------------------------------------------------------------------- the pieces


def test_the_weights_that_run_along_are_those_of_the_duals(chains):
    run = FrankWolfe(random_state=0, steps=3).begin(objective_of(chains), None)
    run.advance(10)
    assert np.allclose(run._weights, weights_by_formula(chains, run._duals), rtol=1e-10, atol=1e-12)
    assert np.allclose(run._mean_weights, weights_by_formula(chains, run._mean_duals), rtol=1e-10, atol=1e-12)


def test_slope_curvature_and_move(chains):
    """Of one step, by the formulas: the direction is labels − μ."""
    objective = objective_of(chains)
    duals, rng = objective.at_truth(), np.random.default_rng(0)
    weights = rng.normal(size=chains.n_weights)
    for example in (0, 2, 4, 0):
        labels = rng.integers(3, size=len(chains.y[example])).astype(np.int32)
        before = weights_by_formula(chains, duals)
        objective.load(weights, example)
        slope, cost = objective.toward(labels, example, duals)
        direction = chains.joint_features(example, labels) - mean_features(chains, duals, example)
        assert slope == pytest.approx(weights @ direction, abs=1e-12)
        assert cost == pytest.approx(sum(np.array(COST)[chains.y[example], labels]))
        pulled = C * S[example] * direction
        expected = np.sum(pulled**2 / chains.etas(**ETAS))
        assert objective.quadratic(example) == pytest.approx(expected, rel=1e-10, abs=1e-12)
        moved, cost_before = before.copy(), duals.costs[example]
        objective.move(moved, example, 0.3)
        assert np.allclose(moved, before - 0.3 * pulled / chains.etas(**ETAS), atol=1e-12)
        objective.take(example, duals, 0.3, cost)
        assert np.allclose(weights_by_formula(chains, duals), moved, atol=1e-12)
        assert duals.costs[example] == pytest.approx(0.7 * cost_before + 0.3 * cost)


def mean_features(chains, duals, example):
    nodes, pairs, _ = marginals_of(chains, duals)[example]
    return np.concatenate([(chains.X[example].T @ nodes).ravel(), nodes.sum(axis=0), pairs.ravel()])


def test_answers_are_the_dearest_labellings(chains):
    objective = objective_of(chains)
    weights = np.random.default_rng(1).normal(size=chains.n_weights)
    for i in range(5):
        labels = objective.answer(weights, i).labels[: len(chains.y[i])]
        worth = chains.all_features(i) @ weights + chains.costs(i, COST)
        assert tuple(labels) == chains.labelings(i)[np.argmax(worth)]


def test_mixing_keeps_both_ends(objective, solution):
    start = objective.at_truth()
    for share, other in ((0.0, start), (1.0, solution.duals)):
        mixed = start.copy()
        mixed.mix(solution.duals, share)
        for name in ("own", "shared", "costs"):
            assert np.allclose(getattr(mixed, name), getattr(other, name), atol=1e-15)


def test_a_group_without_weights_needs_no_penalty(chains):
    batch = chains.batch()
    model = ScoreModel.lay_out(batch, {"nodes": mg.scores.Linear(), "edges": Zero()})
    objective = DualObjective(
        model.bind(batch), chains.labels, Hinge(), mg.inference.Forest(), penalty={"nodes": 1.0, "edges": 0.0}
    )
    assert FrankWolfe(tol=1e-2, random_state=0).minimize(objective).gap <= 1e-2


def test_observed_tables(chains):
    """Edges with a weight for seen pairs only: the others' duals exist and count for nothing."""
    batch = chains.batch()
    scorers = {"nodes": mg.scores.Linear(), "edges": Constant("observed")}
    model = ScoreModel.lay_out(batch, scorers, lambda: batch.graph.counts(chains.labels))
    objective = DualObjective(model.bind(batch), chains.labels, Hinge(), mg.inference.Forest())
    assert objective.n_weights < chains.n_weights
    solution = FrankWolfe(tol=1e-2, random_state=0).minimize(objective)
    primal, dual, gap = objective.certify(objective.weights_of(solution.duals), solution.duals)
    assert 0 <= gap <= 1e-2
    assert gap == pytest.approx((primal - dual) / primal)


# ----------------------------------------------------------------------------------------------------------- interrupts


@pytest.mark.parametrize("countdown", [1, 7, 20])
@pytest.mark.parametrize("listed", [False, True])
def test_interrupted_between_two_updates_the_certificate_is_still_true(chains, monkeypatch, countdown, listed):
    truth = solve(chains, C, chains.etas(**ETAS), S, COST).value
    objective, left = objective_of(chains), [countdown]
    if not listed:
        objective.__dict__["_rows"] = None  # scorer by scorer, as where not all scores are sums of listed features
    home, name = (dual_objective, "best_steps") if listed else (DualObjective, "take")
    original = getattr(home, name)

    def interrupted(*args):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return original(*args)

    monkeypatch.setattr(home, name, interrupted)
    with pytest.raises(Interrupted) as caught:
        FrankWolfe(tol=0.0, average=False, random_state=0, together=2).minimize(objective)
    solution = caught.value.solution
    dual = dual_by_formula(chains, solution.duals)
    primal = primal_by_enumeration(chains, solution.weights)
    assert solution.gap == pytest.approx((primal - dual) / primal, abs=1e-12)
    assert dual <= truth * (1 + 1e-8)


@pytest.mark.parametrize("moment", range(1, 8))
def test_a_mean_interrupted_anywhere_is_still_that_of_labellings(chains, moment):
    """Ctrl-C comes between two lines: here at each line of the second pass's mixing, in turn."""
    left = [moment]

    def trace(frame, event, arg):
        if frame.f_code is not dual_objective.Duals.mix.__code__ or run.iteration < 2:
            return None
        if event == "line":
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt
        return trace

    run = FrankWolfe(check_every=50, random_state=0).begin(objective_of(chains), None)
    before = sys.gettrace()
    sys.settrace(trace)
    try:
        with pytest.raises(KeyboardInterrupt):
            run.advance(50)
    finally:
        sys.settrace(before)
    for i, numbers in enumerate(marginals_of(chains, run._mean_duals)):
        assert distance_from_mixtures(chains, i, *numbers) < 1e-8
