"""The work of `margrave fit`: settle what columns mean, train, and keep what was learned."""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import margrave as mg
from margrave.cli.choose_penalty import Tried, best, candidates, cross_validate, show_tried
from margrave.cli.column_file import STANDARD, ColumnFile, Format, read_column_file
from margrave.cli.columns import LEAST_USED, Columns, counted, resolved
from margrave.cli.errors import BadInputError, StoppedError
from margrave.cli.fit import Plan
from margrave.cli.model_file import Tagger, save_tagger
from margrave.cli.options import Features, LabelAt, Model, delimiter, label_column, whole_numbers
from margrave.cli.progress import Watcher, standard_error
from margrave.cli.scoring import Scores, score, show_scores
from margrave.cli.targets import checked_target, print_json, standard_output

Labels = list[list[str]]


@dataclass(frozen=True)
class Trained:
    """What came of it."""

    tagger: Tagger
    n_sequences: int
    n_tokens: int
    tol: float
    tried: list[Tried]
    output: str | None
    scores: Scores | None

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        model, last = self.tagger.estimator, self.tagger.estimator.history_[-1]
        return {
            "model": type(model).__name__,
            "C": model.C,
            "sequences": self.n_sequences,
            "tokens": self.n_tokens,
            "labels": model.classes_.tolist(),
            "attributes": model.n_features_in_,
            "weights": len(model.weights_),
            "iterations": model.n_iter_,
            "objective": last["objective"],
            "gap": model.gap_,
            "converged": bool(model.gap_ <= self.tol),
            "seconds": last["seconds"],
            "output": self.output,
            "cross_validation": [each.as_json() for each in self.tried] or None,
            "evaluation": None if self.scores is None else self.scores.as_json(),
        }


def train(plan: Plan, as_json: bool) -> None:
    """Do what `margrave fit` was asked for, and print what came of it."""
    for option, value in (("--C", plan.C), ("--tol", plan.tol)):
        if not 0 < value < np.inf:
            raise BadInputError(f"{option} must be a number above 0, got {value:g}")
    target = None if plan.output is None else _target(plan.output)
    values = [] if plan.candidates is None else candidates(plan.candidates)
    file = read_column_file(plan.file, _format(plan))
    columns = settle_columns(plan, file)
    held_out = None if plan.evaluate is None else labelled(columns, read_column_file(plan.evaluate, columns.format))
    with Watcher(plan.tol, plan.max_iter, plan.verbose, standard_error()).showing() as watcher:
        trained = _trained(plan, file, columns, values, target, watcher)
        if held_out is not None:
            trained = replace(trained, scores=judge(trained.tagger, *held_out))
    if as_json:
        print_json(trained.as_json())
    else:
        _show(trained, standard_output())


def settle_columns(plan: Plan, file: ColumnFile) -> Columns:
    """Which column is the label, and which make attributes, by the options and the width of the file."""
    given = label_column(plan.label_column)
    if given is LabelAt.nowhere:
        raise BadInputError("--label-column none: a model cannot be trained without labels; name their column")
    options = (plan.window, plan.bigrams, file.format.delimiter, plan.comment, plan.encoding)
    if plan.features is Features.attributes:
        if plan.feature_columns is not None:
            raise BadInputError("--feature-columns: with --features attributes every column but the label is used")
        return Columns(plan.features, given if isinstance(given, int) else 0, 0, (), *options)
    label = resolved(given if isinstance(given, int) else -1, file)
    chosen = None if plan.feature_columns is None else whole_numbers("--feature-columns", plan.feature_columns)
    used = [k for k in range(file.width) if k != label] if chosen is None else [resolved(k, file) for k in chosen]
    if label in used:
        raise BadInputError(f"--feature-columns: column {label} is the label, which cannot be predicted from itself")
    needed = LEAST_USED[plan.features]
    if len(used) < needed:
        raise BadInputError(
            f"{file.name} has {counted(file.width)}, {len(used)} of them to make attributes of; --features "
            f"{plan.features} needs {needed} beside the label; if the file has more, say what separates them with "
            f"--delimiter"
        )
    return Columns(plan.features, label, file.width, tuple(dict.fromkeys(used)), *options)


