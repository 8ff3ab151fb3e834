"""The estimator's fit, and what scikit-learn and liblinear say of it."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import LinearSVC
from sklearn.utils.estimator_checks import check_estimator

import margrave as mg
from tests.estimators.multilabel import label_data

X, Y = label_data()


def test_scikit_learns_checks_pass():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the checks fit constant labels, and more
        results = check_estimator(mg.LMSBNClassifier(), on_skip=None, on_fail=None)
    assert not [r["check_name"] for r in results if r["status"] == "failed"]
    assert len(results) > 40


# -------------------- known limits


@pytest.mark.parametrize("data", [X, sparse.csr_array(X)], ids=["dense", "sparse"])
@pytest.mark.parametrize("parents", ["none", "one label"])
def test_without_neighbours_each_label_is_liblinears(data, parents):
    labels = Y[:, :1] if parents == "one label" else Y
    ours = mg.LMSBNClassifier(C=0.7, parents="none" if parents == "none" else "full", tol=1e-12).fit(data, labels)
    ones = np.ones((len(X), 1))
    for k in range(labels.shape[1]):
        svm = LinearSVC(loss="hinge", C=0.7, fit_intercept=False, tol=1e-10, max_iter=10**6)
        svm.fit(np.hstack([X, ones]), labels[:, k])
        np.testing.assert_allclose(ours.model_.inputs.weights[0, k], svm.coef_[0], atol=1e-6)


def test_a_label_with_parents_is_liblinears_with_signs_as_features():
    ours = mg.LMSBNClassifier(C=0.7, order=[2, 0, 1], tol=1e-12).fit(X, Y)
    signs = np.where(Y > 0, 1.0, -1.0)
    svm = LinearSVC(loss="hinge", C=0.7, fit_intercept=False, tol=1e-10, max_iter=10**6)
    svm.fit(np.hstack([X, np.ones((len(X), 1)), signs[:, [2, 0]]]), Y[:, 1])
    d = ours.model_.dependencies[0]
    found = np.concatenate([ours.model_.inputs.weights[0, 1], ours.model_.cliques[0][d.run(2), 0]])
    np.testing.assert_allclose(found, svm.coef_[0], atol=1e-6)


def test_weights_of_examples_and_classes_multiply_C():
    weights = np.random.default_rng(1).uniform(0.2, 2.0, size=len(X))
    ours = mg.LMSBNClassifier(C=0.7, parents="none", class_weight={0: 0.5, 1: 3.0}, tol=1e-12)
    ours.fit(X, Y, sample_weight=weights)
    svm = LinearSVC(loss="hinge", C=0.7, fit_intercept=False, tol=1e-10, max_iter=10**6)
    svm.fit(np.hstack([X, np.ones((len(X), 1))]), Y[:, 1], weights * np.where(Y[:, 1] == 1, 3.0, 0.5))
    np.testing.assert_allclose(ours.model_.inputs.weights[0, 1], svm.coef_[0], atol=1e-6)


def test_balanced_classes_are_scikit_learns():
    ours = mg.LMSBNClassifier(C=0.7, parents="none", class_weight="balanced", tol=1e-12).fit(X, Y)
    svm = LinearSVC(loss="hinge", C=0.7, fit_intercept=False, tol=1e-10, max_iter=10**6, class_weight="balanced")
    svm.fit(np.hstack([X, np.ones((len(X), 1))]), Y[:, 2])
    np.testing.assert_allclose(ours.model_.inputs.weights[0, 2], svm.coef_[0], atol=1e-6)


def test_C_may_be_one_per_label():
    several = mg.LMSBNClassifier(C=[0.1, 1.0, 5.0], tol=1e-12).fit(X, Y)
    for k, C in enumerate((0.1, 1.0, 5.0)):
        one = mg.LMSBNClassifier(C=C, tol=1e-12).fit(X, Y)
        np.testing.assert_allclose(several.model_.inputs.weights[0, k], one.model_.inputs.weights[0, k], atol=1e-7)


def test_a_linear_kernel_is_the_linear_model():
    linear = mg.LMSBNClassifier(C=0.7, tol=1e-12).fit(X, Y)
    gram = mg.LMSBNClassifier(C=0.7, tol=1e-12, kernel="precomputed").fit(X @ X.T, Y)
    a, b = linear.predict_certified(X), gram.predict_certified(X @ X.T)
    np.testing.assert_allclose(a.loss, b.loss, atol=1e-6)
    assert (a.labels == b.labels).all()


def test_every_row_a_landmark_is_the_whole_kernel():
    whole = mg.LMSBNClassifier(kernel="rbf", tol=1e-10).fit(X, Y)
    landmarks = mg.LMSBNClassifier(kernel="rbf", tol=1e-10, n_components=len(X)).fit(X, Y)
    np.testing.assert_allclose(
        whole.predict_certified(X).loss, landmarks.predict_certified(X).loss, atol=1e-4
    )  # inverse roots of small eigenvalues


# -------------------- the gaps


def test_gaps_are_reported_per_label():
    model = mg.LMSBNClassifier(tol=1e-4, n_orders=2, random_state=0).fit(X, Y)
    last = {(r["label"], r["order"]): r for r in model.history_}
    assert set(last) == {(k, m) for k in range(3) for m in range(2)}
    assert all(0 <= r["gap"] <= 1e-4 and r["dual"] <= r["objective"] for r in last.values())
    primal, dual = (sum(r[key] for r in last.values()) for key in ("objective", "dual"))
    assert model.gap_ == pytest.approx((primal - dual) / primal)


def test_a_fit_that_is_cut_short_says_so():
    with pytest.warns(ConvergenceWarning, match=r"max_iter with a gap of .* \(labels 0, 1, 2\); raise max_iter"):
        mg.LMSBNClassifier(C=100.0, max_iter=1, tol=1e-12).fit(np.tile(X, (200, 1)), np.tile(Y, (200, 1)))


@pytest.mark.parametrize("seed", [66, 111, 145, 199, 273])
def test_rounding_keeps_no_row_left_out(seed):
    """In these orders of rows a violation that rounding leaves would keep rows away that shrinking left out."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(120, 5))
    y = (x[:, :4] + x[:, 1:5] + rng.normal(size=(120, 4)) > 0.5).astype(int)
    model = mg.LMSBNClassifier(random_state=seed).fit(x[:80], y[:80])
    assert model.gap_ <= 1e-3 and model.n_iter_ < 3000


