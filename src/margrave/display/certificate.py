"""What a search has proved of its answers, at a glance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from margrave.display.canvas import COLOURS, matplotlib, plain, whole_figure
from margrave.estimators.directed_answers import Certified
from margrave.primitives import AnyArray, Booleans, Floats, Integers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 30


class CertificateDisplay:
    """Nodes that a search visited, how many answers it proved to be the best, and what the others may lack.

    Left: a histogram of the nodes per example, certified answers below and the others, hatched, on top. Right: of the
    answers that are not certified, how far the loss is above its lower bound.

    Parameters
    ----------
    nodes : int array of shape (n_examples,)
    gap : array of shape (n_examples,)
        Loss minus bound.
    certified : bool array of shape (n_examples,)

    Attributes
    ----------
    share_certified_ : float
    ax_ : array of two matplotlib Axes
    figure_ : matplotlib Figure

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> X = np.random.default_rng(0).random((40, 3))
    >>> clf = mg.LMSBNClassifier().fit(X, X > 0.5)
    >>> display = mg.display.CertificateDisplay.from_certified(clf.predict_certified(X)).plot()
    >>> display.share_certified_
    1.0
    """

    def __init__(self, *, nodes: Integers, gap: Floats, certified: Booleans) -> None:
        self.nodes = nodes
        self.gap = gap
        self.certified = certified

    @classmethod
    def from_certified(cls, certified: Certified) -> Self:
        """Take what `predict_certified` has returned."""
        if not len(certified.nodes):
            raise ValueError("certified holds no example; predict at least one")
        return cls(nodes=certified.nodes, gap=certified.loss - certified.bound, certified=certified.certified)

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, given: Any = None) -> Self:
        """Predict first; X and given as in `LMSBNClassifier.predict_certified`."""
        return cls.from_certified(estimator.predict_certified(X, given=given))

    def plot(self, ax: Axes | Sequence[Axes] | None = None) -> Self:
        """Draw both panels.

        Parameters
        ----------
        ax : matplotlib Axes, or two of them, default=None
            One is divided in two; None: a new figure.
        """
        self.figure_, self.ax_ = _two_axes(ax)
        self.share_certified_ = float(np.mean(self.certified))
        self._draw_nodes(self.ax_[0])
        self._draw_gaps(self.ax_[1])
        return self

    def _draw_nodes(self, ax: Axes) -> None:
        certified, n = int(np.sum(self.certified)), len(self.nodes)
        nodes = np.maximum(self.nodes, 1)  # a search that had nothing to try stands at 1: there is no 0 on this axis
        low, high = int(nodes.min()), int(nodes.max())
        # between whole numbers, so that no bin is empty only because no number lies in it
        edges = np.unique(np.round(np.geomspace(low, high + 1, _BINS + 1))) - 0.5
        edges = edges if len(edges) > 1 else np.array([low - 0.5, low + 0.5])
        parts = [nodes[self.certified], nodes[~self.certified]]
        ax.hist(parts, bins=edges.tolist(), stacked=True, color=COLOURS[:2], label=["certified", "not certified"])
        for bar in ax.containers[1] if certified < n else ():
            bar.set(hatch="////", edgecolor="white", linewidth=0)
        ax.set(xscale="log", xlabel="nodes visited", ylabel="examples")
        ax.set_title(f"{certified} of {n} certified ({_percent(certified, n)} %)", fontsize="medium")
        _whole_ticks(ax, low, high, least=int(self.nodes.min()))
        plain(ax)
        if certified < n:
            ax.legend(frameon=False, ncols=2, loc="upper center")
            ax.set_ylim(0, 1.2 * ax.get_ylim()[1])

    def _draw_gaps(self, ax: Axes) -> None:
        gaps = self.gap[~self.certified]
        finite = gaps[np.isfinite(gaps)]
        plain(ax)
        if not len(finite):
            ax.text(0.5, 0.5, "every answer is\nproved to be the best" if not len(gaps) else "no answer\nhas a bound",
                    ha="center", va="center", transform=ax.transAxes)  # fmt: skip
            ax.set_axis_off()
            return
        ax.hist(finite, bins=min(_BINS, 5 + len(finite) // 5), color=COLOURS[1], hatch="////", edgecolor="white",
                linewidth=0)  # fmt: skip
        ax.set(xlim=(0, None), xlabel="loss − bound", ylabel="examples")
        ax.yaxis.set_major_locator(_whole_numbers())
        without = f", {len(gaps) - len(finite)} without a bound" if len(finite) < len(gaps) else ""
        ax.set_title(f"not certified: median {np.median(finite):.2g}{without}", fontsize="medium")


def _two_axes(ax: Any) -> tuple[Any, AnyArray]:
    plt = matplotlib("pyplot")
    if ax is None:
        figure, pair = plt.subplots(1, 2, figsize=(7.5, 3.2), layout="constrained", width_ratios=(3, 2))
        return figure, pair
    if hasattr(ax, "inset_axes"):
        ax.set_axis_off()
        pair = [ax.inset_axes((0.0, 0.0, 0.52, 1.0)), ax.inset_axes((0.66, 0.0, 0.34, 1.0))]
        return whole_figure(ax), np.array(pair)
    pair = list(np.ravel(np.asarray(ax, dtype=object)))
    if len(pair) != 2:
        raise ValueError(f"ax must be one matplotlib Axes, or two, or None, got {len(pair)}")
    return whole_figure(pair[0]), np.array(pair)


def _percent(part: int, whole: int) -> str:
    """Rounded down, so that 100 % is said of all only."""
    return f"{int(1000 * part / whole) / 10:g}"


def _whole_numbers() -> Any:
    return matplotlib("ticker").MaxNLocator(nbins="auto", integer=True, steps=[1, 2, 5, 10])


def _whole_ticks(ax: Axes, low: int, high: int, least: int) -> None:
    """Ticks of a logarithmic axis as whole numbers, also where it spans less than a power of ten."""
    ticker = matplotlib("ticker")
    if high < 30 * low:
        ticks = np.unique(np.round(np.geomspace(low, max(high, low + 1), 5)).astype(int))
        ax.set_xticks(ticks, ["≤ 1" if tick == 1 and least < 1 else f"{tick:,}" for tick in ticks])
        ax.xaxis.set_minor_locator(ticker.NullLocator())
    ax.yaxis.set_major_locator(_whole_numbers())
