"""`margrave fit`: a column file in, a model of sequences out."""

from dataclasses import dataclass
from typing import Annotated

import typer

from margrave.cli.options import Features, Kept, Model

FILES, FEATURES, TRAINING, RESULTS = "Column files", "Features", "Training", "Results"


@dataclass(frozen=True)
class Plan:
    """What the options of `margrave fit` ask for, word by word."""

    file: str
    output: str | None = None
    evaluate: str | None = None
    label_column: str | None = None
    delimiter: str | None = None
    comment: str | None = None
    encoding: str = "utf-8"
    features: Features = Features.columns
    feature_columns: str | None = None
    window: int = 2
    bigrams: bool = True
    model: Model = Model.crf
    C: float = 1.0
    candidates: str | None = None
    folds: int = 3
    boundary: bool = False
    kept: Kept | None = None
    tol: float = 1e-3
    max_iter: int = 1000
    jobs: int = -1
    seed: int | None = None
    verbose: bool = False


def fit(
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sentences to learn from; - is standard input.")],
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="MODEL", help="Where to save the model.", rich_help_panel=RESULTS),
    ] = None,
    evaluate: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Sentences to judge the finished model by.", rich_help_panel=RESULTS),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object instead.", rich_help_panel=RESULTS)
    ] = False,
    verbose: Annotated[
        bool,
        typer.Option("--verbose", help="Print a line per iteration where no bar is drawn.", rich_help_panel=RESULTS),
    ] = False,
    label_column: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBER",
            help="Where the label stands: 0 is the first column, -1 the last.",
            show_default="the last; the first for attributes",
            rich_help_panel=FILES,
        ),
    ] = None,
    delimiter: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT",
            help="What separates columns, as tab or comma.",
            show_default="any spaces and tabs; tab for attributes",
            rich_help_panel=FILES,
        ),
    ] = None,
    comment: Annotated[
        str | None,
        typer.Option(
            metavar="TEXT", help="Lines that begin with this are no tokens.", show_default="none", rich_help_panel=FILES
        ),
    ] = None,
    encoding: Annotated[
        str, typer.Option(metavar="NAME", help="How characters are written.", rich_help_panel=FILES)
    ] = "utf-8",
    features: Annotated[
        Features,
        typer.Option(
            metavar="KIND",
            help="columns: a window over the columns. conll: CRFsuite's template for words and parts of speech. "
            "attributes: the columns are attributes already, as CRFsuite writes them (name or name:weight).",
            rich_help_panel=FEATURES,
        ),
    ] = Features.columns,
    feature_columns: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS",
            help="The columns to make attributes of, as 0,1.",
            show_default="all but the label",
            rich_help_panel=FEATURES,
        ),
    ] = None,
    window: Annotated[
        int,
        typer.Option(
            min=0,
            max=65536,
            metavar="NUMBER",
            help="How many tokens to either side are looked at.",
            rich_help_panel=FEATURES,
        ),
    ] = 2,
    bigrams: Annotated[
        bool, typer.Option(help="Whether pairs of neighbouring values are attributes.", rich_help_panel=FEATURES)
    ] = True,
    features_kept: Annotated[
        Kept | None,
        typer.Option(
            help="Weights for what occurs together in the file, or for every attribute and label.",
            show_default="observed for crf, all for m3n",
            rich_help_panel=FEATURES,
        ),
    ] = None,
    boundary: Annotated[
        bool, typer.Option("--boundary", help="Weights of the first and the last label.", rich_help_panel=FEATURES)
    ] = False,
    model: Annotated[
        Model,
        typer.Option(
            help="crf: conditional random field. m3n: max-margin (a structural SVM).", rich_help_panel=TRAINING
        ),
    ] = Model.crf,
    C: Annotated[
        float,
        typer.Option(
            "--C",
            metavar="NUMBER",
            help="Weight of the loss against ½‖w‖²; larger fits closer.",
            rich_help_panel=TRAINING,
        ),
    ] = 1.0,
    candidates: Annotated[
        str | None,
        typer.Option(
            "--choose-C", metavar="NUMBERS", help="Choose C by cross-validation, as 0.1,1,10.", rich_help_panel=TRAINING
        ),
    ] = None,
    folds: Annotated[
        int, typer.Option(min=2, metavar="NUMBER", help="Folds of the cross-validation.", rich_help_panel=TRAINING)
    ] = 3,
    tol: Annotated[
        float,
        typer.Option(
            metavar="NUMBER",
            help="Stop where the objective is at most this share above its minimum.",
            rich_help_panel=TRAINING,
        ),
    ] = 1e-3,
    max_iter: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="Stop after so many iterations.", rich_help_panel=TRAINING)
    ] = 1000,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="NUMBER", help="Of what is drawn at random: orders, folds.", rich_help_panel=TRAINING
        ),
    ] = None,
    jobs: Annotated[
        int,
        typer.Option(
            metavar="NUMBER", help="Threads; -1 takes every core. The result is the same.", rich_help_panel=TRAINING
        ),
    ] = -1,
) -> None:
    """Train a model of sequences on a column file: one token a line, a blank line after each sentence.

    The model file remembers what the columns mean, so that predict and evaluate ask for nothing again. Ctrl-C ends the
    training early, and keeps the model of the last complete iteration.
    """
    from margrave.cli.training import train  # noqa: PLC0415 -- `margrave --help` does not wait for it

    plan = Plan(
        file, output, evaluate, label_column, delimiter, comment, encoding, features, feature_columns, window, bigrams,
        model, C, candidates, folds, boundary, features_kept, tol, max_iter, jobs, seed, verbose,
    )  # fmt: skip
    train(plan, as_json)
