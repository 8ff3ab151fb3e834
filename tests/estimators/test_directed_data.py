import tracemalloc

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.kernel_approximation import Nystroem
from sklearn.utils.class_weight import compute_sample_weight

import margrave as mg
from margrave.estimators.directed_data import InputData, dependencies_of, example_weights, parents_of
from margrave.estimators.directed_inputs import JointKernelInputs, KernelInputs, LandmarkInputs, LinearInputs, NoInputs
from margrave.features.label_table import LabelTable
from margrave.scores import Kernel
from margrave.scores.margins import DENSE, GRAM, VALUED

RNG = np.random.default_rng(0)
X = RNG.random((8, 3))


def data(x, kernel, joint=False, n_landmarks=None):
    return InputData(x, 8, kernel, joint, n_landmarks, 0, 1)


def test_the_form_that_a_kernel_asks_for():
    assert data(X, Kernel("linear")).inputs().kind == DENSE
    assert data(sparse.csr_array(X), Kernel("linear")).inputs().kind == VALUED
    gram = data(X, Kernel("rbf")).inputs()
    assert gram.kind == GRAM
    assert gram.table == pytest.approx(Kernel("rbf").settled(X).matrix(X))
    assert data(None, Kernel("linear")).inputs().n_columns == 0
    assert data(X @ X.T, Kernel("precomputed")).inputs().table == pytest.approx(X @ X.T)
    with pytest.raises(ValueError, match=r"a precomputed kernel needs a square X in fit, got \(8, 3\)"):
        data(X, Kernel("precomputed")).inputs()
    for products in (-np.eye(8), np.where(np.eye(8) > 0, 1.0, np.nan)):
        with pytest.raises(ValueError, match=r"kernel must give finite inner products.* row 0 has -?1 with itself"):
            data(products, Kernel("precomputed")).inputs()


def test_what_prediction_needs_of_the_weights():
    """The same scores of the training rows as training saw; rows without weight are dropped."""
    weights = RNG.normal(size=(2, 3, 9))
    weights[:, :, [1, 4]] = 0.0
    values = RNG.choice([-1, 1], size=(8, 3))
    for name, x in (("rbf", X), ("precomputed", X @ X.T), ("rbf", sparse.csr_array(X))):
        made = data(x, Kernel(name))
        fitted = made.fitted(weights, values)
        assert isinstance(fitted, KernelInputs)
        assert fitted.rows.tolist() == [0, 2, 3, 5, 6, 7]
        wanted = np.einsum("ij,mkj->mik", made.inputs().table, weights[:, :, :8]) + weights[:, None, :, 8]
        assert fitted.scores(x, 1) == pytest.approx(wanted)
    joint = data(X, Kernel("rbf"), joint=True).fitted(weights, values)
    assert isinstance(joint, JointKernelInputs)
    assert np.array_equal(joint.values, values[[0, 2, 3, 5, 6, 7]])
    assert isinstance(data(X, Kernel("linear")).fitted(weights[:, :, :4], values), LinearInputs)
    none = data(None, Kernel("linear")).fitted(weights[:, :, -1:], values)
    assert isinstance(none, NoInputs)
    assert np.array_equal(none.biases, weights[:, :, -1])


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"kernel": "poly"},
        {"kernel": "chi2"},
        {"kernel": "laplacian"},
        {"kernel_on": "x+parents", "gamma": 1.0},
        {"n_components": 30},
    ],
)
def test_sparse_features_are_never_written_out(parameters, tmp_path):
    """400 rows of 8,000 columns would take 26 MB; the model answers as that of dense rows does."""
    rows = sparse.random(400, 8_000, density=3e-4, format="csr", random_state=0)
    labels = np.random.default_rng(0).integers(0, 2, size=(400, 3))
    model = mg.LMSBNClassifier(**{"kernel": "rbf", **parameters}, random_state=0)
    model.fit(rows, labels).predict(rows)  # compiles what there is to compile
    tracemalloc.start()
    try:
        labelled = model.fit(rows, labels).predict(rows)
        model.save(tmp_path / "model.mg")
        loaded = mg.load(tmp_path / "model.mg")
        assert np.array_equal(loaded.predict(rows), labelled)
        assert tracemalloc.get_traced_memory()[1] < 20e6
    finally:
        tracemalloc.stop()
    few = rows[:, np.unique(rows.indices)]
    written = few.toarray()
    ours, theirs = (clone(model).fit(part, labels).predict_proba(part) for part in (few, written))
    assert ours == pytest.approx(theirs)


def test_landmarks_of_all_rows_are_the_whole_kernel():
    kernel = Kernel("rbf", gamma=0.7)
    features = data(X, kernel, n_landmarks=8).inputs().table
    assert features @ features.T == pytest.approx(kernel.matrix(X), abs=1e-8)


def test_landmarks_are_nystroems():
    kernel = Kernel("rbf", gamma=0.7)
    made = data(X, kernel, n_landmarks=4)
    features = made.inputs().table
    fitted = made.fitted(np.zeros((1, 1, 5)), np.ones((8, 1)))
    assert isinstance(fitted, LandmarkInputs)
    rival = Nystroem(gamma=0.7, n_components=4, random_state=0).fit(fitted.landmarks)
    theirs = rival.transform(X)
    assert features @ features.T == pytest.approx(theirs @ theirs.T, abs=1e-8)
    with pytest.raises(ValueError, match="n_components needs features"):
        data(X @ X.T, Kernel("precomputed"), n_landmarks=4)


