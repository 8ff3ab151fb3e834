"""The command line: one typer application, to which each command is added here."""

from typing import Annotated

import typer

from margrave._version import __version__
from margrave.cli.demo import demo
from margrave.cli.errors import plainly, show_tracebacks
from margrave.cli.evaluate import evaluate
from margrave.cli.fit import fit
from margrave.cli.inspect import inspect
from margrave.cli.paper import paper
from margrave.cli.predict import predict
from margrave.cli.versions import versions
from margrave.cli.warmup import warmup

app = typer.Typer(
    name="margrave",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",  # paragraphs are filled to the width of the terminal
)
for _command in (demo, fit, predict, evaluate, inspect, paper, warmup, versions):
    app.command()(plainly(_command))


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"margrave {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show where an error came from, before its sentence.")] = False,
) -> None:
    """Structured prediction: many labels that depend on each other, predicted at once.

    Errors are one sentence on standard error. The exit code is 0 for done, 1 for a run that failed, 2 for a command
    line or a file that is not what it has to be, 130 for Ctrl-C.
    """
    show_tracebacks(debug)


def main() -> None:
    """Run the command that the arguments of this process name."""
    app()
