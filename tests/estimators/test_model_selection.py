"""With scikit-learn's tools: lists of lists and lists of arrays go through all of them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.model_selection import GridSearchCV, KFold, cross_val_predict, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import margrave as mg
from margrave.features import PerRow
from tests.estimators.by_enumeration import sequences

X, Y = sequences(3, lengths=(3, 1, 4, 2, 3, 2, 4, 3))
FOLDS = KFold(2)
TOKENS = [[{"a": float(row[0]), "b": float(row[1])} for row in x] for x in X]
FORMS = {
    "arrays": (X, Y),
    "lists": ([x.tolist() for x in X], [y.tolist() for y in Y]),
    "sparse": ([sparse.csr_array(x) for x in X], Y),
    "tokens": (TOKENS, [y.tolist() for y in Y]),
    "tuples": (tuple(X), tuple(Y)),
}


def split_by_hand(data, labels):
    for train, test in FOLDS.split(data):
        parts = [[whole[i] for i in which] for which in (train, test) for whole in (data, labels)]
        yield parts


@pytest.mark.parametrize("form", FORMS)
def test_cross_validation(form):
    data, labels = FORMS[form]
    scores = cross_val_score(mg.ChainCRF(), data, labels, cv=FOLDS)
    expected = [
        mg.ChainCRF().fit(train, y_train).score(test, y_test)
        for train, y_train, test, y_test in split_by_hand(data, labels)
    ]
    assert scores.tolist() == expected


@pytest.mark.parametrize("form", FORMS)
def test_grid_search_over_C(form):
    data, labels = FORMS[form]
    search = GridSearchCV(mg.SequenceClassifier(), {"C": [1e-4, 1.0, 10.0]}, cv=FOLDS).fit(data, labels)
    expected = [cross_val_score(mg.SequenceClassifier(C=C), data, labels, cv=FOLDS).mean() for C in (1e-4, 1.0, 10.0)]
    assert search.cv_results_["mean_test_score"].tolist() == pytest.approx(expected)
    assert search.best_params_["C"] == [1e-4, 1.0, 10.0][int(np.argmax(expected))]
    best = mg.SequenceClassifier(**search.best_params_).fit(data, labels)
    assert all(map(np.array_equal, search.predict(data), best.predict(data)))


@pytest.mark.parametrize("form", ["arrays", "lists", "sparse"])
def test_a_pipeline_that_scales_rows(form):
    data, labels = FORMS[form]
    scaler = StandardScaler(with_mean=form != "sparse")
    model = make_pipeline(PerRow(scaler), mg.ChainCRF()).fit(data, labels)
    rows = np.concatenate(X)
    mean = rows.mean(axis=0) if form != "sparse" else 0.0
    by_hand = [(x - mean) / rows.std(axis=0) for x in X]
    by_hand = [sparse.csr_array(x) for x in by_hand] if form == "sparse" else by_hand
    alone = mg.ChainCRF().fit(by_hand, labels)
    assert np.allclose(model[-1].weights_, alone.weights_, atol=1e-8)
    assert model.score(data, labels) == alone.score(by_hand, labels)
    assert all(map(np.array_equal, model.predict(data), alone.predict(by_hand)))


@pytest.mark.parametrize("form", ["arrays", "lists"])
def test_a_grid_over_a_pipeline(form):
    data, labels = FORMS[form]
    pipeline = make_pipeline(PerRow(StandardScaler()), mg.SequenceClassifier())
    grid = {"sequenceclassifier__C": [0.1, 1.0], "perrow__transformer__with_mean": [True, False]}
    search = GridSearchCV(pipeline, grid, cv=FOLDS).fit(data, labels)
    assert len(search.cv_results_["params"]) == 4
    assert 0 < search.score(data, labels) <= 1
    assert not np.isnan(search.cv_results_["mean_test_score"]).any()


def test_a_grid_over_parameters_of_parameters():
    model = mg.SequenceClassifier(loss=mg.losses.SmoothedHinge(), nodes=mg.scores.Linear())
    grid = {"loss__epsilon": [0.1, 1.0], "nodes__bias": [True, False], "penalty": [None, {"edges": 0.1}]}
    search = GridSearchCV(model, grid, cv=FOLDS).fit(X, Y)
    assert len(search.cv_results_["params"]) == 8


def test_encoded_sequences_go_through_as_well():
    encoded = mg.ChainCRF().encode(TOKENS)
    scores = cross_val_score(mg.ChainCRF(nodes=mg.scores.Linear("all")), encoded, Y, cv=FOLDS)
    assert scores.tolist() == cross_val_score(mg.ChainCRF(nodes=mg.scores.Linear("all")), TOKENS, Y, cv=FOLDS).tolist()


def test_threads_of_a_search():
    search = GridSearchCV(mg.ChainCRF(n_jobs=2), {"C": [0.1, 1.0]}, cv=FOLDS, n_jobs=2)
    import joblib

    with joblib.parallel_backend("threading"):
        search.fit(X, Y)
    alone = GridSearchCV(mg.ChainCRF(), {"C": [0.1, 1.0]}, cv=FOLDS).fit(X, Y)
    assert search.cv_results_["mean_test_score"].tolist() == alone.cv_results_["mean_test_score"].tolist()


def test_predictions_by_cross_validation_need_equal_lengths_only_of_folds():
    cube, labels = np.stack([X[0], X[4], X[7], X[0] + 1]), np.array([Y[0], Y[4], Y[7], Y[0]])
    predicted = cross_val_predict(mg.ChainCRF(), cube, labels, cv=FOLDS)
    assert np.shape(predicted) == (4, 3)
