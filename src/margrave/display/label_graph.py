"""The strongest dependencies between labels as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from margrave.display.canvas import NEGATIVE, POSITIVE, axes_of, literal, matplotlib, points, shortened
from margrave.display.label_weights import LabelWeights
from margrave.primitives import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Edges at the most where nothing is said; beyond it a graph on a circle cannot be read.
_MOST_EDGES = 40
#: Labels without an edge are left out where there are more labels than this.
_MOST_ALONE = 24
#: Names are turned along the radius where there are more of them.
_MOST_UPRIGHT = 16
#: Widths in points.
_THINNEST, _WIDEST = 0.8, 4.0
#: How far curves are bent to one side and to the middle, and where on them the arrow's head is.
_BEND, _INWARD, _HEAD_AT = 0.1, 0.7, 0.6


class Edge(NamedTuple):
    """An edge that is shown, between labels as they are numbered in `label_names`."""

    parent: int
    child: int
    weight: float


class LabelGraphDisplay(LabelWeights):
    """Labels on a circle with the strongest weights between them; arrows lead from parents to children.

    Positive weights are solid and blue, negative ones dashed and red; the wider the stronger. Labels stand in their
    order, from the top to the right.

    Parameters
    ----------
    weights : array of shape (K, K)
    label_names : K names
    directed : bool, default=True

    Attributes
    ----------
    edges_ : list of Edge
        Those that are shown, strongest first: parent, child, weight.
    lines_ : list of matplotlib PathPatch
        One for each of `edges_`.
    heads_ : list of matplotlib Line2D
        Likewise, of the arrows; empty where the graph is undirected.
    text_ : dict of matplotlib Text by label
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    DependencyMatrixDisplay : All weights, as a matrix.

    Examples
    --------
    >>> import margrave as mg
    >>> weights = [[0.0, 1.5, 0.1], [1.5, 0.0, -0.7], [0.1, -0.7, 0.0]]
    >>> display = mg.display.LabelGraphDisplay.from_matrix(weights, ["sea", "beach", "snow"]).plot(threshold=0.5)
    >>> [edge.weight for edge in display.edges_]
    [1.5, -0.7]
    """

    def plot(self, ax: Axes | None = None, *, n_edges: int | None = None, threshold: float = 0.0) -> Self:
        """Draw the graph.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: those of a new figure.
        n_edges : int or None, default=None
            How many edges at the most, the strongest; None: two per label, at most forty.
        threshold : float, default=0.0
            Only edges with a weight above it, positive or negative.
        """
        self.edges_ = self._strongest(n_edges, threshold)
        ends = {label for edge in self.edges_ for label in (edge.parent, edge.child)}
        K = len(self.label_names)
        shown = list(range(K)) if K <= _MOST_ALONE else sorted(ends)
        self.figure_, self.ax_ = axes_of(ax, (6.0, 4.4) if len(shown) <= _MOST_UPRIGHT else (6.0, 6.0))
        angle = np.pi / 2 - 2 * np.pi * np.arange(len(shown)) / max(len(shown), 1)
        place = dict(zip(shown, np.column_stack([np.cos(angle), np.sin(angle)]), strict=True))
        self.lines_: list[Any] = []
        self.heads_: list[Any] = []
        for number, edge in enumerate(self.edges_):
            self._draw(edge, place, -number / len(self.edges_))
        self._name(place, ends)
        self.ax_.set_axis_off()
        self._explain()
        return self

    def _strongest(self, n_edges: int | None, threshold: float) -> list[Edge]:
        most = min(2 * len(self.weights), _MOST_EDGES) if n_edges is None else n_edges
        weights = np.nan_to_num(self.weights if self.directed else np.tril(self.weights, -1))
        np.fill_diagonal(weights, 0.0)
        strength: Floats = np.abs(weights)
        found = np.argwhere(strength > threshold)
        by_strength = found[np.argsort(-strength[tuple(found.T)], kind="stable")][:most]
        return [Edge(int(parent), int(child), float(weights[child, parent])) for child, parent in by_strength]

    def _draw(self, edge: Edge, place: dict[int, Floats], order: float) -> None:
        """A curve from parent to child, bent towards the middle, and a head where it is not crowded by others."""
        start, end = place[edge.parent], place[edge.child]
        across = (end - start)[::-1] * (-_BEND, _BEND) * self.directed  # two directions are two curves
        control = _INWARD * (start + end) / 2 + across
        share = abs(edge.weight) / abs(self.edges_[0].weight)
        width = _THINNEST + (_WIDEST - _THINNEST) * share
        curve = matplotlib("path").Path([start, control, end], [1, 3, 3])
        look = _look(edge.weight)
        line = matplotlib("patches").PathPatch(curve, fill=False, linewidth=width, zorder=2 + order, **look)
        self.lines_.append(self.ax_.add_patch(line))
        if self.directed:
            t = _HEAD_AT
            at = (1 - t) ** 2 * start + 2 * t * (1 - t) * control + t**2 * end
            towards = (1 - t) * (control - start) + t * (end - control)
            (head,) = self.ax_.plot(
                float(at[0]), float(at[1]), color=look["color"], marker=_head(towards), markersize=7 + 3 * width,
                markeredgecolor="white", markeredgewidth=0.7, zorder=2.1 + order,
            )  # fmt: skip
            self.heads_.append(head)

    def _name(self, place: dict[int, Floats], ends: set[int]) -> None:
        """Dots and names around the circle, and limits that leave room for the names."""
        half = np.array(points(self.ax_)) / 2
        turned = len(place) > _MOST_UPRIGHT
        size = float(np.clip(min(200.0 / len(place), half.min() / 12), 6.0, 10.0)) if place else 10.0
        longest = int(np.clip(0.6 * half.min() / (0.55 * size), 8, 24)) if turned else 24
        self.text_ = {}
        for label, at in place.items():
            x, y = map(float, at)
            ink = "black" if label in ends else "0.55"
            self.ax_.plot(x, y, marker="o", markersize=7, color=ink, markerfacecolor="white", zorder=4)
            self.text_[label] = self.ax_.annotate(
                shortened(self.label_names[label], longest), (x, y), (9 * x, 9 * y), textcoords="offset points",
                color=ink, fontsize=size, rotation_mode="anchor", **_beside(at, turned),
            )  # fmt: skip
        literal(self.text_.values())
        unit = float(half.min())  # points of one radius
        for label, at in place.items():
            length = 0.55 * size * len(self.text_[label].get_text())
            along = np.abs(at) * length if turned else np.array([length, size])
            reach = np.maximum(np.abs(at), 0.05)
            unit = min(unit, float(((half - along - 12) / reach)[np.abs(at) > 0.05].min()))
        limits = half / max(unit, 0.3 * float(half.min()))
        self.ax_.set(xlim=(-limits[0], limits[0]), ylim=(-limits[1], limits[1]))
        self.ax_.set_aspect("equal")

    def _explain(self) -> None:
        line = matplotlib("lines").Line2D
        largest = {
            sign: max((abs(e.weight) for e in self.edges_ if e.weight * sign > 0), default=0) for sign in (1, -1)
        }
        handles = [
            line([], [], linewidth=2, label=f"{word}, up to {sign * weight:.2f}".replace("-", "−"), **_look(sign))
            for sign, word in ((1, "positive weight"), (-1, "negative weight"))
            if (weight := largest[sign])
        ]
        if handles:
            wide = points(self.ax_)[0] > 320
            self.ax_.legend(
                handles=handles, loc="upper center", bbox_to_anchor=(0.5, 0.0), ncols=2 if wide else 1,
                frameon=False, handlelength=3.5, fontsize="small",
            )  # fmt: skip


def _look(weight: float) -> dict[str, Any]:
    return {"color": POSITIVE, "linestyle": "-"} if weight > 0 else {"color": NEGATIVE, "linestyle": (0, (4, 2))}


def _head(towards: Floats) -> Any:
    """The outline of an arrow's head, as a marker."""
    along = towards / np.linalg.norm(towards)
    side = along[::-1] * (-1.0, 1.0)
    outline = np.array([along, 0.6 * side - 0.8 * along, -0.6 * side - 0.8 * along, along])
    return matplotlib("path").Path(outline, closed=True)


def _beside(at: Floats, turned: bool) -> dict[str, Any]:
    """How a name stands at a place of the circle: beside it, above or below it, or turned along the radius."""
    left = bool(at[0] < -0.01)
    if turned:
        angle = float(np.degrees(np.arctan2(at[1], at[0])))
        return {"ha": "right" if left else "left", "va": "center", "rotation": angle + 180 * left}
    if abs(at[0]) <= 0.01:
        return {"ha": "center", "va": "bottom" if at[1] > 0 else "top"}
    return {"ha": "right" if left else "left", "va": "center"}
