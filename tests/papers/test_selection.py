import numpy as np
import pytest

import margrave as mg
from margrave.papers.selection import Selection, mean_measure
from tests.estimators.multilabel import label_data

X, Y = label_data(n=80)


def test_the_mean_measure_counts_hamming_loss_as_what_is_right():
    scores = {"exact_match": 0.5, "hamming_loss": 0.1, "f1_samples": 0.6, "f1_macro": 0.7, "f1_micro": 0.8}
    assert mean_measure(scores) == pytest.approx((0.5 + 0.9 + 0.6 + 0.7 + 0.8) / 5)


def test_the_best_setting_is_chosen_and_all_are_remembered():
    selection = Selection(X, Y, n_folds=4)
    chosen = selection.choose("model", lambda setting: mg.LMSBNClassifier(**setting), [{"C": 1e-6}, {"C": 1.0}])
    assert chosen == {"C": 1.0}  # with hardly any weight nothing is learned
    assert [row["C"] for row in selection.rows] == [1e-6, 1.0]
    assert selection.rows[1]["mean"] > selection.rows[0]["mean"]


def test_each_example_is_predicted_by_models_that_have_not_seen_it():
    class Spy:
        def fit(self, X, Y):
            self.seen = {tuple(row) for row in X}
            return self

        def predict(self, X):
            assert not self.seen & {tuple(row) for row in X}
            return np.ones((len(X), Y.shape[1]), dtype=int)

    Selection(X, Y).choose("spy", lambda setting: Spy(), [{}])
