"""The strongest weights of a model of sequences, label by label."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

import margrave as mg
from margrave.cli.errors import BadInputError
from margrave.cli.model_file import Tagger
from margrave.primitives import Floats

#: What stands in for a label before the first position and behind the last.
START, END = "(start)", "(end)"
_BIAS = "(bias)"


def look_into(tagger: Tagger, labels: Sequence[str] | None = None, top: int = 10) -> dict[str, Any]:
    """What a model has learned, as JSON values.

    Parameters
    ----------
    tagger : Tagger
    labels : sequence of str, optional
        The labels to look at; None: all.
    top : int
        How many features, and transitions from and to the label, are listed: those of largest absolute weight, none of
        which is 0.

    Raises
    ------
    BadInputError
        A label that the model does not have.
    """
    model = tagger.estimator
    names = [str(label) for label in model.classes_.tolist()]
    for label in labels or []:
        if label not in names:
            raise BadInputError(f"--label {label}: the model has no such label; it has {', '.join(names)}")
    attributes, weights = _features(model)
    onward, back = _transitions(model, names)
    looked_at = {
        name: {
            "features": _strongest("attribute", attributes, weights[k], top),
            "followed_by": _strongest("label", *onward[name], top),
            "preceded_by": _strongest("label", *back[name], top),
        }
        for k, name in enumerate(names)
        if labels is None or name in labels
    }
    return {**_facts(tagger), "labels": looked_at}


def show_inspection(found: dict[str, Any], console: Console) -> None:
    """Print what `look_into` found, for a person."""
    size = f"{found['n_labels']} labels, {found['attributes']} attributes, {found['weights']} weights"
    trained = f"{found['iterations']} iterations, gap {found['gap']:.1e}"
    console.print(f"{found['model']}, C = {found['C']:g}: {size}; {trained}", soft_wrap=True)
    if found["columns"]:
        console.print(f"columns {found['columns']}", soft_wrap=True)
    for label, lists in found["labels"].items():
        table = Table(title=f"\n{label}", title_justify="left", title_style="bold")
        rows = [[(row.get("attribute", row.get("label")), row["weight"]) for row in part] for part in lists.values()]
        for title in ("feature", "followed by", "preceded by"):
            table.add_column(title, overflow="fold")
            table.add_column("weight", justify="right")
        for i in range(max(map(len, rows))):
            cells = [part[i] if i < len(part) else ("", None) for part in rows]
            table.add_row(*(text for name, weight in cells for text in (name, _signed(weight))))
        console.print(table)


def _signed(weight: float | None) -> str:
    return "" if weight is None else f"{weight:+.3f}"


def _facts(tagger: Tagger) -> dict[str, Any]:
    model = tagger.estimator
    return {
        "model": type(model).__name__,
        "C": float(model.C),
        "n_labels": len(model.classes_),
        "attributes": model.n_features_in_,
        "weights": len(model.weights_),
        "iterations": model.n_iter_,
        "gap": model.gap_,
        "columns": None if tagger.columns is None else tagger.columns.describe(),
    }


def _features(model: "mg.SequenceClassifier") -> tuple[list[str], Floats]:
    """Names of the nodes' features, and their weights (n_labels, n_features), a bias as one more if there is one."""
    if not hasattr(model, "coef_"):  # the scores of nodes are not made of features
        return [], np.zeros((len(model.classes_), 0))
    known = model.encoder_.names_
    names = [str(k) for k in range(model.n_features_in_)] if known is None else known.feature_names_.tolist()
    weights, biases = model.coef_, model.intercept_
    return ([*names, _BIAS], np.column_stack([weights, biases])) if biases.any() else (names, weights)


Listed = tuple[list[str], Floats]


def _transitions(model: "mg.SequenceClassifier", names: list[str]) -> tuple[dict[str, Listed], dict[str, Listed]]:
    """For each label what may follow it, and what may come before it, with the weights of both."""
    table = model.transitions_
    first, last = model.boundary_
    onward = {a: ([*names, END], np.append(table[i], last[i])) for i, a in enumerate(names)}
    back = {a: ([*names, START], np.append(table[:, i], first[i])) for i, a in enumerate(names)}
    return onward, back


def _strongest(kind: str, names: Sequence[str], weights: Floats, top: int) -> list[dict[str, Any]]:
    """The names with the largest absolute weights, largest first."""
    order = np.argsort(-np.abs(weights), kind="stable")[:top]
    return [{kind: names[k], "weight": float(weights[k])} for k in order if weights[k] != 0.0]
