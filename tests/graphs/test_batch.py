import numpy as np

from margrave.graphs.batch import rows_from_lengths


def test_rows_begin_where_the_last_example_ends():
    np.testing.assert_array_equal(rows_from_lengths([3, 0, 2]), [0, 3, 3, 5])
    assert rows_from_lengths([]).tolist() == [0]
