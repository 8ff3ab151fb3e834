"""Best steps for a few examples, one after the other, where all scores are sums of listed features; a kernel.

With d the direction of an example's dual variables and v = features ⊗ d its pull-back, the dual has the slope
C s (⟨w, v⟩ + cost(answer) − ⟨Δ, μ⟩) along d and the curvature −Σ_g C² s²/η_g ‖v_g‖². One walk over the features of the
rows where d is not zero makes v, both sums included; a second one takes the step.
"""

from typing import Any

import numpy as np

from margrave.graphs.labelings import count_labels
from margrave.graphs.wiring import COSTS, EXAMPLES, FIRST_VARIABLE, NODE_WEIGHTS, TRUE, Extra, Wiring
from margrave.primitives import Floats, Integers, Labels, inlined_kernel, kernel
from margrave.scores.listed import (
    EXAMPLE_ROWS,
    FEATURES,
    FIRST_OUTPUT,
    FIRST_ROW,
    FIRST_WEIGHT,
    OUTPUTS,
    POINTER,
    RUNS,
    TERMS,
    THETA,
    VALUES,
    WIDTH,
    Rows,
)

#: Wiring, the bases' coefficients, number of shared entries; then, for each example, runs of entries of its own
#: (n_examples, n_runs, 2), runs of shared entries (n, 2), which of them an example touches, where its duals begin.
Fixed = tuple[Wiring, Floats, int, Integers, Integers, Integers, Integers]
#: Dual variables: entries of the examples' own, shared entries by example, costs; see `Duals`.
Variables = tuple[Floats, Floats, Floats]


@inlined_kernel
def set_direction(
    example: int, labels: Labels, fixed: Fixed, extra: Extra, variables: Variables, direction: Floats
) -> float:
    """Write counts(labels) − μ_i to the direction; returns the labels' cost."""
    w, coefficients, n_shared, runs, common, places, first = fixed
    own, shared, _ = variables
    for r in range(runs.shape[1]):
        for k in range(runs[example, r, 0], runs[example, r, 1]):
            direction[k] = -own[k]
    at = first[example]
    for j in range(places[example, 0], places[example, 1]):
        start, n = common[j, 0], common[j, 1] - common[j, 0]
        for k in range(n):
            direction[start + k] = -shared[at + k]
        at += n
    origin = w[EXAMPLES][example, FIRST_VARIABLE]
    count_labels(labels, origin, own[:0], w, coefficients, example, example + 1, direction, direction[:n_shared])
    cost = 0.0
    if len(extra[TRUE]) > 0:
        for v in range(origin, w[EXAMPLES][example + 1, FIRST_VARIABLE]):
            if extra[TRUE][v] >= 0:
                weight = extra[NODE_WEIGHTS][v] if len(extra[NODE_WEIGHTS]) > 0 else 1.0
                cost += weight * extra[COSTS][extra[TRUE][v], labels[v - origin]]
    return cost


@inlined_kernel
def take_direction(
    example: int, fixed: Fixed, direction: Floats, step: float, cost: float, variables: Variables
) -> None:
    """μ_i += step · direction, and its cost towards `cost`; the shared part of the direction is cleared."""
    _, _, _, runs, common, places, first = fixed
    own, shared, costs = variables
    costs[example] += step * (cost - costs[example])
    for r in range(runs.shape[1]):
        for k in range(runs[example, r, 0], runs[example, r, 1]):
            own[k] += step * direction[k]
    at = first[example]
    for j in range(places[example, 0], places[example, 1]):
        start, n = common[j, 0], common[j, 1] - common[j, 0]
        for k in range(n):
            shared[at + k] += step * direction[start + k]
            direction[start + k] = 0.0
        at += n


@kernel
def set_to_truth(labels: Labels, fixed: Fixed, extra: Extra, variables: Variables, direction: Floats) -> None:
    """Make all dual variables, which are 0, those of the labels; the truth costs nothing."""
    examples = fixed[0][EXAMPLES]
    for example in range(len(examples) - 1):
        mine = labels[examples[example, FIRST_VARIABLE] : examples[example + 1, FIRST_VARIABLE]]
        set_direction(example, mine, fixed, extra, variables, direction)
        take_direction(example, fixed, direction, 1.0, 0.0, variables)


@kernel
def sum_shared(fixed: Fixed, weights: Floats, shared: Floats, counts: Floats) -> None:
    """Add every example's shared counts, times the example's weight, to those of the batch."""
    common, places, first = fixed[4], fixed[5], fixed[6]
    for example in range(len(places)):
        s = weights[example] if len(weights) > 0 else 1.0
        at = first[example]
        for j in range(places[example, 0], places[example, 1]):
            start, n = common[j, 0], common[j, 1] - common[j, 0]
            for k in range(n):
                counts[start + k] += s * shared[at + k]
            at += n


