"""Passes of dual coordinate descent over the rows of one binary label; kernels.

With G = y⟨w, row⟩ − 1 and Q = ‖row‖², the best multiplier of a row, all others fixed, is

    hinge:     α ← min(max(α − G/Q, 0), U)
    log-loss:  α ← U σ(t),  where t solves  Q (U σ(t) − α) + y⟨w, row⟩ + t = 0,

and the weights follow by (change of α) y · row. A row of the hinge whose multiplier stands at a bound and is pushed
against it by more than any row was in the last pass is left out until the others are done (shrinking).

References
----------
Hsieh, Chang, Lin, Keerthi and Sundararajan, A dual coordinate descent method for large-scale linear SVM, ICML 2008.
Yu, Huang and Lin, Dual coordinate descent methods for logistic regression, Machine Learning 85, 2011.
"""

import numpy as np

from margrave.primitives import Floats, Integers, Words, exp, inlined_kernel, kernel, shuffle
from margrave.scores.margins import State, Visited, add_row, margin

#: What a run remembers between calls: how many rows are active, and how far the last pass was pushed up and down.
ACTIVE, HIGHEST, LOWEST, VIOLATION = range(4)
_NEWTON_STEPS = 64  # a few, but for the first visits to rows of a large weight, whose root is far
#: Shares of U that are no step.
_STILL = 1e-15
#: log(α/(U − α)) of a multiplier that rounding has put onto a bound.
_FARTHEST = 36.0


@kernel
def hinge_passes(
    visited: Visited,
    labels: Floats,
    weights: Floats,
    squares: Floats,
    tolerance: float,
    n_passes: int,
    state: State,
    multipliers: Floats,
    order: Integers,
    memory: Floats,
    words: Words,
) -> int:
    """Up to `n_passes` passes; fewer where no row violates its condition by more than `tolerance`. Returns how many.

    `order` holds the rows that take part, the active ones first.
    """
    n_active = int(memory[ACTIVE])
    for done in range(n_passes):
        shuffle(order, n_active, words)
        highest, lowest, s = -np.inf, np.inf, 0
        while s < n_active:
            row = order[s]
            label, room, alpha = labels[row], weights[row], multipliers[row]
            gradient = label * margin(visited, state, row) - 1.0
            pushed = gradient
            if alpha <= 0.0:
                if gradient > memory[HIGHEST]:
                    n_active -= 1
                    order[s], order[n_active] = order[n_active], row
                    continue
                pushed = min(gradient, 0.0)
            elif alpha >= room:
                if gradient < memory[LOWEST]:
                    n_active -= 1
                    order[s], order[n_active] = order[n_active], row
                    continue
                pushed = max(gradient, 0.0)
            highest, lowest = max(highest, pushed), min(lowest, pushed)
            if abs(pushed) > 1e-14:
                moved = min(max(alpha - gradient / squares[row], 0.0), room)
                multipliers[row] = moved
                add_row(visited, state, row, (moved - alpha) * label)
            s += 1
        memory[HIGHEST] = highest if highest > 0.0 else np.inf
        memory[LOWEST] = lowest if lowest < 0.0 else -np.inf
        if n_active == 0 or highest - lowest <= tolerance:
            if n_active == len(order):
                memory[ACTIVE], memory[VIOLATION] = n_active, highest - lowest
                return done + 1
            n_active = len(order)
            memory[HIGHEST], memory[LOWEST] = np.inf, -np.inf
    memory[ACTIVE], memory[VIOLATION] = n_active, np.inf
    return n_passes


@kernel
def logistic_passes(
    visited: Visited,
    labels: Floats,
    weights: Floats,
    squares: Floats,
    n_passes: int,
    state: State,
    multipliers: Floats,
    order: Integers,
    words: Words,
) -> int:
    """Up to `n_passes` passes over the rows of `order`, fewer where nothing moves any more. Returns how many."""
    for done in range(n_passes):
        shuffle(order, len(order), words)
        farthest = 0.0
        for s in range(len(order)):
            row = order[s]
            alpha, label = multipliers[row], labels[row]
            moved = _logistic_step(alpha, weights[row], squares[row], label * margin(visited, state, row))
            multipliers[row] = moved
            add_row(visited, state, row, (moved - alpha) * label)
            farthest = max(farthest, abs(moved - alpha) / weights[row])
        if farthest <= _STILL:
            return done + 1
    return n_passes


@inlined_kernel
def _logistic_step(alpha: float, room: float, square: float, z: float) -> float:
    """Newton's method for t, kept between bounds that hold the root: the function rises, with a slope of at least 1."""
    low, high = -z - square * (room - alpha), -z + square * alpha
    t = min(max(np.log(alpha / (room - alpha)), -_FARTHEST), _FARTHEST) if 0.0 < alpha < room else -z
    t = min(max(t, low), high)
    for _ in range(_NEWTON_STEPS):
        share = 1.0 / (1.0 + exp(-t))
        excess = square * (room * share - alpha) + z + t
        if excess > 0.0:
            high = t
        else:
            low = t
        step = excess / (square * room * share * (1.0 - share) + 1.0)
        t = t - step if low <= t - step <= high else 0.5 * (low + high)
        if abs(step) <= 1e-10:
            break
    result: float = room / (1.0 + exp(-t))
    return result
