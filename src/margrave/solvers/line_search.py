"""A step along a direction that satisfies the strong Wolfe conditions."""

from collections.abc import Callable

import numpy as np

DECREASE = 1e-4  # how much of the decrease that the slope promises a step must bring
CURVATURE = 0.9  # how much of the slope may be left
NOISE = 1e-13  # relative: differences of the value below it are rounding

Point = tuple[float, float, float]  # step, value, slope


def wolfe_step(
    evaluate: Callable[[float], tuple[float, float]],
    value: float,
    slope: float,
    first: float,
    max_evaluations: int = 25,
) -> Point | None:
    """Find a step by bracketing and cubic interpolation; the one returned is the one evaluated last.

    Parameters
    ----------
    evaluate : function of a step that gives value and slope there
    value, slope : float
        At step 0; the slope is negative.
    first : float
        The step to try first.

    Returns
    -------
    (step, value, slope), or None where no step lowers the value by more than rounding.

    Notes
    -----
    Where the value no longer tells steps apart, a slope that has risen as a parabola's would is accepted instead
    (Hager and Zhang, SIAM J. Optim. 16, 2005).
    """
    low: Point = (0.0, value, slope)
    high: Point | None = None
    step = first
    for _ in range(max_evaluations):
        there = (step, *evaluate(step))
        if _accepted(there, value, slope):
            return there
        if not np.isfinite(there[1]) or _too_high(there, value, slope) or there[2] > 0:
            high = there
        else:
            low = there
        step = 4.0 * step if high is None else _between(low, high)
        if high is not None and abs(high[0] - low[0]) <= 1e-16 * high[0]:
            break
    return None


def _too_high(there: Point, value: float, slope: float) -> bool:
    return there[1] > value + DECREASE * there[0] * slope and not _flat(there, value, slope)


def _flat(there: Point, value: float, slope: float) -> bool:
    return there[1] <= value + NOISE * abs(value) and there[2] <= (2 * DECREASE - 1) * slope


def _accepted(there: Point, value: float, slope: float) -> bool:
    return np.isfinite(there[1]) and not _too_high(there, value, slope) and abs(there[2]) <= -CURVATURE * slope


def _between(low: Point, high: Point) -> float:
    """The minimum of the cubic through two points and their slopes, kept off the ends."""
    (a, fa, da), (b, fb, db) = low, high
    step = 0.5 * (a + b)
    if np.isfinite(fb) and np.isfinite(db):
        d1 = da + db - 3.0 * (fa - fb) / (a - b)
        square = d1 * d1 - da * db
        if square >= 0:
            d2 = np.copysign(np.sqrt(square), b - a)
            bottom = db - da + 2.0 * d2
            if bottom != 0.0:
                step = b - (b - a) * (db + d2 - d1) / bottom
    margin = 0.1 * (b - a)
    return float(np.clip(step, min(a + margin, b - margin), max(a + margin, b - margin)))
