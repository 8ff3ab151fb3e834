import matplotlib.pyplot as plt
import numpy as np
import pytest

from margrave.display import CertificateDisplay
from margrave.estimators.directed_answers import Certified


def certificate(nodes, gaps):
    nodes, gaps = np.asarray(nodes), np.asarray(gaps, dtype=float)
    return Certified(np.zeros((len(nodes), 1)), gaps + 1.0, np.ones(len(nodes)), nodes, gaps <= 1e-9)


def counted(ax):
    return [sum(bar.get_height() for bar in container) for container in ax.containers]


def test_bars_count_the_examples():
    rng = np.random.default_rng(0)
    nodes = np.concatenate([[0, 0, 1, 100_000], rng.integers(1, 5000, 96)])
    gaps = np.where(np.arange(100) % 4 == 0, rng.uniform(0.1, 1.0, 100), 0.0)
    display = CertificateDisplay.from_certified(certificate(nodes, gaps)).plot()
    assert counted(display.ax_[0]) == [75, 25]
    assert counted(display.ax_[1]) == [25]
    assert display.share_certified_ == 0.75
    assert display.ax_[0].get_title() == "75 of 100 certified (75 %)"
    assert display.ax_[0].get_xscale() == "log"
    assert f"{np.median(gaps[gaps > 0]):.2g}" in display.ax_[1].get_title()


def test_an_estimators_certificate_is_shown(one_order, labels):
    display = CertificateDisplay.from_estimator(one_order, labels[0]).plot()
    found = one_order.predict_certified(labels[0])
    np.testing.assert_array_equal(display.nodes, found.nodes)
    assert display.share_certified_ == found.certified.mean() == 1.0
    assert "every answer" in display.ax_[1].texts[0].get_text()


def test_hundred_per_cent_is_said_of_all_only():
    display = CertificateDisplay.from_certified(certificate(np.full(5000, 8), np.eye(1, 5000)[0])).plot()
    assert display.ax_[0].get_title() == "4999 of 5000 certified (99.9 %)"


def test_answers_without_a_bound_are_counted():
    display = CertificateDisplay.from_certified(certificate([4, 4, 4], [np.inf, 0.5, 0.0])).plot()
    assert "1 without a bound" in display.ax_[1].get_title()
    none = CertificateDisplay.from_certified(certificate([4], [np.inf])).plot()
    assert "no answer" in none.ax_[1].texts[0].get_text()


def test_one_axes_is_divided_and_two_are_used():
    display = CertificateDisplay.from_certified(certificate([4, 8], [0.0, 0.3]))
    figure, ax = plt.subplots()
    inside = display.plot(ax)
    assert inside.figure_ is figure and all(part in ax.child_axes for part in inside.ax_)
    figure, pair = plt.subplots(2, 1)
    assert display.plot(pair).ax_.tolist() == pair.tolist()
    with pytest.raises(ValueError, match="ax must be one matplotlib Axes, or two, or None, got 3"):
        display.plot(plt.subplots(3)[1])


def test_no_example_is_refused():
    with pytest.raises(ValueError, match="holds no example"):
        CertificateDisplay.from_certified(certificate([], []))
