"""An exponential that compilers can vectorise.

Numba calls the scalar `exp` of the C library, ten times slower than what vector registers allow. With
x = k log 2 + r, |r| <= log(2)/2, the result is 2^k times a Taylor polynomial of degree 12 in r (relative error below
1e-15), and 2^k is written straight into the exponent bits of a float.
"""

from collections.abc import Callable
from typing import Any, cast

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.extending import intrinsic

from margrave.primitives.compilation import exact_kernel

SMALLEST = -708.0  # exp of less is below the smallest normal number: 0 here
LARGEST = 709.0
_LOG2_E = 1.4426950408889634
_LN2_HIGH = 0.693147180369123816490  # 32 bits, so that k times it is exact
_LN2_LOW = 1.90821492927058770002e-10


@cast(Callable[[Callable[..., Any]], Any], intrinsic)
def _bits_as_float(typing_context: Any, bits: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.bitcast(arguments[0], ir.DoubleType())

    return types.float64(types.int64), generate


def _bits_as_float_in_python(bits: int) -> float:
    return float(np.array([bits], dtype=np.int64).view(np.float64)[0])


if config.DISABLE_JIT:  # an intrinsic exists in compiled code only
    _bits_as_float = _bits_as_float_in_python


@exact_kernel
def exp(x: float) -> float:
    """e^x; 0 below -708 (and for minus infinity), e^709 above 709."""
    bounded = min(max(x, SMALLEST), LARGEST)
    k = np.floor(bounded * _LOG2_E + 0.5)
    r = (bounded - k * _LN2_HIGH) - k * _LN2_LOW
    p = 1.0 / 479001600.0
    p = p * r + 1.0 / 39916800.0
    p = p * r + 1.0 / 3628800.0
    p = p * r + 1.0 / 362880.0
    p = p * r + 1.0 / 40320.0
    p = p * r + 1.0 / 5040.0
    p = p * r + 1.0 / 720.0
    p = p * r + 1.0 / 120.0
    p = p * r + 1.0 / 24.0
    p = p * r + 1.0 / 6.0
    p = p * r + 0.5
    p = p * r + 1.0
    p = p * r + 1.0
    power = _bits_as_float((np.int64(k) + 1023) << 52)
    result: float = p * power if x >= SMALLEST else 0.0
    return result