def labelled(columns: Columns, file: ColumnFile, label: int | LabelAt = LabelAt.as_trained) -> tuple[Any, Labels]:
    """The attributes and the labels of a file that must have both."""
    X, y = columns.attributes(file, label), columns.labels(file, label)
    if y is None:
        raise BadInputError(
            f"{file.name} has {counted(file.width)}, none of them the label; expected {columns.n_columns}, the label "
            f"in column {columns.label}; add it, or say where it is with --label-column"
        )
    return X, y


def judge(tagger: Tagger, X: Any, y: Labels) -> Scores:
    """Predict, and compare with the labels."""
    return score(y, tagger.estimator.predict(X), tagger.estimator.classes_.tolist())


# ---------------------------------------------------------------------- the steps


def _target(output: str) -> Path:
    if output == STANDARD:
        raise BadInputError("--output -: a model is not written to standard output; name a file")
    return checked_target(output)


def _format(plan: Plan) -> Format:
    ragged = plan.features is Features.attributes
    separator = delimiter(plan.delimiter) or ("\t" if ragged else None)
    return Format(separator, plan.comment, plan.encoding, ragged)


def _estimator(plan: Plan) -> "mg.SequenceClassifier":
    kind = mg.ChainCRF if plan.model is Model.crf else mg.ChainM3N
    kept: Any = None if plan.kept is None else plan.kept.value
    return kind(
        plan.C,
        nodes=None if kept is None else mg.scores.Linear(kept),
        edges=None if kept is None else mg.scores.Constant(kept),
        boundary=plan.boundary,
        tol=plan.tol,
        max_iter=plan.max_iter,
        n_jobs=plan.jobs,
        random_state=plan.seed,
    )


def _trained(
    plan: Plan, file: ColumnFile, columns: Columns, values: list[float], target: Path | None, watcher: Watcher
) -> Trained:
    estimator = _estimator(plan)
    tagger, tried = Tagger(estimator, columns), list[Tried]()
    try:
        X, y = labelled(columns, file)
        X = estimator.encode(X)
        if values:
            tried = cross_validate(estimator, X, y, values, plan.folds, plan.seed, watcher)
            estimator.set_params(C=best(tried).C)
        estimator.fit(X, y, callback=watcher.begin("training"))
    except KeyboardInterrupt:
        raise StoppedError(_kept(tagger, target, plan.output)) from None
    if target is not None:
        save_tagger(tagger, target)
    return Trained(tagger, len(file.sentences), file.n_tokens, plan.tol, tried, plan.output, None)


def _kept(tagger: Tagger, target: Path | None, output: str | None) -> str:
    """Save what an interrupted fit has left, and say so."""
    estimator = tagger.estimator
    if not hasattr(estimator, "weights_") or not estimator.weights_.any():
        return "interrupted before there was a model: nothing was saved"
    reached = f"interrupted after {estimator.n_iter_} iterations, at a gap of {estimator.gap_:.1e}"
    if target is None:
        return f"{reached}: nothing was saved, as no --output was given"
    save_tagger(tagger, target)
    return f"{reached}: the model of the last complete iteration was saved to {output}"


def _show(trained: Trained, console: Console) -> None:
    facts = trained.as_json()
    table = Table(show_header=False, box=None)
    table.add_column(style="bold", justify="right")
    table.add_column()
    table.add_row("model", f"{facts['model']}, C = {facts['C']:g}")
    table.add_row("trained on", f"{facts['sequences']} sequences, {facts['tokens']} tokens")
    table.add_row("columns", trained.tagger.columns.describe() if trained.tagger.columns else "")
    table.add_row("labels", str(len(facts["labels"])))
    table.add_row("weights", f"{facts['weights']}, of {facts['attributes']} attributes and of neighbouring labels")
    table.add_row("iterations", f"{facts['iterations']}, in {facts['seconds']:.1f} s")
    table.add_row("objective", f"{facts['objective']:.6g}, at most {facts['gap']:.1e} of it above the minimum")
    table.add_row("saved to", facts["output"] or "nowhere; give --output MODEL to keep it")
    if trained.tried:
        show_tried(trained.tried, console)
    console.print(table)
    if trained.scores is not None:
        show_scores(trained.scores, console)
