from itertools import pairwise

import numpy as np
import pytest

from margrave.datasets import load_snakes

BLUE = (0, 0, 255)
STEP_OF_COLOUR = {(255, 0, 0): (-1, 0), (0, 255, 0): (1, 0), (0, 255, 255): (0, -1), (255, 255, 0): (0, 1)}


def test_published_sizes():
    assert [len(load_snakes(subset).data) for subset in ("train", "test", "all")] == [200, 100, 300]
    assert [load_snakes(subset).n_train for subset in ("train", "test", "all")] == [200, 0, 200]


def test_all_is_train_then_test():
    both, test = load_snakes(), load_snakes("test")
    assert all(np.array_equal(x, z) for x, z in zip(both.data[200:], test.data, strict=True))
    assert all(np.array_equal(y, z) for y, z in zip(both.target[200:], test.target, strict=True))


def test_types():
    snakes = load_snakes()
    assert {x.dtype for x in snakes.data} == {np.dtype(np.uint8)}
    assert {y.dtype for y in snakes.target} == {np.dtype(np.int64)}
    assert [x.shape for x in snakes.data] == [(*y.shape, 3) for y in snakes.target]
    assert snakes.target_names.tolist() == ["background", *(f"snake {place}" for place in range(1, 11))]


def test_pictures_are_what_the_description_says():
    snakes = load_snakes()
    for picture, labels in zip(snakes.data, snakes.target, strict=True):
        assert sorted(labels[labels > 0]) == list(range(1, 11))
        assert np.array_equal(labels == 0, (picture == BLUE).all(axis=2))
        body = [tuple(map(int, np.argwhere(labels == place)[0])) for place in range(1, 11)]
        for (row, column), following in pairwise(body):
            down, right = STEP_OF_COLOUR[tuple(picture[row, column].tolist())]
            assert (row + down, column + right) == following


def test_subset_is_one_of_three():
    with pytest.raises(ValueError, match="subset: expected 'train', 'test' or 'all', got None"):
        load_snakes(None)
