import numpy as np
import pytest

from margrave.inference.label_trees import AverageTree, OrderTree
from tests.inference.directed_models import all_labellings, loss_of_answers, mean_losses, random_model

NOTHING = np.zeros((1, 5), dtype=np.int8)


def average(models, most=1, starts=(), known=NOTHING):
    return AverageTree.maker([model.scores for model in models], known, most, list(starts))()


def test_trees_share_what_they_only_read():
    rng = np.random.default_rng(0)
    models = [random_model(rng, 5, n=3) for _ in range(2)]
    make = OrderTree.maker(models[0].scores, NOTHING, 1)
    one, other = make(), make()
    assert all(a is b for a, b in zip(one._wiring, other._wiring, strict=True))
    assert not any(np.shares_memory(a, b) for a, b in zip(one._path, other._path, strict=True))
    make = AverageTree.maker([model.scores for model in models], NOTHING, 1, [])
    one, other = make(), make()
    assert all(a is b for a, b in zip(one._terms, other._terms, strict=True))
    assert not any(np.shares_memory(a, b) for a, b in zip(one._tree, other._tree, strict=True))


def test_a_start_that_is_the_best_is_proved_and_one_that_is_not_is_left():
    rng = np.random.default_rng(1)
    for _ in range(10):
        models = [random_model(rng, 5, n=4) for _ in range(2)]
        labels = all_labellings(5)
        every = mean_losses(models, labels)
        for start in (labels[every.argmin(axis=1)], labels[every.argmax(axis=1)]):
            tree = average(models, starts=[start, -start])
            for example in range(4):
                tree.begin(example)
                tree.go(np.inf, np.inf, 2**62)
                assert tree.done
                found, loss, bound, _ = tree.first()
                assert loss == pytest.approx(every[example].min())
                assert bound == pytest.approx(loss)
                assert every[example][(labels == found).all(axis=1)] == pytest.approx(loss)


def test_without_any_nodes_the_best_start_is_the_answer():
    rng = np.random.default_rng(2)
    models = [random_model(rng, 5, n=6) for _ in range(2)]
    starts = [rng.choice([-1, 1], size=(6, 5)).astype(np.int8) for _ in range(3)]
    losses = np.stack([loss_of_answers(models, start) for start in starts])
    tree = average(models, starts=starts)
    for example in range(6):
        tree.begin(example)
        tree.go(np.inf, np.inf, 0)
        found, loss, bound, nodes = tree.first()
        assert loss == pytest.approx(losses[:, example].min())
        assert np.array_equal(found, starts[losses[:, example].argmin()][example])
        assert bound <= mean_losses(models, all_labellings(5))[example].min() + 1e-9
        assert nodes == 0


@pytest.mark.parametrize("n_orders", [1, 2])
def test_what_is_kept_is_sorted_and_within_the_slack(n_orders):
    rng = np.random.default_rng(3)
    models = [random_model(rng, 5) for _ in range(n_orders)]
    every = np.sort(mean_losses(models, all_labellings(5))[0])
    tree = average(models, 40) if n_orders > 1 else OrderTree.maker(models[0].scores, NOTHING, 40)()
    tree.begin(0)
    tree.go(np.inf, np.inf, 2**62)
    for slack in (0.0, 0.5, 2.0, np.inf):
        assert tree.kept(slack).losses == pytest.approx(every[every <= every[0] + slack])
