import numpy as np
import pytest

from margrave.graphs import from_matrix, potts, scaled, sign, symmetric


def test_potts_rewards_agreement():
    np.testing.assert_array_equal(potts(3).matrix().reshape(3, 3), np.eye(3))


def test_sign_has_half_a_unit_on_either_side():
    np.testing.assert_array_equal(sign().matrix(), [[-0.5, 0.5]])


def test_symmetric_tables_read_the_same_from_both_ends():
    table = (np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0]) @ symmetric(3).matrix()).reshape(3, 3)
    np.testing.assert_array_equal(table, [[1, 2, 3], [2, 4, 5], [3, 5, 6]])


def test_scaled_is_one_number_times_a_table():
    table = np.array([[1.0, -2.0, 0.0], [0.5, 3.0, 4.0]])
    basis = scaled(table)
    assert (basis.n_entries, basis.n_cells) == (1, 6)
    np.testing.assert_array_equal(2.0 * basis.matrix().reshape(2, 3), 2 * table)


def test_any_matrix_comes_back_as_it_was():
    matrix = np.random.default_rng(0).normal(size=(4, 9)) * (np.arange(36).reshape(4, 9) % 3 > 0)
    np.testing.assert_array_equal(from_matrix(matrix).matrix(), matrix)


@pytest.mark.parametrize("matrix", [np.zeros(3), np.array([[1.0, np.inf]]), np.array([[np.nan]])])
def test_what_is_no_finite_matrix_is_refused(matrix):
    with pytest.raises(ValueError, match=r"finite array of shape \(n_entries, n_cells\)"):
        from_matrix(matrix)
