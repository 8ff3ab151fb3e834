import gzip
import lzma
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.datasets import read_conll
from margrave.datasets.conll import RaggedLineError

SENTENCES = [[("the", "DT"), ("cat", "NN")], [("sleeps", "VBZ")]]


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("tail", ["", "\n", "\n\n\n"], ids=["bare", "ended", "blank lines"])
def test_ends_of_lines_and_blank_lines(tmp_path, end, tail):
    path = tmp_path / "text"
    text = "\nthe DT\ncat\tNN\n  \n\nsleeps  VBZ\n".removesuffix("\n") + tail
    path.write_bytes(text.replace("\n", end).encode())
    assert read_conll(path) == SENTENCES
    assert read_conll(str(path)) == SENTENCES


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_packed_files(tmp_path, suffix, pack):
    path = tmp_path / f"text{suffix}"
    path.write_bytes(pack(b"the DT\ncat NN\n\nsleeps VBZ\n"))
    assert read_conll(path) == SENTENCES


def test_lines_from_any_iterable():
    assert read_conll(iter(["the DT", "cat NN\n", "", "sleeps VBZ"])) == SENTENCES


def test_nothing_gives_no_sentences():
    assert read_conll([]) == []
    assert read_conll(["\n", " \n"]) == []


def test_ragged_line_is_refused_with_its_number(tmp_path):
    path = tmp_path / "text"
    path.write_text("the DT\n\ncat\n")
    with pytest.raises(
        ValueError, match=r"text, line 3: expected 2 columns as in the first line, got 1 in 'cat'; mend"
    ):
        read_conll(path)


def test_a_ragged_line_says_in_numbers_what_is_wrong_with_it():
    with pytest.raises(RaggedLineError) as caught:
        read_conll(["the DT\n", "\n", " cat\n"])
    error = pickle.loads(pickle.dumps(caught.value))
    assert (error.source, error.line, error.expected, error.got, error.text) == ("source", 3, 2, 1, "cat")
    assert str(error) == str(caught.value)


def test_ragged_lines_where_they_are_expected():
    lines = ["O\ta\tb\n", "O\ta\n", "\n", "O\n"]
    assert read_conll(lines, separator="\t", ragged=True) == [[("O", "a", "b"), ("O", "a")], [("O",)]]


def test_separator_keeps_empty_columns_and_blanks():
    assert read_conll(["New York\t\tO\n"], separator="\t") == [[("New York", "", "O")]]


def test_comments_only_where_asked_for():
    assert read_conll(["# DT\n", "a DT\n"]) == [[("#", "DT"), ("a", "DT")]]
    assert read_conll(["# sent_id = 1\n", "a DT\n"], comment="#") == [[("a", "DT")]]


def test_only_blanks_and_tabs_separate(tmp_path):
    path = tmp_path / "text"
    path.write_bytes("\u00a0 SP\n\u2028\rx NN\n".encode())
    assert read_conll(path) == [[("\u00a0", "SP"), ("\u2028\rx", "NN")]]


def test_byte_order_mark_is_no_part_of_the_first_word(tmp_path):
    path = tmp_path / "text"
    path.write_bytes(b"\xef\xbb\xbfthe DT\n")
    assert read_conll(path) == [[("the", "DT")]]


def test_text_in_place_of_lines_is_refused():
    with pytest.raises(ValueError, match=r"source\.splitlines\(\)"):
        read_conll("the DT\ncat NN\n")


words = st.text(st.characters(codec="utf-8", exclude_characters=" \t\r\n"), min_size=1, max_size=5)


@given(st.lists(st.lists(st.tuples(words, words, words), min_size=1, max_size=4), max_size=4))
def test_what_is_written_is_read(sentences):
    lines = [line for sentence in sentences for line in [*map(" ".join, sentence), ""]]
    assert read_conll(lines) == sentences
