import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.cli.column_file import ColumnFile
from margrave.cli.columns import Columns, LabelAt, resolved
from margrave.cli.errors import BadInputError
from margrave.cli.options import Features
from margrave.features import ColumnTemplate, conll_template, crfsuite_attributes
from margrave.persistence import ModelFileError

TOKENS = [[("the", "DT", "x", "B-NP"), ("cat", "NN", "y", "I-NP")], [("sat", "VB", "z", "B-VP")]]
LABELS = [["B-NP", "I-NP"], ["B-VP"]]
LAST = Columns(Features.columns, label=3, n_columns=4, used=(0, 1))


def file_of(tokens, columns=LAST):
    lines = [" ".join(token) + "\n" for sentence in tokens for token in [*sentence, ()]]
    return ColumnFile("text", columns.format, lines, tokens)


def picked(tokens, *columns):
    return [[tuple(token[k] for k in columns) for token in sentence] for sentence in tokens]


def test_attributes_and_labels_of_a_file_like_that_of_training():
    file = file_of(TOKENS)
    assert LAST.labels(file) == LABELS
    assert LAST.attributes(file) == ColumnTemplate([0, 1]).transform(TOKENS)


@pytest.mark.parametrize("columns", [(0, 1, 2), (0, 1)], ids=["no label", "only what is used"])
def test_files_without_labels_give_the_same_attributes(columns):
    file = file_of(picked(TOKENS, *columns))
    assert LAST.labels(file) is None
    assert LAST.attributes(file) == LAST.attributes(file_of(TOKENS))
    assert LAST.attributes(file, LabelAt.nowhere) == LAST.attributes(file_of(TOKENS))


def test_a_label_that_is_not_last():
    columns = Columns(Features.columns, label=1, n_columns=4, used=(0, 3), window=1, bigrams=False)
    moved = picked(TOKENS, 0, 3, 2, 1)
    expected = ColumnTemplate([0, 3], 1, False).transform(moved)
    assert columns.attributes(file_of(moved)) == expected
    assert columns.labels(file_of(moved)) == LABELS
    assert columns.attributes(file_of(picked(TOKENS, 0, 2, 1))) == expected
    assert columns.attributes(file_of(picked(TOKENS, 0, 1))) == expected


def test_a_label_elsewhere_than_in_training():
    moved = file_of(picked(TOKENS, 3, 0, 1, 2))
    assert LAST.labels(moved, 0) == LABELS
    assert LAST.attributes(moved, 0) == LAST.attributes(file_of(TOKENS))
    assert LAST.labels(moved, -4) == LABELS


def test_the_conll_template():
    columns = Columns(Features.conll, label=3, n_columns=4, used=(0, 1))
    assert columns.attributes(file_of(TOKENS)) == [conll_template([t[:2] for t in sentence]) for sentence in TOKENS]


@pytest.mark.parametrize(
    ("width", "label", "message"),
    [
        (
            5,
            LabelAt.as_trained,
            r"has 5 columns; the model takes 4 columns \(label in column 3\), or 3 without the label",
        ),
        (1, LabelAt.as_trained, r"has 1 column; .* or only the 2 that attributes are made of; give it such a file"),
        (4, LabelAt.nowhere, "has 4 columns; .*--label-column"),
        (2, 0, "has 2 columns, one of them the label; the model takes 4 columns"),
        (4, 7, r"has 4 columns, numbered 0 to 3 \(or -1 to -4 from the end\); there is no column 7"),
    ],
)
def test_a_file_that_does_not_fit_is_told_what_would(width, label, message):
    with pytest.raises(BadInputError, match=message):
        LAST.attributes(file_of([[("w",) * width]]), label)


WRITTEN = [[("O", "a", "b:2"), ("B", "a")], [("O", r"c\:d")]]


def test_written_attributes():
    columns = Columns(Features.attributes, label=0, delimiter="\t")
    file = file_of(WRITTEN, columns)
    assert columns.labels(file) == [["O", "B"], ["O"]]
    assert columns.attributes(file) == [[{"a": 1.0, "b": 2.0}, {"a": 1.0}], [{"c:d": 1.0}]]
    bare = [[token[1:] for token in sentence] for sentence in WRITTEN]
    assert columns.attributes(file_of(bare, columns), LabelAt.nowhere) == columns.attributes(file)
    assert columns.labels(file_of(bare, columns), LabelAt.nowhere) is None


def test_written_attributes_with_the_label_last():
    columns = Columns(Features.attributes, label=-1, delimiter="\t")
    file = file_of([[("a", "b:2", "O"), ("a", "B")]], columns)
    assert columns.labels(file) == [["O", "B"]]
    assert columns.attributes(file) == [[crfsuite_attributes(["a", "b:2"]), {"a": 1.0}]]


@pytest.mark.parametrize(
    ("token", "label", "message"),
    [
        (("O", "a:b"), 0, "text, line 4: the attribute 'a' must have a finite number"),
        (("O",), 1, "line 4: .* no column 1"),
    ],
)
def test_a_bad_attribute_is_told_by_its_line(token, label, message):
    columns = Columns(Features.attributes, label=label, delimiter="\t")
    tokens = [[("O", "a"), ("O", "a")], [token]]
    with pytest.raises(BadInputError, match=message):
        columns.attributes(file_of(tokens, columns))


def test_numbers_of_columns():
    file = file_of(TOKENS)
    assert [resolved(k, file) for k in (0, 3, -1, -4)] == [0, 3, 3, 0]
    for beyond in (4, -5):
        with pytest.raises(BadInputError, match=f"there is no column {beyond}"):
            resolved(beyond, file)


# --------------------------------------------------------------------------------------------------------- model files


@given(
    st.sampled_from(Features), st.integers(0, 4), st.sets(st.integers(0, 4), min_size=2), st.integers(0, 9),
    st.booleans(), st.none() | st.text(min_size=1), st.none() | st.text(min_size=1),
)  # fmt: skip
def test_what_is_written_to_a_file_is_read_back(features, label, used, window, bigrams, separator, comment):
    columns = Columns(features, label, 5, tuple(used), window, bigrams, separator, comment)
    assert Columns.from_json(json.loads(json.dumps(columns.as_json()))) == columns


@pytest.mark.parametrize(
    "change",
    [
        {"features": "words"}, {"label": "3"}, {"label": 9}, {"used": [9]}, {"used": None}, {"delimiter": 1},
        {"window": -1}, {"bigrams": None}, {"encoding": None}, {"window": 10**9}, {"n_columns": 10**9},
        {"n_columns": 0}, {"used": []}, {"features": "conll", "used": [0]}, {"delimiter": ""}, {"comment": ""},
    ],
)  # fmt: skip
def test_a_file_is_doubted(change):
    with pytest.raises(ModelFileError, match="describes its columns wrongly"):
        Columns.from_json({**LAST.as_json(), **change})


@pytest.mark.parametrize("values", [None, [], {}, "columns"])
def test_a_file_that_says_something_else_altogether(values):
    with pytest.raises(ModelFileError, match="describes its columns wrongly"):
        Columns.from_json(values)


def test_in_words():
    assert LAST.describe() == "0 to 3: 3 is the label, 0, 1 make attributes by a window of 2"
    assert "CoNLL template" in Columns(Features.conll, 3, 4, (0, 1)).describe()
    assert Columns(Features.attributes, 0).describe() == "0 is the label, the others are attributes"
