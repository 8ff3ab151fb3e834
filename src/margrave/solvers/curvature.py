"""What a quasi-Newton method remembers: pairs of a step and of the change of the gradient along it; kernels.

The pairs are kept in single precision. They only shape directions, whose slope is computed afresh; halving them halves
the memory that long histories take, and the time of the two loops, which is that of reading them.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from margrave.primitives import Floats, kernel

Singles = NDArray[np.float32]


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
        self._pairs: list[tuple[Singles, Singles, float, float]] = []

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
            step, change = np.empty(len(after), dtype=np.float32), np.empty(len(after), dtype=np.float32)
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
    after: Floats, before: Floats, gradient_after: Floats, gradient_before: Floats, step: Singles, change: Singles
) -> tuple[float, float]:
    """Write both differences; returns their product and the square of the second, of the numbers as they are kept."""
    product, square = 0.0, 0.0
    for i in range(len(after)):
        s: Any = np.float32(after[i] - before[i])
        y: Any = np.float32(gradient_after[i] - gradient_before[i])
        step[i] = s
        change[i] = y
        product += np.float64(s) * np.float64(y)
        square += np.float64(y) * np.float64(y)
    return product, square


@kernel
def _dot(left: Singles, right: Floats) -> float:
    total = 0.0
    for i in range(len(right)):
        total += np.float64(left[i]) * right[i]
    return total


@kernel
def _add(out: Floats, vector: Singles, factor: float) -> None:
    for i in range(len(out)):
        out[i] += factor * np.float64(vector[i])
