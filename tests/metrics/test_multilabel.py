import numpy as np
import pytest
import scipy.sparse
import sklearn.metrics as theirs
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from margrave.metrics import multilabel_scores

KEYS = [
    *("exact_match", "hamming_loss", "f1_samples", "f1_macro", "f1_micro", "accuracy", "precision", "recall"),
    *("precision_nonempty", "f1_of_means"),
]


@st.composite
def pairs(draw, min_labels=1):
    shape = draw(array_shapes(min_dims=2, max_dims=2, max_side=5))
    shape = (shape[0], max(shape[1], min_labels))
    bits = st.integers(0, 1)
    return draw(arrays(np.int64, shape, elements=bits)), draw(arrays(np.int64, shape, elements=bits))


@given(pairs(min_labels=2))
def test_agrees_with_scikit_learn_where_it_defines_the_measure(pair):
    Y, Y_guess = pair
    scores = multilabel_scores(Y, Y_guess)
    none = {"zero_division": 0}
    expected = {
        "exact_match": theirs.accuracy_score(Y, Y_guess),
        "hamming_loss": theirs.hamming_loss(Y, Y_guess),
        "f1_samples": theirs.f1_score(Y, Y_guess, average="samples", **none),
        "f1_macro": theirs.f1_score(Y, Y_guess, average="macro", **none),
        "f1_micro": theirs.f1_score(Y, Y_guess, average="micro", **none),
        "accuracy": theirs.jaccard_score(Y, Y_guess, average="samples", **none),
        "precision": theirs.precision_score(Y, Y_guess, average="samples", **none),
        "recall": theirs.recall_score(Y, Y_guess, average="samples", **none),
    }
    assert list(scores) == KEYS
    for key, value in expected.items():
        assert scores[key] == pytest.approx(value, abs=1e-12), key


def from_the_definition(Y, Y_guess):
    """Equations 9 to 13 of one paper and 3 of the other, with sets."""
    truth, guess = ([{k for k in range(len(y)) if y[k]} for y in labels] for labels in (Y, Y_guess))
    n, n_labels = np.shape(Y)

    def over(a, b):
        return a / b if b else 0.0

    both = [(t, p, t & p) for t, p in zip(truth, guess, strict=True)]
    by_label = [[{i for i in range(n) if labels[i][k]} for labels in (Y, Y_guess)] for k in range(n_labels)]
    nonempty = [len(b) / len(p) for _, p, b in both if p]
    scores = {
        "exact_match": sum(t == p for t, p, _ in both) / n,
        "hamming_loss": sum(len(t ^ p) for t, p, _ in both) / (n * n_labels),
        "f1_samples": sum(over(2 * len(b), len(t) + len(p)) for t, p, b in both) / n,
        "f1_macro": sum(over(2 * len(t & p), len(t) + len(p)) for t, p in by_label) / n_labels,
        "f1_micro": over(2 * sum(len(b) for *_, b in both), sum(len(t) + len(p) for t, p, _ in both)),
        "accuracy": sum(over(len(b), len(t | p)) for t, p, b in both) / n,
        "precision": sum(over(len(b), len(p)) for _, p, b in both) / n,
        "recall": sum(over(len(b), len(t)) for t, _, b in both) / n,
        "precision_nonempty": over(sum(nonempty), len(nonempty)),
    }
    precision, recall = scores["precision_nonempty"], scores["recall"]
    return {**scores, "f1_of_means": over(2 * precision * recall, precision + recall)}


@given(pairs())
def test_agrees_with_the_definitions(pair):
    scores, expected = multilabel_scores(*pair), from_the_definition(*pair)
    assert list(scores) == list(expected)
    for key, value in expected.items():
        assert scores[key] == pytest.approx(value, abs=1e-12), key
        assert type(scores[key]) is float
        assert 0 <= scores[key] <= 1