def test_equal_to_the_bit_for_any_number_of_threads():
    fitted = [mg.LMSBNClassifier(n_orders=3, random_state=0, n_jobs=n).fit(X, Y) for n in (1, 2, 3)]
    for other in fitted[1:]:
        assert other.model_.inputs.weights.tobytes() == fitted[0].model_.inputs.weights.tobytes()
        assert other.predict_proba(X).tobytes() == fitted[0].predict_proba(X).tobytes()


def test_a_callback_may_stop_a_fit():
    seen = []

    def stop(record):
        seen.append(record["label"])
        return len(seen) == 2

    model = mg.LMSBNClassifier().fit(X, Y, callback=stop)
    assert seen == [0, 1]
    assert (model.model_.inputs.weights[0, 2] == 0).all() and np.isnan(model.gap_)


def test_ctrl_c_keeps_what_is_done():
    def interrupt(record):
        if record["label"] == 1:
            raise KeyboardInterrupt

    model = mg.LMSBNClassifier()
    with pytest.raises(KeyboardInterrupt, match="zero weights"):
        model.fit(X, Y, callback=interrupt)
    assert (model.model_.inputs.weights[0, 0] != 0).any() and (model.model_.inputs.weights[0, 2] == 0).all()
    model.predict(X)


@pytest.mark.parametrize("at", range(6))
def test_ctrl_c_ends_a_fit_at_every_stage(monkeypatch, at):
    """Three labels in two rounds where some are unknown, or three and then folds of a calibration."""
    unknown = Y.astype(float)
    unknown[5:20, 0] = np.nan
    for labels, calibration in ((unknown, None), (Y, 2)):
        solver = mg.solvers.DualCoordinateDescent()
        begin, begun = mg.solvers.DualCoordinateDescent.begin, []

        def interrupt(self, objective, start, begin=begin, begun=begun):
            run = begin(self, objective, start)
            begun.append(run)
            if len(begun) == at + 1:
                run.passes = _stop
            return run

        with monkeypatch.context() as patch:
            patch.setattr(mg.solvers.DualCoordinateDescent, "begin", interrupt)
            model = mg.LMSBNClassifier(solver=solver, calibration=calibration)
            with pytest.raises(KeyboardInterrupt):
                model.fit(X, labels)
        assert len(begun) == at + 1
        assert hasattr(model, "model_") == hasattr(model, "n_features_in_") == (labels is Y or at >= 3)


