"""How fast exact prediction is: Figure 3 of the paper, and the ablation over structures."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from margrave.display import SolvedFractionDisplay, save_figure
from margrave.estimators import LMSBNClassifier
from margrave.estimators.directed_model import total_losses
from margrave.inference import BranchAndBound, DirectedScores
from margrave.inference.label_trees import OrderTree
from margrave.metrics import multilabel_scores, solved_probability
from margrave.papers.lmsbn.data import Split, split_of
from margrave.papers.lmsbn.figures import draw_times
from margrave.papers.lmsbn.relaxation import Relaxation
from margrave.papers.results import write_csv
from margrave.primitives import AnyArray, Floats

Report = Callable[[str], None]
#: Figure 3, upper: numbers of labels, how many examples branch and bound gets, and how much time the relaxation.
LABELS, EXAMPLES, RELAXATION_SECONDS = (10, 20, 40, 60, 80, 100), 500, 20.0
#: Random weights make the search exponential: it is stopped here.
MOST_NODES = 200_000
#: Figure 3, lower: sizes of training sets, and values of S.
SIZES, BOUNDS = (10, 100, 1000, 3000), tuple(np.arange(0.5, 12.5, 0.5).tolist())
Row = dict[str, Any]


def most_frequent(split: Split, n_labels: int) -> Split:
    """The labels that occur most often in training, the most frequent first."""
    chosen = np.argsort(-split.Y_train.sum(axis=0), kind="stable")[:n_labels]
    return Split(split.X_train, split.Y_train[:, chosen], split.X_test, split.Y_test[:, chosen])


def randomised(scores: DirectedScores, rng: np.random.Generator) -> DirectedScores:
    """Gaussian weights and scores with the spread of the trained ones."""
    inputs = scores.inputs.std() * rng.normal(size=scores.inputs.shape)
    cliques = scores.cliques.std() * rng.normal(size=scores.cliques.shape)
    return DirectedScores(scores.dependencies, inputs, cliques, scores.smooth)


def time_against_relaxation(
    folder: Path, n_jobs: int, seed: int = 0, report: Report = print, data: str = "rcv1v2", small: bool = False
) -> list[Row]:
    """Figure 3, upper: seconds per example of branch and bound and of the relaxation, as the labels grow.

    One thread, one example after the other, for trained weights and for random ones of the same spread.
    """
    whole, rows = split_of(data, 150 if small else None), []
    rng = np.random.default_rng(seed)
    labels = (3, 5) if small else tuple(k for k in LABELS if k <= whole.Y_train.shape[1])
    for n_labels in labels:
        split = most_frequent(whole, n_labels)
        report(f"{n_labels} labels")
        model = LMSBNClassifier(C=1.0, n_jobs=n_jobs, random_state=seed).fit(split.X_train, split.Y_train)
        trained = model.model_.scores(split.X_test[: 20 if small else EXAMPLES])[0]
        for kind, scores in (("trained", trained), ("random", randomised(trained, rng))):
            rows += [
                {"labels": model.model_.n_labels, "weights": kind, **found}
                for found in (_branch_and_bound(scores, small), _relaxed(scores, small))
            ]
    write_csv(folder / "figure_3_upper.csv", rows)
    save_figure(draw_times(rows), folder / "figure_3_upper")
    return rows


def _branch_and_bound(scores: DirectedScores, small: bool) -> Row:
    tree = OrderTree.maker(scores, np.zeros((1, scores.dependencies.n_labels), dtype=np.int8), 1)()
    seconds, nodes, proved = [], [], []
    for example in (0, *range(min(len(scores), 10 if small else EXAMPLES))):
        began = time.perf_counter()
        tree.begin(example)
        tree.go(np.inf, np.inf, MOST_NODES)
        seconds.append(time.perf_counter() - began)
        nodes.append(tree.first()[3])
        proved.append(tree.done)
    del seconds[0], nodes[0], proved[0]  # the first loads kernels
    return {"method": "branch and bound", **_spread(seconds), "nodes": np.mean(nodes), "proved": np.mean(proved)}


def _relaxed(scores: DirectedScores, small: bool) -> Row:
    program = Relaxation(scores.dependencies.pairs(scores.cliques))
    seconds, inputs = [], scores.by_place
    for example in range(min(len(scores), 3 if small else EXAMPLES)):
        began = time.perf_counter()
        program.solve(inputs[example])
        seconds.append(time.perf_counter() - began)
        if sum(seconds) > RELAXATION_SECONDS and len(seconds) >= 2:
            break
    return {"method": "linear relaxation", **_spread(seconds)}


def _spread(seconds: Sequence[float]) -> Row:
    return {"seconds": float(np.mean(seconds)), "sd": float(np.std(seconds)), "examples": len(seconds)}


def solved_below(
    folder: Path, n_jobs: int, seed: int = 0, report: Report = print, data: str = "rcv1v2", small: bool = False
) -> list[Row]:
    """Figure 3, lower: the share of test examples whose optimum is below S, beside its bound 1 − E[L]/S."""
    split, rows = split_of(data, 60 if small else None), []
    losses: dict[str, Floats] = {}
    sizes = (10, 60) if small else SIZES
    for size in sizes:
        report(f"{size} documents")
        model = LMSBNClassifier(C=1.0, n_jobs=n_jobs, random_state=seed)
        with_labels = _learnable(split, size)
        scores = model.fit(with_labels.X_train, with_labels.Y_train).model_.scores(with_labels.X_test)
        rows += _shares(f"{size} documents", scores, _signs(with_labels.Y_test), n_jobs, losses)
    rng = np.random.default_rng(seed)
    random = [randomised(scores[0], rng)]
    report("random weights")
    rows += _shares("random weights", random, _signs(with_labels.Y_test), n_jobs, losses)
    write_csv(folder / "figure_3_lower.csv", rows)
    expected = {str(row["model"]): float(row["expected loss"]) for row in rows}
    save_figure(
        SolvedFractionDisplay.from_losses(losses, expected).plot(up_to=BOUNDS[-1], scale="linear").figure_,
        folder / "figure_3_lower",
    )
    return rows


def _learnable(split: Split, size: int) -> Split:
    """The first so many training examples, and the labels that change among them."""
    part = split.Y_train[:size]
    changing = np.flatnonzero(part.min(axis=0) < part.max(axis=0))
    return Split(split.X_train[:size], part[:, changing], split.X_test, split.Y_test[:, changing])


def _signs(Y: AnyArray) -> AnyArray:
    return np.where(Y > 0, 1, -1).astype(np.int8)


def _shares(
    name: str, scores: list[DirectedScores], truth: AnyArray, n_jobs: int, losses: dict[str, Floats]
) -> list[Row]:
    """Every S has a search of its own, as the algorithm is stated: nothing of S or more is looked for.

    The losses that the last and largest S has proved go to `losses`; for the others what is out of the picture.
    """
    expected, rows = float(total_losses(scores, truth).mean()), []
    for S in BOUNDS:
        found = BranchAndBound(S=S, max_nodes=MOST_NODES).best(scores, n_jobs=n_jobs)
        solved = found.certified & (found.loss < S)
        rows.append(
            {
                "model": name,
                "S": S,
                "solved": float(solved.mean()),
                "bound": solved_probability(S, expected),
                "expected loss": expected,
                "nodes": float(found.nodes.mean()),
                "labels": truth.shape[1],
            }
        )
    losses[name] = np.where(solved, found.loss, 2.0 * BOUNDS[-1])
    return rows


def ablation(
    folder: Path, n_jobs: int, seed: int = 0, report: Report = print, data: str = "scene", small: bool = False
) -> list[Row]:
    """Parents × clique size × kernel: the smaller the expected loss, the fewer nodes a search needs."""
    split, rows = split_of(data, 100 if small else None), []
    for kernel, C in (("linear", 0.1), ("rbf", 3.0)):
        for parents, clique_size in (("none", 2), ("chain", 2), ("full", 2), ("full", 3)):
            report(f"{kernel}, {parents}, cliques of {clique_size}")
            model = LMSBNClassifier(
                C, parents=parents, clique_size=clique_size, kernel=kernel, n_jobs=n_jobs, random_state=seed
            )
            model.fit(split.X_train, split.Y_train)
            found = model.predict_certified(split.X_test)
            losses = total_losses(model.model_.scores(split.X_test), _signs(split.Y_test)[:, model.table_.changing])
            rows.append(
                {
                    "kernel": kernel,
                    "parents": parents,
                    "clique size": clique_size,
                    "C": C,
                    "expected loss": float(losses.mean()),
                    "loss of the answer": float(found.loss.mean()),
                    "nodes": float(found.nodes.mean()),
                    "certified": float(found.certified.mean()),
                    "exact_match": multilabel_scores(split.Y_test, found.labels)["exact_match"],
                }
            )
    write_csv(folder / "ablation.csv", rows)
    return rows
