"""Measures of several models side by side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from margrave.display.canvas import (
    COLOURS,
    HATCHES,
    LONGEST_IN_LEGEND,
    axes_of,
    explain,
    literal,
    plain,
    points,
    shortened,
)
from margrave.primitives import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Measures of which less is better; their names get an arrow that says so.
LESS_IS_BETTER = ("hamming_loss", "hamming", "H", "zero_one_loss")
_ROOM = 0.82
_SMALLEST_TEXT = 6.0


class MeasuresDisplay:
    """Grouped bars: a group for each measure, in it a bar for each model.

    Parameters
    ----------
    models : names
    measures : names
    values : array of shape (n_models, n_measures)
        NaN where a model has no such number: no bar.

    Attributes
    ----------
    bars_ : dict of matplotlib BarContainer by model
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    References
    ----------
    X. Miao and R. Rao, Large margin Boltzmann machines and large margin sigmoid belief networks, Figure 4.

    Examples
    --------
    >>> import margrave as mg
    >>> rows = [
    ...     {"model": "independent", "exact_match": 0.50, "f1_micro": 0.66, "seconds": 12.0},
    ...     {"model": "LMSBN", "exact_match": 0.67, "f1_micro": 0.72, "seconds": 9.0},
    ... ]
    >>> display = mg.display.MeasuresDisplay.from_rows(rows).plot()
    >>> display.measures, [float(bar.get_height()) for bar in display.bars_["LMSBN"]]
    (['exact_match', 'f1_micro'], [0.67, 0.72])
    """

    def __init__(self, *, models: Sequence[str], measures: Sequence[str], values: Floats) -> None:
        self.models = models
        self.measures = measures
        self.values = values

    @classmethod
    def from_rows(
        cls, rows: Iterable[Mapping[str, Any]], measures: Sequence[str] | None = None, *, name: str = "model"
    ) -> Self:
        """Take the rows of a comparison table.

        Parameters
        ----------
        rows : iterable of mappings
            One per model: its name, and its measures by name.
        measures : names, default=None
            None: every column of numbers from 0 to 1, in the order of the first row.
        name : str, default="model"
            The column that names the model.
        """
        table = list(rows)
        if not table:
            raise ValueError("rows must hold at least one model, got none")
        for i, row in enumerate(table):
            if name not in row:
                raise ValueError(f"rows[{i}] has no {name!r}, the name of its model; it has {sorted(map(str, row))}")
        models = [str(row[name]) for row in table]
        if len(set(models)) < len(models):
            twice = next(model for model in models if models.count(model) > 1)
            raise ValueError(f"rows must have a name of its own for each model, got {twice!r} twice")
        if measures is None:
            keys = list(dict.fromkeys(key for row in table for key in row if key != name))
            measures = [key for key in keys if all(_is_share(row.get(key)) for row in table)]
        unknown = [key for key in measures if not any(key in row for row in table)]
        if unknown or not measures:
            raise ValueError(f"measures must name columns of rows with numbers, got {unknown or 'none'}")
        values = [[_number(row.get(key)) for key in measures] for row in table]
        return cls(models=models, measures=list(measures), values=np.array(values))

    def plot(self, ax: Axes | None = None, *, numbers: bool | None = None) -> Self:
        """Draw the bars.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: those of a new figure.
        numbers : bool or None, default=None
            Whether each bar bears its number; None: where there is room.
        """
        self.figure_, self.ax_ = axes_of(ax)
        width = _ROOM / len(self.models)
        self.bars_ = {}
        for number, (model, values) in enumerate(zip(self.models, self.values, strict=True)):
            at = np.arange(len(self.measures)) + (number - (len(self.models) - 1) / 2) * width
            hatch = HATCHES[(number + number // len(COLOURS)) % len(HATCHES)]
            self.bars_[model] = self.ax_.bar(
                at, values, 0.94 * width, color=COLOURS[number % len(COLOURS)], hatch=hatch, edgecolor="white",
                linewidth=0,
            )  # fmt: skip
        bar = points(self.ax_)[0] * width / len(self.measures)
        if bar >= 1.2 * _SMALLEST_TEXT if numbers is None else numbers:
            self._write_numbers(min(8.0, max(0.8 * bar, _SMALLEST_TEXT)), lying=bar > 24)
        self._explain()
        return self

    def _write_numbers(self, size: float, lying: bool) -> None:
        for bars, values in zip(self.bars_.values(), self.values, strict=True):
            texts = ["" if np.isnan(value) else f"{value:.3f}".removeprefix("0") for value in values]
            self.ax_.bar_label(bars, texts, rotation=0 if lying else 90, padding=2, fontsize=size)

    def _explain(self) -> None:
        ax = self.ax_
        ax.set_xticks(range(len(self.measures)), [_written(measure) for measure in self.measures])
        ax.tick_params(axis="x", length=0)
        top = float(np.nanmax(self.values, initial=0.0))
        ax.set(ylabel="value", ylim=(0, 1.12 * (top or 1.0)))
        plain(ax)
        explain(ax, self.bars_.values(), [shortened(model, LONGEST_IN_LEGEND) for model in self.models])
        literal(ax.get_xticklabels())


def _is_share(value: Any) -> bool:
    if value is None:
        return True
    number = isinstance(value, Real) and not isinstance(value, bool | np.bool_)
    return number and (np.isnan(float(value)) or 0 <= float(value) <= 1)


def _number(value: Any) -> float:
    return float("nan") if value is None else float(value)


def _written(measure: str) -> str:
    """A measure as it is written below its bars: words below each other, and an arrow where less is better."""
    return measure.replace("_", "\n") + (" ↓" if measure in LESS_IS_BETTER else "")
