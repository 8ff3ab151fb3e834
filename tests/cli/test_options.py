import pytest

from margrave.cli.errors import BadInputError
from margrave.cli.options import LabelAt, delimiter, label_column, whole_numbers


@pytest.mark.parametrize(
    ("text", "at"),
    [(None, LabelAt.as_trained), ("none", LabelAt.nowhere), ("None", LabelAt.nowhere), ("0", 0), ("-2", -2)],
)
def test_label_columns(text, at):
    assert label_column(text) == at


def test_a_label_column_that_is_no_number_is_refused():
    with pytest.raises(BadInputError, match=r"--label-column takes the number of a column, .*; got 'last'"):
        label_column("last")


def test_lists_of_columns():
    assert whole_numbers("--feature-columns", "0, 2,-1") == [0, 2, -1]
    with pytest.raises(BadInputError, match=r"--feature-columns takes .*; got ''"):
        whole_numbers("--feature-columns", "0,")


@pytest.mark.parametrize(
    ("text", "separator"), [(None, None), ("tab", "\t"), (r"\t", "\t"), ("\t", "\t"), ("comma", ","), ("||", "||")]
)
def test_delimiters(text, separator):
    assert delimiter(text) == separator


def test_an_empty_delimiter_is_refused():
    with pytest.raises(BadInputError, match="at least one character"):
        delimiter("")
