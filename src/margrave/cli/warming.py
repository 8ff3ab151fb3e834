"""The work of `margrave warmup`: compile what there is to compile, and find out where it is kept."""

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from margrave.cli.errors import UnmetError
from margrave.cli.tiny_problems import run_all
from margrave.primitives import on_first_compilation


@dataclass(frozen=True)
class Warmed:
    """What a warm-up did.

    Attributes
    ----------
    compiled : int
        Kernels, each counted once for every combination of argument types; those kept from earlier are not among them.
    folder : str
        Where compiled kernels are kept.
    labels : int
        The most labels of a model for which nothing has to be compiled any more.
    seconds : float
    """

    compiled: int
    folder: str
    labels: int
    seconds: float


def warm_up(most_labels: int, report: Callable[[str], None] = lambda problem: None) -> Warmed:
    """Run every tiny problem, so that later processes find each kernel compiled.

    Raises
    ------
    UnmetError
        Where compiled kernels are not kept.
    """
    began, n_compiled = perf_counter(), 0

    def count() -> None:
        nonlocal n_compiled
        n_compiled += 1

    with on_first_compilation(count):
        run_all(most_labels, report)
    return Warmed(n_compiled, _folder(kernels()), -(-most_labels // 8) * 8, perf_counter() - began)


def kernels() -> list[Any]:
    """Every kernel in the modules of the library that are loaded."""
    modules = [module for name, module in sorted(sys.modules.items()) if name.split(".")[0] == "margrave"]
    found = {id(value): value for module in modules for value in vars(module).values() if _is_kernel(value)}
    return list(found.values())


def _is_kernel(value: object) -> bool:
    return hasattr(value, "py_func") and hasattr(value, "stats") and not isinstance(value, type)


def _folder(compiled: list[Any]) -> str:
    """The folder that the cache's folders have in common."""
    if not compiled:
        raise UnmetError("NUMBA_DISABLE_JIT is set: kernels run as plain Python, and nothing is compiled; unset it")
    folders = {kernel.stats.cache_path for kernel in compiled}
    if None in folders:
        raise UnmetError(
            "kernels were compiled, but there is no folder to keep them in: every process will compile them anew; set "
            "NUMBA_CACHE_DIR to a folder that may be written"
        )
    return str(Path(os.path.commonpath(folders)))
