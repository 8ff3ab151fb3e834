"""How good predictions are: token by token, label by label, and in chunks where labels spell them."""

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from margrave.metrics import ChunkScore, chunk_f1, chunk_scores, confusion_matrix, sequence_accuracy, token_accuracy
from margrave.primitives import AnyArray

_TAG = re.compile(r"O|[BIES](-.*)?")
_SHOWN_UNKNOWN = 5

Labels = Sequence[Sequence[str] | AnyArray]


def spell_chunks(labels: set[str]) -> bool:
    """Whether labels are tags of chunks (BIO, IOB, IOBES): all of that form, and one that begins a chunk."""
    return all(_TAG.fullmatch(label) for label in labels) and any(label[0] in "BI" for label in labels)


@dataclass(frozen=True)
class Scores:
    """Measures of predicted labels; `chunks` is None where labels do not spell chunks.

    Attributes
    ----------
    n_sequences, n_tokens : int
    token_accuracy, sequence_accuracy : float
    labels : dict from label to precision, recall, f1 and support, of tokens
    chunks : dict or None
        Micro-averaged precision, recall, f1 and support of chunks, and those of each type under "types".
    unknown_labels : dict from str to int
        Labels in the file that the model does not have, and how many tokens carry them: they count as wrong.
    """

    n_sequences: int
    n_tokens: int
    token_accuracy: float
    sequence_accuracy: float
    labels: dict[str, dict[str, float]]
    chunks: dict[str, Any] | None
    unknown_labels: dict[str, int]

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return asdict(self)


def score(y_true: Labels, y_pred: Labels, known: Sequence[str]) -> Scores:
    """Compare predicted with true labels; `known` are the model's labels."""
    true, predicted = ([[str(label) for label in labels] for labels in y] for y in (y_true, y_pred))
    occurring = {label for labels in (*true, *predicted) for label in labels}
    tokens = [label for labels in true for label in labels]
    strange = sorted(occurring - set(known))
    return Scores(
        n_sequences=len(true),
        n_tokens=len(tokens),
        token_accuracy=token_accuracy(true, predicted),
        sequence_accuracy=sequence_accuracy(true, predicted),
        labels=_by_label(true, predicted, sorted(occurring)),
        chunks=_in_chunks(true, predicted) if spell_chunks(occurring | set(known)) else None,
        unknown_labels={label: tokens.count(label) for label in strange},
    )


def headline(scores: Scores) -> tuple[str, float]:
    """The one measure to choose by: F1 of chunks where there are any, else token accuracy."""
    if scores.chunks is not None:
        return "chunk F1", scores.chunks["f1"]
    return "token accuracy", scores.token_accuracy


def show_scores(scores: Scores, console: Console) -> None:
    """Print the measures for a person."""
    console.print(
        f"{scores.n_tokens} tokens, {scores.token_accuracy:.2%} of them right; "
        f"{scores.n_sequences} sequences, {scores.sequence_accuracy:.2%} of them right throughout",
        soft_wrap=True,
    )
    if scores.unknown_labels:
        names = list(scores.unknown_labels)
        shown = ", ".join(names[:_SHOWN_UNKNOWN]) + (", ..." if len(names) > _SHOWN_UNKNOWN else "")
        n_tokens = sum(scores.unknown_labels.values())
        console.print(
            f"{n_tokens} tokens have labels that the model does not know ({shown}): they count as wrong", soft_wrap=True
        )
    if scores.chunks is not None:
        table = _table("Chunks", "type", scores.chunks["types"])
        table.add_section()
        table.add_row("all", *_cells(scores.chunks))
        console.print(table)
    console.print(_table("Tokens", "label", scores.labels))


def _table(title: str, first: str, rows: dict[str, dict[str, float]]) -> Table:
    table = Table(title=title, title_justify="left")
    table.add_column(first)
    for name in ("precision", "recall", "F1", "support"):
        table.add_column(name, justify="right")
    for name, row in rows.items():
        table.add_row(name, *_cells(row))
    return table


def _cells(row: dict[str, Any]) -> list[str]:
    return [*(f"{row[measure]:.4f}" for measure in ("precision", "recall", "f1")), str(row["support"])]


def _by_label(true: Labels, predicted: Labels, names: list[str]) -> dict[str, dict[str, float]]:
    counts = confusion_matrix(true, predicted, names)
    right, guessed, actual = np.diag(counts), counts.sum(axis=0), counts.sum(axis=1)
    rows = zip(names, right.tolist(), guessed.tolist(), actual.tolist(), strict=True)
    return {name: _measures(both, of_guessed, of_actual) for name, both, of_guessed, of_actual in rows}


def _measures(both: int, guessed: int, actual: int) -> dict[str, float]:
    return {
        "precision": both / guessed if guessed else 0.0,
        "recall": both / actual if actual else 0.0,
        "f1": 2.0 * both / (guessed + actual) if guessed + actual else 0.0,
        "support": actual,
    }


def _in_chunks(true: Labels, predicted: Labels) -> dict[str, Any]:
    types = chunk_scores(true, predicted)
    n_true = sum(each.support for each in types.values())
    n_both = round(sum(each.recall * each.support for each in types.values()))
    f1 = chunk_f1(true, predicted)
    n_predicted = round(2 * n_both / f1) - n_true if f1 else None  # F1 = 2 both / (predicted + true)
    overall = ChunkScore(
        precision=n_both / n_predicted if n_predicted else 0.0,
        recall=n_both / n_true if n_true else 0.0,
        f1=f1,
        support=n_true,
    )
    return {**overall._asdict(), "types": {kind: each._asdict() for kind, each in types.items()}}
