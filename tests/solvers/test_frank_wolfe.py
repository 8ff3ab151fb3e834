import numpy as np
import pytest

from margrave.losses import Hinge, LogLoss, SmoothedHinge
from margrave.solvers import LBFGS, DualObjective, FrankWolfe, Objective
from tests.solvers.structural_svm import solve
from tests.solvers.tiny_chains import TinyChains

TOL = 1e-4


def tight(**options):
    return FrankWolfe(tol=TOL, max_iter=20_000, random_state=0, check_every=50, **options)


@pytest.mark.parametrize("C", [0.1, 2.0])
@pytest.mark.parametrize("options", [{}, {"steps": 3}, {"average": False}], ids=str)
def test_the_same_optimum_as_a_general_solvers(C, options):
    chains = TinyChains.random(1)
    truth = solve(chains, C)
    solution = tight(**options).minimize(chains.seen_by(DualObjective, Hinge(), C=C))
    primal = chains.objective(solution.weights, 0.0, C, costly=True)
    assert solution.converged
    assert truth.value * (1 - 1e-8) <= primal <= truth.value * (1 + 2 * TOL)
    # ½‖w − w*‖² is at most the distance of the primal from its minimum
    assert 0.5 * np.sum((solution.weights - truth.weights) ** 2) <= 2 * TOL * truth.value
    assert primal * (1 - solution.gap) <= truth.value * (1 + 1e-8)


def test_costs_weights_and_penalties():
    chains, cost, s = TinyChains.random(2), [[0, 2], [0.5, 0]], np.array([1.0, 2.0, 0.0, 0.5])
    truth = solve(chains, 0.7, chains.etas(1.0, 0.1), s, cost)
    options = {"C": 0.7, "penalty": {"nodes": 1.0, "edges": 0.1}, "sample_weight": s}
    solution = tight().minimize(chains.seen_by(DualObjective, Hinge(cost), **options))
    assert solution.history[-1]["objective"] == pytest.approx(truth.value, rel=3 * TOL)
    assert np.allclose(solution.weights, truth.weights, atol=0.02)


def test_three_states():
    chains = TinyChains.random(3, lengths=(2, 1, 3), n_states=3)
    truth = solve(chains, 1.0)
    solution = tight().minimize(chains.seen_by(DualObjective, Hinge()))
    assert solution.history[-1]["objective"] == pytest.approx(truth.value, rel=3 * TOL)


def test_the_dual_rises_and_never_passes_the_primal():
    chains = TinyChains.random(4, lengths=(4, 2, 3, 1, 3))
    solver = FrankWolfe(tol=1e-5, max_iter=3000, check_every=1, average=False, random_state=1)
    objective = chains.seen_by(DualObjective, Hinge(), C=0.8)
    history = solver.minimize(objective).history
    duals = np.array([record["dual"] for record in history])
    primals = np.array([record["objective"] for record in history])
    assert (np.diff(duals) >= -1e-12 * primals[0]).all()
    assert (duals <= primals.min() * (1 + 1e-12)).all()
    assert np.allclose([record["gap"] for record in history], (primals - duals) / primals)


def test_the_average_and_the_last_are_both_looked_at():
    chains = TinyChains.random(5, lengths=(4, 3, 3, 4))
    gaps = {}
    for average in (False, True):
        objective = chains.seen_by(DualObjective, Hinge(), C=3.0)
        solver = FrankWolfe(tol=0.0, max_iter=60, check_every=60, average=average, random_state=0)
        gaps[average] = solver.minimize(objective).gap
    assert gaps[True] <= gaps[False]


def averaged(chains, n_passes, C):
    """Passes one by one, each pass's weights as stopping there gives them, averaged with weight k for pass k."""
    passes = []
    for n in range(1, n_passes + 1):
        solver = FrankWolfe(tol=0.0, max_iter=n, check_every=n, average=False, random_state=3)
        passes.append(solver.minimize(chains.seen_by(DualObjective, Hinge(), C=C)).weights)
    return np.average(passes, axis=0, weights=np.arange(1, n_passes + 1))


def test_later_passes_weigh_more_in_the_average():
    chains = TinyChains.random(6)
    run = FrankWolfe(tol=0.0, max_iter=4, check_every=4, random_state=3).begin(
        chains.seen_by(DualObjective, Hinge(), C=2.0), None
    )
    run.advance(4)
    assert np.allclose(run._mean_weights, averaged(chains, 4, 2.0), atol=1e-12)
    assert np.allclose(run._objective.weights_of(run._mean_duals), run._mean_weights, atol=1e-12)


