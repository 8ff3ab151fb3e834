"""Losses of one label against its margin, and what bounds them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

import numpy as np

from margrave.display.canvas import COLOURS, axes_of, plain
from margrave.primitives import Floats

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: b with log(1 + e^(−z)) ≤ [1 − z]₊ + b: as the paper prints it, and the least that holds.
PRINTED_B = float(np.log(np.e + 1 / np.e))
TIGHT_B = float(np.log1p(1 / np.e))


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

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the losses.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            None: those of a new figure.
        """
        self.figure_, self.ax_ = axes_of(ax)
        z, hinge = self.z, np.maximum(1.0 - self.z, 0.0)
        blue, red, green, purple = COLOURS[:4]
        curves = {
            "printed": (hinge + PRINTED_B, purple, (0, (1, 1.5)), "hinge + b, b = log(e + 1/e) ≈ 1.13 (printed)"),
            "tight": (hinge + TIGHT_B, green, (0, (5, 2)), "hinge + b, b = log(1 + 1/e) ≈ 0.31 (tight)"),
            "hinge": (hinge, blue, "-", "hinge, [1 − z]₊"),
            "log": (np.logaddexp(0.0, -z), red, (0, (6, 1.5, 1, 1.5)), "log-loss, log(1 + e⁻ᶻ)"),
            "zero_one": ((z <= 0).astype(float), "black", "-", "0/1 loss"),
        }
        self.lines_ = {}
        for name, (values, colour, style, label) in curves.items():
            step, thin = ("steps-mid", 1.0) if name == "zero_one" else ("default", 2.0)
            (self.lines_[name],) = self.ax_.plot(
                z, values, color=colour, linestyle=style, drawstyle=step, linewidth=thin, label=label
            )
        self.ax_.set(xlabel="margin z", ylabel="loss (nats)", xlim=(z[0], z[-1]), ylim=(-0.06, None))
        plain(self.ax_)
        self.ax_.legend(frameon=False, loc="upper right")
        return self
