"""Chunk F1 on CoNLL-2000's test set, everything chosen by five-fold cross-validation inside the training set.

Chosen, one after the other, each by the F1 of all held-out sentences together:
1. C, with the plain template, the edges' penalty at 1 and no scores at the ends: all of `CS`;
2. the edges' penalty and the scores at the ends, at that C; then C's neighbours once more;
3. for the richer template, the same from where the plain template has ended, with C's neighbours alone in step 1;
4. the tags that are learned: IOBES made of BIO, read as BIO again before they are judged; C's neighbours if that helps.
Both decodings are looked at in every step. Then the best setting of all rows is trained on the whole training set, and
beside it the best one with the plain template; only these two see the test set. `--grid` looks at all of C, edges and
ends instead. A fit begins with the weights of the one before it, where both have the same weights.

Options: --sentences N (a trial), --grid, --templates NAME ..., --processes N, --no-iobes.
"""

import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from time import perf_counter, process_time
from typing import Any

import joblib
import numpy as np

import margrave as mg
from benchmarks._chunk_templates import TEMPLATES
from benchmarks._report import keep, keep_rows, show
from margrave.datasets import fetch_conll2000
from margrave.metrics import chunk_f1

CS, EDGES, ENDS, DECODES = (0.25, 0.5, 1.0, 2.0, 4.0), (1.0, 0.1), (False, True), ("joint", "marginal")
N_SPLITS, SEED = 5, 0
CHOOSING_TOL, FINAL_TOL = 1e-2, 1e-3
BAR, AIM = 0.9359, 0.94
Tags = list[list[str]]


@dataclass(frozen=True, order=True)
class Setting:
    """What is chosen; in order of simplicity."""

    template: str
    scheme: str
    boundary: bool
    edges: float
    C: float


def main(options: Sequence[str] = ()) -> None:
    parser = ArgumentParser("conll_f1", description=__doc__)
    parser.add_argument("--sentences", type=int, help="only the first so many, of train and test")
    parser.add_argument("--grid", action="store_true", help="all of C, edges and ends instead of one after the other")
    parser.add_argument("--templates", nargs="+", choices=list(TEMPLATES), default=list(TEMPLATES))
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--no-iobes", action="store_true")
    chosen = parser.parse_args(list(options))
    began, suffix = perf_counter(), "" if chosen.sentences is None else "_trial"
    choice = Choice(chosen, f"conll_f1_choice{suffix}")
    finals = choice.run()
    best = sorted(choice.rows, key=lambda row: -row["cv_f1"])[:10]
    show(f"the ten best of {len(choice.rows)} rows, by {N_SPLITS}-fold cross-validation inside the training set", best)
    jobs = (joblib.delayed(measure)(*final, chosen.sentences) for final in finals)
    results = joblib.Parallel(n_jobs=chosen.processes)(jobs)
    caption = f"bar {BAR} (CRFsuite at c2 = 1), aim {AIM}; the last row is the one that cross-validation chose"
    show("CoNLL-2000, chunk F1 on the test set", results, caption)
    seconds = perf_counter() - began
    reached = results[-1]["test F1"] >= BAR
    document = {"options": vars(chosen), "bar": BAR, "aim": AIM, "reached": reached, "results": results}
    keep(f"conll_f1{suffix}", {**document, "seconds": seconds})
    print(f"{seconds:.0f} s in all")


# ---------------------------------------------------------------------------------------------------------- the choice


class Choice:
    """Cross-validation, setting by setting; what was seen is kept in `rows`, a row per setting and decoding."""

    def __init__(self, chosen: Namespace, file: str) -> None:
        self.chosen, self.file, self.rows = chosen, file, list[dict[str, Any]]()
        self._found: dict[Setting, dict[str, float]] = {}
        self._truth = read("notes", "BIO", chosen.sentences)[1]

    def run(self) -> list[tuple[Setting, str]]:
        """The best of the plain template, and the best of all, with their decodings."""
        first, start = self.chosen.templates[0], Setting(self.chosen.templates[0], "BIO", ENDS[0], EDGES[0], CS[0])
        for template in self.chosen.templates:
            self._search(replace(start, template=template), CS if template == first else ())
            start = self._best(template)[0]
        if not self.chosen.no_iobes:
            iobes = replace(self._best()[0], scheme="IOBES")
            self._look([iobes])
            if self._best()[0] == iobes:
                self._look(_neighbours(iobes))
        notes, best = self._best(first), self._best()
        for row in self.rows:
            row["chosen"] = (Setting(*(row[name] for name in Setting.__match_args__)), row["decode"]) == best
        keep_rows(self.file, self.rows)
        return [notes, best] if notes != best else [best]

    def _search(self, start: Setting, path: Sequence[float]) -> None:
        """Steps 1 and 2 of one template; without `path`, C's neighbours."""
        if self.chosen.grid:
            return self._look([replace(start, C=C, edges=e, boundary=b) for b, e, C in product(ENDS, EDGES, CS)])
        self._look([replace(start, C=C) for C in path] or _neighbours(start))
        best = self._best(start.template)[0]
        self._look([replace(best, edges=edges, boundary=boundary) for boundary, edges in product(ENDS, EDGES)])
        self._look(_neighbours(self._best(start.template)[0]))

    def _look(self, settings: Iterable[Setting]) -> None:
        """Cross-validate those settings that have not been yet."""
        new = sorted(set(settings) - set(self._found))
        jobs = (joblib.delayed(held_out)(new, split, self.chosen.sentences) for split in range(N_SPLITS))
        parts = list(joblib.Parallel(n_jobs=self.chosen.processes, verbose=5)(jobs)) if new else []
        for setting, of_setting in zip(new, zip(*parts, strict=True), strict=True):
            self._found[setting] = self._judge(setting, of_setting)
        keep_rows(self.file, self.rows)  # an interrupted run leaves what it has seen

    def _judge(self, setting: Setting, parts: Sequence[dict[str, Any]]) -> dict[str, float]:
        """F1 of all held-out sentences together, by decoding."""
        order = np.concatenate([part["sentences"] for part in parts])
        truth, found = [self._truth[i] for i in order], {}
        for decode in DECODES:
            predicted = [tags for part in parts for tags in part[decode]]
            found[decode] = chunk_f1(truth, predicted)
            costs = {"largest_gap": max(part["gap"] for part in parts), "cpu_s": sum(part["s"] for part in parts)}
            self.rows.append({**vars(setting), "decode": decode, "cv_f1": found[decode], **costs})
        print(f"{setting}: " + ", ".join(f"{decode} {f1:.5f}" for decode, f1 in found.items()), flush=True)
        return found

    def _best(self, template: str | None = None) -> tuple[Setting, str]:
        """The best so far, of one template or of all; the first looked at of equals, which is the simplest."""
        found = [item for item in self._found.items() if template in (None, item[0].template)]
        rows = [(f1, setting, decode) for setting, by_decode in found for decode, f1 in by_decode.items()]
        return max(rows, key=lambda row: row[0])[1:]


