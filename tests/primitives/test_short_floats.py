"""Short floats against their definition: the upper half of a single."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.primitives import kernel, lengthened, shortened

FINITE = st.floats(width=32, min_value=-(2.0**126), max_value=2.0**126, allow_subnormal=False)


@kernel
def there_and_back(x: float) -> float:
    result: float = lengthened(shortened(x))
    return result


@given(FINITE)
def test_the_nearest_number_with_eight_digits_of_fraction(x: float) -> None:
    fraction, exponent = np.frexp(x)
    assert there_and_back(x) == np.ldexp(np.round(fraction * 2**8), exponent - 8)  # NumPy rounds halves to even, too


@pytest.mark.parametrize("x", [0.0, 1.0, -2.5, 2.0**100, -(2.0**-100), 255.0])
def test_numbers_of_few_digits_stay_as_they_are(x: float) -> None:
    assert there_and_back(x) == x


def test_a_short_float_is_half_a_single() -> None:
    halves = np.array([0x3F80, 0xC020, 0x7F00], dtype=np.uint16)
    singles = (halves.astype(np.uint32) << 16).view(np.float32)
    assert [lengthened(half) for half in halves] == singles.tolist()
