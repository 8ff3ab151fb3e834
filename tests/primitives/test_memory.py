import gc

import numba
import numpy as np
import pytest

from margrave.primitives import for_reading, kernel


@kernel
def total(x):
    result = 0.0
    for r in range(x.shape[0]):
        for c in range(x.shape[1]):
            result += x[r, c]
    return result


def read_only(array):
    array.flags.writeable = False
    return array


def mapped(array, folder):
    np.save(folder / "array.npy", array)
    return np.load(folder / "array.npy", mmap_mode="r")


@pytest.fixture
def array():
    return np.arange(12.0).reshape(3, 4)


def test_an_ordinary_array_is_handed_on_as_it_is(array):
    assert for_reading(array, np.float64) is array


@pytest.mark.parametrize("kind", ["read-only", "memory map", "read-only rows of a memory map"])
def test_no_copy_of_arrays_that_may_not_be_written(kind, array, tmp_path):
    given = read_only(array) if kind == "read-only" else mapped(array, tmp_path)
    given = given[1:] if "rows" in kind else given
    assert not given.flags.writeable
    ready = for_reading(given, np.float64)
    assert type(ready) is np.ndarray
    assert ready.flags.writeable and ready.flags.c_contiguous
    assert ready.ctypes.data == given.ctypes.data
    assert np.array_equal(ready, given)


def test_the_memory_stays_alive(tmp_path):
    ready = for_reading(mapped(np.arange(20_000.0), tmp_path), np.float64)
    gc.collect()
    assert ready.sum() == 20_000 * 19_999 / 2


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_kernels_are_not_compiled_a_second_time(array, tmp_path):
    expected = total(for_reading(array, np.float64))
    compiled = len(total.signatures)
    assert total(for_reading(mapped(array, tmp_path), np.float64)) == expected
    assert total(for_reading(np.asfortranarray(array), np.float64)) == expected
    assert total(for_reading(array[:, ::-1], np.float64)) == expected
    assert total(for_reading(read_only(array), np.float64)) == expected
    assert len(total.signatures) == compiled
    total(array)  # read-only, without for_reading: what the test would see if it did nothing
    assert len(total.signatures) == compiled + 1


@pytest.mark.parametrize(
    "given", [np.arange(6, dtype=np.int8), [0, 1, 2, 3, 4, 5], np.arange(12.0)[::2] / 2, np.arange(6.0, dtype=">f8")]
)
def test_other_types_and_strides_are_converted(given):
    ready = for_reading(given, np.float64)
    assert ready.dtype == np.float64
    assert ready.dtype.isnative and ready.flags.c_contiguous
    assert ready.tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_empty_arrays(shape):
    ready = for_reading(read_only(np.empty(shape)), np.float64)
    assert ready.shape == shape
    assert ready.flags.writeable
