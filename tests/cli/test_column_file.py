import gzip
import io
import lzma

import pytest

from margrave.cli.column_file import ColumnFile, Format, read_column_file
from margrave.cli.errors import BadInputError
from margrave.datasets import read_conll


@pytest.fixture
def write(tmp_path):
    def written(content, name="text"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return written


def test_it_reads_what_the_librarys_reader_reads(files):
    path = str(files / "train.txt")
    file = read_column_file(path, Format())
    assert file.sentences == read_conll(path)
    assert file.width == 3
    assert file.n_tokens == sum(map(len, file.sentences))
    assert "".join(file.lines) == (files / "train.txt").read_text()


@pytest.mark.parametrize(("suffix", "pack"), [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_packed_files(write, suffix, pack):
    assert read_column_file(write(pack(b"a O\n"), f"t{suffix}"), Format()).sentences == [[("a", "O")]]


@pytest.mark.parametrize("name", ["t.gz", "t.xz"])
@pytest.mark.parametrize("content", [b"a O\n", b""], ids=["text", "empty"])
def test_files_that_are_not_packed_as_their_names_say(write, name, content):
    with pytest.raises(BadInputError, match=r"t\.(gz|xz) (could not be (unpacked|read)|holds no tokens)"):
        read_column_file(write(content, name), Format())


def test_a_packed_file_that_was_cut_short(write):
    with pytest.raises(BadInputError, match=r"could not be unpacked: .*; pack it again"):
        read_column_file(write(gzip.compress(b"a O\n" * 9)[:-9], "t.gz"), Format())


def test_standard_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO("é O\n".encode())))
    file = read_column_file("-", Format())
    assert (file.name, file.sentences) == ("standard input", [[("é", "O")]])


def test_a_ragged_line_is_told_by_file_and_number(write):
    path = write("the DT O\n\ncat NN\n")
    with pytest.raises(BadInputError) as caught:
        read_column_file(path, Format())
    sentence = str(caught.value)
    assert sentence.startswith(f"{path}, line 3: expected 3 columns as in the first line, got 2 in 'cat NN'; ")
    assert "--delimiter" in sentence and "--comment" in sentence


def test_ragged_lines_are_read_where_lines_are_attributes(write):
    file = read_column_file(write("O\ta\tb c\nO\n"), Format(delimiter="\t", ragged=True))
    assert file.sentences == [[("O", "a", "b c"), ("O",)]]


@pytest.mark.parametrize("content", ["", "\n\n", " \t\n", "# only\n"])
def test_a_file_without_tokens_is_refused(write, content):
    path = write(content)
    with pytest.raises(BadInputError, match="holds no tokens; expected one token a line"):
        read_column_file(path, Format(comment="#"))


def test_bytes_that_are_no_text_are_told_by_their_line(write):
    path = write(b"the O\ncaf\xe9 O\n")
    with pytest.raises(BadInputError, match=r"text, line 2: expected text in utf-8, .*--encoding latin-1"):
        read_column_file(path, Format())
    assert read_column_file(path, Format(encoding="latin-1")).sentences == [[("the", "O"), ("café", "O")]]


def test_an_encoding_that_nobody_knows(write):
    with pytest.raises(BadInputError, match="--encoding klingon is not known"):
        read_column_file(write("a O\n"), Format(encoding="klingon"))


def test_a_byte_order_mark_is_no_part_of_the_first_word(write):
    assert read_column_file(write(b"\xef\xbb\xbfthe O\n"), Format()).sentences == [[("the", "O")]]
    assert read_column_file(write("the O\n".encode("utf-16")), Format(encoding="utf-16")).sentences == [[("the", "O")]]


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(BadInputError, match="could not be read: No such file"):
        read_column_file(str(tmp_path / "nothing"), Format())
    with pytest.raises(BadInputError, match="could not be read: Is a directory"):
        read_column_file(str(tmp_path), Format())


LINES = ["# one\n", "the DT\n", "cat  NN \r\n", "\t\n", "\n", "# two\n", "sat VB"]


def test_lines_of_tokens_are_counted():
    file = ColumnFile("text", Format(comment="#"), LINES, read_conll(LINES, comment="#"))
    assert [file.line_of(token) for token in range(3)] == [2, 3, 7]


def test_a_column_is_added_and_everything_else_stays():
    file = ColumnFile("text", Format(comment="#"), LINES, read_conll(LINES, comment="#"))
    written = list(file.with_columns(iter("XYZ")))
    assert written == ["# one\n", "the DT X\n", "cat  NN  Y\r\n", "\t\n", "\n", "# two\n", "sat VB Z\n"]
    assert [[token[-1] for token in s] for s in read_conll(written, comment="#")] == [["X", "Y"], ["Z"]]


@pytest.mark.parametrize(
    ("line", "separator", "expected"),
    [("a\tO\n", None, "a\tO\tX\n"), ("a,O\n", ",", "a,O,X\n"), ("\ta O\n", None, "\ta O X\n")],
)
def test_the_added_column_is_set_off_as_the_others_are(line, separator, expected):
    file = ColumnFile("text", Format(delimiter=separator), [line], read_conll([line], separator=separator))
    assert list(file.with_columns(iter("X"))) == [expected]
