"""Multi-label classifiers side by side: this library's, scikit-learn's, and whatever else has fit and predict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from time import perf_counter
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone

from margrave.features.label_table import LabelTable, Values
from margrave.metrics import multilabel_scores
from margrave.primitives import AnyArray, Booleans

#: What a table shows unless it is asked for something else.
MEASURES = ("exact_match", "hamming_loss", "f1_samples", "f1_macro", "f1_micro")
#: What follows the measures in every row.
_OF_RUNS = ("fit_seconds", "predict_seconds", "certified")


@dataclass(frozen=True)
class Comparison:
    """What `compare` found: a row per model.

    Attributes
    ----------
    rows : list of dicts
        "model", the measures, "fit_seconds", "predict_seconds", and "certified": the share of predictions that are
        proved to be the model's best, None for models that prove nothing.
    """

    rows: list[dict[str, Any]]

    @property
    def columns(self) -> list[str]:
        """The keys of every row."""
        return list(self.rows[0]) if self.rows else []

    def to_frame(self) -> Any:
        """A pandas data frame, models as its index; pandas must be installed."""
        return import_module("pandas").DataFrame(self.rows).set_index("model")

    def cells(self) -> list[list[str]]:
        """Every row as text: names, measures with three decimals, seconds with two, certified shares as percentages."""
        return [[_text(key, row[key]) for key in self.columns] for row in self.rows]

    def __str__(self) -> str:
        if not self.rows:
            return "no models"
        lines = [self.columns, *self.cells()]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        aligned = [
            [line[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(line[1:], widths[1:], strict=True))]
            for line in lines
        ]
        return "\n".join("  ".join(line).rstrip() for line in aligned)


def compare(
    models: Mapping[str, Any] | Iterable[Any],
    X_train: Any,
    Y_train: Any,
    X_test: Any,
    Y_test: Any,
    measures: Iterable[str] = MEASURES,
) -> Comparison:
    """Train models on one part, judge their predictions on another.

    Parameters
    ----------
    models : mapping of names to classifiers, or classifiers
        Anything with fit and predict for tables of 0 and 1, such as `OneVsRestClassifier(LinearSVC())`,
        `MultiOutputClassifier`, `ClassifierChain` or forests of scikit-learn. Copies are trained. Without names they
        are called by their classes.
    X_train, X_test : as the models take them
    Y_train, Y_test : tables of shape (n_examples, K)
        Any two values per column; models see 0 and 1, and 1 is the last of the sorted values.
    measures : names of `mg.metrics.multilabel_scores`, default=five of them

    Returns
    -------
    Comparison
        Seconds are of the wall clock; the first fit on a machine compiles kernels as well.

    Examples
    --------
    >>> import margrave as mg
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> scene = mg.datasets.load_scene()
    >>> models = {"LMSBN": mg.LMSBNClassifier(C=0.1), "tree": DecisionTreeClassifier(random_state=0)}
    >>> found = mg.compare(models, scene.X_train, scene.Y_train, scene.X_test, scene.Y_test)
    >>> [(row["model"], row["exact_match"] > 0.6, row["certified"]) for row in found.rows]
    [('LMSBN', True, 1.0), ('tree', False, None)]
    """
    table, values = LabelTable.learn(Y_train)
    train, test = (_zeros_and_ones(part, table) for part in (values, table.read(Y_test, "Y_test")))
    chosen = list(measures)
    unknown = set(chosen) - set(multilabel_scores([[1]], [[1]]))
    if unknown:
        raise ValueError(f"measures: {', '.join(sorted(unknown))} is none of metrics.multilabel_scores")
    rows = []
    for name, model in _named(models):
        try:
            rows.append({"model": name, **_judged(model, X_train, train, X_test, test, chosen)})
        except Exception as error:
            error.add_note(f"this happened to {name!r} in a comparison")
            raise
    return Comparison(rows)


def _judged(model: Any, X: Any, Y: AnyArray, X_test: Any, Y_test: AnyArray, measures: list[str]) -> dict[str, Any]:
    fitted, began = clone(model), perf_counter()
    fitted.fit(X, Y)
    trained = perf_counter()
    certified = None
    if hasattr(fitted, "predict_certified"):
        found = fitted.predict_certified(X_test)
        labels, certified = found.labels, float(np.mean(found.certified))
    else:
        labels = fitted.predict(X_test)
    done = perf_counter()
    scores = multilabel_scores(Y_test, as_labels(labels, Y_test.shape))
    runs = dict(zip(_OF_RUNS, (trained - began, done - trained, certified), strict=True))
    return {**{name: scores[name] for name in measures}, **runs}


def as_labels(labels: Any, shape: tuple[int, ...]) -> AnyArray:
    """Predictions as classifiers give them (arrays, lists, sparse matrices, data frames) as an array of 0 and 1.

    Parameters
    ----------
    labels : table of 0 and 1, or of what equals them, such as 1.0
    shape : tuple
        What the array must have.

    Examples
    --------
    >>> as_labels([[1.0, 0.0]], (1, 2))
    array([[1, 0]])
    """
    found: AnyArray = np.asarray(labels.toarray() if sparse.issparse(labels) else labels)
    if found.shape != shape:
        raise ValueError(f"predictions must have the shape of Y_test, {shape}, got {found.shape}")
    wrong: Booleans = (found != 0) & (found != 1)
    if wrong.any():
        row = int(np.argwhere(wrong)[0][0])
        raise ValueError(f"predictions must be 0 or 1, got {found[wrong][0].item()!r} for example {row}")
    return found.astype(np.int64)


def _zeros_and_ones(values: Values, table: LabelTable) -> AnyArray:
    """What models are given: in two dimensions, or in one where the labels came in one."""
    if (values == 0).any():
        row, column = (int(i) for i in np.argwhere(values == 0)[0])
        raise ValueError(f"labels of example {row} do not say label {table.name(column)}; a comparison needs them all")
    full: AnyArray = (values > 0).astype(np.int64)
    return full[:, 0] if table.one_column else full


def _named(models: Mapping[str, Any] | Iterable[Any]) -> list[tuple[str, Any]]:
    """Models with names that differ."""
    if isinstance(models, Mapping):
        return [(str(name), model) for name, model in models.items()]
    listed = list(models)
    names = [type(model).__name__ for model in listed]
    return [
        (name if names.count(name) == 1 else f"{name} {names[: k + 1].count(name)}", model)
        for k, (name, model) in enumerate(zip(names, listed, strict=True))
    ]


def _text(key: str, value: Any) -> str:
    if value is None:
        return ""
    if key == "model":
        return str(value)
    if key == "certified":
        return f"{value:.1%}"
    return f"{value:.2f}" if key in _OF_RUNS else f"{value:.3f}"
