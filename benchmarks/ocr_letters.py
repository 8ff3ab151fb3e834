"""Handwritten words: letter errors of ChainCRF and ChainM3N on raw pixels, everything chosen inside the training part.

Train on one fold and test on the other nine, ten times; then (`large`) train on nine and test on fold 0. C, the penalty
of transitions, boundary transitions and the decoding of the CRF are chosen by cross-validation over the training words.

Options: --rotations N (the first N folds), --no-large, --smoke (one rotation, few settings), --processes N.
"""

import warnings
from argparse import ArgumentParser, Namespace
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from statistics import mean, stdev
from time import perf_counter
from typing import Any

import joblib
import numpy as np
from rich.progress import track
from sklearn.exceptions import ConvergenceWarning

import margrave as mg
from benchmarks._report import keep, keep_rows, show
from margrave.datasets import load_ocr_letters
from margrave.primitives import Booleans, Integers

N_SPLITS, SEED = 3, 0
Folds = tuple[int, ...]


@dataclass(frozen=True, order=True)
class Setting:
    """What is chosen; in order of simplicity, so that the simplest of equals wins."""

    boundary: bool
    C: float
    edges: float  # the penalty of transitions, where that of pixels is 1


@dataclass(frozen=True)
class Family:
    """A model, what it may choose from, and how far it is trained while choosing and at the end."""

    estimator: type[mg.SequenceClassifier]
    Cs: tuple[float, ...]
    edges: tuple[float, ...]
    decodes: tuple[str, ...]
    choosing: dict[str, Any]
    final: dict[str, Any]
    bar: float

    def settings(self, few: bool) -> list[Setting]:
        grid = product((False, True), self.Cs, self.edges)
        return [Setting(*values) for values in grid][:: 5 if few else 1]


FAMILIES = {
    "ChainCRF": Family(
        mg.ChainCRF,
        Cs=(0.1, 0.2, 0.4, 0.8),
        edges=(1.0, 0.1, 0.03, 0.01, 0.003),
        decodes=("joint", "marginal"),
        choosing={"tol": 1e-2},
        final={"tol": 1e-3},
        bar=0.190,
    ),
    "ChainM3N": Family(
        mg.ChainM3N,
        Cs=(0.02, 0.05, 0.1),
        edges=(0.1, 0.03, 0.01),
        decodes=("joint",),
        choosing={"tol": 5e-2, "max_iter": 100, "random_state": SEED},
        final={"tol": 1e-2, "max_iter": 5000, "random_state": SEED},
        bar=0.190,
    ),
}
LARGE_BAR = 0.120


def main(options: Sequence[str] = ()) -> None:
    parser = ArgumentParser("ocr_letters", description=__doc__)
    parser.add_argument("--rotations", type=int, default=10)
    parser.add_argument("--no-large", action="store_true")
    parser.add_argument("--smoke", action="store_true")
    parser.add_argument("--processes", type=int, default=2)
    chosen = parser.parse_args(list(options))
    if chosen.smoke:
        chosen.rotations, chosen.no_large = 1, True
    began, suffix = perf_counter(), "_trial" if chosen.smoke or chosen.rotations < 10 else ""
    parts = [((fold,), name) for name in FAMILIES for fold in range(chosen.rotations)]
    parts += [] if chosen.no_large else [(tuple(range(1, 10)), "ChainCRF")]
    choices, best = choose(parts, chosen)
    keep_rows(f"ocr_letters_choice{suffix}", choices)
    _show_choices(choices)
    jobs = (joblib.delayed(measure)(folds, name, *best[folds, name], chosen.smoke) for folds, name in parts)
    results = list(_progress(jobs, "final fits", len(parts), chosen))
    document = {"options": vars(chosen), "results": results, "summary": summarise(results)}
    keep(f"ocr_letters{suffix}", {**document, "seconds": perf_counter() - began})
    print(f"{perf_counter() - began:.0f} s in all")


# ---------------------------------------------------------------------------------------------------------- the choice


def choose(
    parts: list[tuple[Folds, str]], chosen: Namespace
) -> tuple[list[dict[str, Any]], dict[tuple[Folds, str], tuple[Setting, str]]]:
    """Cross-validation errors of every setting, and the best of each training part."""
    tasks = [
        (folds, name, setting, split)
        for folds, name in reversed(parts)  # the largest first
        for setting in FAMILIES[name].settings(chosen.smoke)
        for split in range(N_SPLITS)
    ]
    jobs = (joblib.delayed(held_out)(*task) for task in tasks)
    answers: dict[Any, list[dict[str, Any]]] = defaultdict(list)
    for task, answer in zip(tasks, _progress(jobs, "cross-validation", len(tasks), chosen), strict=True):
        answers[task[:3]].append(answer)
    rows, best = [], {}
    for folds, name in parts:
        mine = [
            row for setting in FAMILIES[name].settings(chosen.smoke) for row in _rows(answers, (folds, name, setting))
        ]
        winner = min(mine, key=lambda row: row["cv_error"])  # the first of equals: the simplest
        rows += [{**row, "chosen": row is winner} for row in mine]
        best[folds, name] = Setting(winner["boundary"], winner["C"], winner["edges"]), winner["decode"]
    return rows, best


