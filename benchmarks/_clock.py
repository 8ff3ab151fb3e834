"""Median times of repeated calls."""

from collections.abc import Callable
from statistics import median
from time import perf_counter, process_time
from typing import Any

Clock = Callable[[], float]


def clock_for(n_jobs: int) -> tuple[str, Clock]:
    """Time of the processor for one thread, which other work disturbs least; time on the wall for more."""
    return ("cpu", process_time) if n_jobs == 1 else ("wall", perf_counter)


def milliseconds(call: Callable[[], Any], times: int, clock: Clock = process_time) -> list[float]:
    """How long each of `times` calls took."""
    taken = []
    for _ in range(times):
        began = clock()
        call()
        taken.append(1e3 * (clock() - began))
    return taken


def median_ms(call: Callable[[], Any], times: int, clock: Clock = process_time) -> float:
    """The median of `times` calls, after one that is not counted."""
    call()
    return median(milliseconds(call, times, clock))
