"""Exact prediction of label sets on RCV1-v2: nodes, nodes a second, and the linear relaxation beside it; one thread.

A model of the 100 labels (C=1), the labels in the order of their F-score; its test documents. Nodes are (label, value)
pairs whose partial loss was formed. The relaxation is `margrave.papers.lmsbn.relaxation`: HiGHS on a model that is
kept.

Options: --trial (Scene instead, which needs no data).
"""

from argparse import ArgumentParser
from collections.abc import Sequence
from time import perf_counter, process_time
from typing import Any

import numpy as np

import margrave as mg
from benchmarks._report import Row, judged, keep, show, unjudged
from margrave.inference import BranchAndBound, DirectedScores
from margrave.papers.lmsbn.data import split_of
from margrave.papers.lmsbn.relaxation import Relaxation
from margrave.papers.lmsbn.search import most_frequent, randomised

MEAN_NODES, NODES_A_SECOND, AGAINST_RELAXATION, SEVERAL = 500, 50e6, 1e4, 0.85
RELAXED = 5


def main(options: Sequence[str] = ()) -> None:
    parser = ArgumentParser("label_search", description=__doc__)
    parser.add_argument("--trial", action="store_true", help="Scene, and few repetitions: does it run?")
    chosen = parser.parse_args(list(options))
    split = split_of("scene" if chosen.trial else "rcv1v2")
    model = mg.LMSBNClassifier(1.0, order="f_score", random_state=0).fit(split.X_train, split.Y_train)
    scores = model.model_.scores(split.X_test)
    found = BranchAndBound().best(scores)
    rows: list[Row] = [
        judged("all labels, trained: mean nodes", float(found.nodes.mean()), MEAN_NODES),
        unjudged("  most nodes", float(found.nodes.max())),
        judged("  share certified", float(found.certified.mean()), 1.0, at_most=False),
        judged("  nodes a second, trained", _speed(scores, None, 20), NODES_A_SECOND, at_most=False),
        judged("  nodes a second, random weights", _speed(_random(scores), 200_000, 2), NODES_A_SECOND, at_most=False),
    ]
    rows += _against_relaxation(split, 4 if chosen.trial else 60)
    several = mg.LMSBNClassifier(1.0, n_orders=3, random_state=0).fit(split.X_train, split.Y_train)
    share = float(several.predict_certified(split.X_test).certified.mean())
    rows.append(judged("three orders, 100,000 nodes at most: share certified", share, SEVERAL, at_most=False))
    show("searching label sets", rows)
    keep("label_search_trial" if chosen.trial else "label_search", {"rows": rows})


def _random(scores: Sequence[DirectedScores]) -> list[DirectedScores]:
    few = scores[0]
    part = DirectedScores(few.dependencies, few.inputs[:100], few.cliques, few.smooth)
    return [randomised(part, np.random.default_rng(0))]


def _speed(scores: Sequence[DirectedScores], most: int | None, rounds: int) -> float:
    """Nodes of all examples by the processor's time, the best of some rounds."""
    best, search = 0.0, BranchAndBound(max_nodes=most)
    for _ in range(rounds):
        began = process_time()
        nodes = int(search.best(scores).nodes.sum())
        best = max(best, nodes / (process_time() - began))
    return best


def _against_relaxation(whole: Any, n_labels: int) -> list[Row]:
    split = most_frequent(whole, n_labels)
    model = mg.LMSBNClassifier(1.0, random_state=0).fit(split.X_train, split.Y_train)
    scores = model.model_.scores(split.X_test)
    BranchAndBound().best(scores)
    began = perf_counter()
    BranchAndBound().best(scores)
    searched = (perf_counter() - began) / len(scores[0])
    program, inputs = Relaxation(scores[0].dependencies.pairs(scores[0].cliques)), scores[0].by_place
    began = perf_counter()
    for example in range(RELAXED):
        program.solve(inputs[example])
    relaxed = (perf_counter() - began) / RELAXED
    return [
        judged(f"{n_labels} labels: relaxation ÷ exact search", relaxed / searched, AGAINST_RELAXATION, at_most=False),
        unjudged("  exact search, µs per example", 1e6 * searched),
        unjudged("  relaxation, s per example", relaxed),
    ]
