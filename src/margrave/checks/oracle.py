"""What an oracle promises to those who come back to it: one example, some examples, from any number of threads."""

from typing import Any

import numpy as np

from margrave.graphs import FactorGraph
from margrave.inference import Added, Inference
from margrave.primitives import Floats

TEMPERATURES = (0.0, 0.1, 1.0)
EVERYTHING = ("counts", "nodes", "edges")


def check_single_answers(
    inference: Inference, graph: FactorGraph, theta: Floats, options: dict[str, Any], where: str
) -> None:
    """One oracle asked in no order, about scores that change under its hands, as dual solvers do."""
    oracle, scores = inference.prepare(graph), np.zeros(graph.n_entries)
    temperature, added = options["temperature"], options["added"]
    for example in (*reversed(range(len(graph))), 0):
        oracle.answer(scores, example, temperature, added)
        scores[:] = theta
        answer = oracle.answer(scores, example, temperature, added)
        whole = inference.prepare(graph).maximize(theta, temperature, added, slice(example, example + 1))
        close(answer.values, whole.values, f"{where}: answer({example}) has another value than maximize")
        if whole.labels is not None and answer.labels is not None:
            same = np.array_equal(answer.labels, whole.labels)
            assert same, f"{where}: answer({example}) has other labels than maximize"
        if whole.node_marginals is not None:
            close(answer.node_marginals, whole.node_marginals, f"{where}: answer({example}) has other marginals")
        scores[:] = 0.0
    if temperature == 0.0:
        _check_several_answers(inference, graph, theta, added, where)


def check_in_place(
    inference: Inference, graph: FactorGraph, theta: Floats, options: dict[str, Any], where: str
) -> None:
    """Counts over the scores themselves are those in a vector of their own, where the oracle says so."""
    if options["temperature"] == 0.0 or not inference.prepare(graph).in_place:
        return
    expected, found = np.zeros(graph.n_entries), theta.copy()
    inference.prepare(graph).maximize(theta, out=expected, **options)
    inference.prepare(graph).maximize(found, out=found, **options)
    assert np.array_equal(found, expected), f"{where}: counts in place of the scores are other counts"


def check_averages(
    inference: Inference, graph: FactorGraph, theta: Floats, options: dict[str, Any], where: str
) -> None:
    """Counts of listed examples are those of the same examples one by one; the others' places are left alone."""
    if options["temperature"] == 0.0:
        return
    oracle, n_shared = inference.prepare(graph), graph.n_shared
    for examples in (np.arange(len(graph))[::-1], np.arange(0, len(graph), 2), np.arange(0)):
        expected, shared = np.full(graph.n_entries, 7.0), np.zeros(n_shared)
        for example in examples.tolist():
            inference.prepare(graph).maximize(theta, out=expected, examples=slice(example, example + 1), **options)
            shared += expected[:n_shared]
        expected[:n_shared] = shared
        found = theta.copy() if oracle.in_place else np.full(graph.n_entries, 7.0)
        scores, arguments = found if oracle.in_place else theta, (options["added"], options["weights"])
        oracle.average(scores, examples.astype(np.int64), options["temperature"], found, *arguments)
        if oracle.in_place:  # what was not asked for still holds scores
            others = np.ones(graph.n_entries, dtype=bool)
            others[:n_shared] = False
            for example in examples.tolist():
                others[np.concatenate([np.arange(run.start, run.stop) for run in graph.local(example).own])] = False
            assert np.array_equal(found[others], theta[others]), f"{where}: average wrote to other examples' places"
            found[others] = 7.0
        close(found, expected, f"{where}: average({examples.tolist()}) has other counts")


def _check_several_answers(
    inference: Inference, graph: FactorGraph, theta: Floats, added: Added | None, where: str
) -> None:
    oracle = inference.prepare(graph)
    for examples in (np.arange(len(graph))[::-1], np.arange(0, len(graph), 2), np.arange(0)):
        found = oracle.answers(theta, examples.astype(np.int64), added).copy()
        expected = [np.array(oracle.answer(theta, int(example), 0.0, added).labels) for example in examples]
        same = np.array_equal(found, np.concatenate([np.empty(0, dtype=np.int32), *expected]))
        assert same, f"{where}: answers({examples.tolist()}) are not those given one by one"


def check_threads(inference: Inference, graph: FactorGraph, theta: Floats, where: str) -> None:
    """The same bits from one, two and three threads."""
    for temperature in TEMPERATURES[:: 2 if inference.positive_temperatures else 3]:
        answers = [
            inference.prepare(graph, n_jobs).maximize(theta, temperature, ask=EVERYTHING) for n_jobs in (1, 2, 3)
        ]
        for name in ("values", "bounds", "labels", "counts", "node_marginals", "edge_marginals"):
            first, *rest = (getattr(answer, name) for answer in answers)
            same = all(first is None if other is None else np.array_equal(first, other) for other in rest)
            assert same, f"{where}: {name} change with n_jobs at T = {temperature:g}"


def close(found: Any, wanted: Any, message: str, tolerance: float = 1e-8) -> None:
    """Raise an AssertionError unless two arrays agree (infinities and NaN exactly)."""
    found, wanted = np.asarray(found, dtype=np.float64), np.asarray(wanted, dtype=np.float64)
    assert found.shape == wanted.shape, f"{message} (shape {found.shape} instead of {wanted.shape})"
    if not np.allclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True):
        with np.errstate(invalid="ignore"):
            worst = np.nanmax(np.abs(found - wanted))
        raise AssertionError(f"{message} (they differ by up to {worst:.3g})")
