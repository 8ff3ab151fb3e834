"""Choosing C by cross-validation: each candidate is trained on all folds but one, and judged on that one."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.base import clone

import margrave as mg
from margrave.cli.errors import BadInputError
from margrave.cli.progress import Watcher
from margrave.cli.scoring import headline, score


@dataclass(frozen=True)
class Tried:
    """One candidate and what it reached on each fold."""

    C: float
    measure: str
    folds: list[float]

    @property
    def mean(self) -> float:
        """The mean over the folds."""
        return float(np.mean(self.folds))

    def as_json(self) -> dict[str, Any]:
        """As JSON values."""
        return {**asdict(self), "mean": self.mean}


def candidates(text: str) -> list[float]:
    """The numbers of a list such as `0.1,1,10`.

    Raises
    ------
    BadInputError
        Where it is no list of positive numbers.
    """
    try:
        numbers = [float(part) for part in text.split(",")]
    except ValueError:
        numbers = []
    if not numbers or not all(0 < number < np.inf for number in numbers):
        raise BadInputError(f"--choose-C takes numbers above 0 with commas between them, as 0.1,1,10; got {text!r}")
    return sorted(set(numbers))


def cross_validate(
    estimator: "mg.SequenceClassifier",
    X: "mg.Sequences",
    y: Sequence[Sequence[str]],
    C: Sequence[float],
    folds: int,
    seed: int | None,
    watcher: Watcher,
) -> list[Tried]:
    """Try every C on the same folds, which are drawn at random, whole sequences at a time."""
    if not 2 <= folds <= len(y):
        raise BadInputError(f"--folds must be from 2 to the number of sequences, {len(y)}; got {folds}")
    cuts = np.array_split(np.random.default_rng(seed).permutation(len(y)), folds)
    known = sorted({label for labels in y for label in labels})
    tried = []
    for value in C:
        reached, measure = [], ""
        for k, held_out in enumerate(cuts):
            kept = np.sort(np.concatenate([*cuts[:k], *cuts[k + 1 :]]))
            watch = watcher.begin(f"C = {value:g}, fold {k + 1} of {folds}")
            model = clone(estimator).set_params(C=value).fit(X[kept], [y[i] for i in kept], callback=watch)
            found = score([y[i] for i in held_out], model.predict(X[held_out]), known)
            measure, share = headline(found)
            reached.append(share)
        tried.append(Tried(value, measure, reached))
    return tried


def best(tried: Sequence[Tried]) -> Tried:
    """The candidate with the best mean; of equal ones the smallest C, whose weights are the smallest too."""
    return max(tried, key=lambda each: (each.mean, -each.C))


def show_tried(tried: Sequence[Tried], console: Console) -> None:
    """Print what was tried for a person."""
    chosen = best(tried)
    table = Table(title=f"{chosen.measure} by cross-validation", title_justify="left")
    for name in ("C", *(f"fold {k + 1}" for k in range(len(chosen.folds))), "mean"):
        table.add_column(name, justify="right")
    for each in tried:
        style = "bold" if each is chosen else None
        mark = " *" if each is chosen else ""
        table.add_row(f"{each.C:g}{mark}", *(f"{share:.4f}" for share in (*each.folds, each.mean)), style=style)
    console.print(table)
