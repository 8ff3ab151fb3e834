import numpy as np
import pytest

from margrave import metrics

MEASURES = [
    metrics.token_accuracy,
    metrics.sequence_accuracy,
    metrics.chunk_f1,
    metrics.chunk_scores,
    metrics.chunk_report,
    metrics.confusion_matrix,
]
each_measure = pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: measure.__name__)


@each_measure
def test_lists_arrays_and_tuples_alike(measure):
    y_true = [["B-NP", "I-NP", "O"], [], ["B-VP"]]
    y_pred = [["B-NP", "O", "O"], [], ["B-NP"]]
    expected = measure(y_true, y_pred)
    for kind in (np.array, tuple, lambda tags: np.array(tags, dtype=object), lambda tags: list(np.array(tags, str))):
        assert np.array_equal(measure(list(map(kind, y_true)), tuple(map(kind, y_pred))), expected)


@each_measure
def test_another_number_of_sequences_is_refused(measure):
    with pytest.raises(ValueError, match=r"y_pred: expected 2 sequences as in y_true, got 1; pass the predictions"):
        measure([["O"], ["O"]], [["O"]])


@each_measure
def test_another_length_is_refused_by_place(measure):
    with pytest.raises(ValueError, match=r"y_pred\[1\]: expected 2 labels as in y_true\[1\], got 1; predict one label"):
        measure([["O"], ["O", "O"], ["O"]], [["O"], ["O"], []])


@each_measure
def test_flat_labels_are_refused(measure):
    with pytest.raises(TypeError, match=r"y_true\[0\]: expected a sequence of labels, got str 'B-NP'; wrap the labels"):
        measure(["B-NP", "O"], ["B-NP", "O"])
    with pytest.raises(TypeError, match=r"y_pred\[0\]: expected a sequence of labels, got int 1"):
        measure([["O"]], [1])


@each_measure
def test_pictures_are_refused(measure):
    with pytest.raises(ValueError, match=r"y_true\[0\]: expected one dimension, got shape \(2, 3\); flatten it"):
        measure([np.zeros((2, 3))], [np.zeros((2, 3))])
