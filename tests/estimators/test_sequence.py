import numpy as np
import pandas as pd
import pytest
from scipy import sparse

import margrave as mg
from tests.estimators.by_enumeration import ByEnumeration, sequences

X, Y = sequences()
NEW, _ = sequences(1, lengths=(4, 1, 2))
MODELS = {
    "log": mg.ChainCRF(C=3.0),
    "hinge": mg.ChainM3N(C=0.5, random_state=0, tol=1e-2),
    "smoothed": mg.SequenceClassifier(mg.losses.SmoothedHinge(0.3), C=2.0),
    "softmax margin": mg.SequenceClassifier("softmax_margin", C=2.0),
    "boundary": mg.ChainCRF(C=3.0, boundary=True),
    "structure": mg.SequenceClassifier(C=3.0, structure=mg.Sequence(boundary=True)),
    "no bias": mg.ChainCRF(C=3.0, nodes=mg.scores.Linear(bias=False)),
    "no edges": mg.ChainCRF(C=3.0, edges="zero"),
}


@pytest.fixture(scope="module", params=MODELS)
def model(request):
    return MODELS[request.param].fit(X, Y)


def same(answers, others):
    return len(answers) == len(others) and all(map(np.array_equal, answers, others))


# ------------------------------------------------------------------------------------------- answers, by enumeration


def test_the_best_labelling(model):
    for x, labels in zip(NEW, model.predict(NEW), strict=True):
        assert labels.tolist() == model.classes_[ByEnumeration(model, x).best()].tolist()
    assert same(model.predict(NEW, decode="joint"), model.predict(NEW))


def temperature_of(model):
    """The loss's own, where it has one."""
    return {"hinge": 1.0, "softmax_margin": 1.0, "log": 1.0}.get(model.loss, 0.3)


def test_marginals(model):
    marginals = model.predict_marginals(NEW)
    for x, found in zip(NEW, marginals, strict=True):
        assert np.allclose(found, ByEnumeration(model, x).marginals(temperature_of(model)), rtol=1e-9, atol=1e-12)
        assert np.allclose(found.sum(axis=1), 1.0)
    likely = [model.classes_[found.argmax(axis=1)] for found in marginals]
    assert same(model.predict(NEW, decode="marginal"), likely)


def test_log_probabilities(model):
    labels = [model.classes_[np.arange(len(x)) % 3] for x in NEW]
    found = model.log_proba(NEW, labels)
    temperature = temperature_of(model)
    expected = [ByEnumeration(model, x).log_probability(np.arange(len(x)) % 3, temperature) for x in NEW]
    assert np.allclose(found, expected, rtol=1e-10)


def test_score_is_the_share_of_right_positions(model):
    truth = [np.array(["a"] * len(x)) for x in NEW]
    right = np.concatenate(model.predict(NEW)) == np.concatenate(truth)
    assert model.score(NEW, truth) == pytest.approx(right.mean())


def test_joint_and_marginal_answers_can_differ():
    # transitions that make the most probable labelling one of improbable labels
    model = mg.ChainCRF().fit([np.zeros((3, 1)), np.zeros((2, 1))], [["a", "b", "a"], ["b", "b"]])
    table = np.zeros((2, 2))
    table[0, 0], table[1, 0], table[1, 1] = 0.5, 0.2, 0.4
    model.weights_[:] = 0.0
    model.weights_[-4:] = table.ravel()
    joint, marginal = (model.predict([np.zeros((2, 1))], decode)[0].tolist() for decode in ("joint", "marginal"))
    assert joint == ["a", "a"]
    p = np.exp(table) / np.exp(table).sum()
    assert p.sum(axis=1)[1] > p.sum(axis=1)[0]
    assert marginal == ["b", "a"]


def test_another_way_of_decoding_is_refused():
    with pytest.raises(ValueError, match="decode must be 'joint' or 'marginal', got 'viterbi'"):
        MODELS["log"].fit(X, Y).predict(NEW, decode="viterbi")


