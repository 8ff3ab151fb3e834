"""All terms as one list of rows: the same scores as the terms themselves give."""

import numpy as np
import pytest
from scipy import sparse

import margrave as mg
from margrave.scores import Constant, Linear, ScoreModel, Sum, Zero, dense
from margrave.scores.listed import add_listed, load_listed

K, LENGTHS = 3, [3, 0, 1, 4]
RNG = np.random.default_rng(0)
DENSE = RNG.normal(size=(8, 5)) * (RNG.random((8, 5)) < 0.7)
FEATURES = {
    "dense": DENSE,
    "float32": DENSE.astype(np.float32),
    "csr": sparse.csr_array(DENSE),
    "binary": sparse.csr_array((DENSE != 0).astype(float)),
    "empty": sparse.csr_array((8, 5)),
}


def bound(features, nodes, edges, boundary):
    batch = mg.Sequence(boundary=boundary).build(mg.Sequences(features, LENGTHS), K)
    labels = RNG.integers(K, size=8).astype(np.int32)
    scorers = {"nodes": nodes, "edges": edges, "boundary": Linear(bias=False)}
    return ScoreModel.lay_out(batch, scorers, lambda: batch.graph.counts(labels)).bind(batch)


@pytest.mark.parametrize("name", FEATURES)
@pytest.mark.parametrize("boundary", [False, True])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("which", ["observed", "all"])
@pytest.mark.parametrize("edges", [Constant(), Constant("observed"), Zero()], ids=repr)
def test_the_same_scores(name, boundary, bias, which, edges):
    model = bound(FEATURES[name], Linear(features=which, bias=bias), edges, boundary)
    weights = RNG.normal(size=model.n_weights)
    expected, found = (np.full(model.graph.n_entries, np.nan) for _ in range(2))
    model.scores(weights, expected)
    load_listed(model.listed, np.array([2, 0, 3, 1]), weights, found)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("name", FEATURES)
@pytest.mark.parametrize("which", ["observed", "all"])
def test_the_same_pull_back(name, which):
    model = bound(FEATURES[name], Linear(features=which, bias=True), Constant(), True)
    gradient = RNG.normal(size=model.graph.n_entries)
    expected, found = np.ones(model.n_weights), np.ones(model.n_weights)
    model.add_pullback(gradient, expected, scale=0.5)
    add_listed(model.listed, np.array([2, 0, 3, 1]), gradient, 0.5, found)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)


def test_examples_not_asked_for_are_left_alone():
    model = bound(DENSE, Linear(), Constant(), True)
    theta = np.full(model.graph.n_entries, np.nan)
    load_listed(model.listed, np.array([3]), np.ones(model.n_weights), theta)
    own = np.zeros(len(theta), dtype=bool)
    own[: model.graph.n_shared] = own[model.graph.local(3).own[0]] = True
    np.testing.assert_array_equal(np.isnan(theta), ~own)


def test_a_sum_of_scorers_is_not_listed():
    assert bound(DENSE, Sum([Linear(bias=False), Linear()]), Constant(), False).listed is None


def test_large_dense_features_are_not_listed(monkeypatch):
    monkeypatch.setattr(dense, "_SMALL", 39)
    assert bound(DENSE, Linear(), Constant(), False).listed is None
    monkeypatch.setattr(dense, "_SMALL", 40)
    assert bound(DENSE, Linear(), Constant(), False).listed is not None
