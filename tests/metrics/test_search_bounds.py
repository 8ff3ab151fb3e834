from itertools import combinations
from math import ceil, comb, inf, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.metrics import search_nodes_bound, solved_probability
from tests.metrics.labellings import directed_margins, hinge, log_loss

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)
starts = st.sampled_from([0.3, 0.7, 1.0, 1.5, 2.0, 3.0, 4.2, 6.0, 50.0])
PARTIAL = {"hinge": hinge, "log": log_loss}


def search(partial, start):
    """Algorithm 2 by recursion over the table of all labellings: the minimiser below `start`, and the nodes."""
    n_labels = partial.shape[1]
    best, bound, nodes = None, start, 0

    def descend(depth, lo, hi, loss):
        nonlocal best, bound, nodes
        if depth == n_labels:
            best, bound = lo, loss
            return
        middle = (lo + hi) // 2  # rows lo..middle have label `depth` off, the others on
        children = sorted([(partial[lo, depth], lo, middle), (partial[middle, depth], middle, hi)])
        for cost, first, last in children:
            nodes += 1
            if loss + cost >= bound:
                break
            descend(depth + 1, first, last, loss + cost)

    descend(0, 0, len(partial), 0.0)
    return best, nodes


@given(seeds, sizes, starts, st.floats(0.01, 3), st.sampled_from(["hinge", "log"]))
def test_nodes_of_a_search_are_at_most_the_bound(seed, n_labels, start, scale, loss):
    partial = PARTIAL[loss](directed_margins(np.random.default_rng(seed), n_labels, scale=scale))
    best, nodes = search(partial, start)
    assert nodes <= search_nodes_bound(n_labels, start, loss)
    losses = partial.sum(axis=1)
    # What the search is: it finds the minimiser if and only if there is a loss below the start.
    assert (best is not None) == (losses.min() < start)
    assert best is None or losses[best] == pytest.approx(losses.min())


@given(seeds, sizes, starts, st.sampled_from(["hinge", "log"]))
def test_share_that_is_solved_is_at_least_the_probability(seed, n_labels, start, loss):
    rng = np.random.default_rng(seed)
    solved, expected = 0.0, 0.0
    for _ in range(5):  # inputs of equal probability
        losses = PARTIAL[loss](directed_margins(rng, n_labels)).sum(axis=1)
        solved += (losses.min() < start) / 5
        expected += rng.dirichlet(np.full(len(losses), 0.2)) @ losses / 5
    assert solved >= solved_probability(start, expected) - 1e-12


@given(st.integers(1, 10), st.floats(0.1, 12))
def test_count_is_that_of_subsets(n_labels, start):
    for loss, step in (("hinge", 1.0), ("log", log(2))):
        subsets = sum(1 for r in range(n_labels + 1) for _ in combinations(range(n_labels), r) if r < start / step)
        assert search_nodes_bound(n_labels, start, loss) == 2 * n_labels * subsets


def test_count_by_hand():
    assert search_nodes_bound(100, 1) == 200  # the greedy path alone
    assert search_nodes_bound(100, 1.5) == search_nodes_bound(100, 2) == 200 * (1 + 100)
    assert search_nodes_bound(100, 3) == 200 * (1 + 100 + comb(100, 2))
    assert search_nodes_bound(100, 3 * log(2), "log") in {search_nodes_bound(100, 3), search_nodes_bound(100, 4)}
    assert search_nodes_bound(4, inf) == search_nodes_bound(4, 5) == 8 * 2**4


def test_printed_binomial_is_upside_down():
    """Σ_{i<S} C(i, K) is 0 for S ≤ K, and the greedy path alone has K states."""
    n_labels, start = 6, 3
    assert sum(comb(i, n_labels) for i in range(ceil(start))) == 0
    partial = hinge(directed_margins(np.random.default_rng(0), n_labels))
    assert search(partial, start)[1] > 0


def test_large_problems_do_not_overflow():
    count = search_nodes_bound(5000, 2500)
    assert type(count) is int
    assert count == 10_000 * (2**5000 // 2 - comb(5000, 2500) // 2)
    assert search_nodes_bound(1000, 1e300) == 2000 * 2**1000


def test_probabilities_of_numbers_and_arrays():
    assert solved_probability(2.0, 0.5) == 0.75
    assert solved_probability(inf, 3.0) == 1
    assert type(solved_probability(2, 1)) is float
    assert solved_probability([1.0, 2.0, 4.0], 2.0).tolist() == [0, 0, 0.5]


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: solved_probability(0.0, 1.0), r"S: expected numbers above 0, got 0\.0"),
        (lambda: solved_probability([1.0, np.nan], 1.0), "S: expected numbers above 0, got nan"),
        (lambda: solved_probability(1.0, -1.0), "expected_loss: expected finite numbers of at least 0"),
        (lambda: solved_probability(inf, inf), "expected_loss: expected finite numbers of at least 0"),
        (lambda: search_nodes_bound(0, 1.0), "n_labels: expected at least 1, got 0"),
        (lambda: search_nodes_bound(3, 0.0), r"S: expected a number above 0, got 0\.0"),
        (lambda: search_nodes_bound(3, np.nan), "S: expected a number above 0, got nan"),
        (lambda: search_nodes_bound(3, 1.0, "squared"), "loss: expected 'hinge' or 'log', got 'squared'"),
    ],
)
def test_bad_arguments(call, problem):
    with pytest.raises(ValueError, match=problem):
        call()
