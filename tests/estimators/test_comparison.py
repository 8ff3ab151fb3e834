"""Comparisons: each row judged by fitting and measuring the model by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import accuracy_score, f1_score, hamming_loss
from sklearn.multiclass import OneVsRestClassifier
from sklearn.multioutput import ClassifierChain, MultiOutputClassifier
from sklearn.svm import LinearSVC

import margrave as mg
from margrave.estimators import Comparison, compare
from margrave.estimators.comparison import as_labels
from margrave.inference import BranchAndBound


@pytest.fixture(scope="module")
def parts():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 5))
    Y = (X[:, :4] + X[:, 1:5] + rng.normal(size=(120, 4)) > 0.5).astype(int)
    return X[:80], Y[:80], X[80:], Y[80:]


def test_models_of_scikit_learn_and_ours_stand_in_one_table(parts):
    X, Y, X_test, Y_test = parts
    models = {
        "one against the rest": OneVsRestClassifier(LinearSVC(random_state=0)),
        "one per label": MultiOutputClassifier(LinearSVC(random_state=0)),
        "chain": ClassifierChain(LinearSVC(random_state=0)),
        "forest": RandomForestClassifier(10, random_state=0),
        "cut": mg.ThresholdTunedClassifier(random_state=0),
        "cut outside": mg.ThresholdTunedClassifier(OneVsRestClassifier(LinearSVC(random_state=0)), random_state=0),
        "joint": mg.LMSBNClassifier(random_state=0),
    }
    found = compare(models, *parts)
    assert [row["model"] for row in found.rows] == list(models)
    for row, model in zip(found.rows, models.values(), strict=True):
        labels = model.fit(X, Y).predict(X_test)
        assert row["exact_match"] == pytest.approx(accuracy_score(Y_test, labels))
        assert row["hamming_loss"] == pytest.approx(hamming_loss(Y_test, labels))
        for average in ("samples", "macro", "micro"):
            assert row[f"f1_{average}"] == pytest.approx(f1_score(Y_test, labels, average=average, zero_division=0))
        assert row["fit_seconds"] > 0
        assert row["predict_seconds"] > 0
    assert [row["certified"] for row in found.rows] == [None, None, None, None, 1.0, None, 1.0]


def test_the_given_models_stay_as_they_were(parts):
    model = mg.LMSBNClassifier()
    compare([model], *parts)
    assert not hasattr(model, "model_")


def test_models_without_names_are_called_by_their_classes(parts):
    found = compare([mg.LMSBNClassifier(), mg.LMSBNClassifier(parents="none"), RandomForestClassifier(2)], *parts)
    names = [row["model"] for row in found.rows]
    assert names == ["LMSBNClassifier 1", "LMSBNClassifier 2", "RandomForestClassifier"]


class Memory(BaseEstimator):
    """Says what it was told, in some form."""

    def __init__(self, form=None, labels=None):
        self.form = form
        self.labels = labels

    def fit(self, X, y):
        self.y_ = y
        return self

    def predict(self, X):
        return self.form(self.labels)


@pytest.mark.parametrize(
    "form",
    [
        np.asarray,
        np.ndarray.tolist,
        sparse.csr_matrix,
        sparse.coo_array,
        pd.DataFrame,
        lambda Y: Y.astype(float),
        lambda Y: Y > 0,
        lambda Y: list(map(list, Y)),
    ],
)
def test_predictions_come_in_many_forms(parts, form):
    found = compare({"memory": Memory(form, parts[3])}, *parts)
    assert found.rows[0]["exact_match"] == 1.0


def test_labels_of_any_two_values_are_ones_and_zeros_to_models(parts):
    X, Y, X_test, Y_test = parts
    names = np.array(["off", "on"])
    plain, named = (
        compare([mg.LMSBNClassifier(random_state=0)], X, a, X_test, b).rows[0]
        for a, b in ((Y, Y_test), (names[Y], names[Y_test]))
    )
    assert {k: v for k, v in plain.items() if "seconds" not in k} == {
        k: v for k, v in named.items() if "seconds" not in k
    }
    one = compare([LinearSVC(random_state=0)], X, names[Y[:, 0]], X_test, names[Y_test[:, 0]]).rows[0]
    labels = LinearSVC(random_state=0).fit(X, Y[:, 0]).predict(X_test)
    assert one["exact_match"] == pytest.approx(np.mean(labels == Y_test[:, 0]))


def test_the_greedy_chain_is_the_first_path_of_the_search(parts):
    X, Y, X_test, Y_test = parts
    chain = mg.LMSBNClassifier(order=[2, 0, 3, 1], inference=BranchAndBound(max_nodes=1)).fit(X, Y)
    (scores,) = chain.model_.scores(X_test)
    pairs, labels = scores.dependencies.pairs(scores.cliques).reshape(4, 4), np.zeros(Y_test.shape)
    for place, label in enumerate([2, 0, 3, 1]):  # each label by the sign of its score, given those before it
        earlier = labels[:, [2, 0, 3, 1][:place]]
        labels[:, label] = np.where(scores.inputs[:, label] + earlier @ pairs[place, :place] > 0, 1, -1)
    np.testing.assert_array_equal(chain.predict(X_test), labels > 0)
    found = compare({"greedy": chain, "exact": mg.LMSBNClassifier(order=[2, 0, 3, 1])}, *parts)
    greedy, exact = (row["certified"] for row in found.rows)
    assert 0 < greedy < exact == 1.0


def test_other_measures_and_other_forms(parts):
    found = compare([mg.LMSBNClassifier(), RandomForestClassifier(2)], *parts, measures=["accuracy"])
    assert found.columns == ["model", "accuracy", "fit_seconds", "predict_seconds", "certified"]
    frame = found.to_frame()
    assert frame.index.tolist() == ["LMSBNClassifier", "RandomForestClassifier"]
    assert frame["accuracy"].tolist() == [row["accuracy"] for row in found.rows]
    lines = str(found).splitlines()
    assert lines[0].split() == found.columns
    assert lines[1].split()[:2] == ["LMSBNClassifier", f"{found.rows[0]['accuracy']:.3f}"]
    assert lines[1].endswith("100.0%")
    assert len({line.index(".") for line in lines[1:]}) == 1
    assert str(Comparison([])) == "no models"


def test_what_does_not_fit_is_refused(parts):
    X, Y, X_test, Y_test = parts
    with pytest.raises(ValueError, match=r"measures: f1 is none of metrics\.multilabel_scores"):
        compare([], *parts, measures=["f1"])
    with pytest.raises(ValueError, match=r"labels of example 3 do not say label 1"):
        unknown = np.where((np.arange(80) == 3)[:, None] & (np.arange(4) == 1), np.nan, Y)
        compare([], X, unknown, X_test, Y_test)
    with pytest.raises(ValueError, match="must have the shape of Y_test") as caught:
        compare({"narrow": Memory(np.asarray, Y_test[:, 1:])}, *parts)
    assert caught.value.__notes__ == ["this happened to 'narrow' in a comparison"]
    with pytest.raises(ValueError, match="must be 0 or 1, got 2 for example 1"):
        as_labels([[0, 1], [2, 0]], (2, 2))
