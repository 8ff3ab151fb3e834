"""How many examples a search limited to losses below S would answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array

from margrave.display.canvas import COLOURS, LONGEST_IN_LEGEND, MARKERS, axes_of, explain, plain, shortened
from margrave.estimators.directed_model import total_losses
from margrave.primitives import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D

#: Models whose expected losses differ by more than this factor share a logarithmic axis.
_FAR_APART = 10.0
_MARKERS_PER_LINE = 8


class SolvedFractionDisplay:
    """Fraction of examples whose best labelling has a loss below S, against S, with its theoretical bound.

    A search for losses below S answers these examples, and the smaller S, the less it costs. The true labelling loses
    at least as much as the best one, so by Markov's inequality the fraction is never below 1 − E[L]/S, where L is the
    loss of the truth: the better a model fits, the sooner its examples are answered. Solid: the fraction; dashed, in
    the same colour and with the same markers, hollow: its bound.

    Parameters
    ----------
    losses : dict of arrays by model
        Loss of the best labelling of each example.
    expected_loss : dict of float by model
        Mean loss of the true labelling.

    Attributes
    ----------
    lines_, bound_lines_ : dicts of matplotlib Line2D by model
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    References
    ----------
    X. Miao and R. Rao, Large margin Boltzmann machines and large margin sigmoid belief networks, Theorem 9 and
    Figure 3, lower graph.

    Examples
    --------
    >>> import margrave as mg
    >>> display = mg.display.SolvedFractionDisplay.from_losses({"trained": [0.0, 0.5, 2.0]}, {"trained": 1.0}).plot()
    >>> display.rows([1.0, 4.0])
    [{'model': 'trained', 'S': 1.0, 'solved': 0.666..., 'bound': 0.0},
     {'model': 'trained', 'S': 4.0, 'solved': 1.0, 'bound': 0.75}]
    """

    def __init__(self, *, losses: Mapping[str, Floats], expected_loss: Mapping[str, float]) -> None:
        self.losses = losses
        self.expected_loss = expected_loss

    @classmethod
    def from_losses(cls, losses: Mapping[str, ArrayLike], expected_loss: Mapping[str, float]) -> Self:
        """Take numbers as they are.

        Parameters
        ----------
        losses : mapping of arrays by model
            Loss of the best labelling of each example.
        expected_loss : mapping of float by model
            Mean loss of the true labelling, over the same examples.
        """
        if set(losses) != set(expected_loss):
            raise ValueError(
                f"expected_loss must have the models of losses, {sorted(losses)}, got {sorted(expected_loss)}"
            )
        if not losses:
            raise ValueError("losses must hold at least one model, got none")
        found = {str(name): np.asarray(values, dtype=np.float64) for name, values in losses.items()}
        for name, values in found.items():
            if values.ndim != 1 or not len(values) or not np.isfinite(values).all():
                raise ValueError(
                    f"losses[{name!r}] must hold a finite number for each example, got shape {values.shape}"
                )
        return cls(losses=found, expected_loss={str(name): float(value) for name, value in expected_loss.items()})

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any, Y: Any, *, name: str | None = None) -> Self:
        """Search the best labelling of each example, and compute the loss of the true one.

        Where a limit stopped the search, the loss of the labelling that it found stands for the best: the fraction is
        never too high.

        Parameters
        ----------
        estimator : fitted LMSBNClassifier
        X : array or sparse matrix of shape (n_examples, n_features), or None
        Y : table of shape (n_examples, K)
            The true labels, all known.
        name : str, default=None
            None: the estimator's class.
        """
        return cls.from_estimators({name or type(estimator).__name__: estimator}, X, Y)

    @classmethod
    def from_estimators(cls, estimators: Mapping[str, Any], X: Any, Y: Any) -> Self:
        """As `from_estimator`, of several fitted estimators by name."""
        losses, expected = {}, {}
        for name, estimator in estimators.items():
            losses[name] = estimator.predict_certified(X, given=_nothing_known(estimator, X, Y)).loss
            expected[name] = float(_true_losses(estimator, X, Y).mean())
        return cls.from_losses(losses, expected)

    def rows(self, S: ArrayLike) -> list[dict[str, Any]]:
        """The numbers at some S: a row with model, S, solved and bound for each model and each S."""
        return [
            {
                "model": name,
                "S": s,
                "solved": float((losses < s).mean()),
                "bound": max(0.0, 1.0 - self.expected_loss[name] / s) if s > 0 else 0.0,
            }
            for name, losses in self.losses.items()
            for s in np.atleast_1d(np.asarray(S, dtype=np.float64)).tolist()
        ]

    def plot(self, ax: Axes | None = None, *, up_to: float | None = None, scale: str | None = None) -> Self:
        """Draw the curves.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: those of a new figure.
        up_to : float or None, default=None
            Where S ends; None: where all is solved and each bound has reached 3/4.
        scale : {"linear", "log"} or None, default=None
            Of S; None: "log" where one model's expected loss is more than ten times another's.
        """
        self.figure_, self.ax_ = axes_of(ax)
        expected = list(self.expected_loss.values())
        if up_to is None:
            up_to = max(
                [1.0, *(4 * loss for loss in expected), *(float(best.max()) * 1.02 for best in self.losses.values())]
            )
        if scale is None:
            scale = "log" if max(expected) > _FAR_APART * min(expected) > 0 else "linear"
        start = self._start() if scale == "log" else 0.0
        self.lines_: dict[str, Line2D] = {}
        self.bound_lines_: dict[str, Line2D] = {}
        for number, name in enumerate(self.losses):
            self._draw(number, name, start, up_to)
        self.ax_.set(xscale=scale, xlim=(start, up_to), ylim=(-0.02, 1.04))
        self.ax_.set(xlabel="S (loss, summed over labels)", ylabel="fraction of examples with optimum below S")
        plain(self.ax_)
        names = [
            f"{shortened(name, LONGEST_IN_LEGEND)}, E[L] = {loss:.3g}" for name, loss in self.expected_loss.items()
        ]
        explain(self.ax_, [self.lines_[name] for name in self.expected_loss], names, title="dashed: bound 1 − E[L]/S")
        return self

    def _start(self) -> float:
        """Where a logarithmic axis begins: below the least positive loss, within three powers of ten of the means."""
        least = min((float(best[best > 0].min()) for best in self.losses.values() if (best > 0).any()), default=1.0)
        smallest = min((loss for loss in self.expected_loss.values() if loss > 0), default=1.0)
        return min(max(least, smallest / 1000), smallest / 2)

    def _draw(self, number: int, name: str, start: float, up_to: float) -> None:
        losses, expected = self.losses[name], self.expected_loss[name]
        values, counts = np.unique(losses, return_counts=True)
        later = values > start
        S = np.concatenate([[start], values[later], [max(up_to, float(values[-1]))]])
        solved = np.concatenate([[np.mean(losses <= start)], (np.cumsum(counts) / len(losses))[later], [1.0]])
        grid = np.geomspace(expected, max(up_to, expected), 200) if expected > 0 else np.linspace(start, up_to, 200)
        bound = 1.0 - expected / np.maximum(grid, max(expected, 1e-300))
        marked = (np.arange(_MARKERS_PER_LINE) + 0.2 + 0.2 * (number % 4)) / _MARKERS_PER_LINE
        look: dict[str, Any] = {"color": COLOURS[number % len(COLOURS)], "marker": MARKERS[number % len(MARKERS)]}
        (self.lines_[name],) = self.ax_.plot(
            S, solved, drawstyle="steps-post", markersize=5,
            markevery=_nearest(solved, marked), **look,
        )  # fmt: skip
        (self.bound_lines_[name],) = self.ax_.plot(
            grid, bound, linestyle="--", linewidth=1.2, markersize=5, markerfacecolor="white",
            markevery=_nearest(bound, marked), **look,
        )  # fmt: skip


def _nearest(rising: Floats, heights: Floats) -> list[int]:
    """Where a rising curve passes some heights, for markers that stand where the curve rises."""
    places = np.unique(np.searchsorted(rising, heights))
    return [int(place) for place in places if 0 < place < len(rising) - 1]


def _nothing_known(estimator: Any, X: Any, Y: Any) -> Any:
    """Labels of which none is given, where there are no features that say how many examples there are."""
    return np.full((len(np.asarray(Y)), estimator.table_.n_columns), np.nan) if X is None else None


def _true_losses(estimator: Any, X: Any, Y: Any) -> Floats:
    labels = estimator.table_.read(Y)[:, estimator.table_.changing]
    if (labels == 0).any():
        raise ValueError(f"Y must be known; the labels of example {int(np.nonzero(labels == 0)[0][0])} are not")
    data = len(labels) if X is None else check_array(X, accept_sparse="csr", dtype=np.float64)
    return total_losses(estimator.model_.scores(data), labels)
