"""The two small dense products of sum-product on forests, in blocks that stay in vector registers.

The width is the length of a tuple, so that it is known when the kernel is compiled.
"""

from margrave.inference.forest_loading import Width
from margrave.primitives import Floats, kernel


@kernel
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


@kernel
def times_rows(dims: Width, vector: Floats, rows: Floats, out: Floats) -> None:
    """out[a] = Σ over b of vector[b] · rows[b, a]; eight b at a time stay in registers."""
    width = 8 * len(dims)
    for a in range(width):
        out[a] = 0.0
    for b in range(0, width, 8):
        x0, x1, x2, x3 = vector[b], vector[b + 1], vector[b + 2], vector[b + 3]
        x4, x5, x6, x7 = vector[b + 4], vector[b + 5], vector[b + 6], vector[b + 7]
        for a in range(width):
            low = x0 * rows[b, a] + x1 * rows[b + 1, a] + x2 * rows[b + 2, a] + x3 * rows[b + 3, a]
            high = x4 * rows[b + 4, a] + x5 * rows[b + 5, a] + x6 * rows[b + 6, a] + x7 * rows[b + 7, a]
            out[a] += low + high
