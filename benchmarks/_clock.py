"""Times of calls: of the processor and on the wall, and medians of repeated ones."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
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
        result = call()
        taken.append(1e3 * (clock() - began))
        del result  # only now: to throw it away is not what is measured
    return taken


def median_ms(call: Callable[[], Any], times: int, clock: Clock = process_time) -> float:
    """The median of `times` calls, after one that is not counted."""
    call()
    return median(milliseconds(call, times, clock))


@dataclass(frozen=True)
class Spent:
    """What one call gave back, and the seconds that it took."""

    result: Any
    cpu: float
    wall: float


def spent(call: Callable[[], Any]) -> Spent:
    """Call once, under both clocks."""
    cpu, wall = process_time(), perf_counter()
    result = call()
    return Spent(result, process_time() - cpu, perf_counter() - wall)


def in_turns(calls: Mapping[str, Callable[[], Any]], rounds: int, clock: Clock = process_time) -> dict[str, float]:
    """Median milliseconds of each call, all called once in each round, after a round that is not counted."""
    taken: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds + 1):
        for name, call in calls.items():
            taken[name] += milliseconds(call, 1, clock)
    return {name: median(times[1:]) for name, times in taken.items()}
