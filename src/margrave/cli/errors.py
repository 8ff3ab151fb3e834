"""How commands end: one sentence on standard error, and an exit code that a script can read.

0    done
1    the run failed, or could not give what was asked for
2    the command line or a file was not what it has to be
130  interrupted by Ctrl-C
"""

import functools
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn, ParamSpec, TypeVar

import typer

P = ParamSpec("P")
R = TypeVar("R")

FAILED, BAD_INPUT, INTERRUPTED = 1, 2, 130

_traceback = False


class BadInputError(Exception):
    """The command line, or a file, is not what it has to be."""


class UnmetError(Exception):
    """What was asked for could not be had."""


class StoppedError(KeyboardInterrupt):
    """Ctrl-C, with a sentence about what was kept."""


def show_tracebacks(asked: bool) -> None:
    """Whether errors are raised on, for those who look for a fault in the library."""
    global _traceback  # noqa: PLW0603
    _traceback = asked


def plainly(command: Callable[P, R]) -> Callable[P, R]:
    """Make a command end in one sentence and an exit code, whatever is raised in it."""

    @functools.wraps(command)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            with plain_warnings():
                return command(*args, **kwargs)
        except (typer.Exit, typer.Abort, typer.BadParameter, BrokenPipeError):
            raise
        except (BadInputError, UnmetError) as error:
            _leave(error, str(error), BAD_INPUT if isinstance(error, BadInputError) else FAILED)
        except KeyboardInterrupt as error:
            _leave(error, str(error) if isinstance(error, StoppedError) else "interrupted", INTERRUPTED)
        except Exception as error:
            what = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            _leave(error, f"{what} (margrave --debug {command.__name__} ... shows where)", FAILED)

    return wrapped


@contextmanager
def plain_warnings() -> Iterator[None]:
    """Warnings as sentences on standard error, without the line of the library that they come from."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", UserWarning)  # what the library says to its users; the rest is for programmers
        warnings.showwarning = lambda message, *args, **kwargs: say(f"warning: {message}")
        yield


def say(sentence: str) -> None:
    """Print a line to standard error: standard output belongs to results."""
    typer.echo(sentence, err=True)


def _leave(error: BaseException, sentence: str, code: int) -> NoReturn:
    if _traceback:
        traceback.print_exception(error)
    say(f"error: {sentence}" if code != INTERRUPTED else sentence)
    raise typer.Exit(code) from None
