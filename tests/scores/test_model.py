import numpy as np
import pytest
from scipy import sparse

import margrave as mg
from margrave.scores import Constant, Linear, ScoreModel, Sum, Zero
from tests.scores.explicit import Explicit

K = 2


def batch_of(x, lengths, boundary=False):
    return mg.Sequence(boundary=boundary).build(mg.Sequences(x, lengths), n_states=K)


def model_of(batch, nodes=None, edges=None):
    scorers = {"nodes": nodes or Linear(), "edges": edges or Constant(), "boundary": Linear(bias=False)}
    return ScoreModel.lay_out(batch, scorers)


@pytest.fixture
def x():
    return np.random.default_rng(1).normal(size=(6, 3))


def theta_by_hand(x, lengths, weights, boundary):
    """Transitions, then the scores of each position's states."""
    slopes, biases, rest = weights[: 3 * K].reshape(3, K), weights[3 * K : 4 * K], weights[4 * K :]
    nodes = x @ slopes + biases
    if boundary:
        begin, end = rest[K * K :].reshape(2, K)
        ends = np.cumsum(lengths)
        for length, stop in zip(lengths, ends, strict=True):
            if length:
                nodes[stop - length] += begin
                nodes[stop - 1] += end
    return np.concatenate([rest[: K * K], nodes.ravel()])


@pytest.mark.parametrize("boundary", [False, True])
@pytest.mark.parametrize("lengths", [[3, 1, 2], [0, 5, 1], [6]])
def test_scores_of_a_whole_batch(x, lengths, boundary):
    batch = batch_of(x, lengths, boundary)
    model = model_of(batch)
    weights = np.random.default_rng(2).normal(size=model.n_weights)
    theta = np.full(batch.graph.n_entries, np.nan)  # everything is written
    model.bind(batch).scores(weights, theta)
    assert np.allclose(theta, theta_by_hand(x, lengths, weights, boundary), rtol=1e-13)


def test_scores_of_some_examples_leave_the_others_alone(x):
    batch = batch_of(x, [2, 1, 3], boundary=True)
    model = model_of(batch)
    weights = np.random.default_rng(3).normal(size=model.n_weights)
    theta = np.full(batch.graph.n_entries, np.nan)
    model.bind(batch).scores(weights, theta, slice(1, 3))
    whole = theta_by_hand(x, [2, 1, 3], weights, True)
    assert np.isnan(theta[4:8]).all()
    assert np.allclose(np.delete(theta, slice(4, 8)), np.delete(whole, slice(4, 8)))


@pytest.mark.parametrize("examples", [slice(None), slice(0, 2), slice(2, 3), slice(1, 1)], ids=str)
def test_pullback_is_adjoint(x, examples):
    batch = batch_of(x, [2, 1, 3], boundary=True)
    bound = model_of(batch).bind(batch)
    rng = np.random.default_rng(4)
    weights, counts = rng.normal(size=bound.n_weights), rng.normal(size=batch.graph.n_entries)
    theta, pulled = np.zeros(batch.graph.n_entries), np.zeros(bound.n_weights)
    bound.scores(weights, theta, examples)  # zero where the other examples are
    bound.add_pullback(counts, pulled, examples, scale=2.0)
    assert np.isclose(2.0 * (theta @ counts), weights @ pulled)


def test_observed_weights_are_those_of_the_true_labels(x):
    features = sparse.csr_array(np.abs(x) > 0.5)
    batch = batch_of(features, [2, 1, 3])
    labels = np.array([0, 1, 1, 1, 1, 0], dtype=np.int32)
    scorers = {"nodes": Linear(), "edges": Constant()}
    model = ScoreModel.lay_out(batch, scorers, lambda: batch.graph.counts(labels), "observed")
    explicit = Explicit.of(features, K, False, list(enumerate(labels)))
    assert np.array_equal(model["nodes"].layout.matrix(np.ones(explicit.n_weights)), explicit.mask * 1.0)
    # neighbours inside sequences: 0-1; none; 1-1, 1-0
    assert model["edges"].layout.matrix(np.ones(3)).tolist() == [[0, 1, 1, 1]]


def test_labels_are_counted_only_if_someone_asks(x):
    def counts():
        raise AssertionError("nobody needs them")

    model = ScoreModel.lay_out(batch_of(x, [6]), {"nodes": Linear(), "edges": Constant()}, counts, "all")
    assert model.n_weights == 4 * K + K * K


def test_weights_mean_the_same():
    x = np.eye(3)
    one, other = batch_of(x, [3]), batch_of(x[:2], [1, 1])
    assert model_of(one).same_as(model_of(other))
    assert model_of(one, nodes=Sum([Linear()])).same_as(model_of(other, nodes=Sum([Linear()])))
    assert not model_of(one).same_as(model_of(other, nodes=Linear(bias=False)))
    assert not model_of(one).same_as(model_of(other, edges=Zero()))
    assert not model_of(one).same_as(model_of(batch_of(np.eye(4), [4])))
    assert not model_of(one).same_as(model_of(batch_of(x, [3], boundary=True)))
    assert not model_of(one, nodes=Sum([Linear()])).same_as(model_of(other, nodes=Sum([Linear(), Constant()])))


def test_observed_weights_mean_the_same_only_if_they_are_the_same():
    features = sparse.csr_array(np.eye(2))
    batch = batch_of(features, [2])

    def model(labels):
        counts = batch.graph.counts(np.array(labels, dtype=np.int32))
        return ScoreModel.lay_out(batch, {"nodes": Linear(), "edges": Constant()}, lambda: counts, "observed")

    assert model([0, 1]).same_as(model([0, 1]))
    assert not model([0, 1]).same_as(model([1, 0]))
