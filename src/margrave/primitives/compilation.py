"""The one decorator that names Numba."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from numba import config, njit
from numba.core import event

F = TypeVar("F", bound=Callable[..., Any])

#: Sums may be reordered and fused, so that they run in vector registers; infinities and NaN keep their meaning.
REORDERED = {"reassoc", "contract", "nsz"}
#: As written, but for fused multiply-add: for code whose rounding has been thought out.
AS_WRITTEN = {"contract"}


def kernel(function: F) -> F:
    """Compile a function of arrays and scalars, once per machine; it runs without the interpreter's lock."""
    return cast(F, _compile(function, REORDERED))


def inlined_kernel(function: F) -> F:
    """As `kernel`, for a few lines that others call often: compiled into each caller.

    A call hands over every array inside every tuple, number by number, which costs more than a short loop does.
    """
    return cast(F, _compile(function, REORDERED, forceinline=True))


def exact_kernel(function: F) -> F:
    """As `kernel`, for arithmetic whose order matters."""
    return cast(F, _compile(function, AS_WRITTEN))


def _compile(function: Callable[..., Any], flags: set[str], **more: bool) -> Any:
    # Kernels are given every array that they work on. Without the runtime for allocations no references are counted:
    # where arrays travel in tuples that counting took five sixths of the time of a pass over short messages.
    options = {"nogil": True, "fastmath": flags, "error_model": "numpy", "_nrt": False, **more}
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # Numba found no folder that it may write its cache to
        return njit(**options)(function)


@contextmanager
def on_first_compilation(call: Callable[[], None]) -> Iterator[None]:
    """Call `call` whenever a kernel has to be compiled inside the block, rather than loaded from the cache."""
    if config.DISABLE_JIT:
        yield
        return
    with event.install_listener("numba:compile", _Compiling(call)):
        yield


class _Compiling(event.Listener):
    def __init__(self, call: Callable[[], None]) -> None:
        self._call = call

    def on_start(self, event: Any) -> None:
        self._call()

    def on_end(self, event: Any) -> None:
        pass
