"""Cuts inside joint predictions, judged by enumerating the labellings."""

import itertools

import numpy as np
import pytest

import margrave as mg
from margrave.estimators.directed_inputs import LinearInputs, NoInputs
from margrave.estimators.directed_model import DirectedModel
from margrave.estimators.joint_cuts import JointSearch, LeftOut, with_cuts
from margrave.estimators.label_cuts import TARGETS, candidate_cuts, cyclic_cuts
from margrave.graphs import Dependencies
from margrave.inference import BranchAndBound, DirectedScores
from margrave.metrics import multilabel_scores


def fold(rng, n, K, n_orders=1, parents=True):
    scores = []
    for _ in range(n_orders):
        order = rng.permutation(K)
        d = Dependencies.full(order) if parents else Dependencies.of_parents([[] for _ in order], order)
        scores.append(DirectedScores(d, rng.normal(size=(n, K)), rng.normal(size=d.n_cliques)))
    return LeftOut(scores, np.arange(K), np.ones(K, dtype=np.int8), rng.random((n, K)) < 0.4)


def best_by_enumeration(scores, cuts):
    """The labelling of least mean hinge loss of every example, with z_i = y_i (s_i − cut_i + Σ over parents)."""
    n, K = scores[0].inputs.shape
    best, least = np.zeros((n, K), dtype=int), np.full(n, np.inf)
    for values in itertools.product((-1, 1), repeat=K):
        y, loss = np.array(values), np.zeros(n)
        for order in scores:
            d = order.dependencies
            for place, label in enumerate(d.order):
                weights = order.cliques[d.run(place)]
                z = order.inputs[:, label] - cuts[label]
                for weight, clique in zip(weights, d.cliques(place), strict=True):
                    z = z + weight * np.prod(y[d.order[list(clique)]])
                loss += np.maximum(1.0 - y[label] * z, 0.0)
        better = loss < least - 1e-12
        best[better], least[better] = y, loss[better]
    return best


@pytest.mark.parametrize("n_orders", [1, 3])
def test_joint_predictions_are_searched_with_the_cuts(n_orders):
    rng = np.random.default_rng(n_orders)
    part, cuts = fold(rng, 30, 4, n_orders), rng.normal(size=4)
    found = part.found(cuts, BranchAndBound(), 1)
    np.testing.assert_array_equal(found, best_by_enumeration(part.scores, cuts))
    assert (found != part.found(np.zeros(4), BranchAndBound(), 1)).any()


@pytest.mark.parametrize("target", TARGETS)
def test_the_measure_on_the_examples_left_out_never_falls(target):
    for seed in range(5):
        rng = np.random.default_rng(seed)
        folds = [fold(rng, 15, 3), fold(rng, 10, 3)]
        cuts = JointSearch(folds, target, BranchAndBound(), n_candidates=6, n_rounds=2, n_jobs=1).cuts()
        truth = np.concatenate([part.truth for part in folds])

        def reached(cuts, folds=folds, truth=truth):
            labels = np.concatenate([best_by_enumeration(part.scores, cuts) for part in folds])
            return multilabel_scores(truth, labels > 0)[target]

        assert reached(cuts) > reached(np.zeros(3))  # labels drawn at random: there is always something to gain


@pytest.mark.parametrize("target", TARGETS)
def test_with_enough_candidates_labels_on_their_own_are_cut_as_well_as_exactly(target):
    rng = np.random.default_rng(0)
    part = fold(rng, 12, 1, parents=False)
    values = part.scores[0].inputs
    cuts = JointSearch([part], target, BranchAndBound(), n_candidates=2000, n_rounds=4, n_jobs=1).cuts()
    exact = cyclic_cuts(values, part.truth, target, np.zeros(1))
    a, b = (multilabel_scores(part.truth, values > c)[target] for c in (cuts, exact))
    assert len(candidate_cuts(np.sort(values[:, 0])[::-1])[0]) == 13
    assert a == pytest.approx(b)


def test_a_label_that_the_fold_never_saw_change_stays_as_it_was():
    rng = np.random.default_rng(0)
    d = Dependencies.full([0, 1])
    scores = [DirectedScores(d, rng.normal(size=(5, 2)), rng.normal(size=d.n_cliques))]
    part = LeftOut(scores, np.array([0, 2]), np.array([1, -1, 1], dtype=np.int8), np.zeros((5, 3), dtype=bool))
    found = part.found(np.array([0.0, -9.0, 0.0]), BranchAndBound(), 1)
    assert (found[:, 1] == -1).all()
    np.testing.assert_array_equal(found[:, [0, 2]], best_by_enumeration(scores, np.zeros(2)))
    np.testing.assert_array_equal(part.values(1, found), -np.ones(5))


def test_values_are_scores_with_parents_as_they_are():
    d = Dependencies.full([1, 0])
    scores = [DirectedScores(d, np.array([[0.5, 2.0]]), np.array([-3.0]))]
    part = LeftOut(scores, np.arange(2), np.ones(2, dtype=np.int8), np.ones((1, 2), dtype=bool))
    assert part.values(0, np.array([[1, 1]])).tolist() == [-2.5]
    assert part.values(0, np.array([[1, -1]])).tolist() == [3.5]
    assert part.values(1, np.array([[1, -1]])).tolist() == [2.0]


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"n_orders": 3, "random_state": 0},
        {"kernel": "rbf"},
        {"kernel": "rbf", "n_components": 10, "random_state": 0},
        {"kernel": "rbf", "kernel_on": "x+parents"},
        {"clique_features": [0]},
    ],
)
def test_a_model_with_cuts_scores_less_by_them(parameters):
    rng = np.random.default_rng(0)
    X, Y = rng.random((40, 3)), rng.integers(0, 2, (40, 3))
    model = mg.LMSBNClassifier(**parameters).fit(X, Y).model_
    cuts = np.array([0.5, -1.0, 0.0])
    for before, after in zip(model.scores(X), with_cuts(model, cuts).scores(X), strict=True):
        np.testing.assert_allclose(after.inputs, before.inputs - cuts, atol=1e-12)
        np.testing.assert_allclose(after.cliques, before.cliques, atol=1e-12)


def test_cuts_leave_the_model_itself_alone_and_need_features():
    d = (Dependencies.full([0]),)
    inputs = LinearInputs(np.ones((1, 1, 2)))
    with_cuts(DirectedModel(d, inputs, (np.zeros((0, 1)),), False), np.ones(1))
    assert (inputs.weights == 1).all()
    with pytest.raises(TypeError, match="NoInputs has no scores of features"):
        with_cuts(DirectedModel(d, NoInputs(np.ones((1, 1))), (np.zeros((0, 1)),), False), np.ones(1))