# ------------------------------------------------------------------------------------------------------------- weights

Y = np.array([[0, 1, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1.0]])


@pytest.fixture
def table():
    with pytest.warns(UserWarning, match="never change"):
        return LabelTable.learn(Y)


def weights_of(table, C=1.0, sample_weight=None, class_weight=None):
    learned, values = table
    return example_weights(values[:, learned.changing], learned, C, sample_weight, class_weight)


def test_boxes_are_products(table):
    assert weights_of(table, C=2.0).tolist() == [[2.0, 2.0]] * 4
    assert weights_of(table, C=[1.0, 2.0, 3.0]).tolist() == [[1.0, 2.0]] * 4
    boxes = weights_of(table, C=2.0, sample_weight=[1, 0, 2, 1], class_weight={1.0: 5.0})
    assert boxes.tolist() == [[2.0, 10.0], [0.0, 0.0], [20.0, 20.0], [2.0, 10.0]]
    per_label = weights_of(table, class_weight=[{0: 3.0}, {1: 7.0}, {}])
    assert per_label.tolist() == [[3.0, 7.0], [1.0, 1.0], [1.0, 7.0], [3.0, 7.0]]


def test_balanced_classes_are_scikit_learns(table):
    boxes = weights_of(table, class_weight="balanced")
    for k in range(2):
        assert boxes[:, k] == pytest.approx(compute_sample_weight("balanced", Y[:, k]))


def test_unknown_labels_have_no_box():
    table = LabelTable.learn(np.array([[0, np.nan], [1, 1], [np.nan, 0]]))
    assert weights_of(table, C=3.0).tolist() == [[3.0, 0.0], [3.0, 3.0], [0.0, 3.0]]
    assert weights_of(table, class_weight="balanced").tolist() == [[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"C": 0}, "C must be above 0, got 0"),
        ({"C": [1, -1, 1]}, "C must be above 0"),
        ({"C": np.nan}, "C must be above 0"),
        ({"C": True}, "C must be a number above 0, or one per label, got True"),
        ({"C": [1, 2]}, "C must be a number or 3 numbers, one per label, got 2"),
        ({"C": [[1.0]]}, "C must be a number above 0, or one per label"),
        ({"sample_weight": [1, 2]}, r"sample_weight must have shape \(4,\)"),
        ({"sample_weight": [1, 1, 1, -1]}, "sample_weight must be finite, at least 0, and not all zero"),
        ({"sample_weight": [1, 1, 1, np.nan]}, "sample_weight must be finite"),
        ({"sample_weight": [0, 0, 0, 0]}, "not all zero"),
        ({"class_weight": "even"}, "class_weight must be 'balanced', a dict"),
        ({"class_weight": {"on": 2.0}}, "class_weight has weights for 'on', but labels are 0.0, 1.0"),
        ({"class_weight": {0: -1}}, "class_weight must be finite and at least 0"),
        ({"class_weight": {0: np.nan}}, "class_weight must be finite and at least 0"),
        ({"class_weight": [{0: 1}]}, "class_weight must have 3 mappings, one per label, got 1"),
    ],
)
def test_weights_are_checked(table, options, message):
    with pytest.raises(ValueError, match=message):
        weights_of(table, **options)


# ------------------------------------------------------------------------------------------------------------- parents


def names(**columns):
    return LabelTable.learn(pd.DataFrame(columns))[0]


def test_parents_by_word():
    table = names(a=[0, 1], b=[0, 1], c=[1, 0])
    assert parents_of("full", table) is None
    assert parents_of("none", table) == [[], [], []]
    assert parents_of("chain", table) == [[], [0], [1]]


def test_parents_by_mapping_and_matrix():
    table = names(a=[0, 1], b=[0, 1], c=[1, 0])
    wanted = [[2], [], [1]]
    assert parents_of({"a": ["c"], "c": ["b", "b"]}, table) == wanted
    assert parents_of({0: [2], 2: [1]}, table) == wanted
    assert parents_of(np.array([[0, 0, 1], [0, 0, 0], [0, 1, 0]]), table) == wanted


@pytest.mark.filterwarnings("ignore:.* never change")
def test_parents_that_never_change_are_none():
    table = names(a=[0, 1], b=[1, 1], c=[1, 0])
    assert parents_of({0: [1, 2]}, table) == [[1], []]
    assert parents_of("chain", table) == [[], [0]]


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ("all", "parents must be 'full', 'none', 'chain', a mapping or a matrix, got 'all'"),
        ({"x": []}, "parents names label 'x', but the labels are a, b"),
        ({0: [2]}, "parents names label 2"),
        ({0: [-1]}, "parents names label -1"),
        (np.zeros((3, 3)), r"parents must be a matrix of shape \(2, 2\)"),
    ],
)
def test_parents_are_checked(parents, message):
    with pytest.raises(ValueError, match=message):
        parents_of(parents, names(a=[0, 1], b=[0, 1]))


def test_dependencies():
    orders = [np.array([1, 0, 2]), np.array([2, 1, 0])]
    full = dependencies_of(None, orders, 2, list("abc"))
    assert [d.order.tolist() for d in full] == [[1, 0, 2], [2, 1, 0]]
    assert [d.n_cliques for d in full] == [3, 3]
    (own,) = dependencies_of([[2], [], [1]], [], 3, list("abc"))
    assert own.order.tolist() == [1, 2, 0]
    with pytest.raises(ValueError, match="order puts label a before label c"):
        dependencies_of([[2], [], [1]], [np.array([0, 1, 2])], 2, list("abc"))
