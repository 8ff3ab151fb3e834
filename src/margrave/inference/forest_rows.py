"""Dense work on rows of sum-product: exponentials, two small products in blocks that stay in vector registers, minima.

The width is the length of a tuple, so that it is known when a kernel is compiled.
"""

import numpy as np

from margrave.inference.forest_loading import Width
from margrave.primitives import Floats, exp, inlined_kernel, kernel


@kernel
def exponentials(dims: Width, n: int, temperature: float, rows: Floats) -> float:
    """Turn rows of scores into exponentials over T; returns the sum of the maxima that were divided out, over T."""
    width = 8 * len(dims)
    total = 0.0
    for p in range(n):
        peak = -np.inf
        for a in range(width):
            peak = max(peak, rows[p, a])
        if peak == -np.inf:
            return np.nan
        total += peak / temperature
        for a in range(width):
            rows[p, a] = exp((rows[p, a] - peak) / temperature)
    return total


@inlined_kernel
def add_products(dims: Width, left: Floats, right: Floats, p: int, run: int, weight: float, out: Floats) -> None:
    """Out += weight · Σ over rows p to p + run of left ⊗ right; four rows at a time halve the traffic with `out`."""
    width = 8 * len(dims)
    if run == 4:
        for a in range(width):
            x0, x1 = weight * left[p, a], weight * left[p + 1, a]
            x2, x3 = weight * left[p + 2, a], weight * left[p + 3, a]
            for b in range(width):
                low = x0 * right[p, b] + x1 * right[p + 1, b]
                out[a, b] += low + (x2 * right[p + 2, b] + x3 * right[p + 3, b])
        return
    for q in range(p, p + run):
        for a in range(width):
            x = weight * left[q, a]
            for b in range(width):
                out[a, b] += x * right[q, b]


@inlined_kernel
def times_rows(dims: Width, vector: Floats, rows: Floats, out: Floats) -> None:
    """out[a] = Σ over b of vector[b] · rows[b, a]; eight b at a time stay in registers."""
    width = 8 * len(dims)
    for b in range(0, width, 8):
        x0, x1, x2, x3 = vector[b], vector[b + 1], vector[b + 2], vector[b + 3]
        x4, x5, x6, x7 = vector[b + 4], vector[b + 5], vector[b + 6], vector[b + 7]
        for a in range(width):
            low = x0 * rows[b, a] + x1 * rows[b + 1, a] + x2 * rows[b + 2, a] + x3 * rows[b + 3, a]
            high = x4 * rows[b + 4, a] + x5 * rows[b + 5, a] + x6 * rows[b + 6, a] + x7 * rows[b + 7, a]
            out[a] = low + high if b == 0 else out[a] + (low + high)


@inlined_kernel
def lower_to(dims: Width, row: Floats, least: Floats) -> None:
    """least[a] = min(least[a], row[a]); one row of minima vectorises where one number would not."""
    for a in range(8 * len(dims)):
        least[a] = row[a] if row[a] < least[a] else least[a]
