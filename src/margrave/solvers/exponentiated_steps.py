"""Passes of exponentiated gradient over the rows of one binary label; a kernel.

With z = y⟨w, row⟩ and Q = ‖row‖², moving a row's multiplier from α by δ changes the dual by

    T = 0:  δ (1 − z) − ½ δ² Q             T = 1:  H(α + δ) − H(α) − δ z − ½ δ² Q,

H the entropy of the objective's dual. With α = U σ(t) it is H = U (log(1 + e^t) − t σ(t)), and the slope along δ is
g = 1 − z or −t − z. The dual is concave along a row, so it has risen wherever the slope still points the same way after
the step; only a step that went past the top is weighed by the formula.

References
----------
Collins, Globerson, Koo, Carreras and Bartlett, Exponentiated gradient algorithms for conditional random fields and
max-margin Markov networks, JMLR 9, 2008.
"""

import numpy as np

from margrave.primitives import Floats, Integers, Words, exp, inlined_kernel, kernel, shuffle
from margrave.scores.margins import State, Visited, add_row, margin

#: log(α/(U − α)) is kept between these: farther out a multiplier is its bound, to rounding, and could never come back.
FARTHEST = 36.0
#: What a rate is multiplied by after a step that stopped short of the top, and after one that made the dual fall.
GROWTH, CUT = 1.2, 0.5
_MOST_CUTS = 60
_LARGEST_RATE = 1e6


@kernel
def exponentiated_passes(
    visited: Visited,
    labels: Floats,
    weights: Floats,
    squares: Floats,
    smooth: bool,
    n_passes: int,
    state: State,
    multipliers: Floats,
    logits: Floats,
    rates: Floats,
    order: Integers,
    words: Words,
) -> None:
    """`n_passes` passes over the rows of `order`; `logits` are the t of their multipliers, `rates` the steps' η."""
    largest = 1.0 if smooth else _LARGEST_RATE
    for _ in range(n_passes):
        shuffle(order, len(order), words)
        for s in range(len(order)):
            row = order[s]
            label, room, alpha, t = labels[row], weights[row], multipliers[row], logits[row]
            z = label * margin(visited, state, row)
            slope = (-t if smooth else 1.0) - z
            rate, moved, reached, delta = rates[row], t, alpha, 0.0
            for cuts in range(_MOST_CUTS):
                moved = min(max(t + rate * slope, -FARTHEST), FARTHEST)
                reached = room / (1.0 + exp(-moved))
                delta = reached - alpha
                after = (-moved if smooth else 1.0) - z - delta * squares[row]
                if after * slope >= 0.0:
                    if cuts == 0:
                        rate = min(GROWTH * rate, largest)
                    break
                if _gain(t, moved, room, delta, z, squares[row], smooth) >= 0.0:
                    break
                rate *= CUT
                delta = 0.0
            rates[row] = rate
            if delta != 0.0:
                logits[row], multipliers[row] = moved, reached
                add_row(visited, state, row, delta * label)


@inlined_kernel
def _gain(t: float, moved: float, room: float, delta: float, z: float, square: float, smooth: bool) -> float:
    """By how much the dual rises."""
    if not smooth:
        return delta * (1.0 - z - 0.5 * delta * square)
    return room * (_entropy(moved) - _entropy(t)) - delta * (z + 0.5 * delta * square)


@inlined_kernel
def _entropy(t: float) -> float:
    """Of σ(t) and 1 − σ(t): log(1 + e^t) − t σ(t)."""
    result: float = max(t, 0.0) + np.log1p(exp(-abs(t))) - t / (1.0 + exp(-t))
    return result
