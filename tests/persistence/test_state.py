"""Objects in files: only those that have registered, and as they were."""

import json
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from margrave.persistence import ModelFileError, load_object, register, registered, save_object
from margrave.persistence.state import Packer, Unpacker


@dataclass(frozen=True)
class Point:
    x: float
    name: str = ""


class Machine(BaseEstimator):
    def __init__(self, part=None, size=1):
        self.part = part
        self.size = size


class Stranger(BaseEstimator):
    pass


register(Point, name="tests.Point")
register(Machine, "learned_", name="tests.Machine")


def round_trip(value):
    packer = Packer()
    packed = json.loads(json.dumps(packer.pack(value, "value"), allow_nan=False))
    return Unpacker(packer.arrays).unpack(packed)


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        7,
        -2.5,
        float("inf"),
        "text é \ud800",
        [1, "a", None],
        (1, (2, 3)),
        {"a": 1, "b": [2.0]},
        {0: 1.0, 1: 5.0, -0.5: 2},
        {k: [k - 1] for k in range(1, 40)},
        {},
        [],
        slice(1, 5, None),
        ["x" * i for i in range(100)],
        list(range(100)),
        {f"k{i}": i for i in range(50)},
        [True] * 40,
        Point(1.5, "p"),
        [Point(0.0), {"deep": (Point(1.0),)}],
    ],
)
def test_values_come_back_equal_and_of_the_same_type(value):
    back = round_trip(value)
    assert back == value and type(back) is type(value)


def test_nan_comes_back():
    assert np.isnan(round_trip(float("nan")))


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0).reshape(2, 3),
        np.array([True]),
        np.array(["b", "", "ćé"]),
        np.array([["b", "\U0001f600"], ["", "long"]])[:, ::-1],
        np.empty((0, 2), "<U3"),
        np.empty((0, 2)),
        np.float32([1.5]),
    ],
)
def test_arrays_come_back(array):
    back = round_trip(array)
    assert back.dtype == array.dtype
    np.testing.assert_array_equal(back, array)


def test_sparse_matrices_come_back_sparse():
    rows = sparse.random(7, 5, density=0.3, format="csr", random_state=0)
    for form in (rows, rows.tocsc(), sparse.csr_array((0, 3))):
        back = round_trip(form)
        assert isinstance(back, sparse.csr_array) and back.dtype == form.dtype
        np.testing.assert_array_equal(back.toarray(), form.toarray())


@pytest.mark.parametrize(
    ("data", "columns", "pointer"),
    [
        ([1.0, 2.0], [0, 9], [0, 1, 2]),  # a column beyond the last
        ([1.0, 2.0], [0, -1], [0, 1, 2]),
        ([1.0, 2.0], [0, 1], [0, 2, 1]),
        ([1.0, 2.0], [0, 1], [0, 1, 9]),
        ([1.0, 2.0], [0, 1], [0, 2]),
        ([1.0, 2.0], [0], [0, 1, 2]),
        ([1.0, 2.0], [0.0, 1.0], [0, 1, 2]),
        (["a", "b"], [0, 1], [0, 1, 2]),
    ],
)
def test_sparse_matrices_that_do_not_fit_together_are_refused(data, columns, pointer):
    arrays = {"a": np.array(data), "b": np.array(columns), "c": np.array(pointer)}
    with pytest.raises((ModelFileError, ValueError)):
        Unpacker(arrays).unpack({"csr": ["a", "b", "c"], "shape": [2, 3]})


def test_numpy_scalars_keep_their_type():
    assert type(round_trip(np.float32(1.5))) is np.float32


def test_texts_of_any_byte_order_come_back():
    np.testing.assert_array_equal(round_trip(np.array(["b", "ć"], dtype=">U2")), ["b", "ć"])


def test_a_text_that_is_no_unicode_survives_a_file(tmp_path):
    """Python's own texts may hold lone surrogates, as names of files do that are not UTF-8."""
    save_object(Point(0.0, "bad \udcff"), tmp_path / "a.mg")
    assert load_object(tmp_path / "a.mg").name == "bad \udcff"


def test_an_estimator_comes_back_with_parameters_and_what_it_learned():
    machine = Machine(part=Point(2.0), size=3)
    machine.learned_ = np.arange(3)
    machine.secret = "not part of the state"
    back = round_trip(machine)
    assert back.part == Point(2.0) and back.size == 3
    np.testing.assert_array_equal(back.learned_, np.arange(3))
    assert not hasattr(back, "secret")
    assert not hasattr(round_trip(Machine()), "learned_")


@pytest.mark.parametrize("value", [Stranger(), lambda: 0, {(1, 2): 2}, np.array([None]), object(), {1, 2}])
def test_what_has_no_form_is_refused_by_name(value, tmp_path):
    with pytest.raises(TypeError, match=r"Machine\.part.* cannot be saved"):
        save_object(Machine(part=value), tmp_path / "a.mg")
    assert not list(tmp_path.iterdir())


def test_a_name_is_taken_once():
    with pytest.raises(ValueError, match="registered already"):
        register(Stranger, name="tests.Point")
    assert registered("tests.Point") is Point and registered("nobody") is None


@pytest.mark.parametrize(
    "packed",
    [
        {"object": "os.system", "state": {}},
        {"object": "tests.Point", "state": {"y": 1}},
        {"object": "tests.Point", "state": {}},
        {"object": ["tests.Point"], "state": {}},
        {"unknown": 1},
        {"array": "a99"},
        {"texts": ["a0", "a0"]},
        {"texts": ["a0"]},
        {"texts": ["a0", "a2"]},
        {"numbers": "a0"},
        {"list": [{"array": "a0"}, {"array": "a0"}]},
        {"characters": "a1", "dtype": "<U1", "shape": [1]},
        {"characters": "a0", "dtype": "<U1", "shape": [1]},
        {"characters": "a0", "dtype": "|S1", "shape": [7]},
        {"characters": "a0", "dtype": "|S0", "shape": [7]},
        {"characters": "a0", "dtype": "|O8", "shape": [1]},
        {"characters": "a0", "dtype": "<f8", "shape": [0]},
        {"characters": "a3", "dtype": "<U1", "shape": [1]},
        {"characters": "a3", "dtype": ">U1", "shape": [1]},
        {"slice": [1, 2, 3, 4]},
        {"list": 5},
        {"keys": {"list": [1]}, "values": {"list": []}},
        {"float": "abc"},
        [1, 2],
    ],
)
def test_lies_in_the_state_are_refused(packed, tmp_path, monkeypatch):
    arrays = {
        "a0": np.frombuffer(b"abc", np.uint8).copy(), "a1": np.array([99]), "a2": np.array([0, 1, 3], np.uint8),
        "a3": np.full(4, 255, np.uint8),
    }  # fmt: skip
    read = "margrave.persistence.model.read_file"
    monkeypatch.setattr(read, lambda path: ({"state": packed}, arrays))
    with pytest.raises(ModelFileError):
        load_object(tmp_path / "a.mg")


def test_another_class_than_asked_for_is_refused(tmp_path):
    save_object(Point(1.0), tmp_path / "a.mg")
    assert load_object(tmp_path / "a.mg", Point) == Point(1.0)
    with pytest.raises(ModelFileError, match="holds a Point, a Machine was asked for"):
        load_object(tmp_path / "a.mg", Machine)


def test_bytes_keep_their_width():
    packer = Packer()
    array = np.array([[b"a", b"bcd"]])
    packed = packer.pack(array, "array")
    found = Unpacker(packer.arrays).unpack(packed)
    assert found.dtype == array.dtype and (found == array).all()