@given(pairs())
@pytest.mark.parametrize("kind", ["csr_array", "csc_matrix", "coo_array"])
def test_sparse_labels_give_the_same(kind, pair):
    Y, Y_guess = pair
    sparse = getattr(scipy.sparse, kind)
    dense = multilabel_scores(Y, Y_guess)
    assert multilabel_scores(sparse(Y), sparse(Y_guess)) == dense
    assert multilabel_scores(Y, sparse(Y_guess)) == dense
    assert multilabel_scores(sparse(Y.astype(bool)), Y_guess.astype(float)) == dense


def test_by_hand():
    # True and predicted label sets: {a, b} {a}; {} {}; {c} {}; {} {a, c}; {b, c} {b, c}.
    Y = [[1, 1, 0], [0, 0, 0], [0, 0, 1], [0, 0, 0], [0, 1, 1]]
    Y_guess = [[1, 0, 0], [0, 0, 0], [0, 0, 0], [1, 0, 1], [0, 1, 1]]
    expected = {
        "exact_match": 2 / 5,
        "hamming_loss": 4 / 15,
        "f1_samples": (2 / 3 + 1) / 5,
        "f1_macro": (2 / 3 + 2 / 3 + 1 / 2) / 3,
        "f1_micro": 6 / 10,
        "accuracy": (1 / 2 + 1) / 5,
        "precision": (1 + 1) / 5,
        "recall": (1 / 2 + 1) / 5,
        "precision_nonempty": (1 + 0 + 1) / 3,
        "f1_of_means": 2 * (2 / 3) * 0.3 / (2 / 3 + 0.3),
    }
    assert multilabel_scores(Y, Y_guess) == pytest.approx(expected)


def test_one_label_in_one_dimension():
    assert multilabel_scores([1, 0, 1], [1, 1, 0]) == multilabel_scores([[1], [0], [1]], [[1], [1], [0]])


def test_nothing_predicted_and_nothing_true():
    scores = multilabel_scores([[0, 0]], [[0, 0]])
    assert scores == {key: float(key == "exact_match") for key in KEYS}


def test_sparse_input_is_left_alone():
    Y = scipy.sparse.csr_array(([1, 0], [1, 0], [0, 2]), shape=(1, 2))
    assert multilabel_scores(Y, [[0, 1]])["exact_match"] == 1
    assert Y.data.tolist() == [1, 0]
    assert Y.indices.tolist() == [1, 0]


@pytest.mark.parametrize(
    ("Y_true", "Y_pred", "problem"),
    [
        ([[1, 0]], [[1, 0, 0]], r"Y_true, Y_pred: expected the same shape, got \(1, 2\) and \(1, 3\)"),
        (np.empty((0, 3)), np.empty((0, 3)), r"expected at least one example and one label, got the shape \(0, 3\)"),
        ([[1, 0], [1, -1]], [[1, 0], [1, 1]], r"Y_true: expected 0 or 1, got -1 in row 1; map labels of -1 and \+1 by"),
        ([[1, 0]], [[1.0, np.nan]], "Y_pred: expected 0 or 1, got nan in row 0"),
        ([[1, 0]], [["a", "b"]], "Y_pred: expected the numbers 0 and 1, got entries of type"),
        ([[[1]]], [[[1]]], r"Y_true: expected labels of shape \(n, K\), got an array of 3 dimensions"),
        (scipy.sparse.csr_array([[0, 0], [0, 2]]), [[0, 0], [0, 1]], "Y_true: expected 0 or 1, got 2 in row 1"),
    ],
)
def test_bad_labels(Y_true, Y_pred, problem):
    with pytest.raises(ValueError, match=problem):
        multilabel_scores(Y_true, Y_pred)


def test_an_entry_stored_twice_is_its_sum():
    twice = scipy.sparse.coo_array(([1, 1], ([0, 0], [0, 0])), shape=(1, 2))
    with pytest.raises(ValueError, match="Y_pred: expected 0 or 1, got 2 in row 0"):
        multilabel_scores([[1, 0]], twice)
