import numba
import numpy as np
import pytest

from margrave.primitives import one_blas_thread
from margrave.scores import dense
from margrave.scores.dense import BoundDense
from tests.scores.explicit import Explicit, check

K = 3


@pytest.fixture
def small_chunks(monkeypatch):
    """Several chunks of rows and of columns, without large arrays."""
    for name, value in (("_FEW", 2), ("_ROWS", 4), ("_COLUMNS", 2)):
        monkeypatch.setattr(dense, name, value)


@pytest.mark.parametrize("rows", [slice(None), slice(1, 10), slice(5, 7), slice(0, 4)], ids=str)
@pytest.mark.parametrize("bias", [False, True])
def test_chunks_of_rows_and_columns(small_chunks, rows, bias):
    rng = np.random.default_rng(1)
    x = rng.normal(size=(11, 5))
    check(BoundDense(x, K, bias, n_jobs=2), Explicit.of(x, K, bias), K, rng, rows)


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.bool_, np.float64])
@pytest.mark.parametrize("order", ["C", "F"])
def test_large_features_are_converted_chunk_by_chunk(small_chunks, monkeypatch, dtype, order):
    monkeypatch.setattr(dense, "_SMALL", 0)
    rng = np.random.default_rng(2)
    x = np.asarray(rng.integers(0, 2, size=(11, 5)), dtype=dtype, order=order)
    x.flags.writeable = False
    bound = BoundDense(x, K, True)
    assert np.shares_memory(bound._x, x) == (dtype != np.float64 or order == "C")
    for rows in (slice(None), slice(3, 5), slice(2, 9)):
        check(bound, Explicit.of(x, K, True), K, rng, rows)


@pytest.mark.parametrize("shape", [(5000, 300), (70, 513)])
def test_equal_to_the_bit_for_any_number_of_threads(shape):
    """More than one chunk of rows, and more than one of columns, at their real sizes."""
    rng = np.random.default_rng(3)
    x, weights = rng.normal(size=shape), rng.normal(size=(shape[1] + 1) * K)
    gradient = rng.normal(size=(shape[0], K))
    results = []
    for n_jobs in (1, 2, 3):
        bound, out, pulled = BoundDense(x, K, True, n_jobs), np.empty((shape[0], K)), np.zeros(len(weights))
        with one_blas_thread():
            bound.scores(weights, out)
            bound.add_pullback(gradient, pulled, scale=0.3)
        results.append((out, pulled))
    for out, pulled in results:
        assert np.array_equal(out, results[0][0])
        assert np.array_equal(pulled, results[0][1])
    explicit = Explicit.of(x, K, True)
    assert np.allclose(results[0][0], explicit.scores(weights))
    assert np.allclose(results[0][1], 0.3 * explicit.pullback(gradient))


def test_gram_matrices_of_examples_that_begin_at_the_same_row():
    """An example without rows begins where the next one does."""
    rng = np.random.default_rng(4)
    x, explicit = rng.normal(size=(4, 2)), None
    bound, explicit = BoundDense(x, K, True), Explicit.of(x, K, True)
    for rows in (slice(1, 1), slice(1, 3), slice(1, 1), slice(1, 4), slice(1, 3)):
        gradient = rng.normal(size=(rows.stop - rows.start, K))
        pulled = explicit.pullback(gradient, rows)
        assert np.isclose(bound.quadratic(gradient, rows), pulled @ pulled)


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
def test_large_features_in_fortran_order_reach_kernels_row_by_row(monkeypatch):
    monkeypatch.setattr(dense, "_SMALL", 0)
    rng = np.random.default_rng(5)
    x = rng.integers(0, 2, size=(9, 5)).astype(np.float32)
    check(BoundDense(x, K, True), Explicit.of(x, K, True), K, rng)
    x = np.asfortranarray(x)
    check(BoundDense(x, K, True), Explicit.of(x, K, True), K, rng)
    check(BoundDense(x, K, True), Explicit.of(x, K, True), K, rng, slice(2, 6))
    for compiled in (dense.few_scores, dense.few_pullback, dense.few_squares):
        types = [given for signature in compiled.signatures for given in signature]
        assert {given.layout for given in types if hasattr(given, "layout")} == {"C"}
