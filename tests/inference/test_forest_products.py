"""The small dense products, against NumPy."""

import numpy as np
import pytest

from margrave.inference.forest_products import add_products, times_rows


@pytest.mark.parametrize("width", [8, 16, 24])
def test_a_vector_times_rows(width):
    rng = np.random.default_rng(width)
    vector, rows, out = rng.normal(size=width), rng.normal(size=(width, width)), np.full(width, np.nan)
    times_rows((0,) * (width // 8), vector, rows, out)
    np.testing.assert_allclose(out, vector @ rows, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("run", [1, 2, 3, 4])
def test_outer_products_of_a_run_of_rows_are_added(run):
    rng = np.random.default_rng(run)
    left, right, out = rng.normal(size=(6, 8)), rng.normal(size=(6, 8)), rng.normal(size=(8, 8))
    expected = out + 0.5 * left[1 : 1 + run].T @ right[1 : 1 + run]
    add_products((0,), left, right, 1, run, 0.5, out)
    np.testing.assert_allclose(out, expected, rtol=1e-12, atol=1e-12)
