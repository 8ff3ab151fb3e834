"""The race on CoNLL-2000: the time that ChainCRF and CRFsuite take to the same objective, with the same weights.

The target is what CRFsuite at its defaults (L-BFGS, c1 = 0, c2 = 1) reaches in 100 iterations: ‖w‖² + log-loss of its
final weights, in float64, by one neutral function. Then
- CRFsuite at its best (30 memories) runs until its own log shows the target;
- ChainCRF(C=0.5) runs until its own objective, which is half of CRFsuite's, is at most half of the target; the neutral
  function judges its final weights too.
All start from prepared data: sentences appended there, encoded here; binding, graph and features' weights are part of
the time. With preparation, the time to append or encode is added. All take turns, round by round; medians.

Options: --rounds N, --sentences N (a small trial).
"""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import product
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

import margrave as mg
from benchmarks import _crfsuite
from benchmarks._clock import spent
from benchmarks._conll import N_STATE_WEIGHTS, N_TRANSITIONS, C, Chunks
from benchmarks._report import Row, judged, keep, show, unjudged

#: What is raced, the default first; nothing but the target stops a fit.
SETTINGS: dict[str, dict[str, Any]] = {
    "default": {"tol": 0.0},
    "warm_up=10": {"solver": mg.solvers.LBFGS(warm_up=10, random_state=0, tol=0.0)},
}
THREADS = (1, 2)
#: Shares of CRFsuite's time, at the most, and how much faster two threads are than one, at least.
OF_DEFAULT, OF_BEST, OF_DEFAULT_BY_TWO, SPEED_UP = 1 / 3, 1 / 2.4, 1 / 5, 1.5
SAME = 1e-12  # how far rounding may carry the neutral objective above the target
ITERATIONS = 100
#: CRFsuite's own stopping rules stay for the default, which ends at 100; the best runs on to the target (after 74).
DEFAULT = {"max_iterations": ITERATIONS}
BEST = {**_crfsuite.TIGHT, "max_iterations": 2 * ITERATIONS}


def main(options: Sequence[str] = ()) -> None:
    parser = ArgumentParser("crfsuite_race", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="how often all are timed, one after the other")
    parser.add_argument("--sentences", type=int, help="only the first so many")
    chosen = parser.parse_args(list(options))
    train = Chunks.fetch("train", chosen.sentences)
    target, enough = find_target(train)
    print(f"CRFsuite at its best is there after {enough} iterations", flush=True)
    for setting in SETTINGS:
        for threads in THREADS:
            run_margrave(train, setting, threads, np.inf, at_least=3)  # kernels warm
    rounds = [one_round(train, target, enough, k) for k in range(chosen.rounds)]
    rows = [summary(name, [of_round[name] for of_round in rounds]) for name in rounds[0]]
    caption = f"medians of {len(rounds)} rounds; prep: append or encode, not in the seconds before it"
    exact = [{**row, "objective": f"{row['objective']:.6f}"} for row in rows]
    show(f"CoNLL-2000, {len(train.rows)} sentences, to the objective {target:.6f}", exact, caption)
    ratios = compare({row[""]: row for row in rows}, target)
    show("ratios of times: on one thread CPU ÷ CPU, on two wall ÷ CRFsuite's CPU", ratios)
    document = {"options": vars(chosen), "target": target, "rows": rows, "ratios": ratios}
    keep("crfsuite_race" if chosen.sentences is None else "crfsuite_race_trial", document)


# ------------------------------------------------------------------------------------------------------------- CRFsuite


def find_target(train: Chunks) -> tuple[float, int]:
    """The objective to reach, and how many iterations CRFsuite at its best needs for it."""
    rival, default = _rival(train)
    target = run_crfsuite(train, rival, {**default, **DEFAULT})["objective"]
    print(f"target {target:.6f}; the log says {rival.logparser.last_iteration['loss']:.6f}", flush=True)
    train_quietly(rival, {**default, **BEST})
    for iteration in rival.logparser.iterations:
        if iteration["loss"] <= target:
            return target, iteration["num"]
    raise RuntimeError(f"CRFsuite's log never shows the target of {target}: raise max_iterations of BEST")


def _rival(train: Chunks) -> tuple[Any, dict[str, Any]]:
    """A trainer that holds the sentences, and all of its parameters as they stand by default."""
    rival = _crfsuite.trainer(train.rows, train.tags)
    return rival, dict(rival.get_params())


def train_quietly(rival: Any, parameters: dict[str, Any]) -> None:
    rival.set_params(parameters)
    with TemporaryDirectory() as folder:
        rival.train(f"{folder}/model")


def run_crfsuite(train: Chunks, rival: Any, parameters: dict[str, Any]) -> Row:
    """One training run: its time (its model's file included), its log, and the objective of its weights."""
    rival.set_params(parameters)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "model"
        taken = spent(lambda: rival.train(str(path)))
        judge = crfsuite_objective(train, path)
    iterations = rival.logparser.iterations
    return {
        "iterations": len(iterations),
        "evaluations": 1 + sum(iteration["linesearch_trials"] for iteration in iterations),
        "ms/iteration": 1e3 * median(iteration["time"] for iteration in iterations[1:]),
        "cpu s": taken.cpu,
        "wall s": taken.wall,
        "objective": judge,
    }


