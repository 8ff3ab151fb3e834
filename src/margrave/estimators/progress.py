"""What a fit says while it works."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

from margrave.primitives import on_first_compilation
from margrave.solvers import Record

_announced = False


@contextmanager
def announcing_compilation(verbose: int) -> Iterator[None]:
    """Say once a process that kernels are being compiled, should that happen: a machine's first fit waits for it."""
    if not verbose or _announced:
        yield
        return
    with on_first_compilation(_announce):
        yield


def _announce() -> None:
    global _announced  # noqa: PLW0603
    if not _announced:
        _announced = True
        print("compiling kernels, once on this machine ...", file=sys.stderr, flush=True)


def say(record: Record) -> None:
    """One line for an iteration."""
    dual = "" if record["dual"] is None else f"  dual {record['dual']:.6g}"
    line = f"iteration {record['iteration']:5d}  objective {record['objective']:.6g}{dual}"
    print(f"{line}  gap {record['gap']:.2e}  {record['seconds']:.1f} s", file=sys.stderr, flush=True)
