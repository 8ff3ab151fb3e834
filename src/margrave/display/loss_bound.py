"""Losses of one label against its margin, and what bounds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from margrave.display.canvas import COLOURS, axes_of, plain
from margrave.primitives import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: b with log(1 + e^(−z)) ≤ [1 − z]₊ + b: as the paper prints it, and the least that holds.
PRINTED_B = float(np.log(np.e + 1 / np.e))
TIGHT_B = float(np.log1p(1 / np.e))
_BLUE, _RED, _GREEN, _PURPLE = COLOURS[:4]
#: What each curve is called, and how it is drawn: they differ in grey, too.
_LOOKS: dict[str, tuple[str, dict[str, Any]]] = {
    "printed": (
        "hinge + b, b = log(e + 1/e) ≈ 1.13 (printed)",
        {"color": _PURPLE, "linestyle": (0, (1, 1.5)), "linewidth": 2.0},
    ),
    "tight": (
        "hinge + b, b = log(1 + 1/e) ≈ 0.31 (tight)",
        {"color": _GREEN, "linestyle": (0, (5, 2)), "linewidth": 2.0},
    ),
    "hinge": ("hinge, [1 − z]₊", {"color": _BLUE, "linestyle": "-", "linewidth": 2.0}),
    "log": ("log-loss, log(1 + e⁻ᶻ)", {"color": _RED, "linestyle": (0, (6, 1.5, 1, 1.5)), "linewidth": 2.0}),
    "zero_one": ("0/1 loss", {"color": "black", "linestyle": "-", "linewidth": 1.0, "drawstyle": "steps-mid"}),
}


class LossBoundDisplay:
    """The hinge, the log-loss, the 0/1 loss, and the hinge moved up by b, which bounds the log-loss.

    For a label with the margin z, log(1 + e^(−z)) ≤ [1 − z]₊ + b. The paper's b is log(e + 1/e) = 1.127; the least b
    that holds is log(1 + 1/e) = 0.313, which the log-loss touches at z = 1.

    Parameters
    ----------
    z : array of shape (n_points,)

    Attributes
    ----------
    lines_ : dict of matplotlib Line2D
        "hinge", "log", "zero_one", "printed", "tight".
    ax_ : matplotlib Axes
    figure_ : matplotlib Figure

    References
    ----------
    X. Miao and R. Rao, Large margin Boltzmann machines and large margin sigmoid belief networks, Remark 3, Figure 2.

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> display = mg.display.LossBoundDisplay.from_range(-3.0, 3.0).plot()
    >>> above = display.lines_["tight"].get_ydata() - display.lines_["log"].get_ydata()
    >>> bool((above > -1e-12).all()), bool(above.min() < 1e-3)
    (True, True)
    """

    def __init__(self, *, z: Floats) -> None:
        self.z = z

    @classmethod
    def from_range(cls, start: float = -3.0, stop: float = 4.0, n_points: int = 701) -> Self:
        """Margins from `start` to `stop`."""
        if not start < stop:
            raise ValueError(f"start must be below stop, got {start} and {stop}")
        return cls(z=np.linspace(start, stop, n_points))

    def rows(self) -> list[dict[str, float]]:
        """The numbers: for each z a row with z, hinge, log, zero_one, printed and tight."""
        curves = {"z": self.z, **self._curves()}
        return [dict(zip(curves, map(float, row), strict=True)) for row in zip(*curves.values(), strict=True)]

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the losses.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: those of a new figure.
        """
        self.figure_, self.ax_ = axes_of(ax)
        curves = self._curves()
        self.lines_ = {}
        for name, (label, look) in _LOOKS.items():
            (self.lines_[name],) = self.ax_.plot(self.z, curves[name], label=label, **look)
        self.ax_.set(xlabel="margin z", ylabel="loss (nats)", xlim=(self.z[0], self.z[-1]), ylim=(-0.06, None))
        plain(self.ax_)
        self.ax_.legend(frameon=False, loc="upper right")
        return self

    def _curves(self) -> dict[str, Floats]:
        hinge = np.maximum(1.0 - self.z, 0.0)
        return {
            "hinge": hinge,
            "log": np.logaddexp(0.0, -self.z),
            "zero_one": (self.z <= 0).astype(float),
            "printed": hinge + PRINTED_B,
            "tight": hinge + TIGHT_B,
        }
