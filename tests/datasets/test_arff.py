import lzma
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io.arff import loadarff
from scipy.sparse import csr_array

from margrave.datasets import ArffError, read_arff

HEADER = ["@relation toy", "@attribute a numeric", "@attribute b numeric", "@attribute c {0,1}", "@data"]

cells = st.floats(allow_nan=False, allow_infinity=False) | st.just(0.0)
tables = st.lists(st.tuples(cells, cells, st.sampled_from([0.0, 1.0])), max_size=6)


def dense(rows):
    return [",".join([repr(a), repr(b), str(int(c))]) for a, b, c in rows]


def sparse(rows):
    return ["{" + ",".join(f"{j} {value!r}" for j, value in enumerate(row) if value) + "}" for row in rows]


@given(tables)
def test_dense_rows_come_back_to_the_last_digit(rows):
    table = read_arff([*HEADER, *dense(rows)])
    assert table.values.dtype == np.float64
    assert table.values.shape == (len(rows), 3)
    assert np.array_equal(table.values, np.array(rows).reshape(-1, 3))


@given(tables.filter(len))
def test_sparse_rows_come_back_to_the_last_digit(rows):
    values = read_arff([*HEADER, *sparse(rows)]).values
    assert isinstance(values, csr_array)
    assert values.has_canonical_format
    assert values.indices.dtype == values.indptr.dtype == np.int32
    assert np.array_equal(values.toarray(), np.array(rows))


def test_agrees_with_scipys_reader(tmp_path):
    rows = dense([(0.25, -3e-7, 1.0), (1e300, 2.0, 0.0)])
    path = tmp_path / "toy.arff"
    path.write_text("\n".join(["% a comment", *HEADER, *rows]))
    theirs, _ = loadarff(path)
    ours = read_arff(path).values
    for column, name in enumerate("abc"):
        assert np.array_equal(ours[:, column], theirs[name].astype(np.float64))


def test_names_kinds_comments_and_blank_lines():
    table = read_arff(
        [
            "% made by hand\n",
            "@RELATION 'a table: -C 2'\r\n",
            "\n",
            "@ATTRIBUTE\t'it\\'s one'\tREAL\n",
            '@attribute "two  words" Integer\n',
            "@attribute TAG_m\\'u NUMERIC\n",  # a backslash is itself in a bare name
            "@attribute {x { 0, 1 }\n",
            "@attribute y {'0','1'}\n",
            "@Data\n",
            "% rows\n",
            " 1 , 2,\t3 ,1,'1'\n",
            "\n",
            "?,0,-1e3,0,0\n",
        ]
    )
    assert table.relation == "a table: -C 2"
    assert table.names == ["it's one", "two  words", "TAG_m\\'u", "{x", "y"]
    assert np.array_equal(table.values, [[1, 2, 3, 1, 1], [np.nan, 0, -1000, 0, 0]], equal_nan=True)


def test_sparse_rows_may_be_empty_and_hold_zeros_and_missing_values():
    values = read_arff([*HEADER, "{ 0 2 , 2 1 }", "{}", "{ }", "{1 0}", "{1 ?}"]).values
    expected = [[2, 0, 1], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0, np.nan, 0]]
    assert np.array_equal(values.toarray(), expected, equal_nan=True)
    assert values.nnz == 3


def test_a_file_may_be_packed(tmp_path):
    path = tmp_path / "toy.arff.xz"
    path.write_bytes(lzma.compress("\n".join([*HEADER, "1,2,0"]).encode()))
    assert read_arff(path).values.tolist() == [[1, 2, 0]]


def test_no_rows():
    assert read_arff(HEADER).values.shape == (0, 3)


@pytest.mark.parametrize(
    ("lines", "line", "problem"),
    [
        (["@relation toy", "@attribute a string", "@data"], 2, r"'a': expected numeric or \{0,1\}, got 'string'"),
        (["@attribute a date 'yyyy'", "@data"], 1, "got \"date 'yyyy'\""),
        (["@attribute a {red,green}", "@data"], 1, r"got '\{red,green\}'"),
        (["@attribute a {1,0}", "@data"], 1, r"got '\{1,0\}'"),  # a sparse row leaves out the first value named
        (["@attribute a", "@data"], 1, "expected @attribute, a name and a kind, got '@attribute a'"),
        (["@attribute 'a numeric", "@data"], 1, "expected @attribute, a name and a kind"),
        (
            ["@attribute a real", "@attribute 'a' real", "@data"],
            2,
            "expected each attribute once, got 'a' as in line 1",
        ),
        (["@relation toy", "@data", "1"], 2, "expected @attribute lines before @data"),
        (["@relation toy", "1,2"], 2, "expected @relation, @attribute or @data, got '1,2'"),
        (["@relation toy", "@attribute a real"], 2, "expected a line @data"),
        ([], 0, "expected a line @data"),
        ([*HEADER, "1,2,0", "1,2"], 7, "expected 3 values, got 2"),
        ([*HEADER, "% 1", "1,2,0,", "1,2"], 7, "expected 3 values, got 4"),
        ([*HEADER, "1,x,0"], 6, r"expected a number or \?, got 'x'"),
        ([*HEADER, "1,,0"], 6, r"expected a number or \?, got ''"),
        ([*HEADER, "1,2,0", "1,2,2"], 7, "'c': expected 0 or 1 as its attribute line says, got 2"),
        ([*HEADER, "1,2,0", "{0 1}"], 7, "expected a dense row as in the lines before"),
        ([*HEADER, "{0 1}", "1,2,0"], 7, r"expected a sparse row, \{column value, ...\}, got '1,2,0'"),
        ([*HEADER, "{0 1"], 6, "expected a sparse row"),
        ([*HEADER, "{0 1,3 1}"], 6, "expected columns below 3, got 3"),
        ([*HEADER, "{-1 1}"], 6, "expected a column, from 0, and a value, got '-1 1'"),
        ([*HEADER, "{1 1,0 1}"], 6, "expected columns in ascending order, got 0 after 1"),
        ([*HEADER, "{1 1,1 1}"], 6, "expected columns in ascending order, got 1 after 1"),
        ([*HEADER, "{0 1 2,1}"], 6, "expected a column, from 0, and a value, got '0 1 2'"),
        ([*HEADER, "{0 x}"], 6, r"expected a number or \?, got 'x'"),
        ([*HEADER, "{}", "{0 5,2 2}"], 7, "'c': expected 0 or 1 as its attribute line says, got 2"),
    ],
)
def test_errors_name_the_line(lines, line, problem):
    with pytest.raises(ArffError, match=rf"source, line {line}: .*{problem}") as caught:
        read_arff(lines)
    assert caught.value.line == line
    assert isinstance(caught.value, ValueError)


def test_errors_name_the_file_and_can_be_pickled(tmp_path):
    path = tmp_path / "toy.arff"
    path.write_text("@data\n")
    with pytest.raises(ArffError) as caught:
        read_arff(path)
    again = pickle.loads(pickle.dumps(caught.value))
    assert (again.source, again.line, again.problem) == (str(path), 1, caught.value.problem)
    assert str(again) == str(caught.value)


def test_text_of_several_lines_is_no_path():
    with pytest.raises(ValueError, match=r"pass source\.splitlines\(\)"):
        read_arff("\n".join(HEADER))
