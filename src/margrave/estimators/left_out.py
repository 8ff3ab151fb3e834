"""Scores of training examples by classifiers that have not seen them: what cuts are chosen on."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.validation import validate_data

from margrave.estimators.joint_cuts import LeftOut
from margrave.estimators.lmsbn import LMSBNClassifier
from margrave.features.label_table import LabelTable
from margrave.inference import DirectedScores
from margrave.primitives import AnyArray, Booleans, Floats, Integers, effective_n_jobs


@dataclass(frozen=True, eq=False)
class TuningData:
    """Training data of which parts are left out.

    Parameters
    ----------
    X, Y : as given to fit
    table : LabelTable
    truth : bool array of shape (n_examples, K)
        The labels that change.
    """

    X: Any
    Y: Any
    table: LabelTable
    truth: Booleans

    def train(self, base: Any, rows: Integers) -> Any:
        """A copy of an estimator, trained on some examples; a label may never change among those."""
        return train(base, *_safe_split(base, self.X, self.Y, rows))

    def joint(self, model: LMSBNClassifier, train: Integers, test: Integers) -> LeftOut:
        """Some examples as a model sees them that was trained on others."""
        X, _ = _safe_split(model, self.X, self.Y, test, train)
        own, changing = model.table_, self.table.changing
        labels = np.searchsorted(changing, own.changing)
        last = [own.classes[j][-1] == self.table.classes[j][-1] for j in changing]
        return LeftOut(scores_of(model, X), labels, np.where(last, 1, -1).astype(np.int8), self.truth[test])

    def alone(self, model: Any, train: Integers, test: Integers) -> tuple[Floats, Booleans]:
        """Scores and truth of some examples, where labels do not look at each other; shape (n_test, K)."""
        if isinstance(model, LMSBNClassifier):
            part = self.joint(model, train, test)
            anything = np.ones(part.truth.shape, dtype=np.int8)
            return np.stack([part.values(k, anything) for k in range(self.truth.shape[1])], axis=1), part.truth
        X, _ = _safe_split(model, self.X, self.Y, test, train)
        return decisions(model, X, self.table), self.truth[test]


def in_parts(data: Any) -> Any:
    """Data as they are given, in a form that gives out rows."""
    if sparse.issparse(data):
        return data.tocsr()
    return data if data is None or hasattr(data, "__getitem__") else np.asarray(data)


def train(base: Any, X: Any, Y: Any) -> Any:
    """A trained copy of an estimator, which is not to say that some labels never change."""
    if X is None:
        raise ValueError("X is None: cuts are of scores of features; LMSBNClassifier models labels alone")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", ".*labels never change in training", UserWarning)
        return clone(base).fit(X, Y)


def known_labels(Y: Any) -> tuple[LabelTable, Booleans]:
    """The table of some labels, and those that change; all must be known."""
    table, values = LabelTable.learn(Y)
    if (values == 0).any():
        row, column = (int(i) for i in np.argwhere(values == 0)[0])
        raise ValueError(f"Y[{row}] does not say label {table.name(column)}: measures need every label; leave it out")
    return table, values[:, table.changing] > 0


def looks_around(model: Any) -> bool:
    """Whether labels of a model depend on each other, as far as it is fitted."""
    return (
        isinstance(model, LMSBNClassifier)
        and hasattr(model, "model_")
        and any(d.n_cliques for d in model.model_.dependencies)
    )


def scores_of(model: LMSBNClassifier, X: Any) -> list[DirectedScores]:
    """What a fitted model's search sees of some examples."""
    X = validate_data(model, X, accept_sparse="csr", dtype=np.float64, reset=False)
    return model.model_.scores(X, effective_n_jobs(model.n_jobs))


def decisions(model: Any, X: Any, table: LabelTable) -> Floats:
    """Decision values of the labels that change, of any fitted classifier."""
    found: AnyArray = np.asarray(model.decision_function(X), dtype=np.float64)
    found = found[:, None] if found.ndim == 1 else found
    if found.ndim != 2 or found.shape[1] != table.n_columns:
        raise ValueError(
            f"estimator: the decision_function of {type(model).__name__} must have a column for each of the "
            f"{table.n_columns} labels, got shape {found.shape}"
        )
    return found[:, table.changing]