def _stop(n):
    raise KeyboardInterrupt


def test_ctrl_c_before_there_are_weights_leaves_the_last_model(monkeypatch):
    model = mg.LMSBNClassifier().fit(X, Y)
    before = model.predict(X)

    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("margrave.estimators.lmsbn.Fitting", interrupt)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X[:, :2], Y)
    assert np.array_equal(model.predict(X), before)


def test_an_error_leaves_the_last_model():
    model = mg.LMSBNClassifier().fit(X, Y)
    before = model.model_
    with pytest.raises(ValueError, match="NaN"):
        model.fit(np.where(X > 2, np.nan, X), Y)
    assert model.model_ is before
    with pytest.raises(ValueError, match="must have two values"):
        model.fit(X[:, :2], np.arange(len(X)) % 3)
    assert model.n_features_in_ == 5 and (model.predict(X) == mg.LMSBNClassifier().fit(X, Y).predict(X)).mean() > 0.95


# -------------------- structures


def test_parents_by_name_number_matrix_and_chain_are_the_same():
    frame = pd.DataFrame(Y, columns=["a", "b", "c"])
    matrix = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    models = [
        mg.LMSBNClassifier(parents=parents, random_state=0).fit(X, frame)
        for parents in ({"b": ["a"], "c": ["b"]}, {1: [0], 2: [1]}, matrix, "chain")
    ]
    for model in models[1:]:
        assert model.model_.cliques[0].tobytes() == models[0].model_.cliques[0].tobytes()


def test_a_mapping_may_put_later_columns_first():
    model = mg.LMSBNClassifier(parents={0: [2], 1: [0, 2]}).fit(X, Y)
    assert [o.tolist() for o in model.orders_] == [[2, 0, 1]]


def test_a_cycle_is_named():
    with pytest.raises(ValueError, match="no cycle, but labels look at each other: 0 <- 1 <- 2 <- 0"):
        mg.LMSBNClassifier(parents={0: [1], 1: [2], 2: [0]}).fit(X, Y)


def test_orders_are_kept_and_given_back():
    chosen = mg.LMSBNClassifier(order="f_score", random_state=0).fit(X, Y)
    again = mg.LMSBNClassifier(order=chosen.orders_[0], random_state=0).fit(X, Y)
    assert chosen.model_.cliques[0].tobytes() == again.model_.cliques[0].tobytes()
    several = mg.LMSBNClassifier(order="f_score", n_orders=4, random_state=0).fit(X, Y)
    assert len(several.orders_) == 4 and several.orders_[0].tolist() == chosen.orders_[0].tolist()


def test_a_constant_label_is_predicted_and_looks_at_nothing():
    constant = np.column_stack([Y[:, 0], np.ones(len(Y), dtype=int), Y[:, 2]])
    with pytest.warns(UserWarning, match=r"1 of 3 labels never change in training \(1\)"):
        model = mg.LMSBNClassifier(tol=1e-10).fit(X, constant)
    assert (model.predict(X)[:, 1] == 1).all() and (model.predict_proba(X)[:, 1] == 1).all()
    with pytest.warns(UserWarning, match="never change"):
        never = mg.LMSBNClassifier().fit(X, np.where(constant == 1, [1, 0, 1], constant))
    assert (never.predict(X)[:, 1] == 0).all() and (never.predict_proba(X)[:, 1] == 0).all()
    assert (never.decision_function(X)[:, 1] < 0).all()
    assert never.score(X, constant) == 0.0  # a value that training has not seen is wrong, not refused
    without = mg.LMSBNClassifier(tol=1e-10).fit(X, constant[:, [0, 2]])
    assert (without.predict(X) == model.predict(X)[:, [0, 2]]).all()


def test_more_labels_than_examples():
    rng = np.random.default_rng(0)
    few = np.vstack([np.zeros(30, dtype=int), np.ones(30, dtype=int), rng.integers(0, 2, (6, 30))])
    model = mg.LMSBNClassifier().fit(rng.normal(size=(8, 2)), few)
    assert model.predict(rng.normal(size=(3, 2))).shape == (3, 30)


# -------------------- parts unknown


