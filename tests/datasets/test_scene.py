import os
from pathlib import Path

import numpy as np
import pytest

from margrave.datasets import load_scene

PARTS = [("train", 1211), ("test", 1196)]


@pytest.mark.parametrize(("subset", "n"), PARTS)
def test_published_sizes(subset, n):
    scene = load_scene(subset)
    assert scene.data.shape == (n, 294)
    assert scene.target.shape == (n, 6)
    assert scene.data.dtype == np.float64
    assert scene.target.dtype == np.int64
    assert scene.data.min() >= 0
    assert scene.data.max() <= 1
    assert np.unique(scene.target).tolist() == [0, 1]
    assert set(scene.target.sum(axis=1)) <= {1, 2, 3}
    assert list(scene.target_names) == ["beach", "sunset", "fall foliage", "field", "mountain", "urban"]
    assert len(scene.feature_names) == 294


def test_all_is_train_then_test():
    both = load_scene()
    assert both.n_train == 1211
    assert np.array_equal(both.data[:1211], load_scene("train").data)
    assert np.array_equal(both.target[1211:], load_scene("test").target)
    assert (load_scene("train").n_train, load_scene("test").n_train) == (1211, 0)


def test_subset_is_one_of_three():
    with pytest.raises(ValueError, match="subset: expected 'train', 'test' or 'all', got 'validation'"):
        load_scene("validation")


@pytest.mark.data
@pytest.mark.parametrize(("subset", "n"), PARTS)
def test_agrees_with_the_published_file(subset, n):
    lines = Path(os.environ["MARGRAVE_DATA"], "multilabel", "scene", f"scene-{subset}.arff").read_text().splitlines()
    names = [line.split()[1] for line in lines if line.lower().startswith("@attribute")]
    rows = [line.split(",") for line in lines if line and not line.startswith(("@", "%"))]
    table = np.array(rows, dtype=np.float64)
    scene = load_scene(subset)
    assert names[:294] == scene.feature_names
    assert [name.lower() for name in names[294:]] == [name.replace(" ", "") for name in scene.target_names]
    assert np.array_equal(table[:, 294:], scene.target)
    # The source that the wheel's copy is made from differs from this file by one in the last of six decimals, rarely.
    millionths = np.rint(1e6 * table[:, :294]) - np.rint(1e6 * scene.data)
    assert np.abs(millionths).max() <= 1
    assert np.mean(millionths != 0) < 0.02
    assert np.array_equal(table[:, :294][millionths == 0], scene.data[millionths == 0])
    assert len(table) == n


@pytest.mark.parametrize(("subset", "n_train", "n_test"), [("all", 1211, 1196), ("train", 1211, 0), ("test", 0, 1196)])
def test_parts_are_the_rows_of_the_whole(subset, n_train, n_test):
    scene = load_scene(subset)
    assert (scene.X_train.shape, scene.Y_train.shape) == ((n_train, 294), (n_train, 6))
    assert (scene.X_test.shape, scene.Y_test.shape) == ((n_test, 294), (n_test, 6))
    assert np.array_equal(np.vstack([scene.X_train, scene.X_test]), scene.data)
    assert np.array_equal(np.vstack([scene.Y_train, scene.Y_test]), scene.target)
    assert scene.label_names.tolist() == scene.target_names.tolist()