@kernel
def best_steps(
    examples: Integers,
    labels: Labels,
    rows: Rows,
    fixed: Fixed,
    extra: Extra,
    etas: Floats,
    loss_weights: Floats,
    weights: Floats,
    variables: Variables,
    direction: Floats,
    scratch: Floats,
    places: Integers,
) -> float:
    """Move each example's dual variables towards its answer, and the weights along; returns the longest step.

    `labels` are the answers, one example after the other; `etas` has a number per term; `scratch` holds a zero per
    weight, and does again afterwards; `places` has room for the numbers of a row.
    """
    at, longest = 0, 0.0
    for i in range(len(examples)):
        example, weight = examples[i], loss_weights[examples[i]]
        n = fixed[0][EXAMPLES][example + 1, FIRST_VARIABLE] - fixed[0][EXAMPLES][example, FIRST_VARIABLE]
        cost = set_direction(example, labels[at : at + n], fixed, extra, variables, direction)
        at += n
        slope, curvature = _pull(example, rows, etas, weights, direction, scratch, places)
        slope += cost - variables[2][example]
        step = 0.0
        if slope > 0.0 and weight > 0.0:
            step = min(1.0, slope / (weight * curvature)) if curvature > 0.0 else 1.0
        _apply(example, rows, -step * weight, etas, direction, scratch, weights, places)
        take_direction(example, fixed, direction, step, cost, variables)
        longest = max(longest, step)
    return longest


@inlined_kernel
def _pull(
    example: int, rows: Rows, etas: Floats, weights: Floats, direction: Floats, scratch: Floats, places: Integers
) -> tuple[float, float]:
    """Add the direction's pull-back v to `scratch`; returns ⟨w, v⟩ and Σ_g ‖v_g‖²/η_g, kept up as v grows."""
    slope, curvature = 0.0, 0.0
    for t in range(len(rows[TERMS])):
        width, outputs, squares = rows[TERMS][t, WIDTH], rows[OUTPUTS][max(rows[TERMS][t, FIRST_OUTPUT], 0) :], 0.0
        own, v = weights[rows[TERMS][t, FIRST_WEIGHT] :], scratch[rows[TERMS][t, FIRST_WEIGHT] :]
        for r in range(rows[EXAMPLE_ROWS][example, 2 * t], rows[EXAMPLE_ROWS][example, 2 * t + 1]):
            at = rows[TERMS][t, THETA] + (r - rows[TERMS][t, FIRST_ROW]) * width
            row = direction[at : at + width]
            n = _find(row, places)
            if n == 0:
                continue
            for k in range(np.uint64(rows[POINTER][r]), np.uint64(rows[POINTER][r + 1])):
                f = np.uint64(rows[FEATURES][k])
                value = rows[VALUES][k] if len(rows[VALUES]) > 0 else 1.0
                if rows[TERMS][t, FIRST_OUTPUT] < 0:
                    for i in range(np.uint64(n)):
                        a = np.uint64(places[i])
                        j: Any = f * np.uint64(width) + a
                        more = value * row[a]
                        squares += more * (2.0 * v[j] + more)
                        slope += more * own[j]
                        v[j] += more
                else:
                    for j in range(np.uint64(rows[RUNS][f]), np.uint64(rows[RUNS][f + np.uint64(1)])):
                        more = value * row[np.uint64(outputs[j])]
                        squares += more * (2.0 * v[j] + more)
                        slope += more * own[j]
                        v[j] += more
        curvature += squares / etas[t]
    return slope, curvature


@inlined_kernel
def _apply(
    example: int,
    rows: Rows,
    scale: float,
    etas: Floats,
    direction: Floats,
    scratch: Floats,
    weights: Floats,
    places: Integers,
) -> None:
    """Add scale/η times the pull-back in `scratch` to the weights, and clear it."""
    for t in range(len(rows[TERMS])):
        width, factor = rows[TERMS][t, WIDTH], scale / etas[t]
        own, v = weights[rows[TERMS][t, FIRST_WEIGHT] :], scratch[rows[TERMS][t, FIRST_WEIGHT] :]
        for r in range(rows[EXAMPLE_ROWS][example, 2 * t], rows[EXAMPLE_ROWS][example, 2 * t + 1]):
            at = rows[TERMS][t, THETA] + (r - rows[TERMS][t, FIRST_ROW]) * width
            n = _find(direction[at : at + width], places)
            if n == 0:
                continue
            for k in range(np.uint64(rows[POINTER][r]), np.uint64(rows[POINTER][r + 1])):
                f = np.uint64(rows[FEATURES][k])
                if rows[TERMS][t, FIRST_OUTPUT] < 0:
                    for i in range(np.uint64(n)):
                        j: Any = f * np.uint64(width) + np.uint64(places[i])
                        own[j] += factor * v[j]
                        v[j] = 0.0
                else:
                    for j in range(np.uint64(rows[RUNS][f]), np.uint64(rows[RUNS][f + np.uint64(1)])):
                        own[j] += factor * v[j]
                        v[j] = 0.0


@inlined_kernel
def _find(row: Floats, places: Integers) -> int:
    """Write where a row is not zero: few places, as dual variables are mixtures of few labellings; returns how many."""
    total = 0.0
    for a in range(np.uint64(len(row))):
        total += abs(row[a])
    n = np.uint64(0)
    if total != 0.0:
        for a in range(np.uint64(len(row))):
            places[n] = a
            n += np.uint64(row[a] != 0.0)
    return int(n)