def test_an_unknown_label_has_no_loss_of_its_own():
    partly = Y.astype(float)
    partly[::3, 2] = np.nan  # nobody looks at the last label
    model = mg.LMSBNClassifier(tol=1e-12).fit(X, partly)
    known = np.isfinite(partly[:, 2])
    alone = mg.LMSBNClassifier(tol=1e-12).fit(X[known], Y[known])
    np.testing.assert_allclose(model.model_.inputs.weights[0, 2], alone.model_.inputs.weights[0, 2], atol=1e-6)
    whole = mg.LMSBNClassifier(tol=1e-12).fit(X, Y)
    np.testing.assert_allclose(model.model_.inputs.weights[0, :2], whole.model_.inputs.weights[0, :2], atol=1e-6)


@pytest.mark.parametrize(
    "unknown",
    [
        np.where(np.arange(len(Y))[:, None] % 4 == 1, np.nan, Y),
        np.where(np.arange(len(Y))[:, None] % 4 == 1, -1, Y),
        np.where(np.arange(len(Y))[:, None] % 4 == 1, None, Y.astype(object)),
        np.ma.array(Y, mask=np.tile(np.arange(len(Y))[:, None] % 4 == 1, (1, 3))),
    ],
    ids=["NaN", "-1", "None", "masked"],
)
def test_unknown_labels_may_be_written_in_every_way(unknown):
    model = mg.LMSBNClassifier().fit(X, unknown)
    known = np.arange(len(Y)) % 4 != 1
    alone = mg.LMSBNClassifier(tol=1e-12).fit(X[known], Y[known])
    assert (model.predict(X) == alone.predict(X)).mean() > 0.95


# -------------------- scikit-learn


def test_pipelines_searches_and_clones():
    pipeline = make_pipeline(StandardScaler(), mg.LMSBNClassifier(kernel="rbf"))
    grid = GridSearchCV(pipeline, {"lmsbnclassifier__C": [0.1, 1.0], "lmsbnclassifier__gamma": [0.1, None]}, cv=3)
    assert grid.fit(X, Y).predict(X).shape == Y.shape
    assert len(cross_val_score(mg.LMSBNClassifier(), X, Y, cv=3)) == 3
    model = mg.LMSBNClassifier(C=np.array([1.0, 2.0, 3.0]), inference=mg.inference.BranchAndBound(max_nodes=5))
    assert clone(model).fit(X, Y).inference.max_nodes == 5


def test_kernels_may_be_objects():
    named = mg.LMSBNClassifier(kernel="rbf", gamma=0.3, random_state=0).fit(X, Y)
    given = mg.LMSBNClassifier(kernel=mg.scores.Kernel("rbf", gamma=0.3), random_state=0).fit(X, Y)
    assert (named.predict_proba(X) == given.predict_proba(X)).all()
    product = mg.LMSBNClassifier(kernel=lambda a, b: np.exp(-0.3 * ((a[:, None] - b[None]) ** 2).sum(-1))).fit(X, Y)
    np.testing.assert_allclose(product.predict_proba(X), named.predict_proba(X), atol=1e-2)


