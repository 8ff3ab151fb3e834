from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import minimize

import margrave as mg
from margrave.losses import Hinge, LogLoss, SmoothedHinge, SoftmaxMargin
from margrave.solvers import LBFGS, Objective
from tests.solvers.tiny_chains import TinyChains

EXACT = LBFGS(tol=1e-18, max_iter=500)


def optimum(chains, temperature, C, costly=False, etas=1.0, s=None):
    """By Newton's method with SciPy, from the definitions."""
    args = {"temperature": temperature, "C": C, "costly": costly, "etas": etas, "s": s}
    found = minimize(
        lambda w: chains.objective(w, **args),
        np.zeros(chains.n_weights),
        jac=lambda w: chains.derivatives(w, **args)[0],
        hess=lambda w: chains.derivatives(w, **args)[1],
        method="trust-exact",
        options={"gtol": 1e-10, "maxiter": 1000},
    )
    for _ in range(3):  # what the trust region's doubts about rounding have left
        gradient, hessian = chains.derivatives(found.x, **args)
        found.x = found.x - np.linalg.solve(hessian, gradient)
    assert np.abs(chains.derivatives(found.x, **args)[0]).max() < 1e-11
    found.fun = chains.objective(found.x, **args)
    return found


@pytest.mark.parametrize(
    ("loss", "costly"),
    [(LogLoss(), False), (SoftmaxMargin(), True), (SmoothedHinge(0.3), True)],
    ids=["log", "softmax margin", "smoothed hinge"],
)
@pytest.mark.parametrize("C", [0.1, 5.0])
def test_the_same_optimum_as_scipys(loss, costly, C):
    chains = TinyChains.random(1, n_states=3)
    s = np.array([1.0, 0.5, 0.0, 2.0])
    truth = optimum(chains, loss.temperature, C, costly, chains.etas(1.0, 0.2), s)
    objective = chains.seen_by(Objective, loss, C=C, penalty={"nodes": 1.0, "edges": 0.2}, sample_weight=s)
    solution = EXACT.minimize(objective)
    assert np.allclose(solution.weights, truth.x, atol=1e-8)
    assert solution.history[-1]["objective"] == pytest.approx(truth.fun, rel=1e-12)
    assert solution.duals is None
    assert all(record["dual"] is None for record in solution.history)


def iterations(solver, objective, start=None):
    """Each iteration's progress, and the solution that stopping there gives."""
    run = solver.begin(objective, start)
    while run.iteration < solver.max_iter:
        progress = run.advance(solver.max_iter)
        solution = run.solution()
        yield progress, solution.weights.copy(), solution.gap
        if progress.stuck:
            return


@pytest.mark.parametrize("penalty", [1.0, {"nodes": 3.0, "edges": 0.05}])
@pytest.mark.parametrize("C", [0.5, 20.0])
def test_the_gap_bounds_the_distance_from_the_optimum(penalty, C):
    chains = TinyChains.random(2)
    etas = 1.0 if penalty == 1.0 else chains.etas(**penalty)
    lowest = optimum(chains, 1.0, C, etas=etas).fun
    objective = chains.seen_by(Objective, LogLoss(), C=C, penalty=penalty)
    seen = list(iterations(LBFGS(max_iter=30), objective))
    for progress, weights, gap in seen:
        value = chains.objective(weights, 1.0, C, etas=etas)
        assert progress.objective == pytest.approx(value, rel=1e-12)
        assert progress.gap == gap
        assert value - lowest <= gap * value * (1 + 1e-9) + 1e-13 * value
        # and it is what strong convexity says, not just anything large
        gradient, _ = chains.derivatives(weights, 1.0, C, etas=etas)
        assert gap == pytest.approx(0.5 * np.sum(gradient**2 / etas) / value, rel=1e-6, abs=1e-15)
    assert seen[-1][2] < 1e-6 < seen[0][2]


def test_the_objective_never_rises():
    chains = TinyChains.random(3)
    history = LBFGS(tol=1e-14).minimize(chains.seen_by(Objective, LogLoss(), C=50.0)).history
    objectives = [record["objective"] for record in history]
    assert all(b <= a * (1 + 1e-13) for a, b in pairwise(objectives))


