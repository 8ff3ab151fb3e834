"""Pictures of the paper that are no display of their own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from margrave.display.canvas import COLOURS, MARKERS, axes_of, plain

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Row = Mapping[str, Any]


def draw_times(rows: Sequence[Row]) -> Figure:
    """Figure 3, upper: seconds per example against the number of labels; thin lines one standard deviation above."""
    figure, ax = axes_of(None)
    curves = list(dict.fromkeys((row["method"], row["weights"]) for row in rows))
    for number, (method, weights) in enumerate(curves):
        of_curve = [row for row in rows if (row["method"], row["weights"]) == (method, weights)]
        labels, seconds = [row["labels"] for row in of_curve], [row["seconds"] for row in of_curve]
        above = [row["seconds"] + row["sd"] for row in of_curve]
        style: dict[str, Any] = {"color": COLOURS[number]}
        ax.plot(labels, seconds, marker=MARKERS[number], label=f"{method}, {weights} weights", **style)
        ax.plot(labels, above, linestyle="--", linewidth=0.8, **style)
        stopped = [row for row in of_curve if row.get("proved", 1.0) < 1.0]
        ax.scatter([r["labels"] for r in stopped], [r["seconds"] for r in stopped], s=90, facecolors="none", **style)
    ax.set_yscale("log")
    ax.set_xlabel("labels")
    ax.set_ylabel("seconds per example")
    words: dict[str, Any] = {"frameon": False, "fontsize": "small", "title_fontsize": "small", "ncols": 2}
    title = "dashed: one standard deviation more; rings: some searches were stopped"
    ax.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), title=title, **words)
    plain(ax)
    return figure
