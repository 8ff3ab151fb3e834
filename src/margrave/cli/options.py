"""Options that several commands share; imports nothing that `margrave --help` would have to wait for."""

from enum import StrEnum
from typing import Annotated

import typer

from margrave.cli.errors import BadInputError


class Model(StrEnum):
    """Which model is trained."""

    crf = "crf"
    m3n = "m3n"


class Features(StrEnum):
    """How columns become attributes."""

    columns = "columns"
    conll = "conll"
    attributes = "attributes"


class Kept(StrEnum):
    """Which weights there are."""

    observed = "observed"
    all = "all"


class LabelAt(StrEnum):
    """Where the label of a token stands, if not in a column of a given number."""

    as_trained = "as trained"
    nowhere = "none"


ModelFile = Annotated[str, typer.Argument(metavar="MODEL", help="A model that `margrave fit --output` wrote.")]
Jobs = Annotated[
    int, typer.Option("--jobs", metavar="NUMBER", help="Threads; -1 takes every core. The result is the same.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object instead.")]
LabelColumn = Annotated[
    str | None,
    typer.Option(
        "--label-column",
        metavar="NUMBER|none",
        help="Where the label stands, if not where it stood in training; none: nowhere.",
        show_default=False,
    ),
]


def label_column(text: str | None) -> int | LabelAt:
    """What `--label-column` says; nothing: as in training."""
    if text is None:
        return LabelAt.as_trained
    if text.strip().lower() == LabelAt.nowhere:
        return LabelAt.nowhere
    return whole_number("--label-column", text)


def whole_numbers(option: str, text: str) -> list[int]:
    """A list such as `0,1,-2`."""
    return [whole_number(option, part) for part in text.split(",")]


def whole_number(option: str, text: str) -> int:
    """The number of a column."""
    try:
        return int(text)
    except ValueError:
        raise BadInputError(
            f"{option} takes the number of a column, from 0, or from -1 for the last; got {text!r}"
        ) from None


def delimiter(text: str | None) -> str | None:
    r"""What `--delimiter` says: `tab` and `\t` are a tab, which shells make hard to type."""
    if text == "":
        raise BadInputError("--delimiter must be at least one character; leave it out for any run of spaces and tabs")
    return {"tab": "\t", r"\t": "\t", "space": " ", "comma": ","}.get(text, text) if text is not None else None
