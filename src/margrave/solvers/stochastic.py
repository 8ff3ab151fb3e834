"""A start for smooth losses: a few passes of stochastic gradient steps.

With n examples, step number t on a few of them is

    w ← w − γ_t (C Σ s_i ∇loss_i + (how many they are)/n · η w),        γ_t = γ_0/(1 + γ_0 · (examples seen so far)/n)

which needs no more than answers for those few. The steps settle near the minimum, not at it: what they leave is a far
better start for a method that does. γ_0 is the best of a few powers of two on the first examples.

References
----------
Bottou, Stochastic gradient tricks, in: Neural Networks, Tricks of the Trade, 2nd edition, Springer 2012.
"""

import numpy as np

from margrave.primitives import Floats, Integers
from margrave.solvers.objective import Objective

#: Examples per step: enough that calls cost little, few enough that steps are many.
_TOGETHER = 8
#: A pass is cut into so many parts, after each of which the penalty pulls once.
_PARTS = 64
#: The first step sizes are tried on a part of the examples: this many, or all.
_TRIAL = 512
_LARGEST, _SMALLEST = 2.0**3, 2.0**-20


def stochastic_start(
    objective: Objective, passes: int, random_state: int | None, start: Floats | None = None
) -> Floats | None:
    """Weights after some passes, or None where the objective cannot give gradients of a few examples.

    Parameters
    ----------
    objective : Objective of a loss with T > 0
    passes : int
    random_state : int or None
        Of the order of examples, new in each pass.
    start : array of shape (n_weights,) or None
    """
    if objective.model.listed is None or not len(objective):
        return None
    rng = np.random.default_rng(random_state)
    first = np.zeros(objective.n_weights) if start is None else np.array(start, dtype=np.float64)
    rate = _best_rate(objective, first, rng)
    weights, seen = first.copy(), 0
    for _ in range(passes):
        seen = _pass(objective, weights, rng.permutation(len(objective)), rate, seen)
    return weights if _value(objective, weights) < _value(objective, first) else first


def _pass(objective: Objective, weights: Floats, order: Integers, rate: float, seen: int) -> int:
    """Steps on examples in that order, in place; returns how many have been seen."""
    n = len(objective)
    for part in np.array_split(order, min(_PARTS, len(order))):
        for at in range(0, len(part), _TOGETHER):
            few = part[at : at + _TOGETHER]
            step = rate / (1.0 + rate * seen / n)
            objective.descend(weights, few, step)
            seen += len(few)
        for run, eta in objective.etas:
            weights[run] *= max(0.0, 1.0 - step * eta * len(part) / n)
    return seen


def _best_rate(objective: Objective, start: Floats, rng: np.random.Generator) -> float:
    """Go up or down by twos from 1 while the first examples' own objective falls."""
    order = np.sort(rng.permutation(len(objective))[:_TRIAL])

    def reached(rate: float) -> float:
        weights = start.copy()
        _pass(objective, weights, order, rate, 0)
        value = _value(objective, weights, order)
        return value if np.isfinite(value) else np.inf

    rate, best = 0.25, reached(0.25)
    for factor in (2.0, 0.5):
        while _SMALLEST <= rate * factor <= _LARGEST and (value := reached(rate * factor)) < best:
            rate, best = rate * factor, value
    return rate


def _value(objective: Objective, weights: Floats, examples: Integers | None = None) -> float:
    if examples is None:
        return objective.value(weights) + objective.penalty(weights)
    share = len(examples) / len(objective)
    return objective.value_of(weights, examples) + share * objective.penalty(weights)
