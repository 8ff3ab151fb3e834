"""The one decorator that names Numba."""

from collections.abc import Callable
from typing import Any, TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., Any])

#: Sums may be reordered and fused, so that they run in vector registers; infinities and NaN keep their meaning.
REORDERED = {"reassoc", "contract", "nsz"}
#: As written, but for fused multiply-add: for code whose rounding has been thought out.
AS_WRITTEN = {"contract"}


def kernel(function: F) -> F:
    """Compile a function of arrays and scalars, once per machine; it runs without the interpreter's lock."""
    return cast(F, _compile(function, REORDERED))


def exact_kernel(function: F) -> F:
    """As `kernel`, for arithmetic whose order matters."""
    return cast(F, _compile(function, AS_WRITTEN))


def _compile(function: Callable[..., Any], flags: set[str]) -> Any:
    options = {"nogil": True, "fastmath": flags, "error_model": "numpy"}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # Numba found no folder that it may write its cache to
        return njit(**options)(function)
