from collections import Counter

import numpy as np

from margrave.primitives import kernel, random_words, shuffle
from tests.inference.directed_models import SLOW_KERNELS


@kernel
def shuffled(items, n, state):
    shuffle(items, n, state)


def test_a_shuffle_keeps_what_there_is_and_leaves_the_rest():
    state = random_words(np.random.default_rng(0))
    for n in (0, 1, 2, 7, 10):
        items = np.arange(10)
        shuffled(items, n, state)
        assert sorted(items[:n].tolist()) == list(range(n))
        assert items[n:].tolist() == list(range(n, 10))


def test_every_order_comes_up_equally_often():
    state, draws = random_words(np.random.default_rng(1)), 600 if SLOW_KERNELS else 24_000
    seen = Counter()
    for _ in range(draws):
        items = np.arange(4)
        shuffled(items, 4, state)
        seen[tuple(items.tolist())] += 1
    expected = draws / 24
    assert len(seen) == 24
    chi_square = sum((count - expected) ** 2 / expected for count in seen.values())
    assert chi_square < 60  # 23 degrees of freedom: exceeded once in thirty thousand


def test_the_same_seed_gives_the_same_order_and_calls_differ():
    def orders(seed):
        state = random_words(np.random.default_rng(seed))
        found = []
        for _ in range(3):
            items = np.arange(50)
            shuffled(items, 50, state)
            found.append(items.tolist())
        return found

    assert orders(5) == orders(5)
    assert orders(5) != orders(6)
    assert orders(5)[0] != orders(5)[1]
