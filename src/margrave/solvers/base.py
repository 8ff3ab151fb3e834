"""The seam between solvers and everything that runs them.

A solver is a parameter object; `begin` gives a run, which `advance`s an iteration at a time. What all solvers do
between iterations (time, history, stopping, callbacks, interrupts) stands here, once.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, ClassVar, Generic, Protocol, TypedDict, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from margrave.primitives import Floats, one_blas_thread

Seen = TypeVar("Seen")


class Record(TypedDict):
    """One line of `history_`; `dual` is None for solvers without one, `gap` is relative to the objective."""

    iteration: int
    objective: float
    dual: float | None
    gap: float
    seconds: float


Callback = Callable[[Record], Any]


@dataclass
class Solution:
    """What a solver gives back.

    Attributes
    ----------
    weights : array of shape (n_weights,)
    history : list of Record
    gap : float
        (primal − lower bound)/primal of these very weights; NaN where nothing bounds the minimum.
    duals : object or None
        The dual variables that certify the gap, for solvers that have them.
    stopped_by : {"tolerance", "max_iter", "precision", "callback", "interrupt"}
        "precision": nothing lower can be told apart in floating point.
    n_iter : int
        Complete iterations.
    """

    weights: Floats
    history: list[Record] = field(default_factory=list)
    gap: float = np.nan
    duals: Any = None
    stopped_by: str = "max_iter"
    n_iter: int = 0

    @property
    def converged(self) -> bool:
        """Whether the tolerance was reached."""
        return self.stopped_by == "tolerance"


class Interrupted(KeyboardInterrupt):
    """A run was interrupted; `solution` is what the last complete iteration left."""

    def __init__(self, solution: Solution) -> None:
        super().__init__("interrupted; the solution of the last complete iteration was kept")
        self.solution = solution


@dataclass(frozen=True)
class Progress:
    """What an iteration reached."""

    objective: float
    gap: float
    dual: float | None = None
    stuck: bool = False  # nothing lower can be told apart from here in floating point


class Run(Protocol):
    """A solver at work on one objective; `iteration` is the number of its complete iterations."""

    iteration: int

    def advance(self, last: int) -> Progress:
        """Go on to the next iteration that has something to report, at most to iteration `last`."""
        ...

    def solution(self) -> Solution:
        """What has been reached."""
        ...


class Solver(BaseEstimator, ABC, Generic[Seen]):
    """Parameters of a solver of objectives of one type; subclasses have `tol` and `max_iter` among them.

    Attributes
    ----------
    objective_type : type
        What it needs to see: `Objective`; `DualObjective` for solvers with dual variables; `BinaryObjective`, of one
        label, for those of directed models.
    counts : mapping from name to number
        Its parameters that are whole numbers, besides `max_iter`, and the least that each may be.
    """

    objective_type: ClassVar[type[Any]]
    counts: ClassVar[Mapping[str, int]] = {}
    tol: float
    max_iter: int

    @abstractmethod
    def refusal(self, objective: Seen) -> str | None:
        """Why this solver cannot take the objective's loss, in a sentence that names one that can; or None."""

    @abstractmethod
    def begin(self, objective: Seen, start: Floats | None) -> Run:
        """A run from weights `start` (None: from zero)."""

    def minimize(self, objective: Seen, start: Floats | None = None, callback: Callback | None = None) -> Solution:
        """Lower the objective until the gap is at most `tol`, for at most `max_iter` iterations.

        Parameters
        ----------
        objective : as `objective_type` says
        start : array of shape (n_weights,) or None
        callback : function of a Record, or None
            Called after each iteration that reports; stops the run by returning True.

        Raises
        ------
        Interrupted
            A KeyboardInterrupt that carries the solution of the last complete iteration.
        """
        reason = self.refusal(objective)
        if reason is not None:
            raise ValueError(reason)
        self._check_parameters()
        with one_blas_thread():
            run, history, began = self.begin(objective, start), list[Record](), perf_counter()
            reason = ""
            try:
                while not reason:
                    progress = run.advance(self.max_iter)
                    history.append(_record(run.iteration, progress, perf_counter() - began))
                    reason = self._reason(run, history, progress)
                    if callback is not None and _asks_to_stop(callback(history[-1])):
                        reason = reason or "callback"
                return _finished(run, history, reason)
            except KeyboardInterrupt:
                raise Interrupted(_finished(run, history, "interrupt")) from None

    def _check_parameters(self) -> None:
        name = type(self).__name__
        tol: Any = self.tol
        if not isinstance(tol, int | float | np.number) or isinstance(tol, bool) or not tol >= 0:
            raise ValueError(f"tol of {name} must be a number of at least 0, got {tol!r}")
        for parameter, least in {"max_iter": 1, **self.counts}.items():
            count = getattr(self, parameter)
            if not isinstance(count, int | np.integer) or isinstance(count, bool) or count < least:
                raise ValueError(f"{parameter} of {name} must be a whole number of at least {least}, got {count!r}")

    def _reason(self, run: Run, history: list[Record], progress: Progress) -> str:
        """Why to stop, or nothing."""
        if _converged(history, self.tol):
            return "tolerance"
        if progress.stuck:
            return "precision"
        return "max_iter" if run.iteration >= self.max_iter else ""


def _asks_to_stop(answer: Any) -> bool:
    return isinstance(answer, bool | np.bool_) and bool(answer)


def _record(iteration: int, progress: Progress, seconds: float) -> Record:
    return Record(
        iteration=iteration, objective=progress.objective, dual=progress.dual, gap=progress.gap, seconds=seconds
    )


def _converged(history: list[Record], tol: float, back: int = 5) -> bool:
    """By the gap; where nothing bounds the minimum, by the relative decrease over the last iterations."""
    now = history[-1]
    if not np.isnan(now["gap"]):
        return now["gap"] <= tol
    if len(history) <= back:
        return False
    return history[-1 - back]["objective"] - now["objective"] <= tol * abs(now["objective"])


def _finished(run: Run, history: list[Record], reason: str) -> Solution:
    solution = run.solution()
    solution.history, solution.stopped_by, solution.n_iter = history, reason, run.iteration
    return solution
