"""The strongest dependencies between labels as a graph."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np

from margrave.display.canvas import NEGATIVE, POSITIVE, axes_of, literal, matplotlib, shortened
from margrave.display.label_weights import LabelWeights
from margrave.primitives import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Edges at the most where nothing is said; beyond it a graph on a circle cannot be read.
_MOST_EDGES = 40
#: Labels without an edge are left out where there are more labels than this.
_MOST_ALONE = 24
_THINNEST, _WIDEST = 0.8, 4.0


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
    arrows_ : list of matplotlib FancyArrowPatch
        One for each of `edges_`.
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
        self.figure_, self.ax_ = axes_of(ax, (6.0, 4.6))
        self.edges_ = self._strongest(n_edges, threshold)
        ends = {label for edge in self.edges_ for label in (edge.parent, edge.child)}
        K = len(self.label_names)
        shown = list(range(K)) if K <= _MOST_ALONE else sorted(ends)
        angle = np.pi / 2 - 2 * np.pi * np.arange(len(shown)) / max(len(shown), 1)
        place = dict(zip(shown, np.column_stack([np.cos(angle), np.sin(angle)]), strict=True))
        self.arrows_ = [self._draw(edge, place) for edge in reversed(self.edges_)][::-1]
        self.text_ = {label: self._name(label, place[label], label in ends, len(shown)) for label in shown}
        literal(self.text_.values())
        self.ax_.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
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

    def _draw(self, edge: Edge, place: dict[int, Floats]) -> Any:
        share = abs(edge.weight) / abs(self.edges_[0].weight)
        arrow = matplotlib("patches").FancyArrowPatch(
            place[edge.parent], place[edge.child],
            arrowstyle="-|>" if self.directed else "-",
            connectionstyle="arc3,rad=0.12" if self.directed else "arc3",
            mutation_scale=9 + 5 * share, shrinkA=6, shrinkB=6, zorder=1 + share,
            linewidth=_THINNEST + (_WIDEST - _THINNEST) * share, **_look(edge.weight),
        )  # fmt: skip
        return self.ax_.add_patch(arrow)

    def _name(self, label: int, at: Floats, has_edge: bool, n_shown: int) -> Any:
        ink = "black" if has_edge else "0.55"
        self.ax_.plot(*at, marker="o", markersize=7, color=ink, markerfacecolor="white", zorder=3)
        angle = float(np.degrees(np.arctan2(at[1], at[0])))
        left, across = at[0] < -0.01, abs(at[0]) <= 0.01
        turned: dict[str, Any] = {"rotation": angle + 180 * left, "rotation_mode": "anchor"} if n_shown > 16 else {}
        beside: dict[str, Any] = {"ha": "right" if left else "left", "va": "center"}
        if across and not turned:
            beside: dict[str, Any] = {"ha": "center", "va": "bottom" if at[1] > 0 else "top"}
        size = float(np.clip(200.0 / max(n_shown, 1), 6.0, 10.0))
        name = shortened(self.label_names[label])
        return self.ax_.text(1.09 * at[0], 1.09 * at[1], name, color=ink, fontsize=size, **beside, **turned)

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
            self.ax_.legend(
                handles=handles,
                loc="upper center",
                bbox_to_anchor=(0.5, -0.08),
                ncols=2,
                frameon=False,
                handlelength=3.5,
            )


def _look(weight: float) -> dict[str, Any]:
    return {"color": POSITIVE, "linestyle": "-"} if weight > 0 else {"color": NEGATIVE, "linestyle": (0, (4, 2))}
