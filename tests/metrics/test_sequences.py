import subprocess
import sys
import warnings
from itertools import chain
from math import isnan

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import given
from hypothesis import strategies as st

from margrave.metrics import confusion_matrix, sequence_accuracy, token_accuracy

labels = st.sampled_from("NVDA")
pairs_of_sequences = st.lists(st.lists(st.tuples(labels, labels), max_size=5), max_size=5)


def unzipped(pairs):
    return [[a for a, _ in sequence] for sequence in pairs], [[b for _, b in sequence] for sequence in pairs]


def flat(sequences):
    return list(chain.from_iterable(sequences))


@given(pairs_of_sequences.filter(any))
def test_token_accuracy_is_the_accuracy_of_all_tokens(pairs):
    y_true, y_pred = unzipped(pairs)
    assert token_accuracy(y_true, y_pred) == sklearn.metrics.accuracy_score(flat(y_true), flat(y_pred))


@given(pairs_of_sequences.filter(len))
def test_sequence_accuracy_is_the_accuracy_of_words(pairs):
    y_true, y_pred = unzipped(pairs)
    words = ["".join(y) for y in y_true], ["".join(y) for y in y_pred]
    assert sequence_accuracy(y_true, y_pred) == sklearn.metrics.accuracy_score(*words)


@given(pairs_of_sequences.filter(any))
def test_confusion_matrix_is_that_of_all_tokens(pairs):
    y_true, y_pred = unzipped(pairs)
    present = sorted({*flat(y_true), *flat(y_pred)})
    order = ["X", flat(y_true)[0], "Y"]  # scikit-learn wants one that is there
    for labels, names in ((None, present), (order, order), (np.array(order), order)):
        ours = confusion_matrix(y_true, y_pred, labels)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # scikit-learn warns of a single label
            theirs = sklearn.metrics.confusion_matrix(flat(y_true), flat(y_pred), labels=names)
        assert ours.dtype == np.int64
        assert ours.tolist() == theirs.tolist()


def test_numbers_as_labels():
    y_true, y_pred = [np.array([0, 1, 2]), np.array([2])], [np.array([0, 2, 2]), np.array([2])]
    assert token_accuracy(y_true, y_pred) == 0.75
    assert sequence_accuracy(y_true, y_pred) == 0.5
    assert confusion_matrix(y_true, y_pred).tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 2]]


def test_labels_of_another_kind_are_wrong_and_not_an_error():
    assert token_accuracy([["1", "2"]], [np.array([1, 2])]) == 0
    assert sequence_accuracy([["1"], []], [[1], []]) == 0.5


def test_nothing_to_count():
    assert isnan(token_accuracy([[], []], [[], []]))
    assert isnan(sequence_accuracy([], []))
    assert sequence_accuracy([[]], [[]]) == 1
    assert confusion_matrix([], []).shape == (0, 0)


def test_answers_are_plain_floats():
    y = [[np.int64(1), np.int64(2)]]
    assert type(token_accuracy(y, y)) is float
    assert type(sequence_accuracy(y, y)) is float


def test_labels_given_twice_are_refused():
    with pytest.raises(ValueError, match=r"labels: expected each label once, got 'N' twice; leave one out"):
        confusion_matrix([["N"]], [["N"]], labels=["N", "V", "N"])


def test_labels_that_cannot_be_sorted():
    with pytest.raises(TypeError, match=r"expected labels of one kind, got int, str; pass labels= for an order"):
        confusion_matrix([["N"]], [[1]])
    assert confusion_matrix([["N"]], [[1]], labels=["N", 1]).tolist() == [[0, 1], [0, 0]]


def test_import_is_light():
    code = (
        "import sys, margrave.metrics; heavy = {'pandas', 'matplotlib', 'sklearn.svm', 'sklearn.linear_model'}; "
        "print(sorted(heavy & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
