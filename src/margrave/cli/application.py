"""The command line: one typer application, to which each command is added here."""

from typing import Annotated

import typer

from margrave._version import __version__
from margrave.cli.demo import demo

app = typer.Typer(
    name="margrave",
    help="Structured prediction: many labels that depend on each other, predicted at once.",
    no_args_is_help=True,
    add_completion=False,
)
app.command()(demo)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"margrave {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Structured prediction: many labels that depend on each other, predicted at once."""


def main() -> None:
    """Run the command that the arguments of this process name."""
    app()
