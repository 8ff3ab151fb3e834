from itertools import product
from math import exp, log, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog
from sklearn.svm import LinearSVC

from margrave.metrics import excess_loss_bound, penalty_rule, rademacher_bound

seeds = st.integers(0, 2**32 - 1)


def disc(radius, n_radii=6, n_angles=48):
    """Weights of a disc, (W, 2): suprema over them are at most those over the whole disc."""
    radii, angles = np.linspace(0, radius, n_radii), np.linspace(0, 2 * pi, n_angles, endpoint=False)
    return np.array([(r * np.cos(a), r * np.sin(a)) for r in radii for a in angles])


def hinges(weights, features):
    """[1 − w·f]_+ of each weight and each of the last axis but one of the features."""
    return np.maximum(0, 1 - features @ weights.T)


# -------------------------------------------------------------------------------------------------------------- Lemma 7


@given(seeds, st.integers(1, 7), st.integers(1, 3), st.floats(0.1, 5))
def test_closed_form_is_above_the_complexity_by_at_most_a_root_of_two(seed, n, n_labels, radius):
    rng = np.random.default_rng(seed)
    features = rng.normal(0, 1, (n, n_labels, 3))
    signs = np.array(list(product([-1, 1], repeat=n)))
    # sup over ‖w‖ ≤ radius of w·v is radius ‖v‖, for each label and each choice of signs.
    sums = np.linalg.norm(np.einsum("sn,nkd->skd", signs, features), axis=2)
    complexity = radius * sums.mean(axis=0).sum() / n
    bound = rademacher_bound(np.linalg.norm(features, axis=2), radius) / 2  # the 2 is that of symmetrisation
    assert complexity <= bound * (1 + 1e-12)
    assert bound / sqrt(2) <= complexity * (1 + 1e-12)  # Khintchine's inequality, with its best constant


@given(seeds, st.integers(1, 6), st.floats(0.1, 5))
def test_hinges_are_no_more_complex_than_their_margins(seed, n, radius):
    features = np.random.default_rng(seed).normal(0, 1, (n, 2))
    signs = np.array(list(product([-1, 1], repeat=n)))
    complexity = (signs @ hinges(disc(radius), features)).max(axis=1).mean() / n
    assert complexity <= rademacher_bound(np.linalg.norm(features, axis=1), radius) / 2 * (1 + 1e-12)


@given(seeds, st.integers(1, 4), st.floats(0.2, 3))
def test_expected_supremum_over_all_samples_is_below_the_bound(seed, n, radius):
    """Lemma 7 itself: every sample of n from three points, the suprema of two labels with weights of their own."""
    rng = np.random.default_rng(seed)
    features, weights, chances = rng.normal(0, 1, (3, 2, 2)), disc(radius), rng.dirichlet(np.ones(3))
    losses = np.stack([hinges(weights, features[:, k]) for k in range(2)])  # label, point, weight
    norms = np.linalg.norm(features, axis=2)
    supremum, bound = 0.0, 0.0
    for sample in product(range(3), repeat=n):
        points, chance = list(sample), chances[list(sample)].prod()
        gaps = np.einsum("p,kpw->kw", chances, losses) - losses[:, points].mean(axis=1)
        supremum += chance * gaps.max(axis=1).sum()
        bound += chance * rademacher_bound(norms[points], [radius, radius])
    assert supremum <= bound * (1 + 1e-12)
    assert bound <= 2 * 2 * radius * norms.max() / sqrt(n) * (1 + 1e-12)


def test_by_hand():
    assert rademacher_bound([3.0, 4.0], 2.0) == 2 / 2 * 2 * 5
    assert rademacher_bound([[3.0, 1.0], [4.0, 0.0]], [2.0, 10.0]) == 2 * 5 + 10 * 1


# ------------------------------------------------------------------------------------------------------------ Theorem 8

DELTA, N = 0.25, 60
# Forty points of a plane, two labels of which the second depends on the first; labels are noisy.
RNG = np.random.default_rng(8)
POINTS = RNG.uniform(-1, 1, (40, 2))
FIRST = np.where(POINTS[:, 0] + RNG.normal(0, 0.4, 40) > 0, 1, -1)
SECOND = np.where(POINTS[:, 1] + 0.5 * FIRST + RNG.normal(0, 0.4, 40) > 0, 1, -1)
INPUTS = [np.column_stack([POINTS, np.ones(40)]), np.column_stack([POINTS, np.ones(40), FIRST])]
FEATURES = [FIRST[:, None] * INPUTS[0], SECOND[:, None] * INPUTS[1]]
B = float(np.sqrt(sum((f**2).sum(axis=1) for f in FEATURES)).max()) + 1e-9


def expected_loss(weights):
    return sum(np.maximum(0, 1 - f @ w).mean() for f, w in zip(FEATURES, weights, strict=True))


def best_weights(features):
    """The minimiser of the mean hinge, as a linear program: min Σ ξ with ξ ≥ 1 − w·f, ξ ≥ 0."""
    n, d = features.shape
    solution = linprog(
        np.r_[np.zeros(d), np.full(n, 1 / n)],
        A_ub=np.hstack([-features, -np.eye(n)]),
        b_ub=-np.ones(n),
        bounds=[(None, None)] * d + [(0, None)] * n,
    )
    return solution.x[:d]


def fitted(sample, penalty):
    """The minimiser of the mean loss of a sample plus penalty ‖w‖², label by label."""
    weights = []
    for inputs, labels in zip(INPUTS, (FIRST, SECOND), strict=True):
        svm = LinearSVC(
            loss="hinge", C=1 / (2 * penalty * len(sample)), fit_intercept=False, tol=1e-6, max_iter=200_000
        )
        weights.append(svm.fit(inputs[sample], labels[sample]).coef_[0])
    return weights


