"""Arrays as kernels want them."""

from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from margrave.primitives.types import AnyArray


def for_reading(array: Any, dtype: DTypeLike) -> AnyArray:
    """`array` contiguous and of `dtype`, without a copy where it is so already.

    To Numba a read-only array (a memory map, a frozen buffer) is another type, which would compile every kernel a
    second time. No kernel writes to what it was given to read, so such an array is handed on as an ordinary one over
    the same memory.
    """
    contiguous = np.ascontiguousarray(array, dtype=dtype)
    if contiguous.flags.writeable and type(contiguous) is np.ndarray:
        return contiguous
    if not contiguous.size:
        return np.empty(contiguous.shape, dtype=dtype)
    return np.asarray(_SameMemory(contiguous))


class _SameMemory:
    """Tells NumPy of an array's memory, and keeps the array alive."""

    def __init__(self, array: AnyArray) -> None:
        self._array = array
        self.__array_interface__ = dict(array.__array_interface__, data=(array.ctypes.data, False))
