from itertools import combinations
from math import comb, e, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.metrics import error_bound, lmbm_threshold, log_loss_bound, loss_threshold
from tests.metrics.labellings import directed_margins, every_labelling, hinge, log_loss, undirected_margins

seeds = st.integers(0, 2**32 - 1)
sizes = st.integers(1, 6)


def wrong(losses):
    """The losses of all labellings but the prediction, the first minimiser."""
    return np.delete(losses, np.argmin(losses))


# ----------------------------------------------------------------------------------------------------------- thresholds


@given(seeds, sizes, st.floats(0.01, 5))
def test_the_hinge_loss_of_a_belief_network_is_at_least_1_where_the_prediction_is_wrong(seed, n_labels, scale):
    z = directed_margins(np.random.default_rng(seed), n_labels, scale=scale)
    assert wrong(hinge(z).sum(axis=1)).min() >= loss_threshold("lmsbn") - 1e-12


@given(seeds, sizes, st.integers(2, 4))
def test_so_is_its_mean_over_several_orders(seed, n_labels, n_orders):
    rng = np.random.default_rng(seed)
    orders = [rng.permutation(n_labels).tolist() for _ in range(n_orders)]
    losses = np.mean([hinge(directed_margins(rng, n_labels, order)).sum(axis=1) for order in orders], axis=0)
    assert wrong(losses).min() >= loss_threshold("lmsbn") - 1e-12


@given(seeds, sizes)
def test_log_loss_of_any_model_of_all_labels(seed, n_labels):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 3, 2**n_labels)
    assert wrong(np.logaddexp.reduce(scores) - scores).min() >= loss_threshold("log") - 1e-12
    # A belief network is one of them: its partial losses are those of a distribution.
    losses = log_loss(directed_margins(rng, n_labels)).sum(axis=1)
    assert np.exp(-losses).sum() == pytest.approx(1)
    assert wrong(losses).min() >= loss_threshold("log") - 1e-12


@given(st.floats(0, 50))
def test_exponential_loss_of_one_output(z):
    # The prediction is the sign of the score: its margin is not negative, that of the other value not positive.
    assert np.exp(z) >= loss_threshold("exponential")


@given(seeds, sizes)
def test_structured_hinge(seed, n_labels):
    rng = np.random.default_rng(seed)
    Y, scores = every_labelling(n_labels), rng.normal(0, 1, 2**n_labels)
    for cost in (lambda a, b: (a != b).any(axis=-1), lambda a, b: (a != b).sum(axis=-1)):
        losses = [np.max(cost(Y, y) + scores - score) for y, score in zip(Y, scores, strict=True)]
        assert np.delete(losses, np.argmax(scores)).min() >= loss_threshold("structured_hinge") - 1e-12


def test_structured_hinge_as_printed_has_no_threshold():
    scores = np.array([0.0, -0.1, -5.0])  # the second is wrong, and better by far than the third
    printed = max(0.0, 1 - max(scores[1] - scores[0], scores[1] - scores[2]))
    meant = max(0.0, 1 - min(scores[1] - scores[0], scores[1] - scores[2]))
    assert printed == 0
    assert meant >= loss_threshold("structured_hinge")


def test_thresholds_are_attained():
    """No larger threshold holds: a label whose score is 0."""
    assert hinge(np.zeros((1, 1))).sum() == loss_threshold("lmsbn")
    assert log_loss(np.zeros((1, 1))).sum() == loss_threshold("log")
    assert np.exp(0.0) == loss_threshold("exponential")


@given(seeds, st.integers(1, 5), st.floats(0.05, 2))
def test_threshold_of_boltzmann_machines(seed, n_labels, margin):
    rng = np.random.default_rng(seed)
    every = [clique for size in (1, 2, 3) for clique in combinations(range(n_labels), size)]
    cliques = [clique for clique in every if rng.random() < 0.7]
    features = rng.normal(0, 1, len(cliques))  # f_j = x_j Π y for one x
    scale = np.where([len(clique) > 1 for clique in cliques], rng.choice([0.02, 0.1, 0.5]) * margin, 2.0)
    weights = rng.normal(0, 1, len(cliques)) * scale
    threshold = lmbm_threshold(weights, cliques, n_labels, margin=margin, feature_bounds=np.abs(features))
    losses = np.maximum(0, margin - undirected_margins(weights * features, cliques, n_labels)).sum(axis=1)
    assert 0 <= threshold <= margin
    assert wrong(losses).min() >= threshold - 1e-12


def test_threshold_of_boltzmann_machines_is_attained():
    """One label whose neighbour follows the input, and whose own input is 0, in the limit of no coupling: L = γ."""
    losses = hinge(undirected_margins([5.0, 0.0], [(0,), (1,)], 2)).sum(axis=1)
    assert np.sort(losses)[1] == lmbm_threshold([5.0, 0.0], [(0,), (1,)], 2) == 1


