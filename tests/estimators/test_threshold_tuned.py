"""Threshold-tuned classifiers: as scikit-learn has them, and as good as they are known to be."""

import itertools

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import accuracy_score, f1_score
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import GridSearchCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

import margrave as mg
from margrave.estimators.label_cuts import TARGETS
from margrave.metrics import multilabel_scores
from margrave.persistence import ModelFileError


@pytest.fixture(scope="module")
def scene():
    return mg.datasets.load_scene()


@pytest.fixture(scope="module")
def data():
    """Three labels of a few rows."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(90, 4))
    noise = rng.normal(size=(90, 3))
    Y = (X[:, :3] + 0.7 * noise > [0.3, 0.6, 0.9]).astype(int)
    return X, Y


# ---------------------------------------------------------------------------------------------- what it reaches


def scores_on(scene, **parameters):
    tuned = mg.ThresholdTunedClassifier(random_state=0, **parameters).fit(scene.X_train, scene.Y_train)
    return multilabel_scores(scene.Y_test, tuned.predict(scene.X_test))


def test_svm1_of_linear_scene_reaches_what_trials_did(scene):
    # an independent trial with other folds: E .482, Fmac .710; without cuts Fmac .65
    found = scores_on(scene, C=0.1)
    assert found["f1_macro"] == pytest.approx(0.71, abs=0.015)
    assert found["exact_match"] == pytest.approx(0.49, abs=0.02)


def test_cyclic_cuts_of_linear_scene_reach_what_trials_did(scene):
    # the same trial: E .530 for exact match, Fmic .701 for micro F; without cuts E .48, Fmic .65
    assert scores_on(scene, C=0.1, target="exact_match")["exact_match"] == pytest.approx(0.53, abs=0.015)
    assert scores_on(scene, C=0.1, target="f1_micro")["f1_micro"] == pytest.approx(0.70, abs=0.015)


def test_cuts_inside_joint_predictions_of_scene_cost_no_exact_match(scene):
    # the trial: + .006 on .665, within a standard error of .013
    base = mg.LMSBNClassifier(C=0.1, order="f_score", random_state=0)
    found = scores_on(scene, estimator=base, target="exact_match", n_candidates=6, n_rounds=1)
    assert found["exact_match"] > 0.65


# ---------------------------------------------------------------------------------------------- what it does


def left_out_scores(X, Y, folds, seed, **parameters):
    """Scores of examples left out, by linear classifiers of scikit-learn with the bias as a feature."""
    of = np.random.default_rng(seed).permutation(len(X)) % folds
    values, full = np.empty(Y.shape), np.column_stack([X, np.ones(len(X))])
    for k, label in itertools.product(range(folds), range(Y.shape[1])):
        svm = LinearSVC(loss="hinge", fit_intercept=False, tol=1e-10, max_iter=200_000, random_state=0, **parameters)
        svm.fit(full[of != k], Y[of != k, label])
        values[of == k, label] = svm.decision_function(full[of == k])
    return values, of


def test_macro_f_cuts_are_the_best_of_scores_left_out(data):
    X, Y = data
    values, _ = left_out_scores(X, Y, 3, seed=5, C=0.3)
    base = mg.LMSBNClassifier(0.3, parents="none", tol=1e-6)
    tuned = mg.ThresholdTunedClassifier(base, method="cyclic", folds=3, random_state=5).fit(X, Y)
    for label in range(3):
        every = [f1_score(Y[:, label], values[:, label] >= v, zero_division=0) for v in values[:, label]]
        reached = f1_score(Y[:, label], values[:, label] > tuned.thresholds_[label])
        assert reached == pytest.approx(max(every), abs=1e-9)


def test_svm1_averages_the_best_cuts_of_the_folds(data):
    X, Y = data
    values, of = left_out_scores(X, Y, 3, seed=5, C=0.3)
    base = mg.LMSBNClassifier(0.3, parents="none", tol=1e-6)
    tuned = mg.ThresholdTunedClassifier(base, folds=3, random_state=5).fit(X, Y)
    for label in range(3):
        lowest, highest = [], []  # the best cuts of a fold fill gaps between values
        for k in range(3):
            v, t = np.sort(values[of == k, label])[::-1], Y[of == k, label]
            by_cut = {c: f1_score(t, values[of == k, label] >= c, zero_division=0) for c in v}
            best = [c for c in v if by_cut[c] == max(by_cut.values())]
            below = [v[v < c].max() if (v < c).any() else c - 100.0 for c in best]
            lowest.append(min(below))
            highest.append(max(best))
        assert np.mean(lowest) <= tuned.thresholds_[label] <= np.mean(highest)


@pytest.mark.parametrize("target", TARGETS)
def test_on_the_folds_cuts_are_never_worse_than_none(data, target):
    X, Y = data
    values, _ = left_out_scores(X, Y, 3, seed=5, C=0.3)
    base = mg.LMSBNClassifier(0.3, parents="none", tol=1e-6)
    tuned = mg.ThresholdTunedClassifier(base, target, method="cyclic", folds=3, random_state=5).fit(X, Y)
    cut, uncut = (multilabel_scores(Y, values > c)[target] for c in (tuned.thresholds_, np.zeros(3)))
    assert cut >= uncut
    assert cut > uncut or not tuned.thresholds_.any()


def test_a_label_is_on_where_its_score_is_above_its_cut(data):
    X, Y = data
    base = mg.LMSBNClassifier(parents="none", random_state=0)
    tuned = mg.ThresholdTunedClassifier(base, random_state=0).fit(X, Y)
    weights = base.fit(X, Y).model_.inputs.weights[0]
    values = X @ weights[:, :-1].T + weights[:, -1] - tuned.thresholds_
    np.testing.assert_allclose(tuned.decision_function(X), values, atol=1e-9)
    np.testing.assert_array_equal(tuned.predict(X), values > 0)
    assert tuned.thresholds_.any()
    assert tuned.score(X, Y) == accuracy_score(Y, values > 0)


def test_other_classifiers_are_cut_outside(data):
    X, Y = data
    base = OneVsRestClassifier(LinearSVC(random_state=0))
    tuned = mg.ThresholdTunedClassifier(base, "f1_micro", random_state=0).fit(X, Y)
    values = base.fit(X, Y).decision_function(X)
    np.testing.assert_array_equal(tuned.predict(X), values > tuned.thresholds_)
    assert not hasattr(tuned, "predict_certified")


@pytest.mark.parametrize("parameters", [{}, {"n_orders": 2}, {"kernel": "rbf"}, {"loss": "log"}, {"parents": "chain"}])
def test_cuts_are_biases_inside_the_joint_prediction(data, parameters):
    X, Y = data
    base = mg.LMSBNClassifier(**parameters, random_state=0)
    tuned = mg.ThresholdTunedClassifier(base, "f1_macro", folds=3, n_candidates=5, n_rounds=1, random_state=0).fit(X, Y)
    orders = base.fit(X, Y).model_.scores(X)
    certified = tuned.predict_certified(X)
    every = np.array(list(itertools.product((-1, 1), repeat=3)))
    losses = np.zeros((len(X), len(every)))
    for order in orders:
        order.inputs[:] -= tuned.thresholds_
        losses += np.stack([order.losses(np.tile(y, (len(X), 1))) for y in every], axis=1) / len(orders)
    np.testing.assert_allclose(certified.loss, losses.min(axis=1), atol=1e-9)
    np.testing.assert_array_equal(certified.labels, every[losses.argmin(axis=1)] > 0)
    np.testing.assert_array_equal(tuned.predict(X), certified.labels)
    assert not hasattr(tuned, "decision_function")  # joint answers are no cuts of numbers


def test_results_do_not_depend_on_threads(data):
    X, Y = data
    one, two = (mg.ThresholdTunedClassifier(mg.LMSBNClassifier(), random_state=0, n_jobs=n).fit(X, Y) for n in (1, 2))
    np.testing.assert_array_equal(one.thresholds_, two.thresholds_)


# ---------------------------------------------------------------------------------------------- as scikit-learn has it


@pytest.mark.filterwarnings("ignore")  # data of no use: labels that never change, values by the million
@pytest.mark.parametrize("estimator", [None, mg.LMSBNClassifier(random_state=0)])
def test_it_is_an_estimator_as_scikit_learn_checks_them(estimator):
    check_estimator(mg.ThresholdTunedClassifier(estimator, "f1_micro"), on_skip=None)


def test_labels_come_back_in_their_own_values(data):
    X, Y = data
    plain = mg.ThresholdTunedClassifier(random_state=0).fit(X, Y).predict(X)
    names = np.array(["no", "yes"])
    np.testing.assert_array_equal(mg.ThresholdTunedClassifier(random_state=0).fit(X, names[Y]).predict(X), names[plain])
    ours = mg.ThresholdTunedClassifier(random_state=0).fit(X, Y == 1).predict(X)
    np.testing.assert_array_equal(ours, plain == 1)


def test_frames_and_sparse_matrices_give_the_same(data):
    X, Y = data
    plain = mg.ThresholdTunedClassifier(random_state=0).fit(X, Y)
    frame = pd.DataFrame(X, columns=list("abcd"))
    framed = mg.ThresholdTunedClassifier(random_state=0).fit(frame, pd.DataFrame(Y, columns=["p", "q", "r"]))
    np.testing.assert_array_equal(framed.predict(frame), plain.predict(X))
    assert framed.feature_names_in_.tolist() == list("abcd")
    assert framed.n_features_in_ == 4
    for form in (sparse.csr_matrix, sparse.coo_array):
        scattered = mg.ThresholdTunedClassifier(random_state=0).fit(form(X), form(Y))
        np.testing.assert_array_equal(scattered.predict(form(X)), plain.predict(X))


def test_a_precomputed_kernel_is_cut_with_the_folds(data):
    X, Y = data
    parameters = {"target": "f1_micro", "method": "cyclic", "random_state": 0}
    by_name = mg.ThresholdTunedClassifier(kernel="rbf", gamma=0.5, **parameters).fit(X, Y)
    gram = rbf_kernel(X, gamma=0.5)
    given_ = mg.ThresholdTunedClassifier(kernel="precomputed", **parameters).fit(gram, Y)
    np.testing.assert_allclose(given_.thresholds_, by_name.thresholds_, atol=1e-6)
    np.testing.assert_array_equal(given_.predict(gram), by_name.predict(X))


def test_it_clones_and_sits_in_pipelines_and_grids(data):
    X, Y = data
    model = mg.ThresholdTunedClassifier(mg.LMSBNClassifier(parents="none"), random_state=0)
    pipe = make_pipeline(StandardScaler(), clone(model))
    grid = {"thresholdtunedclassifier__estimator__C": [0.1, 1.0], "thresholdtunedclassifier__target": list(TARGETS)}
    search = GridSearchCV(pipe, grid, cv=2).fit(X, Y)
    assert search.best_score_ == max(search.cv_results_["mean_test_score"])
    assert not hasattr(model, "estimator_")
    assert not hasattr(model.estimator, "model_")


@pytest.mark.parametrize("estimator", [None, mg.LMSBNClassifier(kernel="rbf", random_state=0)])
def test_a_saved_model_answers_to_the_bit(data, estimator, tmp_path):
    X, Y = data
    tuned = mg.ThresholdTunedClassifier(estimator, n_candidates=3, n_rounds=1, random_state=0).fit(X, Y)
    tuned.save(tmp_path / "tuned.mg")
    loaded = mg.load(tmp_path / "tuned.mg")
    assert repr(loaded) == repr(tuned)
    np.testing.assert_array_equal(loaded.thresholds_, tuned.thresholds_)
    np.testing.assert_array_equal(loaded.predict(X), tuned.predict(X))
    if hasattr(tuned, "decision_function"):
        assert loaded.decision_function(X).tobytes() == tuned.decision_function(X).tobytes()
    tuned.thresholds_ = np.zeros(2)
    tuned.save(tmp_path / "odd.mg")
    with pytest.raises(ModelFileError, match="cuts, 3 labels"):
        mg.load(tmp_path / "odd.mg")


def test_what_a_model_file_does_not_hold_is_not_saved(data, tmp_path):
    with pytest.raises(NotFittedError):
        mg.ThresholdTunedClassifier().save(tmp_path / "a.mg")
    tuned = mg.ThresholdTunedClassifier(OneVsRestClassifier(LinearSVC(random_state=0))).fit(*data)
    with pytest.raises((TypeError, ModelFileError), match="OneVsRestClassifier"):
        tuned.save(tmp_path / "a.mg")
    assert not list(tmp_path.iterdir())


def test_one_label_in_one_dimension(data):
    X, Y = data
    tuned = mg.ThresholdTunedClassifier(mg.LMSBNClassifier(), random_state=0).fit(X, Y[:, 1])
    table = mg.ThresholdTunedClassifier(mg.LMSBNClassifier(), random_state=0).fit(X, Y[:, 1:2])
    assert tuned.predict(X).shape == tuned.decision_function(X).shape == (90,)
    assert tuned.classes_.tolist() == [0, 1]
    np.testing.assert_array_equal(tuned.predict(X), table.predict(X)[:, 0])


@pytest.mark.parametrize("estimator", [None, mg.LMSBNClassifier()])
def test_labels_that_are_constant_in_a_fold_or_everywhere(data, estimator):
    X, Y = data
    rare = np.column_stack([Y, np.zeros(90, dtype=int), np.arange(90) == 17])
    tuned = mg.ThresholdTunedClassifier(estimator, "exact_match", n_candidates=4, n_rounds=1, random_state=0)
    with pytest.warns(UserWarning, match=r"1 of 5 labels never change in training \(3\)"):
        tuned.fit(X, rare)
    assert tuned.thresholds_[3] == 0
    assert tuned.predict(X).shape == (90, 5)
    assert not tuned.predict(X)[:, 3].any()


def test_scores_count_values_that_training_has_not_seen_as_wrong(data):
    """As folds of a search make them: a label that is never on in training, and is on in the examples left out."""
    X, Y = data
    rare = Y.copy()
    rare[:, 0] = 0
    with pytest.warns(UserWarning, match="never change"):
        model = mg.ThresholdTunedClassifier().fit(X, rare)
    assert model.score(X, Y) == np.mean((model.predict(X) == Y).all(axis=1))
    assert (model.decision_function(X)[:, 0] == -np.inf).all()


# ---------------------------------------------------------------------------------------------- what does not fit


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"target": "f1"}, "target must be one of 'exact_match', 'f1_micro', 'f1_macro', got 'f1'"),
        ({"method": "scut"}, "method must be 'svm1', 'cyclic' or None, got 'scut'"),
        ({"method": "svm1", "target": "f1_micro"}, "for 'f1_micro' use 'cyclic'"),
        ({"method": "svm1", "estimator": mg.LMSBNClassifier()}, "look at each other; use 'cyclic'"),
        ({"folds": 1}, "folds must be a whole number of at least 2, got 1"),
        ({"n_candidates": 0}, "n_candidates must be a whole number of at least 1"),
        ({"n_rounds": 1.5}, "n_rounds must be a whole number"),
        ({"fbr": 2.0}, "must be from 0 to 1, got 2.0"),
        ({"C": 2.0, "estimator": mg.LMSBNClassifier()}, "C given beside an estimator; set it on the estimator"),
        ({"estimator": StandardScaler()}, "StandardScaler has none"),
    ],
)
def test_parameters_that_do_not_fit_are_refused(data, parameters, message):
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        mg.ThresholdTunedClassifier(**parameters).fit(*data)


def test_data_that_do_not_fit_are_refused(data):
    X, Y = data
    tuned = mg.ThresholdTunedClassifier()
    with pytest.raises(ValueError, match="X has 90 examples, Y has 89"):
        tuned.fit(X, Y[1:])
    with pytest.raises(ValueError, match="X is None"):
        tuned.fit(None, Y)
    with pytest.raises(ValueError, match=r"Y\[2\] does not say label 1"):
        tuned.fit(X, np.where((np.arange(90) == 2)[:, None] & (np.arange(3) == 1), np.nan, Y))
    with pytest.raises(ValueError, match="must have two values, got 3"):
        tuned.fit(X, Y + (Y.sum(axis=1, keepdims=True) > 1))
    with pytest.raises(ValueError, match="requires y to be passed"):
        tuned.fit(X, None)
    assert not hasattr(tuned, "estimator_")
    with pytest.raises(ValueError, match="X has 3 features"):
        tuned.fit(X, Y).predict(X[:, :3])


def test_a_decision_function_without_a_column_per_label_is_refused(data):
    X, _ = data
    three = np.arange(90) % 3

    class Odd(LinearSVC):
        def fit(self, X, y):
            return super().fit(X, three[: len(X)])

        def predict(self, X):
            raise AssertionError

    with pytest.raises(ValueError, match=r"decision_function of Odd must have a column for each of the 2 labels"):
        mg.ThresholdTunedClassifier(Odd()).fit(X, data[1][:, :2])
