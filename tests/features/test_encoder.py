import os
import pickle
import subprocess
import sys
from collections import OrderedDict
from types import MappingProxyType

import numpy as np
import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from margrave.features import TokenEncoder
from margrave.features.entries import Entries

names = st.text(st.characters(codec="utf-8", exclude_characters=":\0"), max_size=3)
lists_of_names = st.lists(names, max_size=3, unique=True)
weights = st.floats(-5, 5).map(lambda weight: round(weight, 2))
values = st.recursive(
    names | st.booleans() | weights | st.integers(-3, 3) | lists_of_names | lists_of_names.map(set),
    lambda inner: st.dictionaries(names, inner, max_size=3),
    max_leaves=6,
)
tokens = st.dictionaries(names, values, max_size=4) | lists_of_names | lists_of_names.map(set)
sequences = st.lists(st.lists(tokens, max_size=4), max_size=4)


def as_dicts(encoder, rows):
    """Each row as a dict from attribute to weight."""
    names = encoder.feature_names_
    starts = zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
    return [dict(zip(names[rows.indices[a:b]], rows.data[a:b].tolist(), strict=True)) for a, b in starts]


def encoded(*tokens):
    encoder = TokenEncoder()
    rows, _ = encoder.fit_transform([list(tokens)])
    return as_dicts(encoder, rows)


@given(sequences)
def test_attributes_mean_what_they_mean_to_crfsuite(X):
    encoder = TokenEncoder()
    rows, lengths = encoder.fit_transform(X)
    expected = [item for sequence in X for item in pycrfsuite.ItemSequence(sequence).items()]
    assert as_dicts(encoder, rows) == expected
    assert lengths.tolist() == [len(sequence) for sequence in X]


@given(sequences)
def test_matrix_is_canonical(X):
    encoder = TokenEncoder()
    rows, lengths = encoder.fit_transform(X)
    assert (rows.data.dtype, rows.indices.dtype, lengths.dtype) == (np.float64, np.int32, np.int64)
    assert rows.shape == (lengths.sum(), len(encoder.vocabulary_))
    for start, end in zip(rows.indptr[:-1], rows.indptr[1:], strict=True):
        assert np.all(np.diff(rows.indices[start:end]) > 0)


@given(sequences, sequences)
def test_transform_keeps_what_fit_has_seen_and_ignores_the_rest(X, X_new):
    encoder = TokenEncoder().fit(X)
    vocabulary = dict(encoder.vocabulary_)
    rows, lengths = encoder.transform(X_new)
    expected = [item for sequence in X_new for item in pycrfsuite.ItemSequence(sequence).items()]
    assert as_dicts(encoder, rows) == [
        {name: weight for name, weight in item.items() if name in vocabulary} for item in expected
    ]
    assert lengths.tolist() == [len(sequence) for sequence in X_new]
    assert rows.shape[1] == len(vocabulary)
    assert encoder.vocabulary_ == vocabulary


def test_duplicates_add_as_they_do_in_crfsuite(tmp_path):
    labels = ["a", "b", "b"]
    twice = [["x", "x", "y"], ["x", "z"], ["z"]]
    added = [{"x": 2.0, "y": 1.0}, {"x": 1.0, "z": 1.0}, {"z": 1.0}]
    weights = []
    for number, sequence in enumerate([twice, added]):
        path = str(tmp_path / f"model{number}")
        trainer = pycrfsuite.Trainer(verbose=False)
        trainer.append(sequence, labels)
        trainer.train(path)
        tagger = pycrfsuite.Tagger()
        with tagger.open(path):
            weights.append(tagger.info().state_features)
    assert weights[0] == pytest.approx(weights[1])  # CRFsuite takes the two for the same training data
    encoder = TokenEncoder()
    rows, _ = encoder.fit_transform([twice])
    assert as_dicts(encoder, rows) == added


def test_duplicates_of_different_kinds():
    assert encoded({"a": "b", "a:b": 0.5, "c": ["d", "d"], "e": 2, "f": {"g": ["h"]}, "f:g": "h"}) == [
        {"a:b": 1.5, "c:d": 2.0, "e": 2.0, "f:g:h": 2.0}
    ]