def test_several_steps_per_visit_raise_the_dual_further():
    chains = TinyChains.random(7, lengths=(4, 4, 3))
    duals = []
    for steps in (1, 5):
        solver = FrankWolfe(tol=0.0, max_iter=3, check_every=3, steps=steps, average=False, random_state=0)
        duals.append(solver.minimize(chains.seen_by(DualObjective, Hinge(), C=1.0)).history[-1]["dual"])
    assert duals[1] > duals[0]


def test_a_step_is_exactly_the_best():
    """Along the direction of the first visit, no other step gives a larger dual."""
    chains = TinyChains.random(8, lengths=(3,))
    objective = chains.seen_by(DualObjective, Hinge(), C=0.3)
    solver = FrankWolfe(max_iter=1, check_every=1, average=False)
    taken = solver.minimize(objective).history[-1]["dual"]
    labels = objective.answer(np.zeros(objective.n_weights), 0).labels[:3].copy()
    direction = chains.joint_features(0, chains.y[0]) - chains.joint_features(0, labels)
    cost = sum(labels != chains.y[0])
    others = [0.3 * step * cost - 0.5 * np.sum((0.3 * step * direction) ** 2) for step in np.linspace(0, 1, 1001)]
    assert taken >= max(others)
    assert taken == pytest.approx(max(others), rel=1e-4)


def test_weights_repeat_examples():
    chains = TinyChains.random(9)
    s = np.array([2, 1, 0, 3])
    repeated = TinyChains(
        [x for x, n in zip(chains.X, s, strict=True) for _ in range(n)],
        [y for y, n in zip(chains.y, s, strict=True) for _ in range(n)],
        2,
    )
    one = tight().minimize(chains.seen_by(DualObjective, Hinge(), C=0.5, sample_weight=s.astype(float)))
    other = tight().minimize(repeated.seen_by(DualObjective, Hinge(), C=0.5))
    assert one.history[-1]["objective"] == pytest.approx(other.history[-1]["objective"], rel=3 * TOL)


def test_the_same_seed_the_same_way():
    chains = TinyChains.random(10, lengths=(3, 2, 3, 4, 1))

    def solved(seed):
        solver = FrankWolfe(tol=0.0, max_iter=7, random_state=seed)
        return solver.minimize(chains.seen_by(DualObjective, Hinge(), C=2.0)).weights

    assert np.array_equal(solved(1), solved(1))
    assert not np.array_equal(solved(1), solved(2))


def test_a_warm_start_goes_another_way_to_the_same_end():
    chains = TinyChains.random(11, lengths=(4, 3, 4, 2))
    start = tight().minimize(chains.seen_by(DualObjective, Hinge(), C=1.0)).weights
    given = start.copy()

    def solved(solver, weights):
        return solver.minimize(chains.seen_by(DualObjective, Hinge(), C=1.0), weights)

    one_pass = FrankWolfe(tol=0.0, max_iter=1, check_every=1, average=False, random_state=0)
    assert not np.array_equal(solved(one_pass, given).weights, solved(one_pass, None).weights)
    solution = solved(tight(), given)
    assert solution.history[-1]["objective"] == pytest.approx(solve(chains, 1.0).value, rel=3 * TOL)
    assert np.array_equal(given, start)


def test_examples_without_positions_or_weight():
    chains = TinyChains.random(12, lengths=(3, 0, 2, 0))
    truth = solve(chains, 1.0)
    solution = tight().minimize(chains.seen_by(DualObjective, Hinge()))
    assert solution.history[-1]["objective"] == pytest.approx(truth.value, rel=3 * TOL)


@pytest.mark.parametrize("loss", [LogLoss(), SmoothedHinge()])
def test_smooth_losses_are_refused(loss):
    with pytest.raises(ValueError, match=f"FrankWolfe takes the hinge, not {type(loss).__name__}: use LBFGS"):
        FrankWolfe().minimize(TinyChains.random(0).seen_by(DualObjective, loss))


@pytest.mark.parametrize("penalty", [0.0, {"edges": 0.0}])
def test_weights_without_a_penalty_are_refused(penalty):
    objective = TinyChains.random(0).seen_by(DualObjective, Hinge(), penalty=penalty)
    with pytest.raises(ValueError, match="FrankWolfe needs a penalty above 0 on all weights"):
        FrankWolfe().minimize(objective)


def test_what_it_needs_to_see():
    assert FrankWolfe.objective_type is DualObjective
    assert LBFGS.objective_type is Objective
