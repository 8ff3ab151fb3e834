"""What all pictures share: matplotlib when it is needed, axes to draw on, and colours that all can see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

#: The colours of M. Okabe and K. Ito, which do not depend on telling red from green; the best seen on white first.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
POSITIVE, NEGATIVE = COLOURS[:2]
#: Line markers and hatches stand beside the colours: a picture has to be read in grey, too.
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "///", "...", "\\\\\\", "xxx", "--", "ooo", "++")
#: Inches.
SIZE = (6.0, 4.0)
#: Letters of a name in a legend, which has more room than an axis.
LONGEST_IN_LEGEND = 40


def matplotlib(part: str) -> Any:
    """A module of matplotlib, or an ImportError that says how to come by it."""
    try:
        return import_module(f"matplotlib.{part}")
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "matplotlib":
            raise
        raise ImportError(
            "pictures need matplotlib, which is not installed: pip install 'margrave[plots]'", name="matplotlib"
        ) from error


def axes_of(
    ax: Axes | None, size: tuple[float, float] = SIZE, layout: Literal["constrained", "compressed"] = "constrained"
) -> tuple[Figure, Axes]:
    """The axes that were given with their figure, or new ones whose layout keeps all words inside the picture."""
    plt = matplotlib("pyplot")  # also where axes were given: a sentence is better than what fails later
    if ax is None:
        figure, ax = plt.subplots(figsize=size, layout=layout)
        return figure, ax
    return whole_figure(ax), ax


def whole_figure(ax: Axes) -> Figure:
    """The figure of some axes, and not the part of it that they may stand in."""
    figure: Any = ax.figure
    while getattr(figure, "figure", figure) is not figure:
        figure = figure.figure
    found: Figure = figure
    return found


def plain(ax: Axes) -> None:
    """Take away the two sides of the frame that carry no scale."""
    ax.spines[["top", "right"]].set_visible(False)


def shortened(name: object, longest: int = 24) -> str:
    """A name as it is written at an axis: the beginning, where it is very long."""
    text = str(name)
    return text if len(text) <= longest else text[: longest - 1].rstrip() + "…"


def explain(ax: Axes, handles: Iterable[Any], names: Sequence[str], title: str | None = None) -> None:
    """A legend above the axes, where it hides nothing; it shows every name as it is, also one that begins with `_`."""
    found = list(handles)
    widest = 36.0 + 4.6 * max(map(len, names))  # points, with the handle beside it
    columns = max(1, min(len(names), 4, int(1.25 * points(ax)[0] / widest)))
    legend = ax.legend(
        found, ["name"] * len(found), title=title, frameon=False, fontsize="small", title_fontsize="small",
        loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=columns,
    )  # fmt: skip
    for text, name in zip(legend.get_texts(), names, strict=True):
        text.set_text(name)
    literal(legend.get_texts())


def literal(texts: Any) -> None:
    """Show names as they are: `$` in a name begins no formula."""
    for text in texts:
        text.set_parse_math(False)


def points(ax: Axes) -> tuple[float, float]:
    """Width and height of some axes, roughly, in points."""
    box, (width, height) = ax.get_position(), whole_figure(ax).get_size_inches()
    return 72.0 * box.width * float(width), 72.0 * box.height * float(height)
