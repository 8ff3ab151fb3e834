import numpy as np
import pytest
from matplotlib.colors import same_color

from margrave.display import LabelGraphDisplay
from margrave.display.canvas import NEGATIVE, POSITIVE

WEIGHTS = [[0.0, 2.0, -0.1], [2.0, 0.0, -1.0], [-0.1, -1.0, 0.0]]


def test_edges_are_the_models_strongest_first(three_orders):
    display = LabelGraphDisplay.from_estimator(three_orders).plot(n_edges=5)
    weights = np.abs(np.nan_to_num(display.weights))
    assert len(display.edges_) == len(display.lines_) == len(display.heads_) == 5
    for edge in display.edges_:
        assert edge.weight == display.weights[edge.child, edge.parent]
    assert [abs(edge.weight) for edge in display.edges_] == sorted(weights.ravel().tolist(), reverse=True)[:5]


def test_a_threshold_leaves_weak_edges_out():
    display = LabelGraphDisplay.from_matrix(WEIGHTS).plot(threshold=0.5)
    assert [edge.weight for edge in display.edges_] == [2.0, -1.0]
    assert LabelGraphDisplay.from_matrix(WEIGHTS).plot(threshold=5.0).edges_ == []


def test_an_undirected_pair_is_one_edge_without_a_head():
    display = LabelGraphDisplay.from_matrix(WEIGHTS).plot()
    assert len(display.edges_) == 3 and display.heads_ == []


def test_the_sign_is_in_colour_and_in_line_style_and_strength_in_width():
    positive, negative, _ = LabelGraphDisplay.from_matrix(WEIGHTS).plot().lines_
    assert same_color(positive.get_edgecolor(), POSITIVE) and same_color(negative.get_edgecolor(), NEGATIVE)
    assert positive.get_linestyle() in ("-", "solid") and negative.get_linestyle() not in ("-", "solid")
    assert positive.get_linewidth() > negative.get_linewidth()


def test_arrows_lead_from_parent_to_child():
    display = LabelGraphDisplay.from_matrix([[0, 0], [3.0, 0]], ["parent", "child"], directed=True).plot()
    (edge,), (line,), (head,) = display.edges_, display.lines_, display.heads_
    assert (edge.parent, edge.child) == (0, 1)
    start, _, end = line.get_path().vertices
    np.testing.assert_allclose(start, display.text_[0].xy)
    np.testing.assert_allclose(end, display.text_[1].xy)
    tip = head.get_marker().vertices[0]
    assert tip @ (end - start) > 0


@pytest.mark.parametrize("n_labels", [1, 2, 8, 20, 80])
def test_names_stay_inside_the_axes(n_labels):
    weights = np.random.default_rng(0).normal(size=(n_labels, n_labels))
    names = [f"$label_{i} of many" for i in range(n_labels)]
    display = LabelGraphDisplay.from_matrix(weights + weights.T, names).plot()
    display.figure_.canvas.draw()
    width, height = display.figure_.get_size_inches() * display.figure_.dpi
    for text in display.text_.values():
        box = text.get_window_extent()
        assert box.x0 >= 0 and box.y0 >= 0 and box.x1 <= width and box.y1 <= height
    assert len(display.edges_) <= 40


def test_labels_without_an_edge_are_left_out_of_large_graphs():
    weights = np.zeros((30, 30))
    weights[4, 9] = weights[9, 4] = 1.0
    assert set(LabelGraphDisplay.from_matrix(weights).plot().text_) == {4, 9}
    assert set(LabelGraphDisplay.from_matrix(weights[:10, :10]).plot().text_) == set(range(10))