def test_nothing_before_a_fit():
    from sklearn.exceptions import NotFittedError

    for call in ("predict", "predict_marginals"):
        with pytest.raises(NotFittedError):
            getattr(mg.ChainCRF(), call)(X)
    for call in ("score", "log_proba"):
        with pytest.raises(NotFittedError):
            getattr(mg.ChainCRF(), call)(X, Y)
    with pytest.raises(NotFittedError):
        mg.ChainCRF().coef_  # noqa: B018


# ------------------------------------------------------------------------------------------------------ forms of input


def objects(items):
    array = np.empty(len(items), dtype=object)
    array[:] = items
    return array


def stacked(items, **options):
    return mg.Sequences(np.concatenate(items), [len(x) for x in items], **options)


DENSE = {
    "arrays": list,
    "tuple": tuple,
    "object array": objects,
    "lists of lists": lambda items: [x.tolist() for x in items],
    "lists of rows": lambda items: [list(x) for x in items],
    "data frames": lambda items: [pd.DataFrame(x) for x in items],
    "Sequences": stacked,
    "object dtype": lambda items: [x.astype(object) for x in items],
    "Fortran order": lambda items: [np.asfortranarray(x) for x in items],
    "read-only": lambda items: [read_only(x) for x in items],
    "pandas series": lambda items: pd.Series(objects(items)),
}


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


@pytest.fixture(scope="module")
def reference():
    return mg.ChainCRF(C=3.0).fit(X, Y)


@pytest.mark.parametrize("form", DENSE)
def test_dense_sequences_in_any_form(form, reference):
    model = mg.ChainCRF(C=3.0).fit(DENSE[form](X), Y)
    assert np.array_equal(model.weights_, reference.weights_)
    assert model.n_features_in_ == 3
    assert same(model.predict(DENSE[form](NEW)), reference.predict(NEW))
    assert same(reference.predict_marginals(DENSE[form](NEW)), reference.predict_marginals(NEW))
    assert model.score(DENSE[form](X), Y) == reference.score(X, Y)


def test_a_stacked_array():
    cube, labels = np.stack([X[0], X[4]]), np.array([Y[0], Y[4]])
    one, other = mg.ChainCRF().fit(cube, labels), mg.ChainCRF().fit(list(cube), list(labels))
    assert np.array_equal(one.weights_, other.weights_)
    assert same(one.predict(cube), other.predict(list(cube)))


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.bool_, np.int64])
def test_number_types(dtype):
    whole = [(x > 0).astype(dtype) for x in X]
    one, other = mg.ChainCRF().fit(whole, Y), mg.ChainCRF().fit([x.astype(float) for x in whole], Y)
    assert np.array_equal(one.weights_, other.weights_)
    assert same(one.predict(whole), other.predict(whole))


SPARSE = {
    "csr_array": sparse.csr_array,
    "csr_matrix": sparse.csr_matrix,
    "csc_array": sparse.csc_array,
    "coo_array": sparse.coo_array,
}


@pytest.fixture(scope="module")
def sparse_reference():
    return mg.ChainCRF(C=3.0).fit([sparse.csr_array(x) for x in X], Y)


@pytest.mark.parametrize("form", SPARSE)
def test_sparse_sequences_in_any_form(form, sparse_reference):
    model = mg.ChainCRF(C=3.0).fit([SPARSE[form](x) for x in X], Y)
    assert np.array_equal(model.weights_, sparse_reference.weights_)
    assert same(model.predict([SPARSE[form](x) for x in NEW]), sparse_reference.predict(NEW))
    stack = sparse.vstack([SPARSE[form](x) for x in X], format="csr")
    whole = mg.ChainCRF(C=3.0).fit(mg.Sequences(stack, [len(x) for x in X]), Y)
    assert np.array_equal(whole.weights_, sparse_reference.weights_)