@pytest.mark.parametrize(("n_labels", "size", "g"), [(3, 2, 1.0), (8, 4, 1.0), (8, 4, 10.0), (12, 4, 50.0)])
def test_squares_of_weights_give_no_threshold(n_labels, size, g):
    """Remark 5 as printed: a wrong labelling of loss 0 (0.6 in the first case), below T = 1 - g Σ w²."""
    cliques = list(combinations(range(n_labels), size))
    weights = np.full(len(cliques), 0.8 / 2 if size == 2 else 1 / comb(n_labels - 1, size - 1))
    least = wrong(hinge(undirected_margins(weights, cliques, n_labels)).sum(axis=1)).min()
    held = sum(0 in clique for clique in cliques)
    # Either reading of the sum: over the cliques of one label (the larger threshold) or, with fours, over all.
    printed = 1 - g * weights[0] ** 2 * (held if size == 2 else len(cliques))
    assert least < printed - 1e-3
    assert least >= lmbm_threshold(weights, cliques, n_labels) - 1e-12


def test_threshold_by_hand():
    # Labels 0-1 by .25, 1-2 by .5, 0-1-2 by .125 with features of at most 2; label 3 alone.
    cliques, weights, bounds = [(0, 1), (1, 2), (0, 1, 2), (3,)], [0.25, -0.5, 0.125, 9.0], [1, 1, 2, 7]
    assert lmbm_threshold(weights, cliques, 4, margin=2.0, feature_bounds=bounds) == 2 - (0.25 + 0.5 + 0.25)
    assert lmbm_threshold(weights, cliques, 4, margin=0.5, feature_bounds=bounds) == 0
    assert lmbm_threshold([], [], 2) == 1


# ------------------------------------------------------------------------------------------------------------ Theorem 4


@given(seeds, sizes)
def test_the_error_is_at_most_the_expected_loss_over_the_threshold(seed, n_labels):
    rng = np.random.default_rng(seed)
    losses = {"lmsbn": [], "log": []}
    for _ in range(3):  # three inputs of equal probability
        z = directed_margins(rng, n_labels)
        losses["lmsbn"].append(hinge(z).sum(axis=1))
        losses["log"].append(log_loss(z).sum(axis=1))
    truth = rng.dirichlet(np.full(2**n_labels, 0.2), size=3)
    for loss, values in losses.items():
        error = np.mean([1 - p[np.argmin(value)] for p, value in zip(truth, values, strict=True)])
        expected = np.mean([p @ value for p, value in zip(truth, values, strict=True)])
        assert error <= error_bound(expected, loss_threshold(loss)) + 1e-12


def test_error_bound_of_numbers_and_arrays():
    assert error_bound(0.0, 0.5) == 0
    assert error_bound(0.0, 0.0) == 1  # a threshold of 0 says nothing
    assert error_bound(np.inf, 1.0) == 1
    assert type(error_bound(1, 2)) is float
    assert error_bound([0.5, 3.0], [[1.0], [0.0]]).tolist() == [[0.5, 1.0], [1.0, 1.0]]


# ------------------------------------------------------------------------------------------------------------- Remark 3


@given(seeds, sizes, st.floats(0.01, 20))
def test_log_loss_is_at_most_the_bound_from_the_hinge(seed, n_labels, scale):
    z = directed_margins(np.random.default_rng(seed), n_labels, scale=scale)
    bound = log_loss_bound(hinge(z).sum(axis=1), n_labels)
    assert (log_loss(z).sum(axis=1) <= bound + 1e-12).all()
    assert (bound < log_loss_bound(hinge(z).sum(axis=1), n_labels, slack="printed")).all()


def test_the_sufficient_constant_is_the_least():
    z = np.ones((1, 5))
    assert log_loss(z).sum() == pytest.approx(log_loss_bound(hinge(z).sum(), 5), abs=1e-12)
    assert log_loss_bound(0.0, 1, slack="printed") == pytest.approx(log(e + 1 / e))
    grid = np.linspace(-30, 30, 60_001)
    assert (log_loss(grid) - hinge(grid)).max() == pytest.approx(log_loss_bound(0.0, 1), abs=1e-9)


# ------------------------------------------------------------------------------------------------------------ bad input


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        (
            lambda: loss_threshold("hinge"),
            "loss: expected one of log, exponential, .*, lmsbn, got 'hinge'",
        ),
        (lambda: lmbm_threshold([1.0], [], 2), r"weights: expected one for each of the 0 cliques"),
        (lambda: lmbm_threshold([1.0], [[0, 2]], 2), r"cliques: expected labels from 0 to 1, got \[0, 2\] in clique 0"),
        (lambda: error_bound(-0.5, 1.0), r"expected_loss: expected numbers of at least 0, got -0\.5"),
        (lambda: error_bound([0.5, np.nan], 1.0), "expected_loss: expected numbers of at least 0, got nan"),
        (lambda: error_bound(0.5, -1.0), r"threshold: expected numbers of at least 0, got -1\.0"),
        (lambda: log_loss_bound(1.0, 0), "n_labels: expected at least 1, got 0"),
        (lambda: log_loss_bound(1.0, 1, slack="none"), "slack: expected 'sufficient' or 'printed', got 'none'"),
    ],
)
def test_bad_arguments(call, problem):
    with pytest.raises(ValueError, match=problem):
        call()
