"""What a quasi-Newton method remembers: pairs of a step and of the change of the gradient along it; kernels.

The pairs are kept in 16 bits a number. They only shape directions, whose slope is computed afresh; a fourth of the
digits takes a fourth of the memory, and of the time of the two loops, which is that of reading them.
"""

import numpy as np

from margrave.primitives import Floats, ShortFloats, kernel, lengthened, shortened


class Curvature:
    """The last pairs, at most `memory` of them; the product of their inverse Hessian with a gradient takes two loops.

    References
    ----------
    Nocedal, Updating quasi-Newton matrices with limited storage, Math. Comp. 35, 1980.

    Examples
    --------
    >>> import numpy as np
    >>> curvature = Curvature(memory=5)
    >>> curvature.remember(np.array([0.5, 0.0]), np.zeros(2), np.array([2.0, 0.0]), np.zeros(2))
    >>> direction = np.array([8.0, 1.0])
    >>> curvature.apply(direction)
    >>> direction.tolist()  # four times as steep as a unit parabola along the first axis
    [2.0, 0.25]
    """

    def __init__(self, memory: int) -> None:
        self._memory = memory
        self._pairs: list[tuple[ShortFloats, ShortFloats, float, float]] = []

    def __len__(self) -> int:
        return len(self._pairs)

    def forget(self) -> None:
        """Start anew."""
        self._pairs = []

    def remember(self, after: Floats, before: Floats, gradient_after: Floats, gradient_before: Floats) -> None:
        """Add a pair, in place of the oldest where there is no room; one without positive curvature is left out."""
        if len(self._pairs) == self._memory:
            step, change, _, _ = self._pairs.pop(0)
        else:
            step, change = np.empty(len(after), dtype=np.uint16), np.empty(len(after), dtype=np.uint16)
        product, square = _store(after, before, gradient_after, gradient_before, step, change)
        if product > 1e-300 and square > 0.0:
            self._pairs.append((step, change, product, square))

    def apply(self, direction: Floats) -> None:
        """Multiply by the estimate of the inverse Hessian, in place."""
        shares = []
        for step, change, product, _ in reversed(self._pairs):
            shares.append(_dot(step, direction) / product)
            _add(direction, change, -shares[-1])
        if self._pairs:
            _, _, product, square = self._pairs[-1]
            direction *= product / square
        for (step, change, product, _), share in zip(self._pairs, reversed(shares), strict=True):
            _add(direction, step, share - _dot(change, direction) / product)


@kernel
def _store(
    after: Floats,
    before: Floats,
    gradient_after: Floats,
    gradient_before: Floats,
    step: ShortFloats,
    change: ShortFloats,
) -> tuple[float, float]:
    """Write both differences; returns their product and the square of the second, of the numbers as they are kept."""
    product, square = 0.0, 0.0
    for i in range(len(after)):
        step[i] = shortened(after[i] - before[i])
        change[i] = shortened(gradient_after[i] - gradient_before[i])
        product += lengthened(step[i]) * lengthened(change[i])
        square += lengthened(change[i]) * lengthened(change[i])
    return product, square


@kernel
def _dot(left: ShortFloats, right: Floats) -> float:
    total = 0.0
    for i in range(len(right)):
        total += lengthened(left[i]) * right[i]
    return total


@kernel
def _add(out: Floats, vector: ShortFloats, factor: float) -> None:
    for i in range(len(out)):
        out[i] += factor * lengthened(vector[i])
