"""Training label models beside scikit-learn, one thread each, to the same objective.

- Scene (dense) and RCV1-v2 (sparse), independent labels: LMSBNClassifier(parents="none") beside
  MultiOutputClassifier(LinearSVC(loss="hinge")). The same K problems.
- The same with all earlier labels as parents: LMSBNClassifier beside one LinearSVC per label on features with the ±1
  labels before it appended, which is what the model's problems are.
- Kernels: LMSBNClassifier(kernel="rbf"), all labels with their parents, beside K separate SVC(kernel="rbf"), each at
  its default tolerance. SVC does not penalise its bias, so these are not the same objective.

The rival runs at its default tolerance, and once more at a looser one (tol=0.1). Its objective is computed in float64
from its weights, bias included. Ours runs with the loosest of several tolerances whose objective is no higher than the
rival's. CPU time of the process, the median of rounds in turns.

Options: --examples N (a trial), --rounds N, --parts scene rcv1 kernels.
"""

import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.svm import SVC, LinearSVC

import margrave as mg
from benchmarks._clock import spent
from benchmarks._report import Row, judged, keep, show, unjudged
from margrave.papers.lmsbn.data import Split, split_of

DENSE, SPARSE, KERNEL = 3.0, 1.0, 3.0
GAMMA = 0.1
TOLERANCES = tuple(10.0 ** -(k / 2) for k in range(2, 15))
RIVALS = {"default": {}, "tol=0.1": {"tol": 0.1}}
PARTS = ("scene", "rcv1", "kernels")


def main(options: Sequence[str] = ()) -> None:
    parser = ArgumentParser("label_training", description=__doc__)
    parser.add_argument("--examples", type=int, help="only so many of each part: a trial")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--parts", nargs="+", default=PARTS, choices=PARTS)
    chosen = parser.parse_args(list(options))
    rows: list[Row] = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # max_iter of the rival, labels that never change in a trial
        if "scene" in chosen.parts:
            rows += linear("Scene", split_of("scene", chosen.examples), (0.1, 1.0), DENSE, chosen.rounds)
        if "rcv1" in chosen.parts:
            rows += linear("RCV1-v2", split_of("rcv1v2", chosen.examples), (1.0,), SPARSE, chosen.rounds)
        if "kernels" in chosen.parts:
            rows += kernels(split_of("scene", chosen.examples), chosen)
    show("training labels", rows, "ratios: rival ÷ margrave, CPU time of one thread")
    keep("label_training" if chosen.examples is None else "label_training_trial", {"rows": rows})


def linear(name: str, split: Split, penalties: Sequence[float], bar: float, rounds: int) -> list[Row]:
    rows: list[Row] = []
    X, Y = split.X_train, split.Y_train
    Y = Y[:, (Y.min(axis=0) < Y.max(axis=0))]
    for C in penalties:
        for parents in ("none", "full"):
            tables = [_features(X, Y[:, :k] if parents == "full" else Y[:, :0]) for k in range(Y.shape[1])]
            for setting, options in RIVALS.items():
                rival = partial(_rival, tables, Y, C, options)
                ratio, ours, theirs, tol = _race(X, Y, C, parents, rival, tables, rounds)
                what = f"{name}, C={C:g}, parents {parents}, rival {setting}: ratio (ours to a gap of {tol:.0e})"
                rows += [judged(what, ratio, bar, at_most=False), unjudged("  margrave, s", ours)]
                rows.append(unjudged("  scikit-learn, s", theirs))
    return rows


def _features(X: Any, labels: Any) -> Any:
    """Features with ±1 labels appended, as the rival needs them."""
    signs = np.where(labels > 0, 1.0, -1.0)
    if sparse.issparse(X):
        return (
            sparse.csr_matrix(sparse.hstack([X, sparse.csr_array(signs)])) if signs.shape[1] else sparse.csr_matrix(X)
        )
    return np.hstack([X, signs])


def _rival(tables: Sequence[Any], Y: Any, C: float, options: dict[str, Any]) -> list[Any]:
    svm = {"loss": "hinge", "C": C, "max_iter": 10_000, "random_state": 0, **options}
    return [LinearSVC(**svm).fit(table, Y[:, k]) for k, table in enumerate(tables)]


def _race(
    X: Any, Y: Any, C: float, parents: str, rival: Callable[[], list[Any]], tables: Sequence[Any], rounds: int
) -> tuple[float, float, float, float]:
    """Seconds of both to the rival's objective."""
    goal = _objective(rival(), tables, Y, C)
    for tol in TOLERANCES:
        model = mg.LMSBNClassifier(C, parents=parents, tol=tol, random_state=0)
        model.fit(X, Y)
        last = {record["label"]: record["objective"] for record in model.history_}
        if sum(last.values()) <= goal * (1 + 1e-12):
            break
    ours, theirs = [], []
    for _ in range(rounds):
        ours.append(spent(lambda: model.fit(X, Y)).cpu)
        theirs.append(spent(rival).cpu)
    return median(theirs) / median(ours), median(ours), median(theirs), tol


def _objective(machines: Sequence[Any], tables: Sequence[Any], Y: Any, C: float) -> float:
    total = 0.0
    for k, (machine, table) in enumerate(zip(machines, tables, strict=True)):
        z = np.where(Y[:, k] > 0, 1.0, -1.0) * (table @ machine.coef_[0] + machine.intercept_[0])
        norm = float(machine.coef_[0] @ machine.coef_[0] + machine.intercept_[0] ** 2)
        total += 0.5 * norm + C * float(np.maximum(1.0 - z, 0.0).sum())
    return total


def kernels(split: Split, chosen: Namespace) -> list[Row]:
    X, Y = split.X_train, split.Y_train
    changing = [k for k in range(Y.shape[1]) if Y[:, k].min() < Y[:, k].max()]
    rows: list[Row] = []
    for C in (1.0, 3.0, 10.0):
        model = mg.LMSBNClassifier(C, kernel="rbf", gamma=GAMMA, random_state=0).fit(X, Y)
        ours, theirs = [], []
        for _ in range(chosen.rounds):
            ours.append(spent(partial(model.fit, X, Y)).cpu)
            theirs.append(spent(lambda C=C: [SVC(C=C, gamma=GAMMA).fit(X, Y[:, k]) for k in changing]).cpu)
        what = f"Scene, rbf, C={C:g}: K separate SVCs ÷ all labels with their parents"
        rows += [
            judged(what, median(theirs) / median(ours), KERNEL, at_most=False),
            unjudged("  margrave, s", median(ours)),
            unjudged("  scikit-learn, s", median(theirs)),
        ]
    return rows
