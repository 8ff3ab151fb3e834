"""The weights between labels as a coloured matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from margrave.display.canvas import axes_of, literal, matplotlib, points, shortened
from margrave.display.label_weights import LabelWeights

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Labels up to which every weight is written into its cell.
_MOST_WRITTEN = 12
#: A negative weight below this share of the largest gets no mark.
_MARKED = 0.1
_SMALLEST_TEXT = 6.0


class DependencyMatrixDisplay(LabelWeights):
    """Weights between labels as a matrix of colours: children in rows, parents in columns.

    Blue weights are positive (the labels come together), red ones negative, white is zero; where there is no
    dependency the cell is hatched. In grey print the sign is still there: small matrices show every number, in large
    ones negative weights bear a stroke.

    Parameters
    ----------
    weights : array of shape (K, K)
    label_names : K names
    directed : bool, default=True

    Attributes
    ----------
    image_ : matplotlib AxesImage
    colorbar_ : matplotlib Colorbar or None
    text_ : array of matplotlib Text of shape (K, K), or None
        Numbers in the cells; None in cells without one.
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    See Also
    --------
    LabelGraphDisplay : The strongest of them as a graph.

    References
    ----------
    X. Miao and R. Rao, Large margin Boltzmann machines, Figure 2.

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> sky, sea = np.array([0, 0, 1, 1] * 10), np.array([0, 1, 1, 1] * 10)
    >>> clf = mg.LMSBNClassifier().fit(None, np.column_stack([sky, sea]))
    >>> display = mg.display.DependencyMatrixDisplay.from_estimator(clf, label_names=["sky", "sea"]).plot()
    >>> display.ax_.get_xlabel(), bool(display.weights[1, 0] > 0)
    ('parent', True)
    """

    def plot(
        self,
        ax: Axes | None = None,
        *,
        values: bool | None = None,
        limit: float | None = None,
        cmap: str = "RdBu",
        colorbar: bool = True,
    ) -> Self:
        """Draw the matrix.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: those of a new figure.
        values : bool or None, default=None
            Whether to write each weight into its cell; None: for up to twelve labels.
        limit : float or None, default=None
            The weight of the darkest colour on either side; None: the largest there is.
        cmap : str, default="RdBu"
            A diverging colour map.
        colorbar : bool, default=True
        """
        self.figure_, self.ax_ = axes_of(ax, layout="compressed")
        K = len(self.weights)
        largest = float(np.abs(np.nan_to_num(self.weights)).max(initial=0.0))
        limit = (largest or 1.0) if limit is None else limit
        colours = matplotlib("pyplot").get_cmap(cmap).with_extremes(bad=(0, 0, 0, 0))
        self.image_ = self.ax_.imshow(self.weights, cmap=colours, vmin=-limit, vmax=limit, interpolation="nearest")
        self.ax_.patch.set(facecolor="white", edgecolor="0.8", hatch="////", linewidth=0)  # seen where nothing is drawn
        self._write_names()
        written = K <= _MOST_WRITTEN if values is None else values
        self.text_ = self._write_values(limit) if written else None
        if not written:
            self._mark_negative(limit)
        self.colorbar_ = None
        if colorbar:
            label = "weight" if written else "weight (−: negative)"
            self.colorbar_ = self.figure_.colorbar(self.image_, ax=self.ax_, label=label, shrink=0.9)
            self.colorbar_.outline.set_visible(False)
        return self

    def _write_names(self) -> None:
        ax, K = self.ax_, len(self.weights)
        space = min(points(ax)) / max(K, 1)
        step = max(1, int(np.ceil(1.2 * _SMALLEST_TEXT / space)))
        size = float(np.clip(0.8 * space * step, _SMALLEST_TEXT, 10.0))
        shown = range(0, K, step)
        names = [shortened(self.label_names[label]) for label in shown]
        slanted: dict[str, Any] = {} if max(map(len, names), default=0) <= 2 else {"rotation": 90 if space < 20 else 45}
        anchored: dict[str, Any] = {"ha": "right", "va": "center", "rotation_mode": "anchor"} if slanted else {}
        ax.set_xticks(shown, names, fontsize=size, **slanted, **anchored)
        ax.set_yticks(shown, names, fontsize=size)
        literal([*ax.get_xticklabels(), *ax.get_yticklabels()])
        ax.tick_params(length=0)
        ax.spines[:].set_visible(False)
        ax.set(xlabel="parent" if self.directed else "label", ylabel="child" if self.directed else "label")

    def _write_values(self, limit: float) -> Any:
        K = len(self.weights)
        decimals = 2 if limit < 10 and K <= 8 else 1
        cell = 0.8 * min(points(self.ax_)) / max(K, 1)
        size = float(np.clip(cell / (0.6 * (decimals + 3)), 5.0, 10.0))
        texts = np.full((K, K), None, dtype=object)
        for child, parent in np.argwhere(~np.isnan(self.weights)):
            weight = float(self.weights[child, parent])
            written = f"{round(weight, decimals) + 0.0:.{decimals}f}".replace("-", "−")
            colour = "white" if abs(weight) > 0.6 * limit else "black"
            texts[child, parent] = self.ax_.text(
                parent, child, written, ha="center", va="center", color=colour, fontsize=size
            )
        return texts

    def _mark_negative(self, limit: float) -> None:
        child, parent = np.nonzero(np.nan_to_num(self.weights) < -_MARKED * limit)
        dark = np.abs(self.weights[child, parent]) > 0.6 * limit
        cell = 0.8 * min(points(self.ax_)) / len(self.weights)
        self.ax_.scatter(
            parent, child, s=(0.5 * cell) ** 2, marker="_", linewidths=min(1.0, 0.12 * cell),
            c=np.where(dark, "white", "black"),
        )  # fmt: skip