def test_duplicates_that_cancel_have_been_seen():
    assert encoded({"a": "b", "a:b": -1.0, "c": 1}) == [{"a:b": 0.0, "c": 1.0}]


def test_columns_in_the_order_of_first_appearance():
    encoder = TokenEncoder().fit([[["z", "b"], {"a": "x", "z": 2.0}], [{"z", "m", "c"}]])
    assert list(encoder.vocabulary_.items()) == [("z", 0), ("b", 1), ("a:x", 2), ("c", 3), ("m", 4)]
    assert encoder.feature_names_.tolist() == ["z", "b", "a:x", "c", "m"]


def test_vocabulary_is_the_same_in_every_process():
    code = (
        "from margrave.features import TokenEncoder; "
        "print(list(TokenEncoder().fit([[{'a': {'p', 'q', 'r', 's'}}, {'t', 'u', 'v', 'w'}]]).vocabulary_))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert printed == {"['a:p', 'a:q', 'a:r', 'a:s', 't', 'u', 'v', 'w']\n"}


def test_zeros_are_stored():
    assert encoded({"a": False, "b": 0.0, "c": -0.0, "d": np.float32(0), "e": True}) == [
        {"a": 0.0, "b": 0.0, "c": 0.0, "d": 0.0, "e": 1.0}
    ]


@pytest.mark.parametrize("number", [np.float32(2.5), np.float64(2.5), np.float16(2.5)])
def test_numpy_numbers(number):
    assert encoded({"a": number}) == [{"a": 2.5}]


def test_numpy_integers_booleans_and_strings():
    token = {"i": np.int8(-3), "u": np.uint64(7), "yes": np.True_, "no": np.False_, np.str_("s"): np.str_("t")}
    assert encoded(token) == [{"i": -3.0, "u": 7.0, "yes": 1.0, "no": 0.0, "s:t": 1.0}]
    encoder = TokenEncoder().fit([[[np.str_("a")]]])
    assert [type(name) for name in encoder.vocabulary_] == [str]


@pytest.mark.parametrize("kind", [OrderedDict, MappingProxyType])
def test_mappings_are_dicts(kind):
    assert encoded(kind({"a": kind({"b": "c"})})) == [{"a:b:c": 1.0}]


def test_tuples_are_lists_as_values():
    assert encoded({"a": ("b", "c"), "d": frozenset({"e"})}) == [{"a:b": 1.0, "a:c": 1.0, "d:e": 1.0}]


def test_empty_tokens_and_sequences():
    encoder = TokenEncoder()
    rows, lengths = encoder.fit_transform([[], [{}, []], [{"a": "b"}], []])
    assert lengths.tolist() == [0, 2, 1, 0]
    assert rows.toarray().tolist() == [[0.0], [0.0], [1.0]]
    rows, lengths = encoder.transform([])
    assert (rows.shape, lengths.tolist()) == ((0, 1), [])


def test_nothing_at_all():
    rows, lengths = TokenEncoder().fit_transform([])
    assert (rows.shape, rows.nnz, lengths.tolist()) == ((0, 0), 0, [])


def test_any_iterables():
    rows, lengths = TokenEncoder().fit_transform([token] for token in (["a"], {"b": 2}))
    assert rows.toarray().tolist() == [[1.0, 0.0], [0.0, 2.0]]
    assert lengths.tolist() == [1, 1]


BAD_TOKENS = [
    ("the", TypeError, r"got str 'the'; put the word into a dict, \{'word': 'the'\}, or into a list, \['the'\]"),
    (("the", "DT"), TypeError, r"got tuple \('the', 'DT'\); extract features .* margrave\.features\.conll_template"),
    (None, TypeError, r"expected a dict of attributes or a list or set of str, got NoneType None"),
    (3.0, TypeError, r"expected a dict of attributes or a list or set of str, got float 3\.0"),
    (np.zeros(2), TypeError, r"expected a dict of attributes or a list or set of str, got ndarray"),
    (["a", 1], TypeError, r"expected attributes named by str, got int 1; write a weight as \{'name': weight\}"),
    (["a", {"b": 1}], TypeError, r"expected attributes named by str, got dict \{'b': 1\}"),
    ({"a", 1}, TypeError, r"expected attributes named by str, got int 1"),
    ({1: "a"}, TypeError, r"expected attributes named by str, got int 1"),
    (
        {"a": None},
        TypeError,
        r"the attribute 'a' has a value of type NoneType; expected str, .*; leave the attribute out",
    ),
    ({"a": b"c"}, TypeError, r"the attribute 'a' has a value of type bytes"),
    ({"a": 1j}, TypeError, r"the attribute 'a' has a value of type complex"),
    ({"a": np.ones(1)}, TypeError, r"the attribute 'a' has a value of type ndarray"),
    ({"a": {"b": object()}}, TypeError, r"the attribute 'a:b' has a value of type object"),
    ({"a": ["b", 2]}, TypeError, r"expected attributes named by str, got int 2"),
    ({"a": {"b", 2}}, TypeError, r"expected attributes named by str, got int 2"),
    ({"a": float("nan")}, ValueError, r"the attribute 'a' has the weight nan: expected a finite number"),
    ({"a": {"b": -np.inf}}, ValueError, r"the attribute 'a:b' has the weight -inf: expected a finite number"),
    ({"a": 10**400}, ValueError, r"int too large"),
]


@pytest.mark.parametrize(("token", "kind", "message"), BAD_TOKENS)
@pytest.mark.parametrize("method", ["fit_transform", "transform"])
def test_bad_tokens_are_refused_by_place(token, kind, message, method):
    encoder = TokenEncoder().fit([[["a"]]])
    with pytest.raises(kind, match=rf"^X\[1\], token 2: .*{message}"):
        getattr(encoder, method)([[["a"]], [["a"], {"a": 1}, token], [token]])
    assert encoder.vocabulary_ == {"a": 0}  # a failed fit has changed nothing


@pytest.mark.parametrize("sequence", ["the cat", b"the", {"a": 1}, None, 5])
def test_what_is_no_sequence_is_refused(sequence):
    with pytest.raises(TypeError, match=r"^X\[1\]: expected a sequence of tokens, got .*; X is a list of sequences"):
        TokenEncoder().fit([[["a"]], sequence])


def test_transform_before_fit():
    with pytest.raises(NotFittedError):
        TokenEncoder().transform([])
    with pytest.raises(NotFittedError):
        _ = TokenEncoder().feature_names_


def test_copies():
    encoder = TokenEncoder().fit([[["a", "b"]]])
    again = pickle.loads(pickle.dumps(encoder))
    assert again.transform([[["b", "c"]]])[0].toarray().tolist() == [[0.0, 1.0]]
    assert not hasattr(clone(encoder), "vocabulary_")


plain = st.dictionaries(names, names | st.booleans() | weights | st.integers(-3, 3), max_size=4)


@given(st.lists(st.lists(plain, max_size=4) | st.lists(lists_of_names, max_size=4), max_size=4))
def test_the_quick_way_is_the_slow_one(X):
    quick, slow = TokenEncoder(), TokenEncoder()
    ours = quick.fit_transform(X)[0]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Entries, "add_quickly", lambda self, tokens: False)
        theirs = slow.fit_transform(X)[0]
    assert quick.vocabulary_ == slow.vocabulary_
    assert as_dicts(quick, ours) == as_dicts(slow, theirs)


@pytest.mark.parametrize("bad", [[["a"], [["b"]]], [["a"], [1]], [{"a": 1.0}, {1: 2.0}], [{"a": np.inf}], [{"a": {}}]])
def test_what_the_quick_way_leaves_is_found_by_the_slow_one(bad):
    encoder = TokenEncoder().fit([[["a"]], [{"b": "c"}]])
    good = [[["a", "a"]], [{"b": "c"}]]
    if bad == [{"a": {}}]:
        assert encoder.transform([*good, bad])[0].toarray().tolist() == [[2, 0], [0, 1], [0, 0]]
        return
    with pytest.raises((TypeError, ValueError), match=r"^X\[2\], token [01]: "):
        encoder.transform([*good, bad])
