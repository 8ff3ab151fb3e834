"""Floats in 16 bits, for long vectors that are read often and need few digits.

A short float is the upper half of a single-precision one (bfloat16): its sign, its exponent, seven bits of its
fraction. The range is that of single precision, the relative error of rounding at most 2⁻⁸. NumPy has no such type;
arrays of them are arrays of `uint16`.
"""

from collections.abc import Callable
from typing import Any, TypeAlias, cast

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from margrave.primitives.compilation import inlined_kernel

ShortFloats: TypeAlias = NDArray[np.uint16]
_Decorator = Callable[[Callable[..., Any]], Any]


@cast(_Decorator, intrinsic)
def _bits_of(typing_context: Any, single: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.IntType(32))

    return types.uint32(types.float32), generate


@cast(_Decorator, intrinsic)
def _single_of(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.FloatType())

    return types.float32(types.uint32), generate


def _bits_of_in_python(single: Any) -> Any:
    return np.float32(single).view(np.uint32)


def _single_of_in_python(bits: Any) -> Any:
    return np.uint32(bits).view(np.float32)


if config.DISABLE_JIT:  # an intrinsic exists in compiled code only
    _bits_of, _single_of = _bits_of_in_python, _single_of_in_python


@inlined_kernel
def shortened(x: float) -> Any:
    """The nearest short float to a finite number in the range of single precision; of two, the even one."""
    bits = _bits_of(np.float32(x))
    return np.uint16((bits + np.uint32(0x7FFF) + ((bits >> np.uint32(16)) & np.uint32(1))) >> np.uint32(16))


@inlined_kernel
def lengthened(short: Any) -> float:
    """The number that a short float is, exactly."""
    result: float = np.float64(_single_of(np.uint32(short) << np.uint32(16)))
    return result