def test_sparse_and_dense_sequences_mean_the_same():
    nodes, edges = mg.scores.Linear("all", bias=True), mg.scores.Constant("all")
    dense = mg.ChainCRF(nodes=nodes, edges=edges, tol=1e-10).fit(X, Y)
    thin = mg.ChainCRF(nodes=nodes, edges=edges, tol=1e-10).fit([sparse.csr_array(x) for x in X], Y)
    assert np.allclose(dense.weights_, thin.weights_, atol=1e-4)
    # a model of either reads the other
    assert same(dense.predict([sparse.csr_array(x) for x in NEW]), dense.predict(NEW))
    assert same(thin.predict(NEW), thin.predict([sparse.csr_array(x) for x in NEW]))


TOKENS = [
    [{"word": "the", "first": True}, {"word": "cat", "length": 3.0}, {"word": "sat", "length": 3.0}],
    [{"word": "sat"}],
    [{"word": "a", "first": True, "tags": ["x", "y"]}, {"word": "cat", "length": 3.0}],
]
TAGS = [["D", "N", "V"], ["V"], ["D", "N"]]


def test_dicts_are_columns():
    model = mg.ChainCRF(nodes=mg.scores.Linear("all"), edges=mg.scores.Constant("all"), tol=1e-9).fit(TOKENS, TAGS)
    names = ["word:the", "first", "word:cat", "length", "word:sat", "word:a", "tags:x", "tags:y"]
    assert model.encoder_.names_.feature_names_.tolist() == names
    table = {"word:the": [0], "first": [0, 4], "word:cat": [1, 5], "word:sat": [2, 3], "word:a": [4]}
    x = np.zeros((6, 8))
    for name, rows in {**table, "tags:x": [4], "tags:y": [4]}.items():
        x[rows, names.index(name)] = 1.0
    x[[1, 2, 5], 3] = 3.0
    linear = mg.scores.Linear("all", bias=False)
    dense = mg.ChainCRF(nodes=linear, tol=1e-9).fit(np.split(x, [3, 4]), TAGS)
    assert np.allclose(model.coef_, dense.coef_, atol=1e-4)
    assert np.allclose(model.transitions_, dense.transitions_, atol=1e-4)


def test_lists_of_strings_are_dicts_of_ones():
    lists = [[["bias", "w=the"], ["bias", "w=cat"]], [["w=cat"]]]
    dicts = [[dict.fromkeys(token, 1.0) for token in sentence] for sentence in lists]
    labels = [["D", "N"], ["N"]]
    one, other = mg.ChainCRF().fit(lists, labels), mg.ChainCRF().fit(dicts, labels)
    assert np.array_equal(one.weights_, other.weights_)
    assert same(one.predict(dicts), other.predict(lists))


def test_only_seen_pairs_have_weights_where_input_is_sparse():
    model = mg.ChainCRF().fit(TOKENS, TAGS)
    assert set(model.state_features_) == {
        ("word:the", "D"), ("first", "D"), ("word:cat", "N"), ("length", "N"), ("word:sat", "V"), ("length", "V"),
        ("word:a", "D"), ("tags:x", "D"), ("tags:y", "D"),
    }  # fmt: skip
    assert set(model.transition_features_) == {("D", "N"), ("N", "V")}
    m3n = mg.ChainM3N(tol=1e-2, random_state=0).fit(TOKENS, TAGS)
    assert len(m3n.weights_) == 8 * 3 + 9  # the hinge has no such habit


def test_unknown_attributes_are_ignored():
    model = mg.ChainCRF().fit(TOKENS, TAGS)
    known = [[{"word": "cat"}, {"word": "sat"}]]
    more = [[{"word": "cat", "new": 7.0}, {"word": "sat", "colour": "red"}]]
    assert np.allclose(model.predict_marginals(more)[0], model.predict_marginals(known)[0])
    nothing = [[{"new": 1.0}, {"colour": "red"}]]
    assert model.predict(nothing)[0].shape == (2,)


