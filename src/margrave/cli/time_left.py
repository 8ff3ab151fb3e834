"""How much longer a fit may take, told from how its gap has fallen so far."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from margrave.primitives import Floats
from margrave.solvers import Record

#: Fewer records than this tell nothing.
FEWEST = 5
#: The last so many records are looked at: the first ones say little about the end.
_LAST = 30


@dataclass(frozen=True)
class TimeLeft:
    """An estimate, or only a bound where the gap does not fall in a way that can be followed."""

    seconds: float
    is_bound: bool

    def __str__(self) -> str:
        return f"{'at most' if self.is_bound else 'about'} {duration(self.seconds)} left"


def time_left(history: Sequence[Record], tol: float, max_iter: int) -> TimeLeft | None:
    """When the gap will reach `tol`, or the iterations `max_iter`, whichever is first.

    The logarithm of the gap is taken to fall linearly in the iteration (quasi-Newton) or in its logarithm (Frank-Wolfe:
    the gap falls as one over the iteration), whichever has fitted the last records better.

    Parameters
    ----------
    history : sequence of Record
    tol : float
    max_iter : int

    Returns
    -------
    TimeLeft or None
        None while there is too little to tell it from.
    """
    if len(history) < FEWEST:
        return None
    last = history[-1]
    pace = last["seconds"] / last["iteration"]
    bound = max(max_iter - last["iteration"], 0) * pace
    recent = [record for record in history[-_LAST:] if record["gap"] > 0]
    iterations = np.array([record["iteration"] for record in recent], dtype=np.float64)
    gaps = np.array([record["gap"] for record in recent], dtype=np.float64)
    further = _iterations_left(iterations, np.log(gaps), np.log(tol)) if len(recent) >= FEWEST and tol > 0 else None
    if further is None or further * pace >= bound:
        return TimeLeft(bound, is_bound=True)
    return TimeLeft(further * pace, is_bound=False)


def share_done(history: Sequence[Record], tol: float, max_iter: int) -> float:
    """How much of the way is done, from 0 to 1: of the fall of the gap's logarithm, or of the iterations."""
    last = history[-1]
    share = last["iteration"] / max_iter
    gaps = [record["gap"] for record in history if record["gap"] > 0]
    if gaps and 0 < tol < max(gaps):  # differences of logarithms: the quotient of a tiny tol would be infinite
        highest, lowest, now = np.log(max(gaps)), np.log(tol), np.log(gaps[-1])
        share = max(share, (highest - now) / (highest - lowest)) if lowest < highest else 1.0
    return float(min(max(share, 0.0), 1.0))


def duration(seconds: float) -> str:
    """A span of time for reading, as "48 s", "3 min 20 s", "2 h 5 min"."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def _iterations_left(iterations: Floats, logs: Floats, goal: float) -> float | None:
    """By the straight line, in the iteration or in its logarithm, that is nearer to the records; None if it rises."""
    (error, level, slope), (error_of_log, level_of_log, slope_of_log) = (
        _line(iterations, logs),
        _line(np.log(iterations), logs),
    )
    if error <= error_of_log:
        end = (goal - level) / slope if slope < 0 else np.inf
    else:
        end = np.exp(min((goal - level_of_log) / slope_of_log, 700.0)) if slope_of_log < 0 else np.inf
    return float(max(end - iterations[-1], 0.0)) if np.isfinite(end) else None


def _line(x: Floats, y: Floats) -> tuple[float, float, float]:
    """The line through points that is nearest in squares: its error, its value at 0, its slope."""
    dx = x - x.mean()
    slope = float(dx @ y / (dx @ dx))
    level = float(y.mean() - slope * x.mean())
    return float(((y - level - slope * x) ** 2).sum()), level, slope
