from itertools import combinations, product

import numpy as np
import pytest
from scipy import sparse

from margrave.estimators.directed_inputs import JointKernelInputs, KernelInputs, LandmarkInputs, LinearInputs, NoInputs
from margrave.estimators.directed_model import DirectedModel, clique_table, total_losses
from margrave.graphs import Dependencies
from margrave.scores import Kernel


def rng_of(seed=0):
    return np.random.default_rng(seed)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array, sparse.csr_matrix])
def test_linear_scores(form):
    rng = rng_of()
    weights, X = rng.normal(size=(2, 3, 5)), rng.normal(size=(6, 4))
    scores = LinearInputs(weights).scores(form(X), 1)
    for m, i, k in product(range(2), range(6), range(3)):
        assert scores[m, i, k] == pytest.approx(weights[m, k, :4] @ X[i] + weights[m, k, 4])


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_kernel_scores(form):
    rng = rng_of()
    support, X, coefficients = rng.random((5, 3)), rng.random((4, 3)), rng.normal(size=(2, 3, 6))
    scores = KernelInputs(Kernel("rbf", gamma=0.8), support, np.arange(5), coefficients).scores(form(X), 2)
    for m, i, k in product(range(2), range(4), range(3)):
        products = [np.exp(-0.8 * ((X[i] - row) ** 2).sum()) for row in support]
        assert scores[m, i, k] == pytest.approx(coefficients[m, k, :5] @ products + coefficients[m, k, 5])


def test_no_labels_have_no_scores():
    for form in (np.asarray, sparse.csr_array):
        assert LinearInputs(np.zeros((2, 0, 5))).scores(form(np.ones((6, 4))), 1).shape == (2, 6, 0)
    assert LinearInputs(np.zeros((2, 3, 5))).scores(np.ones((0, 4)), 1).shape == (2, 0, 3)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_precomputed_products_of_the_rows_that_count(form):
    rng = rng_of()
    coefficients, X = rng.normal(size=(1, 2, 3)), rng.normal(size=(4, 9))
    scores = KernelInputs(Kernel("precomputed"), None, np.array([7, 2]), coefficients).scores(form(X), 1)
    assert scores[0] == pytest.approx(X[:, [7, 2]] @ coefficients[0, :, :2].T + coefficients[0, :, 2])


def test_landmarks():
    rng = rng_of()
    landmarks, X, transform = rng.random((3, 2)), rng.random((5, 2)), rng.normal(size=(3, 3))
    weights = rng.normal(size=(1, 2, 4))
    model = LandmarkInputs(Kernel("rbf", gamma=1.0), landmarks, transform, LinearInputs(weights))
    gram = np.exp(-((X[:, None] - landmarks) ** 2).sum(axis=2))
    assert model.scores(X, 1)[0] == pytest.approx(gram @ transform @ weights[0, :, :3].T + weights[0, :, 3])


def test_biases_of_labels_alone():
    assert NoInputs(np.array([[1.0, 2.0]])).scores(3, 1).tolist() == [[[1.0, 2.0]] * 3]


@pytest.mark.parametrize("kernel", [Kernel("rbf", gamma=0.5), Kernel("poly", gamma=0.3), Kernel("chi2", gamma=0.2)])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_a_kernel_of_features_and_parents_is_a_polynomial_in_their_signs(kernel, form):
    """At every labelling the score is Σ of coefficient · k([x, parents], [support row, its parents])."""
    rng, K = rng_of(), 4
    support, X = rng.random((6, 3)), rng.random((5, 3))
    values, coefficients = rng.choice([-1, 1], size=(6, K)), rng.normal(size=(2, K, 7))
    orders = [np.array([2, 0, 3, 1]), np.array([0, 1, 2, 3])]
    dependencies = tuple(Dependencies.full(order, K) for order in orders)
    inputs = JointKernelInputs(kernel, support, values, coefficients)
    model = DirectedModel(dependencies, inputs, (np.empty((0, 1)),) * 2, False)
    for m, (scores, order) in enumerate(zip(model.scores(form(X)), orders, strict=True)):
        for labels in product((-1, 1), repeat=K):
            y = np.array(labels)
            z = scores.margins(np.tile(y, (5, 1)))
            for place, label in enumerate(order):
                parents = order[:place]
                rows = np.concatenate([X, np.tile(y[parents] > 0, (5, 1))], axis=1)
                others = np.concatenate([support, values[:, parents] > 0], axis=1)
                score = kernel.matrix(rows, others) @ coefficients[m, label, :6] + coefficients[m, label, 6]
                assert z[:, label] == pytest.approx(y[label] * score)


def test_weights_of_cliques_that_depend_on_features():
    rng = rng_of()
    d = Dependencies.full([1, 2, 0], 3)
    weights, linear, X = rng.normal(size=(d.n_cliques, 3)), rng.normal(size=(1, 3, 5)), rng.normal(size=(6, 4))
    model = DirectedModel((d,), LinearInputs(linear), (weights,), False, [3, 0])
    (scores,) = model.scores(X)
    assert scores.cliques == pytest.approx(weights[:, 0] + X[:, [3, 0]] @ weights[:, 1:].T)
    plain = DirectedModel((d,), LinearInputs(linear), (weights[:, :1],), False)
    assert plain.scores(X)[0].cliques == pytest.approx(weights[:, 0])
    assert model.n_labels == 3


def test_clique_tables():
    X = np.arange(12.0).reshape(3, 4)
    assert clique_table(None, X) is None
    assert clique_table([2, 0], X).tolist() == X[:, [2, 0]].tolist()
    assert clique_table(2, X).tolist() == X[:, [2]].tolist()
    assert clique_table([2, 0], sparse.csr_array(X)).tolist() == X[:, [2, 0]].tolist()
    assert clique_table(lambda x: x[:, :1] ** 2, X).tolist() == (X[:, :1] ** 2).tolist()
    for wrong in (lambda x: x[:2], lambda x: x[:, 0]):
        with pytest.raises(ValueError, match="clique_features must give a row for each of the 3 examples"):
            clique_table(wrong, X)
    with pytest.raises(ValueError, match="clique_features gives NaN or infinity"):
        clique_table(lambda x: x + np.nan, X)


def test_the_loss_of_several_orders_is_their_mean():
    rng = rng_of()
    d = tuple(Dependencies.full(order) for order in ([0, 1, 2], [2, 1, 0]))
    weights, linear = [rng.normal(size=(3, 1)) for _ in d], LinearInputs(rng.normal(size=(2, 3, 3)))
    X, labels = rng.normal(size=(4, 2)), rng.choice([-1, 1], size=(4, 3))
    scores = DirectedModel(d, linear, tuple(weights), True).scores(X)
    inputs = linear.scores(X, 1)
    wanted = np.zeros(4)
    for m, order in enumerate(([0, 1, 2], [2, 1, 0])):
        pairs = list(combinations(range(3), 2))
        w = dict(zip([(0, 1), (0, 2), (1, 2)], weights[m][:, 0], strict=True))
        for i in range(4):
            z = [inputs[m, i, label] for label in order]
            for a, b in pairs:
                z[b] += w[a, b] * labels[i, order[a]]
            wanted[i] += sum(np.log1p(np.exp(-labels[i, order[p]] * z[p])) for p in range(3)) / 2
    assert total_losses(scores, labels) == pytest.approx(wanted)