def test_length_0_and_1():
    data, labels = [X[0], np.zeros((0, 3)), X[1]], [Y[0], [], Y[1]]
    with_empty, without = mg.ChainCRF().fit(data, labels), mg.ChainCRF().fit([X[0], X[1]], [Y[0], Y[1]])
    assert np.allclose(with_empty.weights_, without.weights_, atol=1e-12)
    answers = with_empty.predict([np.zeros((0, 3)), X[1], []])
    assert [len(a) for a in answers] == [0, 1, 0]
    assert all(a.dtype == with_empty.classes_.dtype for a in answers)
    marginals = with_empty.predict_marginals([np.zeros((0, 3)), X[1]])
    assert [m.shape for m in marginals] == [(0, 3), (1, 3)]
    assert with_empty.log_proba([np.zeros((0, 3))], [[]]).tolist() == [0.0]
    assert with_empty.score([np.zeros((0, 3)), X[1]], [[], Y[1]]) in (0.0, 1.0)


@pytest.mark.parametrize("form", ["dense", "sparse", "tokens"])
def test_no_sequences_at_all(form):
    data = {"dense": X, "sparse": [sparse.csr_array(x) for x in X], "tokens": TOKENS}[form]
    labels = TAGS if form == "tokens" else Y
    model = mg.ChainCRF().fit(data, labels)
    assert model.predict([]) == []
    assert model.predict([], decode="marginal") == []
    assert model.predict_marginals([]) == []
    assert model.log_proba([], []).tolist() == []
    assert [len(a) for a in model.predict([[]])] == [0]


def test_hinge_of_sequences_of_length_0():
    model = mg.ChainM3N(tol=1e-2, random_state=0).fit([X[0], np.zeros((0, 3)), X[2]], [Y[0], [], Y[2]])
    assert model.gap_ <= 1e-2
    assert [len(a) for a in model.predict([np.zeros((0, 3)), X[0]])] == [0, 3]


def test_memory_maps(tmp_path, reference):
    np.save(tmp_path / "x.npy", np.concatenate(X))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    ends = np.cumsum([len(x) for x in X])
    for given in (mg.Sequences(mapped, [len(x) for x in X]), np.split(mapped, ends[:-1])):
        model = mg.ChainCRF(C=3.0).fit(given, Y)
        assert np.array_equal(model.weights_, reference.weights_)
        assert same(model.predict(given), reference.predict(X))
    assert np.array_equal(mapped, np.concatenate(X))


# ------------------------------------------------------------------------------------------------------------- labels

LABELS = {
    "strings": (["a", "b", "c"], "U"),
    "integers": ([-3, 0, 10], "i"),
    "booleans": ([False, True, True], "b"),
    "floats": ([0.5, 1.5, 2.5], "f"),
    "long and short": (["x", "a long name", "mid"], "U"),
    "unsigned": (list(np.array([1, 2, 200], dtype=np.uint8)), "u"),
}


@pytest.mark.parametrize("kind", LABELS)
@pytest.mark.parametrize("form", [list, np.asarray])
def test_labels_come_back_as_they_were_given(kind, form):
    values, dtype_kind = LABELS[kind]
    number = {"a": 0, "b": 1, "c": 2}
    labels = [form([values[number[v]] for v in sequence]) for sequence in Y]
    model = mg.ChainCRF(C=100.0).fit(X, labels)
    assert model.classes_.tolist() == sorted(set(values))
    answers = model.predict(X)
    assert all(a.dtype.kind == dtype_kind for a in answers)
    assert {v for a in answers for v in a.tolist()} <= set(values)
    assert model.score(X, answers) == 1.0


def test_labels_in_any_form(reference):
    for labels in (
        [list(y) for y in Y],
        tuple(tuple(y) for y in Y),
        objects([y.astype(object) for y in Y]),
        [pd.Series(y) for y in Y],
        [y.astype("U5") for y in Y],
    ):
        assert np.array_equal(mg.ChainCRF(C=3.0).fit(X, labels).weights_, reference.weights_)
    flat = mg.ChainCRF(C=3.0).fit(stacked(X), np.concatenate(Y))
    assert np.array_equal(flat.weights_, reference.weights_)


