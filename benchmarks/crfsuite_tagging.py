"""Tagging and encoding of CoNLL-2000 beside CRFsuite, from every form that the data may have.

Tagging: the test set, with models of the whole training set (few iterations: the weights' values cost no time).
"Prepared" is one CSR matrix here and prebuilt ItemSequences there; then lists of strings, dicts of {attribute: 1.0},
and dicts of text such as {"w[0]": "the"}, for which both have models that were trained on that very form. Out come the
tags as strings. Encoding: the training set to one CSR matrix here, and appended to a trainer there.
CPU time; both take turns, and the median of the rounds counts. Our predictions must be equal from every form.

Options: --rounds N, --sentences N (a small trial). CRFsuite's models are kept in results/.
"""

import warnings
from argparse import ArgumentParser
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pycrfsuite
from sklearn.exceptions import ConvergenceWarning

import margrave as mg
from benchmarks import _crfsuite
from benchmarks._clock import in_turns
from benchmarks._conll import C, Chunks
from benchmarks._report import RESULTS, Row, keep, show
from margrave.primitives import AnyArray

#: How much faster tagging must be at least, prepared and from dicts, and how much slower encoding may be at the most.
PREPARED, FROM_DICTS, ENCODING = 3.0, 1.0, 1.5
ITERATIONS = 30


def as_text(attributes: list[str]) -> dict[str, Any]:
    """`w[0]=the` as {"w[0]": "the"}; what has no value counts 1.0.

    >>> as_text(["bias", "w[0]=the", "p[0]==="])
    {'bias': 1.0, 'w[0]': 'the', 'p[0]': '=='}
    """
    parts = (attribute.partition("=") for attribute in attributes)
    return {name: value if sign else 1.0 for name, sign, value in parts}


#: What becomes of a token's attributes.
FORMS: dict[str, Callable[[list[str]], Any]] = {
    "lists of strings": list,
    "dicts of 1.0": lambda attributes: dict.fromkeys(attributes, 1.0),
    "dicts of text": as_text,
}


def main(options: Sequence[str] = ()) -> None:
    parser = ArgumentParser("crfsuite_tagging", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5, help="how often both are timed, one after the other")
    parser.add_argument("--sentences", type=int, help="only the first so many, of train and test")
    chosen = parser.parse_args(list(options))
    train, test = Chunks.fetch("train", chosen.sentences), Chunks.fetch("test", chosen.sentences)
    tagged, encoded = list[Row](), list[Row]()
    seen: dict[str, list[AnyArray]] = {}
    for form in FORMS:
        rows, test_rows = in_form(form, train), in_form(form, test)
        encoded.append(time_encoding(form, rows, train.tags, chosen.rounds))
        crf, tagger = our_model(rows, train.tags), their_model(form, rows, train.tags)
        if not tagged:
            tagged += time_prepared(crf, tagger, test_rows, chosen.rounds, seen)
        tagged.append(time_tagging(form, crf, tagger, test_rows, chosen.rounds, seen))
    check_equal(seen)
    n_train, n_test = len(train.rows), len(test.rows)
    caption = f"CPU, medians of {chosen.rounds} rounds; ratio: CRFsuite ÷ margrave; our predictions are all equal"
    show(f"CoNLL-2000, {n_test} sentences of the test set, features in, tags out", tagged, caption)
    caption = f"CPU, medians of {chosen.rounds} rounds; ratio: margrave ÷ CRFsuite"
    show(f"CoNLL-2000, {n_train} sentences of the training set: to CSR here, append there", encoded, caption)
    document = {"options": vars(chosen), "tagging": tagged, "encoding": encoded}
    keep("crfsuite_tagging" if chosen.sentences is None else "crfsuite_tagging_trial", document)


def in_form(form: str, chunks: Chunks) -> list[list[Any]]:
    return [[FORMS[form](token) for token in row] for row in chunks.rows]


# --------------------------------------------------------------------------------------------------------------- models


def our_model(rows: list[list[Any]], tags: list[list[str]]) -> mg.ChainCRF:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return mg.ChainCRF(C=C, max_iter=ITERATIONS, n_jobs=1).fit(rows, tags)


def their_model(form: str, rows: list[list[Any]], tags: list[list[str]]) -> Any:
    """A tagger; lists of strings and dicts of 1.0 name the same attributes, and share a model."""
    attributes = "text" if form == "dicts of text" else "names"
    path = RESULTS / f"crfsuite_tagging_{attributes}_{len(rows)}.crfsuite"
    return _crfsuite.open_tagger(_crfsuite.kept_model(path, rows, tags, max_iterations=ITERATIONS))


# --------------------------------------------------------------------------------------------------------------- timing


def time_prepared(crf: mg.ChainCRF, tagger: Any, rows: Any, rounds: int, seen: dict[str, list[AnyArray]]) -> list[Row]:
    """From one matrix, and from ItemSequences; out come arrays of strings, or lists of them as CRFsuite gives."""
    data = crf.encode(rows)
    items = [pycrfsuite.ItemSequence(row) for row in rows]
    seen["prepared"] = crf.predict(mg.Sequences(data.features, data.lengths))
    calls: dict[str, Callable[[], Any]] = {
        "theirs": lambda: [tagger.tag(item) for item in items],
        "arrays": lambda: crf.predict(mg.Sequences(data.features, data.lengths)),
        "lists": lambda: [tags.tolist() for tags in crf.predict(mg.Sequences(data.features, data.lengths))],
    }
    ms = in_turns(calls, rounds)
    return [
        tagging_row("prepared: CSR, ItemSequences", ms["theirs"], ms["arrays"], PREPARED),
        tagging_row("prepared, and arrays of tags made lists", ms["theirs"], ms["lists"], PREPARED),
    ]


def time_tagging(
    form: str, crf: mg.ChainCRF, tagger: Any, rows: Any, rounds: int, seen: dict[str, list[AnyArray]]
) -> Row:
    seen[form] = crf.predict(rows)
    calls = {"theirs": lambda: [tagger.tag(row) for row in rows], "ours": lambda: crf.predict(rows)}
    ms = in_turns(calls, rounds)
    return tagging_row(form, ms["theirs"], ms["ours"], FROM_DICTS if form.startswith("dicts") else None)


def tagging_row(form: str, theirs: float, ours: float, bar: float | None) -> Row:
    ratio = theirs / ours
    found = {"from": form, "CRFsuite ms": theirs, "margrave ms": ours, "ratio": ratio}
    return {**found, "bar": f"≥ {bar:g}", "reached": ratio >= bar} if bar else {**found, "bar": "", "reached": ""}


def time_encoding(form: str, rows: Any, tags: list[list[str]], rounds: int) -> Row:
    calls = {"theirs": partial(_crfsuite.trainer, rows, tags), "ours": lambda: mg.ChainCRF().encode(rows)}
    ms = in_turns(calls, rounds)
    ratio = ms["ours"] / ms["theirs"]
    found = {"from": form, "CRFsuite ms": ms["theirs"], "margrave ms": ms["ours"], "ratio": ratio}
    return {**found, "bar": f"≤ {ENCODING:g}", "reached": ratio <= ENCODING}


def check_equal(seen: dict[str, list[AnyArray]]) -> None:
    """Names of attributes differ between the forms, and nothing else does."""
    (first, expected), *others = seen.items()
    for form, found in others:
        if not np.array_equal(np.concatenate(expected), np.concatenate(found)):
            raise AssertionError(f"predictions from {form} differ from those from {first}")


if __name__ == "__main__":
    import sys

    main(sys.argv[1:])