# -------------------- bad input


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        (dict(C=0), r"C must be above 0, got 0"),
        (dict(kernel="rbf", gamma="scale"), r"gamma must be above 0, or None \(worked out.*got 'scale'"),
        (dict(clique_features=["a"]), r"clique_features must be numbers of columns of X, 0 to 4, .*got \['a'\]"),
        (dict(clique_features=[9]), r"clique_features must be numbers of columns of X, 0 to 4, .*got \[9\]"),
        (dict(C=[1.0, 2.0]), r"C must be a number or 3 numbers, one per label, got 2"),
        (dict(C="much"), r"C must be a number above 0"),
        (dict(order=[0, 1, 1]), r"order must be a permutation of 0 to 2"),
        (dict(order=[0, 1]), r"order must be a permutation of 0 to 2"),
        (dict(order="best"), r"order must be 'given', 'f_score', 'loss' or permutations"),
        (dict(order="loss", parents="chain"), r"order='loss' needs parents='full'"),
        (dict(n_orders=0), r"n_orders must be a whole number of at least 1"),
        (dict(n_orders=2, parents="chain"), r"n_orders needs parents='full'"),
        (dict(clique_size=1), r"clique_size must be a whole number of at least 2"),
        (dict(parents="some"), r"parents must be 'full', 'none', 'chain'"),
        (dict(parents={0: [7]}), r"parents names label 7"),
        (dict(parents=np.ones((2, 2))), r"parents must be a matrix of shape \(3, 3\)"),
        (dict(kernel="cosine"), r"kernel must be one of 'linear', 'poly'"),
        (dict(kernel="rbf", gamma=-1.0), r"gamma must be above 0"),
        (dict(kernel=mg.scores.Kernel("rbf"), gamma=1.0), r"gamma given beside a Kernel object"),
        (dict(kernel="chi2"), r"chi2 kernel needs features of at least 0"),
        (dict(kernel="precomputed"), r"a precomputed kernel needs a square X"),
        (dict(kernel_on="y"), r"kernel_on must be 'x' or 'x\+parents'"),
        (dict(kernel_on="x+parents", parents="chain"), r"takes all labels before as parents"),
        (dict(loss="square"), r"loss must be one of 'hinge', 'log'"),
        (dict(loss=mg.losses.SmoothedHinge()), r"takes Hinge\(\) or LogLoss\(\) of one label"),
        (dict(solver="lbfgs"), r"solver must be one of 'dual_coordinate_descent'"),
        (dict(solver=mg.solvers.DualCoordinateDescent(), tol=0.1), r"tol given beside a solver object"),
        (dict(inference="exact"), r"inference must be a BranchAndBound"),
        (dict(inference=mg.inference.BranchAndBound(S=0)), r"S of BranchAndBound must be above 0, got 0"),
        (dict(class_weight="heavy"), r"class_weight must be 'balanced', a dict"),
        (dict(calibration=1), r"calibration must be a whole number of at least 2"),
        (dict(tol=-1.0), r"tol of DualCoordinateDescent must be a number of at least 0"),
    ],
    ids=lambda value: "" if isinstance(value, str) else next(iter(value)),
)
def test_bad_parameters_are_refused_in_a_sentence(parameters, message):
    with pytest.raises((ValueError, TypeError), match=message):
        model = mg.LMSBNClassifier(**parameters).fit(X, Y)
        model.predict(X)


@pytest.mark.parametrize(
    ("features", "labels", "message"),
    [
        (X, np.arange(len(X))[:, None] % 3, r"[Ll]abel 0 must have two values, got 3: 0, 1, 2; give each"),
        (X, np.array([["a", "b", "c"][i % 3] for i in range(len(X))]), r"multiclass. Label 0 must have two values"),
        (X, Y[:-1], r"X has 60 examples, Y has 59"),
        (X, np.full(Y.shape, np.nan), r"label 0 is unknown for every example; leave the column out"),
        (X, np.zeros((len(X), 2, 2)), r"Y must be a table"),
        (X, Y[:, :0], r"Y must have a column per label, got none \(shape \(60, 0\)\)"),
        (X[:0], Y[:0], r"0 sample\(s\)"),
        (np.where(X > 2, np.inf, X), Y, r"infinity"),
        (X[:, :0], Y, r"0 feature\(s\)"),
    ],
)
def test_bad_data_are_refused_in_a_sentence(features, labels, message):
    with pytest.raises(ValueError, match=message):
        mg.LMSBNClassifier().fit(features, labels)


def test_prediction_checks_its_input():
    model = mg.LMSBNClassifier().fit(X, Y)
    with pytest.raises(ValueError, match="X has 4 features, but LMSBNClassifier is expecting 5 features"):
        model.predict(X[:, :4])
    with pytest.raises(ValueError, match=r"X is None, but the model was fitted on 5 features"):
        model.predict(None)
    with pytest.raises(NotFittedError):
        mg.LMSBNClassifier().predict(X)


def test_a_fitted_model_survives_pickling_and_threads():
    from concurrent.futures import ThreadPoolExecutor

    model = pickle.loads(pickle.dumps(mg.LMSBNClassifier(n_orders=2, random_state=0).fit(X, Y)))
    alone = model.predict_proba(X)
    with ThreadPoolExecutor(4) as threads:
        for together in threads.map(lambda _: model.predict_proba(X), range(8)):
            assert together.tobytes() == alone.tobytes()


def test_a_large_matrix_of_inner_products_is_announced_with_the_way_out(monkeypatch):
    monkeypatch.setattr("margrave.estimators.directed_data.LARGE_GRAM", 1e-9)
    with pytest.warns(UserWarning, match=r"inner products of 60 rows take 0.0 GB; n_components=2000 approximates"):
        mg.LMSBNClassifier(kernel="rbf").fit(X, Y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mg.LMSBNClassifier(kernel="rbf", n_components=10).fit(X, Y)