def test_unseen_labels_are_wrong_and_impossible(reference):
    predicted = reference.predict(NEW)
    half = [np.concatenate([p[:1], ["unheard of"] * (len(p) - 1)]) for p in predicted]
    assert reference.score(NEW, half) == pytest.approx(3 / 7)
    found = reference.log_proba(NEW, half)
    assert np.isneginf(found).tolist() == [True, False, True]
    assert reference.score(NEW, [[1] * len(p) for p in predicted]) == 0.0  # another type altogether


def test_one_class_only():
    with pytest.warns(UserWarning, match=r"y has only one label, 'a': every prediction will be it"):
        model = mg.ChainCRF().fit(X, [["a"] * len(x) for x in X])
    assert [a.tolist() for a in model.predict(NEW)] == [["a"] * len(x) for x in NEW]
    assert all((m == 1.0).all() for m in model.predict_marginals(NEW))
    assert np.allclose(model.log_proba(NEW, [["a"] * len(x) for x in NEW]), 0.0)
    with pytest.warns(UserWarning, match="only one label"):
        assert mg.ChainM3N(random_state=0).fit(X, [[7] * len(x) for x in X]).score(X, [[7] * len(x) for x in X]) == 1.0


# ------------------------------------------------------------------------------------------------------------- encode


def test_encoded_data_are_taken_as_they_are(reference):
    encoded = mg.ChainCRF().encode(TOKENS)
    assert isinstance(encoded, mg.Sequences)
    direct, by_code = mg.ChainCRF().fit(TOKENS, TAGS), mg.ChainCRF().fit(encoded, TAGS)
    assert np.array_equal(direct.weights_, by_code.weights_)
    assert direct.state_features_ == by_code.state_features_
    new = [[{"word": "cat", "unheard of": 1.0}]]
    assert same(by_code.predict(by_code.encode(new)), direct.predict(new))
    assert same(by_code.predict(new), direct.predict(new))  # names are known to the fit on codes as well
    assert same(reference.predict(reference.encode(NEW)), reference.predict(NEW))


def test_encoding_after_a_fit_uses_the_fits_columns():
    model = mg.ChainCRF().fit(TOKENS, TAGS)
    encoded = model.encode([[{"tags": ["y"]}, {"word": "unheard of"}]])
    assert encoded.features.shape == (2, 8)
    assert encoded.features.toarray().nonzero()[1].tolist() == [7]


# ------------------------------------------------------------------------------------------------ views of the weights


def test_views_are_the_weights(reference):
    d, k = 3, 3
    slopes, biases, table = np.split(reference.weights_, [d * k, d * k + k])
    assert np.array_equal(reference.coef_, slopes.reshape(d, k).T)
    assert np.array_equal(reference.intercept_, biases)
    assert np.array_equal(reference.transitions_, table.reshape(k, k))
    assert reference.state_features_[1, "b"] == slopes.reshape(d, k)[1, 1]
    assert reference.transition_features_["a", "c"] == table.reshape(k, k)[0, 2]
    assert not MODELS["no bias"].fit(X, Y).intercept_.any()
    assert not MODELS["no edges"].fit(X, Y).transitions_.any()


def test_structures_of_other_kinds_are_refused():
    with pytest.raises(ValueError, match=r"structure must be mg.Sequence\(...\), got 'chain'"):
        mg.SequenceClassifier(structure="chain").fit(X, Y)


class BestOnly(mg.inference.Forest):
    positive_temperatures = False


def test_probabilities_need_an_inference_that_has_them():
    X, y = [np.eye(2)], [["a", "b"]]
    model = mg.SequenceClassifier(loss="hinge", inference=BestOnly(), tol=0.1).fit(X, y)
    assert model.predict(X)[0].tolist() == ["a", "b"]
    for ask in (lambda: model.predict_marginals(X), lambda: model.log_proba(X, y)):
        with pytest.raises(ValueError, match="best labellings only"):
            ask()