def _neighbours(setting: Setting) -> list[Setting]:
    at = CS.index(setting.C)
    return [replace(setting, C=C) for C in CS[max(at - 1, 0) : at + 2]]


def held_out(settings: Sequence[Setting], split: int, sentences: int | None) -> list[dict[str, Any]]:
    """Tags of one part of the training sentences by models of the others, one model after the other."""
    encoded, tags = read(settings[0].template, settings[0].scheme, sentences)
    parts = np.array_split(np.random.default_rng(SEED).permutation(len(tags)), N_SPLITS)
    train = np.sort(np.concatenate(parts[:split] + parts[split + 1 :]))
    X, y, held, model = encoded[train], [tags[i] for i in train], encoded[parts[split]], mg.ChainCRF(warm_start=True)
    answers = []
    for setting in settings:
        seconds = fit(model, setting, X, y, CHOOSING_TOL)
        found = {decode: _predicted(model, held, decode) for decode in DECODES}
        answers.append({**found, "sentences": parts[split], "gap": model.gap_, "s": seconds})
    return answers


def fit(model: mg.ChainCRF, setting: Setting, X: mg.Sequences, y: Tags, tol: float) -> float:
    """Fit `model` with other parameters; CPU seconds."""
    penalty = {"nodes": 1.0, "edges": setting.edges}
    model.set_params(C=setting.C, penalty=penalty, boundary=setting.boundary, tol=tol, n_jobs=1)
    began = process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of other weights than before; the tables show the gap that was reached
        model.fit(X, y)
    return process_time() - began


# ------------------------------------------------------------------------------------------------------------ the test


def measure(setting: Setting, decode: str, sentences: int | None) -> dict[str, Any]:
    """A model of the whole training set, on the test set."""
    model = mg.ChainCRF()
    seconds = fit(model, setting, *read(setting.template, setting.scheme, sentences), FINAL_TOL)
    test = fetch_conll2000(subset="test")
    rows = [TEMPLATES[setting.template](sentence) for sentence in test.data[:sentences]]
    f1 = chunk_f1(test.target[:sentences], _predicted(model, rows, decode))
    reached = {"gap": model.gap_, "iterations": model.n_iter_, "weights": len(model.weights_), "fit s": seconds}
    return {**vars(setting), "decode": decode, "test F1": f1, **reached}


def _predicted(model: mg.ChainCRF, X: Any, decode: str) -> Tags:
    return [as_bio(tags.tolist()) for tags in model.predict(X, decode=decode)]


@lru_cache(maxsize=1)
def read(template: str, scheme: str, sentences: int | None) -> tuple[mg.Sequences, Tags]:
    """The training set, encoded once a process: attributes that a part does not show have no weight in its model."""
    train = fetch_conll2000(subset="train")
    rows = [TEMPLATES[template](sentence) for sentence in train.data[:sentences]]
    tags = train.target[:sentences]
    return mg.ChainCRF().encode(rows), tags if scheme == "BIO" else [as_iobes(sentence) for sentence in tags]


def as_iobes(tags: list[str]) -> list[str]:
    """E marks the last token of a chunk, S the only one.

    >>> as_iobes(["B-NP", "I-NP", "B-VP", "O"])
    ['B-NP', 'E-NP', 'S-VP', 'O']
    """
    after = [*tags[1:], "O"]
    ends = [not later.startswith("I-") for later in after]
    return [
        {"B": "S", "I": "E"}.get(tag[0], "O") + tag[1:] if end else tag for tag, end in zip(tags, ends, strict=True)
    ]


def as_bio(tags: list[str]) -> list[str]:
    """BIO again.

    >>> as_bio(["B-NP", "E-NP", "S-VP", "O"])
    ['B-NP', 'I-NP', 'B-VP', 'O']
    """
    return [{"S": "B", "E": "I"}.get(tag[0], tag[0]) + tag[1:] for tag in tags]


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
