"""What is refused, in a sentence that names the sequence and the way out; and nothing is left behind."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import margrave as mg
from tests.estimators.by_enumeration import sequences

X, Y = sequences()
TOKENS = [[{"a": 1.0}, {"b": 2.0}], [{"a": 1.0}]]
TAGS = [["N", "V"], ["N"]]


def spoiled(value, dtype=float):
    bad = [x.astype(dtype) for x in X]
    bad[2][1, 0] = value
    return bad


def spoiled_sparse(value):
    bad = [sparse.csr_array(x) for x in X]
    bad[2].data[4] = value  # three to a row: the second position
    return bad


def narrow(i):
    bad = list(X)
    bad[i] = bad[i][:, :2]
    return bad


BAD_X = {
    "NaN": (spoiled(np.nan), ValueError, r"X\[2\] has NaN or infinity at position 1; impute, or leave"),
    "infinity": (spoiled(-np.inf), ValueError, r"X\[2\] has NaN or infinity at position 1"),
    "NaN, float32": (spoiled(np.nan, np.float32), ValueError, r"X\[2\] has NaN or infinity at position 1"),
    "NaN, sparse": (spoiled_sparse(np.nan), ValueError, r"X\[2\] has NaN or infinity at position 1"),
    "NaN, stacked": (
        mg.Sequences(np.concatenate(spoiled(np.nan)), [len(x) for x in X]),
        ValueError,
        r"X\[2\] has NaN or infinity at position 1",
    ),
    "masked": (
        [np.ma.array(x, mask=(x == x[0, 0]) & (len(x) == 1)) for x in X],
        ValueError,
        r"X\[1\] has masked values; fill them",
    ),
    "fewer columns": (narrow(3), ValueError, r"X\[3\] has 2 features, the sequences before it have 3"),
    "text": (spoiled("x", object), TypeError, r"X\[2\] must hold numbers, got dtype object"),
    "strings": ([x.astype(str) for x in X], TypeError, r"X\[0\] must hold numbers, got dtype <U"),
    "complex": ([x.astype(complex) for x in X], TypeError, r"X\[0\] must hold numbers, got dtype complex128"),
    "dates": ([np.zeros((len(x), 3), "M8[s]") for x in X], TypeError, r"X\[0\] must hold numbers, got dtype datetime"),
    "one dimension": ([x[:, 0] for x in X], ValueError, r"X\[0\] must have shape \(positions, features\), got \(3,\)"),
    "three dimensions": ([x[None] for x in X], ValueError, r"X\[0\] must have shape \(positions, features\), got \(1,"),
    "one array": (np.concatenate(X), ValueError, r"put a single sequence in a list, or stacked sequences into Seque"),
    "one sparse matrix": (sparse.csr_array(X[0]), TypeError, r"X must be a list of sequences .*, got csr_array"),
    "one data frame": (pd.DataFrame(X[0]), TypeError, r"got one data frame; group its rows by sequence"),
    "a string": ("abc", TypeError, r"X must be a list of sequences .*, got str"),
    "a dict": ({"a": 1}, TypeError, r"X must be a list of sequences .*, got dict"),
    "a generator": (iter(X), TypeError, r"X must be a list of sequences"),
    "nothing": (None, TypeError, r"X must be a list of sequences .*, got NoneType"),
    "a sparse one among arrays": (
        [*X[:4], sparse.csr_array(X[4])],
        TypeError,
        r"X\[4\] is a sparse matrix, but the other sequences are arrays; convert with .toarray\(\)",
    ),
    "an array among sparse ones": (
        [sparse.csr_array(X[0]), *X[1:]],
        TypeError,
        r"X\[1\] is ndarray, but the other sequences are sparse matrices",
    ),
}


@pytest.mark.parametrize("case", BAD_X)
def test_bad_features_are_refused_by_fit(case):
    data, kind, sentence = BAD_X[case]
    model = mg.ChainCRF()
    with pytest.raises(kind, match=sentence):
        model.fit(data, Y)
    assert not [name for name in vars(model) if name.endswith("_")]


AT_PREDICTION = {
    **{case: BAD_X[case] for case in BAD_X if case not in ("fewer columns", "an array among sparse ones")},
    "fewer columns": (narrow(0), ValueError, r"X\[0\] has 2 features, the model was fitted on 3"),
    "fewer columns, stacked": (
        mg.Sequences(X[0][:, :2], [3]),
        ValueError,
        r"X has 2 features, the model was fitted on 3",
    ),
    "tokens": (TOKENS, ValueError, r"X holds tokens with named features, but the model was fitted on arrays"),
}


@pytest.fixture(scope="module")
def fitted():
    return mg.ChainCRF().fit(X, Y)


@pytest.mark.parametrize("case", AT_PREDICTION)
def test_bad_features_are_refused_by_predict(case, fitted):
    data, kind, sentence = AT_PREDICTION[case]
    before = fitted.predict(X)
    with pytest.raises(kind, match=sentence):
        fitted.predict(data)
    assert all(map(np.array_equal, fitted.predict(X), before))


def test_arrays_are_refused_where_names_were_fitted():
    model = mg.ChainCRF().fit(TOKENS, TAGS)
    with pytest.raises(ValueError, match="X holds arrays, but the model was fitted on tokens with named features"):
        model.predict([np.zeros((2, 2))])


BAD_TOKENS = {
    "a bare string": ("the", TypeError, r"X\[1\], token 1: .*got str 'the'; put the word into a dict"),
    "a tuple": (("the", "DT"), TypeError, r"X\[1\], token 1: .*got tuple .*conll_template"),
    "None": (None, TypeError, r"X\[1\], token 1: .*got NoneType"),
    "a value of another type": ({"a": object()}, TypeError, r"X\[1\], token 1: .*the attribute 'a' has a value of ty"),
    "NaN": ({"a": float("nan")}, ValueError, r"X\[1\], token 1: .*'a' has the weight nan: expected a finite number"),
}


@pytest.mark.parametrize("case", BAD_TOKENS)
@pytest.mark.parametrize("when", ["fit", "predict"])
def test_bad_tokens_are_refused(case, when):
    token, kind, sentence = BAD_TOKENS[case]
    data = [[{"a": 1.0}], [{"a": 1.0}, token], [{"b": 1.0}]]
    model = mg.ChainCRF()
    if when == "predict":
        model.fit(TOKENS, TAGS)
    with pytest.raises(kind, match=sentence):
        model.fit(data, [["N"], ["N", "V"], ["V"]]) if when == "fit" else model.predict(data)


@pytest.mark.parametrize("sentence", [["the", "cat"], "the cat", [("the", "DT")]])
def test_sentences_without_features_are_refused(sentence):
    with pytest.raises(TypeError, match=r"X\[0\]"):
        mg.ChainCRF().fit([sentence, sentence], [["D"] * len(sentence)] * 2)


def labels_with(i, value):
    bad = [list(y) for y in Y]
    bad[i] = value
    return bad


BAD_Y = {
    "fewer sequences": (Y[:4], ValueError, r"X has 5 sequences, y has 4"),
    "fewer labels": (labels_with(2, ["a"]), ValueError, r"X\[2\] has 4 positions, but y\[2\] has 1 label"),
    "a string": (labels_with(0, "abc"), TypeError, r"y\[0\] must be a list of labels, got 'abc'; split .* list\(...\)"),
    "a number": (labels_with(1, 7), TypeError, r"y\[1\] must be a list of labels, got 7"),
    "None": (labels_with(2, ["a", None, "b", "c"]), ValueError, r"y\[2\] has no label at position 1; every label must"),
    "NaN": (
        [np.where(np.arange(len(y)) == 1, np.nan, 1.0) for y in Y],
        ValueError,
        r"y\[0\] has no label at position 1",
    ),
    "masked": (
        labels_with(2, np.ma.array(list("abca"), mask=[0, 0, 1, 0])),
        ValueError,
        r"y\[2\] has no label at position 2",
    ),
    "text and numbers in one": (
        labels_with(2, ["a", 1, "b", "c"]),
        TypeError,
        r"y\[2\] has labels of the types int, str; labels must be all text or all numbers",
    ),
    "text and numbers": (labels_with(1, [3]), TypeError, r"labels must be of one type, got numbers and text"),
    "a table": (labels_with(2, np.zeros((4, 2), int)), ValueError, r"y\[2\] must have one label per position, got sha"),
    "all in one string": ("abc", TypeError, r"y must be a list with a label sequence for each sequence of X, got str"),
    "nothing": (None, TypeError, r"y must be a list with a label sequence for each sequence of X, got NoneType"),
    "one list": ([0, 1, 0, 1, 0], TypeError, r"y\[0\] must be a list of labels, got 0"),
}


@pytest.mark.parametrize("case", BAD_Y)
@pytest.mark.parametrize("when", ["fit", "score", "log_proba"])
def test_bad_labels_are_refused(case, when):
    labels, kind, sentence = BAD_Y[case]
    model = mg.ChainCRF()
    if when != "fit":
        model.fit(X, Y)
    with pytest.raises(kind, match=sentence):
        getattr(model, when)(X, labels)


def test_only_empty_sequences_are_refused():
    with pytest.raises(ValueError, match="y holds no labels at all: every sequence is empty"):
        mg.ChainCRF().fit([np.zeros((0, 3))], [[]])
    with pytest.raises(ValueError, match="y holds no labels at all"):
        mg.ChainCRF().fit([], [])


BAD_PARAMETERS = {
    "C": [
        (0, "C must be a number above 0, got 0"),
        (-1.0, "C must be a number above 0, got -1.0"),
        (np.inf, "C must be"),
        (np.nan, "C must be"),
        ("1", "C must be a number above 0, got '1'"),
        (True, "C must be a number above 0, got True"),
    ],
    "loss": [("hing", "loss must be one of 'log', 'hinge', 'softmax_margin', or an object of mg.losses; got 'hing'")],
    "solver": [("sgd", "solver must be one of 'lbfgs', 'frank_wolfe', or an object of mg.solvers; got 'sgd'")],
    "inference": [("trw", "inference must be one of 'forest', 'exhaustive', or an object of mg.inference; got 'trw'")],
    "nodes": [("rbf", "nodes must be one of 'linear', 'constant', 'zero', or an object of mg.scores; got 'rbf'")],
    "edges": [(3, "edges must be one of 'linear', 'constant', 'zero', or an object of mg.scores; got 3")],
    "penalty": [
        ({"node": 1.0}, r"penalty names \['node'\], but there are \['edges', 'nodes'\]"),
        (-1.0, "penalty of '(nodes|edges)' must be a number of at least 0, got -1.0"),
    ],
    "n_jobs": [(0, "n_jobs")],
}


@pytest.mark.parametrize(
    ("name", "value", "sentence"), [(name, *case) for name, cases in BAD_PARAMETERS.items() for case in cases]
)
def test_bad_parameters_are_refused(name, value, sentence):
    model = mg.SequenceClassifier(**{name: value})
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, Y)
    assert not hasattr(model, "weights_")


@pytest.mark.parametrize(
    ("weights", "sentence"),
    [
        ([1.0, 2.0], r"sample_weight must have shape \(5,\), a number per example, got \(2,\)"),
        ([1, 1, 1, 1, -1], "sample_weight must be finite, at least 0, and not all 0"),
        ([1, 1, 1, 1, np.nan], "sample_weight must be finite"),
        ([0, 0, 0, 0, 0], "not all 0"),
        (np.ones((5, 1)), r"sample_weight must have shape \(5,\)"),
    ],
)
def test_bad_sample_weights_are_refused(weights, sentence):
    with pytest.raises(ValueError, match=sentence):
        mg.ChainCRF().fit(X, Y, sample_weight=weights)


def test_losses_and_solvers_that_do_not_go_together():
    with pytest.raises(ValueError, match="LBFGS takes smooth losses, not Hinge: use FrankWolfe"):
        mg.SequenceClassifier("hinge", solver="lbfgs").fit(X, Y)
    with pytest.raises(ValueError, match="FrankWolfe takes the hinge, not LogLoss: use LBFGS"):
        mg.SequenceClassifier("log", solver=mg.solvers.FrankWolfe()).fit(X, Y)
