"""Cuts of decision values, judged by scikit-learn's measures over every cut there is."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, f1_score

from margrave.estimators.label_cuts import (
    TARGETS,
    best_cut,
    candidate_cuts,
    cyclic_cuts,
    exact_by_number,
    f1_by_number,
    svm1_cuts,
    tuned_cuts,
)


def measured(on, truth, target):
    """The target by scikit-learn."""
    if target == "exact_match":
        return accuracy_score(truth, on)
    if truth.shape[1] == 1:  # scikit-learn takes one column for two classes
        return f1_score(truth[:, 0], on[:, 0], zero_division=0)
    return f1_score(truth, on, average=target.removeprefix("f1_"), zero_division=0)


def every_cut(values):
    """Cuts that differ: just below each value, which is as good as the middle of a gap, and above all."""
    return [*(v - 1e-6 for v in np.unique(values)), values.max() + 1.0]


@st.composite
def problems(draw, max_labels=3):
    """Values with ties, on a grid that is much wider than 1e-6, and labels."""
    n, K = draw(st.integers(1, 8)), draw(st.integers(1, max_labels))
    numbers = st.lists(st.integers(-4, 4), min_size=n * K, max_size=n * K)
    truth = st.lists(st.booleans(), min_size=n * K, max_size=n * K)
    return np.array(draw(numbers)).reshape(n, K) / 4.0, np.array(draw(truth)).reshape(n, K)


@given(problems(max_labels=1))
def test_candidates_are_all_the_ways_to_divide_the_values(problem):
    values = problem[0][:, 0]
    cuts, above = candidate_cuts(np.sort(values)[::-1])
    assert (np.diff(cuts) < 0).all()
    np.testing.assert_array_equal(above, [(values > cut).sum() for cut in cuts])
    assert set(above) == {(values > cut).sum() for cut in every_cut(values)}


def test_neighbouring_floats_have_a_cut_between_them():
    low = 1.0
    high = np.nextafter(low, 2.0)
    cuts, above = candidate_cuts(np.array([high, low]))
    assert above.tolist() == [0, 1, 2]
    assert [int((np.array([high, low]) > cut).sum()) for cut in cuts] == [0, 1, 2]


@settings(max_examples=20)
@given(problems())
def test_f1_by_number_is_the_f_of_the_first_examples(problem):
    truth = problem[1][:, 0]
    found = f1_by_number(truth)
    for k in range(len(truth) + 1):
        assert found[k] == pytest.approx(f1_score(truth, np.arange(len(truth)) < k, zero_division=0))


@given(problems())
def test_exact_by_number_is_the_share_of_examples_that_are_right(problem):
    truth, right = problem[1][:, 0], problem[0][:, -1] > 0
    found = exact_by_number(truth, right)
    for k in range(len(truth) + 1):
        assert found[k] == pytest.approx(np.mean(right & (truth == (np.arange(len(truth)) < k))))


def test_of_equal_cuts_the_nearest_is_taken_and_none_without_need():
    falling, measure = np.array([3.0, 2.0, 1.0]), np.array([0.5, 0.2, 0.5, 0.1])
    assert best_cut(falling, measure, now=2.5) == 3.0
    assert best_cut(falling, measure, now=2.0) == 1.5
    assert best_cut(falling, measure, now=1.2) == 1.2  # as good as any


@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=20)  # scikit-learn judges every cut
@given(problem=problems())
def test_no_cut_can_be_improved_alone_and_none_is_worse_than_before(target, problem):
    values, truth = problem
    start = np.zeros(values.shape[1])
    cuts = cyclic_cuts(values, truth, target, start)
    reached = measured(values > cuts, truth, target)
    assert reached >= measured(values > start, truth, target) - 1e-12
    for label in range(values.shape[1]):
        for cut in every_cut(values[:, label]):
            other = cuts.copy()
            other[label] = cut
            assert measured(values > other, truth, target) <= reached + 1e-9


@settings(max_examples=20)
@given(problems(max_labels=2))
def test_for_macro_f_the_cuts_are_the_best_of_all(problem):
    values, truth = problem
    reached = measured(values > cyclic_cuts(values, truth, "f1_macro", np.zeros(values.shape[1])), truth, "f1_macro")
    every = itertools.product(*(every_cut(column) for column in values.T))
    assert reached == pytest.approx(max(measured(values > np.array(cuts), truth, "f1_macro") for cuts in every))


def test_a_cut_that_waits_for_another_is_found_in_a_later_round():
    truth = np.array([[1, 1], [1, 1], [1, 0], [0, 0]], dtype=bool)
    values = np.array([[-1.0, -1.0], [-1.0, -1.0], [-1.0, -2.0], [-2.0, -3.0]])
    cuts = cyclic_cuts(values, truth, "exact_match", np.zeros(2))
    np.testing.assert_array_equal(values > cuts, truth)


@pytest.mark.parametrize("target", TARGETS)
@settings(max_examples=20)  # scikit-learn judges every cut
@given(problem=problems(max_labels=2))
def test_two_starts_are_as_good_as_either_and_no_better_than_the_best_of_all(target, problem):
    values, truth = problem
    start = np.zeros(values.shape[1])
    reached = measured(values > tuned_cuts(values, truth, target), truth, target)
    assert reached >= measured(values > cyclic_cuts(values, truth, target, start), truth, target) - 1e-12
    every = itertools.product(*(every_cut(column) for column in values.T))
    assert reached <= max(measured(values > np.array(cuts), truth, target) for cuts in every) + 1e-12


@settings(max_examples=20)
@given(problems(), problems())
def test_svm1_is_the_mean_of_the_folds_best_cuts(one, other):
    K = min(one[0].shape[1], other[0].shape[1])
    folds = [(values[:, :K], truth[:, :K]) for values, truth in (one, other)]
    alone = [svm1_cuts([fold]) for fold in folds]
    np.testing.assert_allclose(svm1_cuts(folds), np.mean(alone, axis=0))
    for (values, truth), cuts in zip(folds, alone, strict=True):
        for label in range(K):
            best = max(
                f1_score(truth[:, label], values[:, label] > c, zero_division=0) for c in every_cut(values[:, label])
            )
            assert f1_score(truth[:, label], values[:, label] > cuts[label], zero_division=0) == pytest.approx(best)


def test_a_label_that_is_hardly_found_is_cut_at_the_folds_highest_value():
    values = np.array([[3.0], [2.0], [1.0], [0.5]])
    truth = np.array([[False], [False], [False], [True]])  # best F: all on, 2/5
    assert svm1_cuts([(values, truth)], fbr=0.39)[0] < 0.5
    assert svm1_cuts([(values, truth)], fbr=0.41)[0] == 3.0
