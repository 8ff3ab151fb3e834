"""Random numbers inside kernels: a generator that is one word of state."""

import numpy as np
from numpy.typing import NDArray

from margrave.primitives.compilation import inlined_kernel
from margrave.primitives.types import Integers

Words = NDArray[np.uint64]


def random_words(rng: np.random.Generator) -> Words:
    """A state for the kernels here, drawn from NumPy's generator."""
    return rng.integers(1, 2**63, size=1, dtype=np.uint64)


@inlined_kernel
def shuffle(items: Integers, n: int, state: Words) -> None:
    """Put the first `n` items into a random order (Fisher and Yates; Marsaglia's xorshift)."""
    x = state[0]
    for i in range(n - 1, 0, -1):
        x ^= x >> np.uint64(12)
        x ^= x << np.uint64(25)
        x ^= x >> np.uint64(27)
        j = np.int64(((x >> np.uint64(32)) * np.uint64(i + 1)) >> np.uint64(32))
        items[i], items[j] = items[j], items[i]
    state[0] = x
