import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from margrave.features.label_table import LabelTable

SIGNS = [[-1, 1], [1, -1], [1, 1]]
FORMS = {
    "int": np.array([[0, 1], [1, 0], [1, 1]]),
    "unsigned": np.array([[0, 1], [1, 0], [1, 1]], dtype=np.uint8),
    "float": np.array([[0.0, 2.5], [1.0, 0.0], [1.0, 2.5]]),
    "bool": np.array([[False, True], [True, False], [True, True]]),
    "signs": np.array([[-1, 1], [1, -1], [1, 1]]),
    "text": np.array([["no", "b"], ["yes", "a"], ["yes", "b"]]),
    "objects": np.array([["no", "b"], ["yes", "a"], ["yes", "b"]], dtype=object),
    "list": [[0, 1], [1, 0], [1, 1]],
    "sparse": sparse.csr_array(np.array([[0, 1], [1, 0], [1, 1]])),
    "frame": pd.DataFrame({"a": ["no", "yes", "yes"], "b": [1, 0, 1]}),
    "text beside numbers": np.array([["no", 1], ["yes", 0], ["yes", 1]], dtype=object),
}


@pytest.mark.parametrize("form", FORMS)
def test_there_and_back(form):
    Y = FORMS[form]
    table, values = LabelTable.learn(Y)
    assert values.tolist() == SIGNS
    assert values.dtype == np.int8
    assert table.read(Y).tolist() == SIGNS
    back = table.write(values)
    plain = Y.toarray() if sparse.issparse(Y) else np.asarray(Y)
    assert back.tolist() == plain.tolist()
    assert (table.n_columns, table.changing.tolist()) == (2, [0, 1])


def test_one_column():
    for Y in (np.array([3, 5, 3]), ["no", "yes", "no"], pd.Series([3, 5, 3])):
        table, values = LabelTable.learn(Y)
        assert table.one_column
        assert values.tolist() == [[-1], [1], [-1]]
        assert table.write(values).tolist() == list(Y)
    assert not LabelTable.learn(np.array([[3], [5]]))[0].one_column


UNKNOWN = {
    "NaN": np.array([[0, np.nan], [1, 0], [np.nan, 1]]),
    "None": np.array([[0, None], [1, 0], [None, 1]], dtype=object),
    "None beside text": np.array([["a", None], ["b", "x"], [None, "y"]], dtype=object),
    "-1": np.array([[0, -1], [1, 0], [-1, 1]]),
    "masked": np.ma.array([[0, 7], [1, 0], [7, 1]], mask=[[0, 1], [0, 0], [1, 0]]),
    "frame": pd.DataFrame({"a": [0.0, 1.0, np.nan], "b": ["x", None, "y"]}).iloc[:, [0]].assign(b=[None, "x", "y"]),
}


@pytest.mark.parametrize("form", UNKNOWN)
def test_what_is_not_known(form):
    table, values = LabelTable.learn(UNKNOWN[form])
    assert values.tolist() == [[-1, 0], [1, -1], [0, 1]]
    assert table.read(UNKNOWN[form]).tolist() == values.tolist()


def test_minus_one_in_what_is_given_is_unknown_unless_it_was_a_label():
    """Whether or not a 0 stands beside it; and never where it is masked."""
    table, _ = LabelTable.learn(np.array([[0, 0], [1, 1]]))
    assert table.read(np.array([[-1, 1], [-1, -1]])).tolist() == [[0, 1], [0, 0]]
    assert table.read(np.array([[-1, 1], [0, -1]])).tolist() == [[0, 1], [-1, 0]]
    signs, _ = LabelTable.learn(np.array([[-1, 1], [1, -1]]))
    assert signs.read(np.array([[-1, 1]])).tolist() == [[-1, 1]]
    masked = np.ma.array([[-1, 1]], mask=[[1, 0]])
    assert signs.read(masked).tolist() == [[0, 1]]
    floats, _ = LabelTable.learn(np.array([[0.0], [1.0]]))
    assert floats.read(np.array([[-1]])).tolist() == [[0]]


