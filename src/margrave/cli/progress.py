"""What a fit shows while it works: a bar where a person looks on, lines where asked for, on standard error alone."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.status import Status

from margrave.cli.errors import say
from margrave.cli.time_left import share_done, time_left
from margrave.primitives import on_first_compilation
from margrave.solvers import Record

Watch = Callable[[Record], Any]
_COMPILING = "compiling kernels, once on this machine"


class Watcher:
    """Sees the records of one fit after the other, and says how it goes.

    Parameters
    ----------
    tol, max_iter : float, int
        Of the fits.
    verbose : bool
        Whether lines are printed where there is no terminal to draw on.
    console : rich Console
        Of standard error.
    """

    def __init__(self, tol: float, max_iter: int, verbose: bool, console: Console) -> None:
        self.tol, self.max_iter, self._verbose = tol, max_iter, verbose
        self._history: list[Record] = []
        self._title = "training"
        self._bar: Progress | None = None
        self._task = TaskID(0)
        self._announced = False
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"), BarColumn(bar_width=24), TextColumn("{task.fields[state]}"),
                TimeElapsedColumn(), TextColumn("{task.fields[left]}"), console=console, transient=True,
            )  # fmt: skip

    def begin(self, title: str) -> Watch:
        """A new fit begins; returns the callback that it reports to."""
        self._history, self._title = [], title
        if self._bar is not None:
            self._bar.update(self._task, description=title, completed=0.0, state="", left="")
        elif self._verbose:
            say(f"{title} ...")
        return self._seen

    @contextmanager
    def showing(self) -> Iterator["Watcher"]:
        """Draw, inside the block."""
        with on_first_compilation(self._compiling):
            if self._bar is None:
                yield self
                return
            with self._bar:
                self._task = self._bar.add_task("encoding", total=1.0, state="", left="")
                yield self

    def _compiling(self) -> None:
        if self._bar is not None:
            self._bar.update(self._task, description=_COMPILING)
        elif self._verbose and not self._announced:
            say(f"{_COMPILING} ...")
        self._announced = True

    def _seen(self, record: Record) -> None:
        self._history.append(record)
        left = time_left(self._history, self.tol, self.max_iter)
        state = f"iteration {record['iteration']}  objective {record['objective']:.6g}  gap {record['gap']:.1e}"
        if self._bar is not None:
            done = share_done(self._history, self.tol, self.max_iter)
            remaining = "" if left is None else str(left)
            self._bar.update(self._task, description=self._title, completed=done, state=state, left=remaining)
        elif self._verbose:
            say(f"{state}  {record['seconds']:.1f} s" + ("" if left is None else f"  {left}"))


def standard_error() -> Console:
    """Where progress is drawn."""
    return Console(stderr=True)


def labelling() -> Status:
    """What is shown while a model predicts, where a person looks on."""
    return standard_error().status("labelling (the first time, kernels are compiled) ...")