def _rows(answers: dict[Any, list[dict[str, Any]]], key: tuple[Folds, str, Setting]) -> list[dict[str, Any]]:
    """One setting's errors, one row per decoding."""
    (folds, name, setting), splits = key, answers[key]
    n = sum(split["n"] for split in splits)
    return [
        {
            "train_folds": " ".join(map(str, folds)),
            "model": name,
            "boundary": setting.boundary,
            "C": setting.C,
            "edges": setting.edges,
            "decode": decode,
            "cv_error": sum(split[decode] for split in splits) / n,
            "largest_gap": max(split["gap"] for split in splits),
        }
        for decode in FAMILIES[name].decodes
    ]


def held_out(folds: Folds, name: str, setting: Setting, split: int) -> dict[str, Any]:
    """Letters wrong in one part of the training words, by a model of the others."""
    words = np.flatnonzero(in_folds(folds))
    parts = np.array_split(np.random.default_rng(SEED).permutation(words), N_SPLITS)
    train = np.concatenate(parts[:split] + parts[split + 1 :])
    model = fitted(FAMILIES[name], setting, train, FAMILIES[name].choosing)
    wrong = {decode: _wrong(model, parts[split], decode)[0] for decode in FAMILIES[name].decodes}
    return {**wrong, "n": _wrong(model, parts[split], "joint")[1], "gap": model.gap_}


def fitted(family: Family, setting: Setting, words: Integers, limits: dict[str, Any]) -> mg.SequenceClassifier:
    penalty = {"nodes": 1.0, "edges": setting.edges}
    model = family.estimator(C=setting.C, penalty=penalty, boundary=setting.boundary, n_jobs=1, **limits)
    data, target = _read()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the tables show the gap that was reached
        return model.fit([data[i] for i in words], [target[i] for i in words])


# ------------------------------------------------------------------------------------------------------------ the test


def measure(folds: Folds, name: str, setting: Setting, decode: str, smoke: bool) -> dict[str, Any]:
    """A model of the whole training part, on all other folds."""
    family, train = FAMILIES[name], in_folds(folds)
    limits = {**family.final, "max_iter": 20} if smoke else family.final
    began = perf_counter()
    model = fitted(family, setting, np.flatnonzero(train), limits)
    seconds = perf_counter() - began
    wrong, n, words_wrong = _wrong(model, np.flatnonzero(~train), decode)
    return {
        "train": "nine" if len(folds) == 9 else f"fold {folds[0]}",
        "model": name,
        "boundary": setting.boundary,
        "C": setting.C,
        "edges": setting.edges,
        "decode": decode,
        "letter error": wrong / n,
        "word error": words_wrong / int((~train).sum()),
        "gap": model.gap_,
        "iterations": model.n_iter_,
        "fit s": seconds,
    }


def summarise(results: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Means over rotations beside the bars; printed after the rotations themselves."""
    show("OCR letters, each training part", results, "gap: certified relative duality gap (CRF: from strong convexity)")
    rows = []
    for (name, large), some in _grouped(results).items():
        errors, gap = [result["letter error"] for result in some], max(result["gap"] for result in some)
        bar = LARGE_BAR if large else FAMILIES[name].bar
        rows.append(
            {
                "model": name,
                "train on": "nine folds" if large else "one fold",
                "runs": len(some),
                "letter error": mean(errors),
                "sd": stdev(errors) if len(errors) > 1 else float("nan"),
                "word error": mean(result["word error"] for result in some),
                "largest gap": gap,
                "bar": bar,
                "reached": mean(errors) <= bar and (name != "ChainM3N" or gap <= 1e-2),
            }
        )
    show("OCR letters, means", rows, "CRFsuite at c2 = 1, no boundary transitions: .1946 on one fold, .1200 on nine")
    return rows


def _grouped(results: list[dict[str, Any]]) -> dict[tuple[str, bool], list[dict[str, Any]]]:
    groups: dict[tuple[str, bool], list[dict[str, Any]]] = defaultdict(list)
    for result in results:
        groups[result["model"], result["train"] == "nine"].append(result)
    return groups


def _wrong(model: mg.SequenceClassifier, words: Integers, decode: str) -> tuple[int, int, int]:
    """Letters wrong, letters, words with a wrong letter."""
    data, target = _read()
    answers = model.predict([data[i] for i in words], decode=decode)
    wrong = [int((answer != target[i]).sum()) for answer, i in zip(answers, words, strict=True)]
    return sum(wrong), sum(len(target[i]) for i in words), sum(count > 0 for count in wrong)


def _show_choices(choices: list[dict[str, Any]], rows: int = 3) -> None:
    """The best few settings of each training part; the file has all."""
    groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for row in choices:
        groups[row["model"], row["train_folds"]].append(row)
    best = [row for group in groups.values() for row in sorted(group, key=lambda row: row["cv_error"])[:rows]]
    show(f"the {rows} best settings of each training part, by {N_SPLITS}-fold cross-validation inside it", best)


def _progress(jobs: Any, title: str, total: int, chosen: Namespace) -> Iterator[Any]:
    """Results in order, as they come."""
    parallel = joblib.Parallel(n_jobs=chosen.processes, return_as="generator", pre_dispatch="4*n_jobs")
    yield from track(parallel(jobs), title, total)


def in_folds(folds: Folds) -> Booleans:
    """Which words belong to some of the folds."""
    inside: Booleans = np.isin(load_fold(), folds)
    return inside


@lru_cache(maxsize=1)
def _read() -> tuple[list[Any], list[Any]]:
    ocr = load_ocr_letters()
    return ocr.data, ocr.target


@lru_cache(maxsize=1)
def load_fold() -> Integers:
    fold: Integers = load_ocr_letters().fold
    return fold


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