def crfsuite_objective(train: Chunks, path: Path) -> float:
    tagger = _crfsuite.open_tagger(path)
    weights, transitions, *sizes = _crfsuite.dense_weights(tagger, train.columns, train.states)
    _check_sizes("CRFsuite", train, *sizes)
    return train.objective(weights, transitions)


def _check_sizes(name: str, train: Chunks, n_states: int, n_edges: int) -> None:
    if len(train.rows) == 8936 and (n_states, n_edges) != (N_STATE_WEIGHTS, N_TRANSITIONS):
        raise AssertionError(f"{name} has {n_states} + {n_edges} weights, not {N_STATE_WEIGHTS} + {N_TRANSITIONS}")


# ----------------------------------------------------------------------------------------------------------------- ours


def run_margrave(train: Chunks, setting: str, threads: int, target: float, at_least: int = 0) -> Row:
    """One fit, which its callback stops at the target."""

    def arrived(record: Any) -> bool:
        return bool(record["iteration"] >= at_least and record["objective"] <= target / 2)

    crf = mg.ChainCRF(C=C, n_jobs=threads, **SETTINGS[setting])
    with counted_evaluations() as evaluations:
        taken = spent(lambda: crf.fit(train.encoded, train.tags, callback=arrived))
    _check_sizes("margrave", train, *(crf.model_[name].layout.n_weights for name in ("nodes", "edges")))
    seconds = [record["seconds"] for record in crf.history_]
    return {
        "iterations": crf.n_iter_,
        "evaluations": len(evaluations),
        "ms/iteration": 1e3 * median(np.diff(seconds)),
        "cpu s": taken.cpu,
        "wall s": taken.wall,
        "objective": train.objective(crf.coef_.T, crf.transitions_),
    }


@contextmanager
def counted_evaluations() -> Iterator[list[None]]:
    """A list that grows by one with every value and gradient of any objective."""
    found: list[None] = []
    original = mg.solvers.Objective.value_and_gradient

    def counted(self: Any, *arguments: Any, **named: Any) -> Any:
        found.append(None)
        return original(self, *arguments, **named)

    mg.solvers.Objective.value_and_gradient = counted
    try:
        yield found
    finally:
        mg.solvers.Objective.value_and_gradient = original


# ----------------------------------------------------------------------------------------------------------- the rounds


def one_round(train: Chunks, target: float, enough: int, k: int) -> dict[str, Row]:
    """Everyone once, in an order that turns from round to round."""
    append = spent(lambda: _rival(train))
    rival, default = append.result
    encode = spent(lambda: mg.ChainCRF().encode(train.rows)).cpu
    calls = {
        "CRFsuite, default": lambda: run_crfsuite(train, rival, {**default, **DEFAULT}),
        "CRFsuite, best": lambda: run_crfsuite(train, rival, {**default, **BEST, "max_iterations": enough}),
    }
    for setting, threads in product(SETTINGS, THREADS):
        calls[label(setting, threads)] = partial(run_margrave, train, setting, threads, target)
    names = list(calls)
    rows = {}
    for name in names[k % len(names) :] + names[: k % len(names)]:
        prep = append.cpu if name.startswith("CRFsuite") else encode
        row = calls[name]()
        rows[name] = {**row, "prep s": prep, "− target": row["objective"] - target}
        print(f"round {k + 1}: {name}: {row['cpu s']:.2f} s cpu, {row['wall s']:.2f} s wall", flush=True)
    return {name: rows[name] for name in names}


def label(setting: str, threads: int) -> str:
    return f"margrave, {setting}, {threads} thread{'s' * (threads > 1)}"


def summary(name: str, rows: Sequence[Row]) -> Row:
    """Medians over rounds."""
    return {"": name} | {key: median(row[key] for row in rows) for key in rows[0]}


def compare(rows: dict[str, Row], target: float) -> list[Row]:
    """Every setting beside its bars."""
    default, best = rows["CRFsuite, default"], rows["CRFsuite, best"]
    found = [unjudged("CRFsuite at its best ÷ its default", best["cpu s"] / default["cpu s"])]
    for setting in SETTINGS:
        one, two = rows[label(setting, 1)], rows[label(setting, 2)]
        prepared = (one["cpu s"] + one["prep s"]) / (default["cpu s"] + default["prep s"])
        by_two = (two["wall s"] + two["prep s"]) / (default["cpu s"] + default["prep s"])
        found += [
            judged(f"{setting}, 1 thread ÷ CRFsuite, default", one["cpu s"] / default["cpu s"], OF_DEFAULT),
            judged(f"{setting}, 1 thread ÷ CRFsuite, best", one["cpu s"] / best["cpu s"], OF_BEST),
            judged(f"{setting}, 2 threads ÷ CRFsuite, default", two["wall s"] / default["cpu s"], OF_DEFAULT_BY_TWO),
            judged(f"{setting}, wall: 1 thread ÷ 2 threads", one["wall s"] / two["wall s"], SPEED_UP, at_most=False),
            judged(f"{setting}, (objective − target) ÷ target", one["− target"] / target, SAME),
            unjudged(f"{setting}, with preparation: 1 thread ÷ CRFsuite, default", prepared),
            unjudged(f"{setting}, with preparation: 2 threads ÷ CRFsuite, default", by_two),
        ]
    return found


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