def test_columns_that_never_change_are_predicted_as_they_are():
    Y = np.array([["a", "x", "p"], ["a", "y", "p"]])
    with pytest.warns(UserWarning, match=r"2 of 3 labels never change in training \(0, 2\): predicted as they are"):
        table, values = LabelTable.learn(Y)
    assert table.changing.tolist() == [1]
    assert table.write(values[:, table.changing]).tolist() == Y.tolist()
    assert table.write(values).tolist() == Y.tolist()
    assert table.widened(np.array([[0.25]]), np.inf).tolist() == [[np.inf, 0.25, np.inf]]
    with pytest.warns(UserWarning, match=r"\(left\)"):
        LabelTable.learn(pd.DataFrame({"left": [1, 1], "right": [0, 1]}))


@pytest.mark.parametrize(
    ("Y", "message"),
    [
        ([[0, 1], [1, 2], [2, 0]], "Label 0 must have two values, got 3: 0, 1, 2; give each"),
        (np.arange(9.0), "Label 0 must have two values, got 9: 0.0, 1.0, 2.0, 3.0, ...; give each"),
        ([[np.nan, 0], [np.nan, 1]], "label 0 is unknown for every example"),
        (np.array([["a", 1], [2, 1]], dtype=object), "label 0 mixes values of several types"),
        (np.zeros((2, 2, 2)), r"Y must be a table .* got shape \(2, 2, 2\)"),
        (np.zeros(2, dtype="datetime64[s]"), "Y must hold numbers, booleans or text, got dtype datetime64"),
        (3.0, r"got shape \(\)"),
    ],
)
def test_what_cannot_be_learned(Y, message):
    with pytest.raises(ValueError, match=message):
        LabelTable.learn(Y)


def test_what_cannot_be_read():
    table, _ = LabelTable.learn(pd.DataFrame({"left": [0, 1], "right": [1, 0]}))
    with pytest.raises(ValueError, match=r"given\[1\] has 5 as label right, which was 0 or 1 in training; leave it"):
        table.read(np.array([[0, 1], [0, 5]]), "given")
    with pytest.raises(ValueError, match="given must have 2 columns as in fit, got 3"):
        table.read(np.zeros((1, 3)), "given")


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 5))
@pytest.mark.filterwarnings("ignore:.* labels never change")
def test_any_two_values_in_each_column(seed, n, K):
    rng = np.random.default_rng(seed)
    pairs = [np.sort(rng.choice(50, size=2, replace=False)) for _ in range(K)]
    Y = np.stack([pair[rng.integers(0, 2, size=n)] for pair in pairs], axis=1)
    table, values = LabelTable.learn(Y)
    assert np.array_equal(table.write(values), Y)
    assert np.array_equal(table.write(table.read(Y)), Y)
    assert np.array_equal(table.write(values[:, table.changing]), Y)


@pytest.mark.filterwarnings("ignore:.* labels never change")
def test_what_is_written_in_columns_that_never_change():
    """Numbers of the value that is on where other columns have two: 1 where it is that one, `off` where it is not."""
    for Y, wanted in (
        ([[0, 0, 1], [0, 1, 1]], [0.0, 0.3, 1.0]),
        ([["no", "no", "yes"], ["no", "yes", "yes"]], [0.0, 0.3, 1.0]),
    ):
        table, _ = LabelTable.learn(np.array(Y))
        assert table.widened(np.array([[0.3]]), 1.0, off=0.0).tolist() == [wanted]
    own, _ = LabelTable.learn(np.array([["a", "x"], ["b", "x"]], dtype=object))
    assert own.widened(np.array([[0.3]]), 1.0, off=0.0).tolist() == [[0.3, 1.0]]


def test_tables_agree_row_by_row_whatever_their_form():
    Y = np.array([[0, 1], [1, 1], [0, 0]])
    other = np.array([[0, 1], [1, 0], [0, 7]])
    table, _ = LabelTable.learn(Y)
    for form in (other, other.tolist(), pd.DataFrame(other), sparse.csr_array(other), other.astype(float)):
        assert table.agreeing(Y, form).tolist() == [True, False, False]
    one, _ = LabelTable.learn(Y[:, 0])
    assert one.agreeing(Y[:, 0], Y[:, :1]).all()  # a column is a column


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "Float64"])
def test_missing_values_of_data_frames_are_unknown(dtype):
    frame = pd.DataFrame({"a": [0, 1, 1], "b": [1, 0, 0]}).astype(dtype)
    frame.loc[1, "a"] = pd.NA
    table, values = LabelTable.learn(frame)
    assert values.tolist() == [[-1, 1], [0, -1], [1, -1]]
    assert table.read(frame).tolist() == values.tolist()
