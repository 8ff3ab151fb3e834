"""`margrave paper`: a paper's tables and figures, recomputed from the data."""

from pathlib import Path
from typing import Annotated

import typer

from margrave.cli.options import AsJson


def paper(
    name: Annotated[str | None, typer.Argument(metavar="PAPER", help="Which paper; --list shows them.")] = None,
    table: Annotated[str | None, typer.Option("--table", metavar="NAME", help="A table of the paper.")] = None,
    figure: Annotated[str | None, typer.Option("--figure", metavar="NAME", help="A figure of the paper.")] = None,
    ablation: Annotated[bool, typer.Option("--ablation", help="What each part of the model brings.")] = False,
    data: Annotated[
        str | None, typer.Option("--data", metavar="SET", help="Another data set.", show_default="the paper's")
    ] = None,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FOLDER", help="Where tables and pictures go.")
    ] = Path("results"),
    jobs: Annotated[int, typer.Option("--jobs", help="Threads; -1 takes every core.")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Of folds, orders and random weights.")] = 0,
    trial: Annotated[
        bool, typer.Option("--trial", help="A few examples and one setting: does it run? Its numbers mean nothing.")
    ] = False,
    listing: Annotated[bool, typer.Option("--list", help="Show what can be recomputed.")] = False,
    as_json: AsJson = False,
) -> None:
    """Recompute a table or a figure of a paper from the raw data.

    Settings are chosen by cross-validation inside the training set, and the table that they were chosen from is
    written beside the result.

    Example: margrave paper lmsbn --table scene --jobs 2
    """
    from margrave.cli.papers import list_papers, make_item, show_rows  # noqa: PLC0415 -- `margrave --help` does not wait
    from margrave.cli.targets import print_json  # noqa: PLC0415

    if listing or name is None:
        list_papers()
        return
    asked = [f"table {table}"] * (table is not None) + [f"figure {figure}"] * (figure is not None)
    rows = make_item(name, asked + ["ablation"] * ablation, output, data, jobs, seed, trial)
    if as_json:
        print_json({"rows": rows})
    else:
        show_rows(rows, output)
