import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.graphs import Dependencies
from margrave.inference import DirectedScores, Searched
from tests.inference.directed_models import PARENTS, all_labellings, random_model


@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.sampled_from(PARENTS),
    st.integers(2, 4),
    st.booleans(),
    st.booleans(),
)
def test_margins_and_losses_are_those_of_the_formula(seed, K, parents, clique_size, smooth, per_example):
    rng = np.random.default_rng(seed)
    model = random_model(rng, K, parents=parents, clique_size=clique_size, smooth=smooth, n=3, per_example=per_example)
    for labels in all_labellings(K)[:: max(1, 2**K // 7)]:
        same = np.tile(labels, (3, 1))
        assert model.scores.margins(same) == pytest.approx(model.margins(labels[None])[:, 0])
        assert model.scores.losses(same) == pytest.approx(model.losses(labels[None])[:, 0])


def test_a_score_looks_at_labels_before_its_place_only():
    rng = np.random.default_rng(0)
    model = random_model(rng, 6, clique_size=3, n=4)
    labels = rng.choice([-1, 1], size=(4, 6))
    for place, label in enumerate(model.order):
        other = labels.copy()
        other[:, model.order[place:]] *= -1
        score = model.scores.score_at(place, labels)
        assert np.array_equal(score, model.scores.score_at(place, other))
        assert score * labels[:, label] == pytest.approx(model.scores.margins(labels)[:, label])


def test_inputs_by_place():
    scores = DirectedScores(Dependencies.full([2, 0, 1]), np.array([[1.0, 2.0, 3.0]]), np.zeros(3))
    assert scores.by_place.tolist() == [[3.0, 1.0, 2.0]]
    assert scores.by_place.flags.c_contiguous
    assert len(scores) == 1


def test_a_partial_labelling_never_gets_cheaper():
    """What branch and bound stands on, for both losses: Σ over the first places grows with every place."""
    rng = np.random.default_rng(1)
    for smooth in (False, True):
        model = random_model(rng, 6, smooth=smooth)
        labels = all_labellings(6)
        z = model.margins(labels)[0][:, model.order]
        each = np.logaddexp(0, -z) if smooth else np.maximum(0, 1 - z)
        assert (np.diff(np.cumsum(each, axis=1), axis=1) >= 0).all()


def test_whole_numbers_are_scores_too():
    scores = DirectedScores(Dependencies.full([0, 1]), [[2, 0]], [1])
    assert scores.losses(np.array([[1, 1]])).tolist() == [0.0]


@pytest.mark.parametrize(
    ("inputs", "cliques", "message"),
    [
        (np.zeros((2, 2)), np.zeros(3), "inputs must have a row per example and 3 columns"),
        (np.zeros(3), np.zeros(3), "inputs must have a row per example"),
        (np.zeros((2, 3)), np.zeros(2), r"cliques must have shape \(3,\) or \(2, 3\)"),
        (np.zeros((2, 3)), np.zeros((3, 3)), "cliques must have shape"),
    ],
)
def test_shapes_are_checked(inputs, cliques, message):
    with pytest.raises(ValueError, match=message):
        DirectedScores(Dependencies.full([0, 1, 2]), inputs, cliques)


def test_certified_is_no_more_than_a_billionth_apart():
    bound = np.array([1.0 - 2e-9, 1.0 - 5e-10, 1.0, -np.inf])
    searched = Searched(np.ones((4, 1), dtype=np.int8), np.ones(4), bound, np.ones(4, dtype=np.int64))
    assert searched.certified.tolist() == [False, True, True, False]
