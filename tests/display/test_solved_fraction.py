import numpy as np
import pytest

from margrave import LMSBNClassifier
from margrave.display import SolvedFractionDisplay
from margrave.inference import BranchAndBound


def test_the_curve_is_the_fraction_below_S():
    rng = np.random.default_rng(0)
    losses = np.concatenate([np.zeros(5), rng.gamma(1.0, 1.0, 40), [2.0, 2.0, 2.0]])
    display = SolvedFractionDisplay.from_losses({"a": losses}, {"a": 1.5}).plot()
    S, solved = display.lines_["a"].get_data()
    for s in np.linspace(0.013, 5.9, 50):
        assert solved[np.searchsorted(S, s, side="right") - 1] == pytest.approx(np.mean(losses < s))
    assert (np.diff(S) > 0).all() and solved[-1] == 1.0


@pytest.mark.parametrize("scale", ["linear", "log"])
def test_the_bound_is_one_minus_the_expected_loss_over_S(scale):
    display = SolvedFractionDisplay.from_losses({"a": [0.0, 1.0]}, {"a": 1.5}).plot(scale=scale)
    S, bound = display.bound_lines_["a"].get_data()
    np.testing.assert_allclose(bound, 1 - 1.5 / S, atol=1e-12)
    assert display.bound_lines_["a"].get_linestyle() == "--"
    assert display.bound_lines_["a"].get_color() == display.lines_["a"].get_color()


def test_an_estimators_numbers_come_from_enumeration(one_order, labels):
    X, Y = labels
    display = SolvedFractionDisplay.from_estimator(one_order, X, Y, name="one")
    (scores,) = one_order.model_.scores(X)
    every = 2 * ((np.arange(16)[:, None] >> np.arange(4)) & 1) - 1
    each = np.stack([scores.losses(np.tile(labelling, (len(X), 1))) for labelling in every])
    np.testing.assert_allclose(display.losses["one"], each.min(axis=0), atol=1e-9)
    assert display.expected_loss["one"] == pytest.approx(scores.losses(2 * Y - 1).mean())
    for row in display.rows(np.linspace(0.1, 8, 30)):
        assert row["solved"] >= row["bound"] - 1e-12


def test_several_estimators_share_the_axes(one_order, three_orders, labels):
    display = SolvedFractionDisplay.from_estimators({"one": one_order, "three": three_orders}, *labels).plot()
    assert list(display.lines_) == list(display.bound_lines_) == ["one", "three"]
    markers = {line.get_marker() for line in display.lines_.values()}
    assert len(markers) == 2


def test_a_search_that_stopped_never_raises_the_fraction(three_orders, labels):
    X, Y = labels
    exact = SolvedFractionDisplay.from_estimator(three_orders, X, Y, name="m").losses["m"]
    stopped = LMSBNClassifier(inference=BranchAndBound(max_nodes=1), n_orders=3, C=0.5, random_state=0).fit(X, Y)
    assert (SolvedFractionDisplay.from_estimator(stopped, X, Y, name="m").losses["m"] >= exact - 1e-9).all()


def test_a_model_of_labels_alone_is_shown(labels):
    clf = LMSBNClassifier().fit(None, labels[1])
    display = SolvedFractionDisplay.from_estimator(clf, None, labels[1])
    assert len(display.losses["LMSBNClassifier"]) == len(labels[1])


def test_models_far_apart_share_a_logarithmic_axis():
    losses = {"trained": [0.0, 0.2], "random": [40.0, 50.0]}
    display = SolvedFractionDisplay.from_losses(losses, {"trained": 0.5, "random": 70.0}).plot()
    assert display.ax_.get_xscale() == "log"
    assert display.plot(scale="linear", up_to=3.0).ax_.get_xlim() == (0.0, 3.0)


def test_a_model_without_any_loss_is_shown():
    display = SolvedFractionDisplay.from_losses({"perfect": [0.0, 0.0]}, {"perfect": 0.0}).plot()
    display.figure_.canvas.draw()
    assert (display.bound_lines_["perfect"].get_ydata() == 1.0).all()


@pytest.mark.parametrize(
    ("losses", "expected", "sentence"),
    [
        ({"a": [1.0]}, {"b": 1.0}, r"expected_loss must have the models of losses, \['a'\], got \['b'\]"),
        ({"a": []}, {"a": 1.0}, r"losses\['a'\] must hold a finite number"),
        ({"a": [np.nan]}, {"a": 1.0}, r"losses\['a'\] must hold a finite number"),
        ({}, {}, "at least one model"),
    ],
)
def test_bad_numbers_are_refused(losses, expected, sentence):
    with pytest.raises(ValueError, match=sentence):
        SolvedFractionDisplay.from_losses(losses, expected)


def test_labels_known_in_part_are_refused(one_order, labels):
    X, Y = labels
    unknown = Y.astype(float)
    unknown[3, 1] = np.nan
    with pytest.raises(ValueError, match="Y must be known; the labels of example 3 are not"):
        SolvedFractionDisplay.from_estimator(one_order, X, unknown)