def test_stops_at_tol_and_not_before():
    chains = TinyChains.random(4)
    solution = LBFGS(tol=1e-4).minimize(chains.seen_by(Objective, LogLoss(), C=5.0))
    gaps = [record["gap"] for record in solution.history]
    assert solution.converged
    assert gaps[-1] <= 1e-4 < min(gaps[:-1])
    assert solution.gap == gaps[-1]


@pytest.mark.parametrize("penalty", [0.0, {"edges": 0.0}, {"nodes": 0.0}])
def test_without_a_penalty_there_is_no_gap_and_the_decrease_decides(penalty):
    chains = TinyChains.random(5)
    other = TinyChains(chains.X, [1 - y for y in chains.y], 2)  # no weights are right about both
    chains = TinyChains(chains.X + other.X + chains.X, chains.y + other.y + chains.y, 2)
    objective = chains.seen_by(Objective, LogLoss(), C=1.0, penalty=penalty)
    solution = LBFGS(tol=1e-3, max_iter=500).minimize(objective)
    assert np.isnan(solution.gap)
    assert all(np.isnan(record["gap"]) for record in solution.history)
    assert solution.converged
    values = [record["objective"] for record in solution.history]
    for last in range(5, len(values)):
        slow = values[last - 5] - values[last] <= 1e-3 * abs(values[last])
        assert slow == (last == len(values) - 1)


def test_a_group_without_weights_needs_no_penalty():
    chains = TinyChains.random(6)
    batch = chains.batch()
    model = mg.scores.ScoreModel.lay_out(batch, {"nodes": mg.scores.Linear(), "edges": mg.scores.Zero()})
    objective = Objective(
        model.bind(batch), chains.labels, LogLoss(), mg.inference.Forest(), penalty={"nodes": 1.0, "edges": 0.0}
    )
    solution = LBFGS(tol=1e-6).minimize(objective)
    assert 0 <= solution.gap <= 1e-6


@pytest.mark.parametrize("memory", [1, 2, 50])
def test_memory_changes_the_way_and_not_the_end(memory):
    chains = TinyChains.random(7)
    objective = chains.seen_by(Objective, LogLoss(), C=10.0)
    solution = LBFGS(memory=memory, tol=1e-16, max_iter=2000).minimize(objective)
    assert np.allclose(solution.weights, optimum(chains, 1.0, 10.0).x, atol=1e-6)


def test_starts_where_it_is_told():
    chains = TinyChains.random(8)
    objective = chains.seen_by(Objective, LogLoss(), C=5.0)
    best = EXACT.minimize(objective).weights
    start = best.copy()
    again = LBFGS(tol=1e-6).minimize(objective, start)
    assert len(again.history) == 1
    assert np.array_equal(start, best)  # and leaves it as it was
    assert np.allclose(again.weights, best, atol=1e-6)


def test_where_nothing_lower_can_be_told_apart_it_stops_and_says_so():
    solution = LBFGS(tol=0.0).minimize(TinyChains.random(9).seen_by(Objective, LogLoss()))
    assert solution.stopped_by == "precision"
    assert not solution.converged
    assert 0 < solution.gap < 1e-12


def test_the_hinge_is_refused():
    with pytest.raises(ValueError, match="LBFGS takes smooth losses, not Hinge: use FrankWolfe, or SmoothedHinge"):
        LBFGS().minimize(TinyChains.random(0).seen_by(Objective, Hinge()))


@pytest.mark.filterwarnings("ignore:ChainCRF stopped after")  # what is left of the gap is beyond rounding
def test_features_of_a_billion_are_no_obstacle():
    rng = np.random.default_rng(0)
    X = [1e9 * rng.normal(size=(6, 1)) for _ in range(10)]
    y = [(x[:, 0] > 0).astype(int) for x in X]
    model = mg.ChainCRF(tol=1e-2).fit(X, y)
    assert model.score(X, y) == 1.0
