import numpy as np

from margrave.display import DependencyMatrixDisplay


def test_colours_and_numbers_are_the_models(one_order):
    display = DependencyMatrixDisplay.from_estimator(one_order, label_names=list("abcd")).plot()
    np.testing.assert_array_equal(np.ma.filled(display.image_.get_array(), np.nan), display.weights)
    there = ~np.isnan(display.weights)
    for child, parent in np.ndindex(4, 4):
        text = display.text_[child, parent]
        assert (text is not None) == there[child, parent]
        if text is not None:
            assert abs(float(text.get_text().replace("−", "-")) - display.weights[child, parent]) <= 0.005
            assert text.get_position() == (parent, child)
    assert [tick.get_text() for tick in display.ax_.get_yticklabels()] == list("abcd")
    assert (display.ax_.get_xlabel(), display.ax_.get_ylabel()) == ("parent", "child")


def test_colours_are_centred_at_zero():
    display = DependencyMatrixDisplay.from_matrix([[np.nan, -3.0], [1.0, np.nan]], directed=True).plot()
    assert display.image_.get_clim() == (-3.0, 3.0)
    assert display.plot(limit=5.0).image_.get_clim() == (-5.0, 5.0)


def test_many_labels_bear_strokes_where_weights_are_negative():
    weights = np.random.default_rng(0).uniform(0.5, 1.0, size=(50, 50))
    weights = np.where(np.tri(50, k=-1) > 0, weights, np.nan)
    weights[7, 3] = weights[40, 2] = -0.8
    display = DependencyMatrixDisplay.from_matrix(weights, directed=True).plot()
    assert display.text_ is None
    (strokes,) = display.ax_.collections
    assert sorted(map(tuple, strokes.get_offsets().tolist())) == [(2.0, 40.0), (3.0, 7.0)]


def test_names_are_no_formulas_and_long_ones_are_cut():
    names = ["$x", "a_$b$_{", "x" * 100]
    display = DependencyMatrixDisplay.from_matrix(np.zeros((3, 3)), names).plot()
    display.figure_.canvas.draw()
    shown = [tick.get_text() for tick in display.ax_.get_xticklabels()]
    assert shown[:2] == names[:2] and len(shown[2]) <= 24 and shown[2].endswith("…")


def test_edges_of_what_can_be_shown():
    for K in (1, 120):
        weights = np.zeros((K, K))
        display = DependencyMatrixDisplay.from_matrix(weights, [f"label {i}" for i in range(K)]).plot()
        display.figure_.canvas.draw()
        assert display.colorbar_ is not None
    assert DependencyMatrixDisplay.from_matrix([[1.0]]).plot(colorbar=False, values=False).colorbar_ is None


def test_zero_has_no_sign():
    display = DependencyMatrixDisplay.from_matrix([[-0.001, 1.0], [1.0, 0.0]]).plot()
    assert display.text_[0, 0].get_text() == "0.00"
