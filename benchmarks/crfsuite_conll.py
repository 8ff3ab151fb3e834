"""Chunking (CoNLL-2000) beside CRFsuite: the same features, the same optimum, the time of a gradient.

Options: --parts optimum gradient (both unless named), --rounds N, --sentences N (a small trial), --again (train
CRFsuite's tightened model anew). Needs the data of `fetch_conll2000` and python-crfsuite.
"""

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from statistics import median
from typing import Any

import numpy as np

import margrave as mg
from benchmarks import _crfsuite
from benchmarks._clock import clock_for, median_ms
from benchmarks._conll import C, Chunks
from benchmarks._report import RESULTS, keep, show
from margrave.metrics import chunk_f1
from margrave.primitives import one_blas_thread

#: Bars: relative distance of the optima, distance of the F1, and 1.3 times the trial's 132 ms against CRFsuite's 290.
SAME_OPTIMUM, SAME_F1, SHARE = 1e-5, 2e-3, 1.3 * 132 / 290
WHOLE = slice(None)


def main(options: Sequence[str] = ()) -> None:
    parser = ArgumentParser("crfsuite_conll", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=["optimum", "gradient"])
    parser.add_argument("--rounds", type=int, default=3, help="how often both are timed, one after the other")
    parser.add_argument("--sentences", type=int, help="only the first so many, of train and test")
    parser.add_argument("--again", action="store_true")
    chosen = parser.parse_args(list(options))
    parts = {"gradient": gradient, "optimum": optimum}
    document: dict[str, Any] = {"options": vars(chosen)}
    for name, part in parts.items():
        if chosen.parts is None or name in chosen.parts:
            document[name] = part(chosen)
    keep("crfsuite_conll" if chosen.sentences is None else "crfsuite_conll_trial", document)


# --------------------------------------------------------------------------------------------------------- same optimum


def optimum(chosen: Namespace) -> list[dict[str, Any]]:
    """Both objectives by one neutral function of the final weights, and chunk F1 on the test set."""
    train, test = Chunks.fetch("train", chosen.sentences), Chunks.fetch("test", chosen.sentences)
    rows = [_rival(train, test, chosen), _ours(train, test)]
    theirs, ours = (row["objective"] for row in rows)
    distance, f1 = (ours - theirs) / theirs, rows[1]["chunk F1"] - rows[0]["chunk F1"]
    caption = f"ours is {distance:+.2e} of CRFsuite's (bar: {SAME_OPTIMUM:g}); F1 {f1:+.4f} (bar: {SAME_F1})"
    show("CoNLL-2000 at c2 = 1: ‖w‖² + log-loss at the optimum, and the test set", rows, caption)
    return [*rows, {"relative distance": distance, "F1 distance": f1}]


def _rival(train: Chunks, test: Chunks, chosen: Namespace) -> dict[str, Any]:
    path = RESULTS / f"crfsuite_conll_{len(train.rows)}.crfsuite"
    if chosen.again:
        path.unlink(missing_ok=True)
    tagger = _crfsuite.open_tagger(_crfsuite.kept_model(path, train.rows, train.tags, **_crfsuite.TIGHT))
    weights, transitions, n_states, n_edges = _crfsuite.dense_weights(tagger, train.columns, train.states)
    predicted = [tagger.tag(row) for row in test.rows]
    return _row("CRFsuite, tightened", train, weights, transitions, (n_states, n_edges), chunk_f1(test.tags, predicted))


def _ours(train: Chunks, test: Chunks) -> dict[str, Any]:
    crf = mg.ChainCRF(C=C, tol=1e-7, n_jobs=2).fit(train.encoded, train.tags)
    sizes = tuple(crf.model_[name].layout.n_weights for name in ("nodes", "edges"))
    f1 = chunk_f1(test.tags, [tags.tolist() for tags in crf.predict(test.rows)])
    row = _row("margrave, tol=1e-7", train, crf.coef_.T, crf.transitions_, sizes, f1)
    return {**row, "iterations": crf.n_iter_, "gap": crf.gap_}


def _row(name: str, train: Chunks, weights: Any, transitions: Any, sizes: tuple[int, ...], f1: float) -> dict[str, Any]:
    return {
        "model": name,
        "state weights": sizes[0],
        "transitions": sizes[1],
        "objective": train.objective(weights, transitions),
        "chunk F1": f1,
        "iterations": "",
        "gap": "",
    }


# ------------------------------------------------------------------------------------------------------------- gradient


def gradient(chosen: Namespace) -> list[dict[str, Any]]:
    """One gradient, in rounds that alternate with iterations of CRFsuite."""
    train = Chunks.fetch("train", chosen.sentences)
    rival = _crfsuite.trainer(train.rows, train.tags)
    cases = [(which, n_jobs) for which in ("all", "observed") for n_jobs in (1, 2)]
    objectives = {case: _objective(train, *case) for case in cases}
    theirs, taken = [], {case: list[dict[str, float]]() for case in cases}
    with one_blas_thread():
        for _ in range(chosen.rounds):
            theirs.append(_crfsuite.iteration_ms(rival))
            for case in cases:
                taken[case].append(_stages(objectives[case], case[1]))
    rows: list[dict[str, Any]] = [{"": "CRFsuite, an iteration", "threads": 1, "clock": "cpu", "total": median(theirs)}]
    rows[0] |= {"scores": "", "inference": "", "pull-back": "", "ratio": 1.0}
    for which, n_jobs in cases:
        stages = {name: median(one[name] for one in taken[which, n_jobs]) for name in taken[which, n_jobs][0]}
        head = {"": f"margrave, {which} weights", "threads": n_jobs, "clock": clock_for(n_jobs)[0]}
        rows.append({**head, **stages, "ratio": stages["total"] / median(theirs)})
    caption = f"medians of {chosen.rounds} rounds; bar, all weights, one thread: {SHARE:.2f} of CRFsuite's iteration"
    show(f"CoNLL-2000, {len(train.rows)} sentences: one value and gradient, ms", rows, caption)
    return rows


def _objective(train: Chunks, which: Any, n_jobs: int) -> mg.solvers.Objective:
    batch = mg.Sequence().build(train.encoded, len(train.classes))
    scorers = {"nodes": mg.scores.Linear(features=which), "edges": mg.scores.Constant(features=which)}
    model = mg.scores.ScoreModel.lay_out(batch, scorers, lambda: batch.graph.counts(train.labels))
    parts = mg.losses.LogLoss(), mg.inference.Forest()
    return mg.solvers.Objective(model.bind(batch, n_jobs), train.labels, *parts, C=C, n_jobs=n_jobs)


def _stages(objective: mg.solvers.Objective, n_jobs: int, times: int = 7) -> dict[str, float]:
    """Medians of the whole and of its three large parts, at weights that are not all alike."""
    clock, graph = clock_for(n_jobs)[1], objective.graph
    weights = 0.1 * np.random.default_rng(0).normal(size=objective.n_weights)
    out, theta, counts = np.zeros(objective.n_weights), np.zeros(graph.n_entries), np.zeros(graph.n_entries)
    oracle = objective.inference.prepare(graph, n_jobs)
    calls = {
        "total": lambda: objective.value_and_gradient(weights, out),
        "scores": lambda: objective.model.scores(weights, theta),
        "inference": lambda: oracle.maximize(theta, 1.0, None, WHOLE, counts, None, ask=()),
        "pull-back": lambda: objective.model.add_pullback(counts, out),
    }
    return {name: median_ms(call, times, clock) for name, call in calls.items()}


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
