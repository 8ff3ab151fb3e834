"""`margrave demo`: what labels gain when they know of each other, offline, from data in the package."""

from pathlib import Path
from typing import Annotated, Literal

import typer


def demo(
    what: Annotated[
        Literal["labels", "words"], typer.Argument(help="Photographs with several labels, or handwritten words.")
    ] = "labels",
    C: Annotated[
        float | None,
        typer.Option("--C", min=1e-6, help="Weight of the loss; larger fits closer.", show_default="0.1, words 0.5"),
    ] = None,
    pictures: Annotated[
        Path, typer.Option("--pictures", metavar="FOLDER", help="Where the pictures of labels go.")
    ] = Path("margrave-demo"),
    jobs: Annotated[int, typer.Option("--jobs", help="Threads; -1 takes every core. The result is the same.")] = 2,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")] = False,
) -> None:
    """Label photographs, beside classifiers that know nothing of each other; or read handwritten words.

    Example: margrave demo words
    """
    if what == "words":
        from margrave.cli.demo_words import demonstrate  # noqa: PLC0415 -- `margrave --help` waits for neither

        demonstrate(0.5 if C is None else C, jobs, as_json)
    else:
        from margrave.cli.demo_labels import demonstrate_labels  # noqa: PLC0415

        demonstrate_labels(0.1 if C is None else C, jobs, pictures, as_json)
