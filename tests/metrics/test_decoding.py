from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.metrics.decoding import best_for_f1, best_for_hamming, marginals


def answers(K):
    return np.array(list(product((False, True), repeat=K)), dtype=bool).reshape(-1, K)


def f_score(y, h):
    both, sum_of_sizes = (y & h).sum(), y.sum() + h.sum()
    return 2.0 * both / sum_of_sizes if sum_of_sizes else 0.0


@st.composite
def weighted(draw):
    K = draw(st.integers(1, 6))
    n = draw(st.integers(1, 8))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    labels = rng.random((n, K)) < draw(st.sampled_from([0.1, 0.5, 0.9]))
    return labels, rng.choice([rng.exponential(size=n), np.ones(n)])


@given(weighted())
def test_the_best_of_all_answers_for_f(problem):
    labels, weights = problem
    p = weights / weights.sum()
    expected = [sum(q * f_score(y, h) for q, y in zip(p, labels, strict=True)) for h in answers(labels.shape[1])]
    answer, value = best_for_f1(labels, weights)
    reached = sum(q * f_score(y, answer) for q, y in zip(p, labels, strict=True))
    assert value == pytest.approx(max(expected))
    assert reached == pytest.approx(max(expected))


@given(weighted())
def test_the_best_of_all_answers_for_hamming(problem):
    labels, weights = problem
    p = weights / weights.sum()
    expected = [sum(q * (y != h).mean() for q, y in zip(p, labels, strict=True)) for h in answers(labels.shape[1])]
    answer = best_for_hamming(labels, weights)
    reached = sum(q * (y != answer).mean() for q, y in zip(p, labels, strict=True))
    assert reached == pytest.approx(min(expected))


@given(weighted())
def test_marginals(problem):
    labels, weights = problem
    found = marginals(labels, weights)
    for k in range(labels.shape[1]):
        assert found[k] == pytest.approx(weights[labels[:, k]].sum() / weights.sum())
    assert marginals(np.where(labels, 1, -1), 7.0 * weights) == pytest.approx(found)  # of ±1, any multiple


def test_no_label_at_all():
    for labels in (np.zeros((2, 3)), np.empty((1, 0))):
        answer, value = best_for_f1(labels, np.ones(len(labels)))
        assert not answer.any()
        assert value == 0.0


def test_a_tie_is_off():
    assert best_for_hamming(np.array([[1], [0]]), np.ones(2)).tolist() == [False]
