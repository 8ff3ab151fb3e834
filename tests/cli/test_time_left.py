import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.cli.time_left import FEWEST, TimeLeft, duration, share_done, time_left


def history(gaps, pace=0.5, every=1):
    return [
        {"iteration": i * every, "objective": 1.0, "dual": None, "gap": gap, "seconds": i * every * pace}
        for i, gap in enumerate(gaps, start=1)
    ]


@pytest.mark.parametrize("every", [1, 10])
def test_a_gap_that_halves_reaches_its_goal_when_it_must(every):
    # 2^-10 after ten reports, 2^-20 after twenty: ten more
    left = time_left(history([2.0**-i for i in range(1, 11)], pace=0.5, every=every), tol=2.0**-20, max_iter=10**6)
    assert left.seconds == pytest.approx(10 * every * 0.5)
    assert not left.is_bound


@given(st.floats(0.5, 3.0), st.floats(1e-6, 1e-3))
def test_a_gap_that_falls_as_a_power_of_the_iteration(power, tol):
    # gap = i^-power reaches tol at i = tol^(-1/power)
    left = time_left(history([i**-power for i in range(1, 31)], pace=1.0), tol, max_iter=10**15)
    assert left.seconds == pytest.approx(max(tol ** (-1 / power) - 30, 0), rel=1e-4)


def test_max_iter_may_come_first():
    left = time_left(history([2.0**-i for i in range(1, 11)]), tol=1e-300, max_iter=20)
    assert left == TimeLeft(seconds=5.0, is_bound=True)


@pytest.mark.parametrize("gaps", [[1.0, 2.0, 4.0, 8.0, 16.0], [np.nan] * 9, [1.0] * 9, [0.0] * 9])
def test_a_gap_that_does_not_fall_leaves_only_the_bound(gaps):
    left = time_left(history(gaps, pace=1.0), tol=1e-3, max_iter=100)
    assert left == TimeLeft(seconds=100.0 - len(gaps), is_bound=True)


def test_too_little_to_tell():
    assert time_left(history([0.5] * (FEWEST - 1)), 1e-3, 100) is None


def test_nothing_is_left_at_the_goal():
    assert time_left(history([10.0**-i for i in range(9)]), tol=1e-3, max_iter=100).seconds == 0


def test_in_words():
    assert str(TimeLeft(48.2, False)) == "about 48 s left"
    assert str(TimeLeft(200.0, True)) == "at most 3 min 20 s left"


@pytest.mark.parametrize(("seconds", "words"), [(0, "0 s"), (59.4, "59 s"), (59.6, "1 min 0 s"), (7500, "2 h 5 min")])
def test_spans_of_time(seconds, words):
    assert duration(seconds) == words


def test_shares_of_the_way():
    halves = history([2.0**-i for i in range(1, 11)])
    assert share_done(halves[:1], 2.0**-19, 10**6) == pytest.approx(0.0, abs=1e-5)
    assert share_done(halves, 2.0**-19, 10**6) == pytest.approx(0.5)
    assert share_done(halves, 2.0**-19, 10) == 1.0
    assert share_done(halves, 1.0, 100) == 0.1
    assert share_done(history([np.nan] * 5), 1e-3, 10) == 0.5
    assert share_done(history([4.0, 1e-307]), 1e-308, 100) < 1.0 == share_done(history([4.0, 1e-308]), 1e-308, 100)


@given(st.lists(st.floats(0, 1e6) | st.just(np.nan), min_size=1, max_size=40), st.floats(0, 1), st.integers(40, 1000))
def test_never_out_of_range(gaps, tol, max_iter):
    done = history(gaps)
    assert 0 <= share_done(done, tol, max_iter) <= 1
    left = time_left(done, tol, max_iter)
    assert left is None or 0 <= left.seconds <= 0.5 * max_iter