def test_a_prediction_too_large_for_the_inference_is_refused():
    model = mg.SequenceClassifier(inference="exhaustive").fit([np.eye(2)], [["a", "b"]])
    with pytest.raises(ValueError, match="Exhaustive"):
        model.predict([np.zeros((40, 2))])


@pytest.mark.parametrize("loss", ["log", mg.losses.SmoothedHinge(0.2), "softmax_margin"])
def test_probabilities_of_labellings_add_up_to_the_marginals(loss):
    rng = np.random.default_rng(0)
    X, y = [rng.normal(size=(2, 3)), rng.normal(size=(3, 3))], [["a", "b"], ["b", "a", "a"]]
    model = mg.SequenceClassifier(loss, C=3.0, edges="constant").fit(X, y)
    pairs = [[a, b] for a in "ab" for b in "ab"]
    p = np.exp(model.log_proba([X[0]] * 4, pairs))
    assert p.sum() == pytest.approx(1.0)
    assert p[:2].sum() == pytest.approx(model.predict_marginals([X[0]])[0][0, 0])


def test_coefficients_exist_for_one_linear_scorer_only():
    X, y = [np.eye(2)], [["a", "b"]]
    for nodes in ("constant", mg.scores.Sum([mg.scores.Constant(), mg.scores.Linear(bias=False)])):
        model = mg.SequenceClassifier(nodes=nodes).fit(X, y)
        for name in ("coef_", "intercept_", "state_features_"):
            with pytest.raises(AttributeError, match="exist with nodes='linear'"):
                getattr(model, name)


def test_weights_of_the_boundary_have_a_view():
    X, y = [np.eye(2)], [["a", "b"]]
    assert mg.ChainCRF().fit(X, y).boundary_.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    first, last = mg.ChainCRF(boundary=True).fit(X, y).boundary_
    assert first[0] > 0 > first[1] and last[1] > 0 > last[0]


def test_columns_of_data_frames_are_compared_by_name():
    frame = pd.DataFrame({"p": [1.0, 0.0], "q": [0.0, 1.0]})
    model = mg.ChainCRF().fit([frame], [["a", "b"]])
    assert model.predict([frame])[0].tolist() == ["a", "b"]
    with pytest.raises(ValueError, match=r"X\[1\] has the columns \['q', 'p'\].*fitted on \['p', 'q'\]"):
        model.predict([frame, frame[["q", "p"]]])
    with pytest.raises(ValueError, match=r"X\[1\] has the columns .* the data frames before it"):
        mg.ChainCRF().fit([frame, frame[["q", "p"]]], [["a", "b"], ["a", "b"]])
    assert model.predict([frame.to_numpy()])[0].tolist() == ["a", "b"]  # arrays have no names


def test_a_matrix_with_columns_beyond_its_shape_is_refused():
    lying = sparse.csr_array((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    lying.indices = np.array([0, 10**6], dtype=np.int32)
    for fit in (lambda: mg.ChainCRF().fit([lying], [["a", "b"]]), lambda: mg.ChainCRF().encode([lying])):
        with pytest.raises(ValueError, match=r"X\[0\] is no valid sparse matrix"):
            fit()


def test_data_encoded_for_another_model_are_refused():
    mine, other = [[["a"], ["b"]]], [[["b"], ["a"]]]
    model = mg.ChainCRF().fit(mine, [["A", "B"]])
    assert model.predict(model.encode(other))[0].tolist() == ["B", "A"]
    with pytest.raises(ValueError, match="encoded for another model"):
        model.predict(mg.ChainCRF().encode(other))


def test_a_misspelt_choice_of_weights_is_refused():
    with pytest.raises(ValueError, match="features of Linear must be 'observed', 'all' or None, got 'seen'"):
        mg.ChainCRF(nodes=mg.scores.Linear(features="seen")).fit([np.eye(2)], [["a", "b"]])
