import numpy as np
import pytest
from sklearn.base import clone

import margrave as mg
from tests.estimators.by_enumeration import ByEnumeration, sequences

X, Y = sequences()


def test_a_chain_crf_is_a_sequence_classifier_with_log_loss():
    one = mg.ChainCRF(2.0, penalty={"edges": 0.5}, boundary=True, tol=1e-6).fit(X, Y)
    other = mg.SequenceClassifier(
        mg.losses.LogLoss(), 2.0, penalty={"edges": 0.5}, structure=mg.Sequence(boundary=True), tol=1e-6
    ).fit(X, Y)
    assert np.array_equal(one.weights_, other.weights_)


def test_a_chain_m3n_is_a_sequence_classifier_with_the_hinge():
    one = mg.ChainM3N(0.2, tol=1e-2, random_state=3).fit(X, Y)
    other = mg.SequenceClassifier("hinge", 0.2, solver="frank_wolfe", tol=1e-2, random_state=3).fit(X, Y)
    assert np.array_equal(one.weights_, other.weights_)


@pytest.mark.parametrize("kind", [mg.ChainCRF, mg.ChainM3N])
def test_parameters_are_those_of_the_constructor(kind):
    model = kind(C=0.3, boundary=True, n_jobs=2, warm_start=True)
    assert model.get_params(deep=False) == {
        "C": 0.3, "penalty": None, "nodes": None, "edges": None, "boundary": True, "solver": None, "tol": None,
        "max_iter": None, "n_jobs": 2, "random_state": None, "verbose": 0, "warm_start": True,
    }  # fmt: skip
    assert clone(model).get_params() == model.get_params()
    assert repr(kind(C=0.3)) == f"{kind.__name__}(C=0.3)"


def test_boundary_weights_score_the_first_and_the_last_label():
    # nothing but the place tells the labels apart
    data = [np.ones((3, 1)), np.ones((4, 1)), np.ones((1, 1))]
    labels = [["B", "I", "E"], ["B", "I", "I", "E"], ["E"]]
    model = mg.ChainCRF(C=20.0, boundary=True, edges="zero").fit(data, labels)
    term = model.model_["boundary"]
    first, last = term.layout.matrix(model.weights_[term.weights])
    names = model.classes_.tolist()
    assert names[np.argmax(first)] == "B"
    assert names[np.argmax(last)] == "E"
    assert [answer.tolist() for answer in model.predict(data)] == labels
    assert mg.ChainCRF(C=20.0, edges="zero").fit(data, labels).score(data, labels) < 1.0


def test_boundary_weights_stand_under_the_penalty_of_edges():
    model = mg.ChainCRF(C=2.0, boundary=True, penalty={"nodes": 1.0, "edges": 0.2}, tol=1e-9).fit(X, Y)
    run = model.model_["boundary"].weights
    losses = -sum(
        ByEnumeration(model, x).log_probability(np.searchsorted(model.classes_, y)) for x, y in zip(X, Y, strict=True)
    )
    n_nodes = 3 * 3 + 3
    w = model.weights_
    assert len(w[run]) == 2 * 3
    objective = 0.5 * np.sum(w[:n_nodes] ** 2) + 0.1 * np.sum(w[n_nodes:] ** 2) + 2.0 * losses
    assert model.history_[-1]["objective"] == pytest.approx(objective, rel=1e-10)


def test_boundary_weights_of_the_hinge():
    model = mg.ChainM3N(C=0.5, boundary=True, tol=1e-2, random_state=0).fit(X, Y)
    assert len(model.weights_) == 9 + 3 + 9 + 6
    for x, labels in zip(X, model.predict(X), strict=True):
        assert labels.tolist() == model.classes_[ByEnumeration(model, x).best()].tolist()


def test_a_larger_C_fits_the_training_data_better():
    losses = [-mg.ChainCRF(C).fit(X, Y).log_proba(X, Y).sum() for C in (0.01, 1.0, 100.0)]
    assert losses == sorted(losses, reverse=True)
    assert losses[0] > losses[2] + 1.0


@pytest.mark.filterwarnings("ignore:y has only one label")
@pytest.mark.parametrize("kind", [mg.ChainCRF, mg.ChainM3N])
def test_where_the_minimum_is_zero_so_is_the_gap(kind):
    model = kind(C=3.0).fit([np.ones((2, 2)), np.ones((3, 2))], [["a", "a"], ["a"] * 3])
    assert model.gap_ == 0.0
