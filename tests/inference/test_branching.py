import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.inference.branching import keep, loss_of
from margrave.inference.label_trees import OrderTree
from margrave.primitives import kernel
from tests.inference.directed_models import all_labellings, random_model


@kernel
def losses_of(z, smooth, out):
    for i in range(len(z)):
        out[i] = loss_of(z[i], smooth)


def test_losses_of_one_label():
    z = np.array([-800.0, -30.0, -1.0, 0.0, 0.5, 1.0, 2.0, 30.0, 800.0])
    out = np.empty(len(z))
    losses_of(z, False, out)
    assert out == pytest.approx(np.clip(1 - z, 0, None))
    losses_of(z, True, out)
    assert out == pytest.approx(np.logaddexp(0, -z), rel=1e-14)
    assert (np.diff(out) <= 0).all()


@given(st.lists(st.integers(0, 20), max_size=30), st.integers(1, 8))
def test_a_heap_keeps_the_least(losses, most):
    """In any order of arrival, equal ones among them; each with the labelling that it came with."""
    heap = np.empty(most), np.zeros(most, dtype=np.int64), np.empty((most, 1), dtype=np.int8), np.zeros(1, np.int64)
    for i, loss in enumerate(losses):
        if heap[3][0] < most or loss < heap[0][0]:
            keep(float(loss), np.array([float(loss)]), heap)
        n = heap[3][0]
        assert n == min(i + 1, most)
        assert heap[0][0] == heap[0][:n].max()  # the worst on top
        assert sorted(heap[0][:n].tolist()) == sorted(losses[: i + 1])[:most]
        assert heap[2][heap[1][:n], 0].tolist() == heap[0][:n].tolist()


def tree_of(model, most=1, known=None):
    K = model.inputs.shape[1]
    known = np.zeros((1, K), dtype=np.int8) if known is None else known
    return OrderTree.maker(model.scores, known, most)()


def test_going_on_is_the_same_as_going_through():
    """Stopped anywhere, any number of times, a search visits the same nodes and ends the same."""
    rng = np.random.default_rng(0)
    for _ in range(10):
        model = random_model(rng, 6, clique_size=3)
        least = model.losses(all_labellings(6))[0].min()
        whole = tree_of(model)
        whole.begin(0)
        whole.go(np.inf, np.inf, 2**62)
        pieces = tree_of(model)
        pieces.begin(0)
        for most in range(1, 1000):
            pieces.go(np.inf, np.inf, most)
            labels, loss, bound, nodes = pieces.first()
            assert bound <= least + 1e-9 <= loss + 2e-9
            if pieces.done:
                break
        assert pieces.done
        assert np.array_equal(labels, whole.first()[0])
        assert (loss, bound, nodes) == whole.first()[1:]
        assert loss == pytest.approx(least)


def test_an_example_leaves_nothing_behind():
    rng = np.random.default_rng(1)
    model = random_model(rng, 5, n=6, per_example=True)
    used = tree_of(model, most=3)
    for example in (3, 0, 5, 3, 1):
        fresh = tree_of(model, most=3)
        for tree in (used, fresh):
            tree.begin(example)
            tree.go(np.inf, np.inf, 11 if example == 0 else 2**62)
        for one, other in zip(used.kept(np.inf), fresh.kept(np.inf), strict=True):
            assert np.array_equal(one, other)
