"""Dense work on rows, against NumPy."""

import numpy as np
import pytest

from margrave.inference.forest_rows import add_products, exponentials, lower_to, times_rows


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


def test_exponentials_over_the_temperature_and_what_was_divided_out():
    rng = np.random.default_rng(0)
    scores = np.where(np.arange(16) < 11, rng.normal(size=(4, 16)), -np.inf)
    rows = scores.copy()
    total = exponentials((0, 0), 3, 0.5, rows)
    peaks = scores.max(axis=1, keepdims=True)
    np.testing.assert_allclose(rows[:3], np.exp((scores - peaks) / 0.5)[:3], rtol=1e-14)
    np.testing.assert_allclose(total, peaks[:3].sum() / 0.5, rtol=1e-14)
    np.testing.assert_array_equal(rows[3], scores[3])


def test_a_row_without_a_possible_state_has_no_exponentials():
    assert np.isnan(exponentials((0,), 1, 1.0, np.full((1, 8), -np.inf)))


def test_minima_are_kept():
    rng = np.random.default_rng(0)
    rows, least = rng.normal(size=(5, 8)), np.zeros(8)
    for row in rows:
        lower_to((0,), row, least)
    np.testing.assert_array_equal(least, np.minimum(rows.min(axis=0), 0.0))
