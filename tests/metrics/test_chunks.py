import warnings

import numpy as np
import pytest
import seqeval.metrics.sequence_labeling as seqeval
from hypothesis import example, given
from hypothesis import strategies as st

from margrave.metrics import ChunkScore, chunk_f1, chunk_report, chunk_scores

# Well-formed or not: types with a dash or none, prefixes of IOBES and beyond, the dot that seqeval treats as O.
prefixes = st.sampled_from(["B", "I", "E", "S", "O", "L", "U", "."])
types = st.sampled_from(["", "-NP", "-VP", "-A-B", "-"])
tags = st.builds(str.__add__, prefixes, types) | st.sampled_from(["O", "B-NP", "I-NP", "B-VP", "I-VP", "X"])
pairs_of_sequences = st.lists(st.lists(st.tuples(tags, tags), max_size=8), min_size=1, max_size=5)
STALE = [[("B-NP", "I-NP")], [("X", "X"), ("B-NP", "L")]]  # a tag without prefix at the beginning of a sequence


def unzipped(pairs):
    return [[a for a, _ in sequence] for sequence in pairs], [[b for _, b in sequence] for sequence in pairs]


def of_seqeval(measure, *arguments, **options):
    with warnings.catch_warnings():  # seqeval warns of 0/0 and of tags that it does not know
        warnings.simplefilter("ignore")
        return getattr(seqeval, measure)(*arguments, **options)


@given(pairs_of_sequences)
@example(STALE)
def test_f1_is_seqevals(pairs):
    y = unzipped(pairs)
    report = of_seqeval("precision_recall_fscore_support", *y, average=None)
    assert chunk_f1(*y, average=None).tolist() == report[2].tolist()
    if not len(report[2]):
        assert [chunk_f1(*y, average=average) for average in ("micro", "macro", "weighted")] == [0, 0, 0]
        return
    assert chunk_f1(*y) == of_seqeval("f1_score", *y)
    assert chunk_f1(*y, average="macro") == of_seqeval("f1_score", *y, average="macro")
    assert chunk_f1(*y, average="weighted") == of_seqeval("f1_score", *y, average="weighted")


@given(pairs_of_sequences)
@example(STALE)
def test_scores_and_report_are_seqevals(pairs):
    y = unzipped(pairs)
    scores = chunk_scores(*y)
    if not scores:
        assert chunk_report(*y).splitlines()[3:] == [
            f"{average:>12}       0.00      0.00      0.00         0"
            for average in ("micro avg", "macro avg", "weighted avg")
        ]
        return
    expected = of_seqeval("classification_report", *y, output_dict=True)
    assert list(scores) == list(expected)[:-3]
    for kind, score in scores.items():
        assert list(score) == list(expected[kind].values())
    assert chunk_report(*y, digits=4) == of_seqeval("classification_report", *y, digits=4)


def test_by_hand():
    y_true = [["B-NP", "I-NP", "B-NP", "O", "B-VP"], ["B-PP"]]
    y_pred = [["B-NP", "I-NP", "I-NP", "O", "B-VP"], ["O"]]
    # True: NP 0-1, NP 2, VP 4, PP 0; predicted: NP 0-2, VP 4: one of two right, one of four found.
    assert chunk_f1(y_true, y_pred) == pytest.approx(2 * 0.5 * 0.25 / 0.75)
    assert chunk_scores(y_true, y_pred) == {
        "NP": ChunkScore(0.0, 0.0, 0.0, 2),
        "PP": ChunkScore(0.0, 0.0, 0.0, 1),
        "VP": ChunkScore(1.0, 1.0, 1.0, 1),
    }
    assert chunk_f1(y_true, y_pred, average="macro") == pytest.approx(1 / 3)
    assert chunk_f1(y_true, y_pred, average="weighted") == pytest.approx(1 / 4)
    assert chunk_f1(y_true, y_pred, average=None).tolist() == [0.0, 0.0, 1.0]


def test_chunks_do_not_cross_the_end_of_a_sequence():
    assert chunk_scores([["B-NP"], ["I-NP"]], [["B-NP"], ["I-NP"]])["NP"].support == 2


def test_many_types_to_the_last_digit():
    random = np.random.default_rng(0)
    names = [f"{prefix}-{kind}" for prefix in "BIES" for kind in range(30)]
    y_true, y_pred = ([random.choice(names, 40).tolist() for _ in range(50)] for _ in range(2))
    y_pred = [
        [a if random.random() < 0.7 else b for a, b in zip(*y, strict=True)] for y in zip(y_true, y_pred, strict=True)
    ]
    for average in ("micro", "macro", "weighted"):
        assert chunk_f1(y_true, y_pred, average=average) == of_seqeval("f1_score", y_true, y_pred, average=average)


def test_no_chunk_at_all():
    assert chunk_f1([["O"], []], [["O"], []]) == 0
    assert chunk_f1([], [], average="weighted") == 0
    assert chunk_f1([], [], average=None).shape == (0,)
    assert chunk_scores([["O"]], [["O"]]) == {}


@pytest.mark.parametrize("tag", [1, None, ""])
def test_labels_that_are_no_tags_are_refused_by_place(tag):
    message = r"y_pred\[1\], token 1: expected a tag such as 'B-NP' or 'O', got .*; map the labels to tags first"
    with pytest.raises(TypeError, match=message):
        chunk_f1([["O"], ["O", "O"]], [["O"], ["O", tag]])


def test_average_is_one_of_four():
    with pytest.raises(ValueError, match="average: expected 'micro', 'macro', 'weighted' or None, got 'samples'"):
        chunk_f1([["O"]], [["O"]], average="samples")