def test_excess_loss_is_below_the_bound_with_a_constant_that_is_proved():
    """d = 1, δ = ¼, and a constant for which the theorem follows from stability.

    With the penalty λ‖w‖², E L(ŵ) ≤ L(w_o) + λ‖w_o‖² + 2B²/(λN) (Shalev-Shwartz and Ben-David, "Understanding machine
    learning", Corollary 13.6). The rule with c = 1/√2 gives λ = √2 B / (‖w_o‖ √N) at δ = ¼, so that the mean excess is
    at most 2√2 B ‖w_o‖ / √N, and by Markov's inequality at most 1/δ of it with probability 1 − δ.
    """
    best = [best_weights(f) for f in FEATURES]
    norm, least = sqrt(sum(w @ w for w in best)), expected_loss(best)
    penalty = penalty_rule(N, DELTA, feature_bound=B, weight_norm=norm, constant=1 / sqrt(2))
    assert penalty == pytest.approx(sqrt(2) * B / (norm * sqrt(N)))
    constant = 2 * sqrt(2) / (DELTA * sqrt(log(1 / DELTA)))
    bound = excess_loss_bound(N, DELTA, feature_bound=B, weight_norm=norm, constant=constant)
    assert bound == pytest.approx(2 * sqrt(2) * B * norm / sqrt(N) / DELTA)
    rng = np.random.default_rng(0)
    excess = np.array([expected_loss(fitted(rng.integers(0, 40, N), penalty)) - least for _ in range(40)])
    assert excess.min() >= -1e-6
    assert excess.mean() <= DELTA * bound
    assert np.mean(excess <= bound) >= 1 - DELTA


def test_the_two_printed_forms_agree_for_one_label_per_feature_and_no_other_number():
    given_ = {"feature_bound": 2.0, "weight_norm": 3.0}
    for d in (1, 2, 3):
        one = excess_loss_bound(100, 0.1, clique_size=d, form="log(d/delta)", **given_)
        other = excess_loss_bound(100, 0.1, clique_size=d, form="d*log(1/delta)", **given_)
        assert (one == pytest.approx(other)) == (d == 1)
    assert one == pytest.approx(6 * sqrt(log(30) / 100))
    assert other == pytest.approx(6 * sqrt(3 * log(10) / 100))
    assert one < other  # for δ near 1 it is the other way round
    small = [
        excess_loss_bound(100, exp(-0.1), clique_size=2, form=form, **given_)
        for form in ("log(d/delta)", "d*log(1/delta)")
    ]
    assert small[0] > small[1]


@pytest.mark.parametrize("form", ["log(d/delta)", "d*log(1/delta)"])
def test_the_penalty_at_the_best_weights_is_the_excess_but_for_the_printed_rule(form):
    given_ = {"feature_bound": 2.0, "weight_norm": 3.0, "clique_size": 2, "constant": 0.7}
    for delta in (0.5, 1e-2, 1e-8):
        excess = excess_loss_bound(400, delta, form=form, **given_)
        assert penalty_rule(400, delta, form=form, **given_) * 9 == pytest.approx(excess)
        assert penalty_rule(400, delta, **given_) * 9 > excess  # what it prints: √(d/δ), without a logarithm
    assert penalty_rule(400, delta, **given_) * 9 > 1000 * excess


@given(st.integers(1, 10**6), st.floats(1e-6, 0.99), st.integers(1, 5))
def test_rates(n, delta, d):
    given_ = {"feature_bound": 2.0, "weight_norm": 3.0, "clique_size": d}
    assert penalty_rule(n, delta, **given_) == pytest.approx(2 * sqrt(d / delta) / (3 * sqrt(n)))
    for form in ("log(d/delta)", "d*log(1/delta)"):
        bound = excess_loss_bound(n, delta, form=form, **given_)
        assert excess_loss_bound(4 * n, delta, form=form, **given_) == pytest.approx(bound / 2)
        assert excess_loss_bound(n, delta / 2, form=form, **given_) > bound
        assert excess_loss_bound(n, delta, form=form, constant=5, **given_) == pytest.approx(5 * bound)


# ------------------------------------------------------------------------------------------------------------ bad input

GIVEN = {"feature_bound": 1.0, "weight_norm": 1.0}


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (lambda: rademacher_bound([], 1.0), r"feature_norms: expected the shape \(N, K\) with N > 0, got \(0,\)"),
        (lambda: rademacher_bound([[-1.0]], 1.0), "feature_norms, weight_bound: expected numbers of at least 0"),
        (lambda: excess_loss_bound(0, 0.1, **GIVEN), "n_examples: expected at least 1, got 0"),
        (lambda: excess_loss_bound(9, 1.0, **GIVEN), r"delta: expected a number between 0 and 1, got 1\.0"),
        (lambda: excess_loss_bound(9, 0.1, clique_size=0, **GIVEN), "clique_size: expected at least 1, got 0"),
        (lambda: excess_loss_bound(9, 0.1, form="d/delta", **GIVEN), r"form: expected 'log\(d/delta\)' or"),
        (lambda: penalty_rule(9, 0.1, form="d", **GIVEN), "form: expected 'd/delta', "),
        (lambda: penalty_rule(9, 0.1, feature_bound=1.0, weight_norm=0.0), "weight_norm: expected a number above 0"),
    ],
)
def test_bad_arguments(call, problem):
    with pytest.raises(ValueError, match=problem):
        call()
