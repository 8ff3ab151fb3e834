"""What every inference algorithm promises, against enumeration and finite differences."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from margrave.checks.marginals import expected_score, tied_counts
from margrave.checks.oracle import (
    EVERYTHING,
    TEMPERATURES,
    check_averages,
    check_in_place,
    check_single_answers,
    check_threads,
    close,
)
from margrave.checks.problems import Random, all_problems, random_labels
from margrave.graphs import FactorGraph
from margrave.inference import Added, Cost, EdgeScores, Exhaustive, Inference, Maximum
from margrave.primitives import Floats

_STEP = 1e-5  # of finite differences


def check_inference(
    inference: Inference, graphs: Sequence[FactorGraph] | None = None, random_state: int | None = 0
) -> None:
    """Raise an AssertionError that names the promise which `inference` breaks.

    Where `bound_kind` is "exact", values are those of enumeration and labellings are worth them; "upper" bounds are at
    least those values; marginals are the gradient of the algorithm's own value in any case. All of it with costs,
    scores of states and of pairs, forbidden states, runs of examples, weights, temperatures 0, 0.1 and 1.

    Parameters
    ----------
    inference : Inference
    graphs : sequence of FactorGraph or None
        What to ask it about; None: one small graph of every kind. Graphs that it refuses are left out.
    random_state : int or None

    Examples
    --------
    >>> from margrave.checks import check_inference
    >>> from margrave.inference import Forest
    >>> check_inference(Forest())
    """
    random = np.random.default_rng(random_state)
    given = [problem.graph for problem in all_problems(0)] if graphs is None else list(graphs)
    served = [graph for graph in given if not _refused(inference, graph)]
    assert served, f"{type(inference).__name__} refuses every graph that it was asked about"
    for number, graph in enumerate(served):
        theta = random.normal(size=graph.n_entries)
        for temperature in TEMPERATURES[: 3 if inference.positive_temperatures else 1]:
            for what, scores, added in _questions(graph, theta, random):
                where = f"{type(inference).__name__}, graph {number}, T = {temperature:g}, {what}"
                _check_question(inference, graph, scores, temperature, added, random, where)
        check_threads(inference, graph, theta, f"{type(inference).__name__}, graph {number}")


def _refused(inference: Inference, graph: FactorGraph) -> bool:
    reason = inference.refusal(graph)
    if reason is None:
        return False
    assert len(str(reason).split()) > 3, f"a refusal must be a sentence, got {reason!r}"
    try:
        inference.maximize(graph, np.zeros(graph.n_entries))
    except ValueError as error:
        assert str(error) == reason, f"maximize must give the refusal's own sentence, got {error}"
        return True
    raise AssertionError(f"maximize answers what refusal refuses: {reason}")


# ---------------------------------------------------------------------------------------------------------- questions


def _questions(graph: FactorGraph, theta: Floats, random: Random) -> Iterator[tuple[str, Floats, Added | None]]:
    """What may be asked about scores: (in words, θ, what is added)."""
    n, most = graph.n_variables, graph.most_states
    labels = np.where(random.random(n) < 0.2, -1, random_labels(graph, random)).astype(np.int32)
    cost = Cost(labels, random.uniform(0, 2, size=(most, most)), random.uniform(0, 2, size=n))
    nodes, edges = random.normal(size=int(graph.first_state[-1])), _random_pairs(graph, random)
    yield "scores alone", theta, None
    yield "costs added", theta, Added(cost=Cost(labels, 1.0 - np.eye(most)))
    yield "weighted costs added", theta, Added(cost=cost)
    yield "node scores added", theta, Added(nodes=nodes)
    yield "edge scores added", theta, Added(edges=edges)
    forbidden = nodes.copy()
    forbidden[graph.first_state[:-1][np.diff(graph.first_state) > 1]] = -np.inf
    yield "everything added, states forbidden", theta, Added(cost=cost, nodes=forbidden, edges=edges)
    yield "entries of minus infinity", forbid_entries(graph, theta, random), Added(cost=cost)
    yield "entries and pairs of minus infinity", forbid_entries(graph, theta, random), Added(edges=_forbid(edges))


def _random_pairs(graph: FactorGraph, random: Random) -> EdgeScores:
    """A score for a random pair of states of most edges, for some twice, in no order."""
    edge = random.permutation(np.repeat(np.arange(graph.n_edges), random.integers(0, 3, size=graph.n_edges)))
    n_states, ends = np.diff(graph.first_state), np.empty((graph.n_edges, 2), dtype=np.int64)
    for i, t in enumerate(graph.topology_of):
        first = graph.first_edge[i]
        ends[first : first + graph.topologies[t].n_edges] = graph.first_variable[i] + graph.topologies[t].edges
    u, v = (random.integers(0, n_states[ends[edge, side]]) for side in (0, 1))
    return EdgeScores(edge, u, v, random.normal(size=len(edge)))


def _forbid(edges: EdgeScores) -> EdgeScores:
    value = edges.value.copy()
    value[::4] = -np.inf
    return EdgeScores(edges.edge, edges.u, edges.v, value)


def forbid_entries(graph: FactorGraph, theta: Floats, random: Random) -> Floats:
    """θ with a fifth of its entries at minus infinity, where no basis turns their sign."""
    theta = theta.copy()
    for block in graph.blocks:
        if block.basis is None or (block.basis.coefficients >= 0).all():
            part = graph.view(theta, block.name)
            part[random.random(part.shape) < 0.2] = -np.inf
    return theta


# ------------------------------------------------------------------------------------------------------------ answers


def _check_question(
    inference: Inference,
    graph: FactorGraph,
    theta: Floats,
    temperature: float,
    added: Added | None,
    random: Random,
    where: str,
) -> None:
    weights = random.uniform(0, 2, size=len(graph))
    options: dict[str, Any] = {"temperature": temperature, "added": added, "weights": weights, "ask": EVERYTHING}
    answer = inference.maximize(graph, theta, **options)
    truth = Exhaustive().prepare(graph).maximize(theta, temperature, added)
    _check_values(answer, truth.values, where)
    if temperature == 0:
        _check_labels(answer, graph, theta, added, where)
    else:
        _check_marginals(answer, graph, weights, where)
        _check_gradient(inference, graph, theta, answer, options, random, where)
    _check_runs(inference, graph, theta, answer, options, where)
    check_single_answers(inference, graph, theta, options, where)
    check_in_place(inference, graph, theta, options, where)
    check_averages(inference, graph, theta, options, where)
    _check_entropy(inference, graph, theta, temperature, added, where)


def _check_values(answer: Maximum, truth: Floats, where: str) -> None:
    assert answer.bound_kind in ("exact", "upper", "none"), f"{where}: bound_kind is {answer.bound_kind!r}"
    assert not np.isnan(answer.values).any(), f"{where}: a value is NaN"
    if answer.bound_kind == "exact":
        close(answer.values, truth, f"{where}: values are not those of enumeration")
    if answer.bound_kind != "none":
        slack = 1e-9 * (1.0 + np.abs(np.where(np.isfinite(truth), truth, 0.0)))
        assert (answer.bounds >= np.where(np.isfinite(truth), truth - slack, truth)).all(), f"{where}: a bound is below"
        assert (answer.bounds >= answer.values).all(), f"{where}: a bound is below the value"


def _check_labels(answer: Maximum, graph: FactorGraph, theta: Floats, added: Added | None, where: str) -> None:
    labels = answer.labels
    assert labels is not None, f"{where}: no labels at T = 0"
    assert labels.shape == (graph.n_variables,) and labels.dtype == np.int32, f"{where}: labels must be int32, one each"
    assert ((labels >= 0) & (labels < np.diff(graph.first_state))).all(), f"{where}: a label is no state"
    if answer.bound_kind == "exact":
        worth = np.array([expected_score(graph, theta, added, i, labels) for i in range(len(graph))])
        close(worth, answer.values, f"{where}: the labelling is not worth the value")


def _check_marginals(answer: Maximum, graph: FactorGraph, weights: Floats, where: str) -> None:
    nodes, edges, counts = answer.node_marginals, answer.edge_marginals, answer.counts
    assert nodes is not None and edges is not None and counts is not None, f"{where}: asked for and not given"
    for marginals in (nodes, edges):
        assert np.isfinite(marginals).all() and (marginals >= -1e-12).all(), f"{where}: a marginal is no probability"
    possible = np.isfinite(answer.values)
    sums = np.add.reduceat(np.append(nodes, 0.0), graph.first_state[:-1]) if graph.n_variables else np.empty(0)
    of_example = np.repeat(possible, np.diff(graph.first_variable))
    close(sums[of_example], np.ones(int(of_example.sum())), f"{where}: marginals of a variable do not sum to one")
    close(counts, tied_counts(graph, nodes, edges, weights), f"{where}: counts are not the tied sums of marginals")


def _check_gradient(
    inference: Inference,
    graph: FactorGraph,
    theta: Floats,
    answer: Maximum,
    options: dict[str, Any],
    random: Random,
    where: str,
) -> None:
    """Along random directions; examples without any labelling have no gradient."""
    weights = np.where(np.isfinite(answer.values), options["weights"], 0.0)
    counts = inference.maximize(graph, theta, **{**options, "weights": weights}).counts
    oracle, rest = inference.prepare(graph), {"temperature": options["temperature"], "added": options["added"]}
    for _ in range(2):
        direction = np.where(np.isfinite(theta), random.normal(size=len(theta)), 0.0)
        up, down = (oracle.maximize(theta + h * direction, **rest).values for h in (_STEP, -_STEP))
        rise = np.where(weights > 0, up, 0.0) - np.where(weights > 0, down, 0.0)
        slope = float(weights @ rise) / (2 * _STEP)
        assert counts is not None
        close(counts @ direction, slope, f"{where}: counts are not the gradient of the values", tolerance=1e-5)


# ----------------------------------------------------------------------------------------------- ways of asking


def _check_runs(
    inference: Inference, graph: FactorGraph, theta: Floats, whole: Maximum, options: dict[str, Any], where: str
) -> None:
    """A run of examples gets the whole batch's answers, and leaves other examples' entries of `out` alone."""
    oracle = inference.prepare(graph)
    for run in (slice(0, 1), slice(1, len(graph)), slice(1, 1), slice(None)):
        start, stop, _ = run.indices(len(graph))
        out = np.full(graph.n_entries, np.nan)
        answer = oracle.maximize(theta, **options, examples=run, out=out)
        close(answer.values, whole.values[run], f"{where}: values of {run} differ from the whole batch's")
        variables, edges = graph.first_variable[[start, stop]], graph.first_edge[[start, stop]]
        if whole.labels is not None and answer.labels is not None:
            same = np.array_equal(answer.labels, whole.labels[variables[0] : variables[1]])
            assert same, f"{where}: labels of {run} differ from the whole batch's"
        if whole.node_marginals is None or whole.edge_marginals is None:
            continue
        assert answer.counts is out, f"{where}: counts must be written to `out`"
        states, pairs = slice(*graph.first_state[variables]), slice(*graph.first_pair[edges])
        close(answer.node_marginals, whole.node_marginals[states], f"{where}: node marginals of {run} differ")
        close(answer.edge_marginals, whole.edge_marginals[pairs], f"{where}: edge marginals of {run} differ")
        inside = np.where((np.arange(len(graph)) >= start) & (np.arange(len(graph)) < stop), options["weights"], 0.0)
        wanted = tied_counts(graph, whole.node_marginals, whole.edge_marginals, inside)
        wanted[_entries_of_others(graph, start, stop)] = np.nan
        close(out, wanted, f"{where}: `out` must hold the counts of {run}, and be left alone elsewhere")


def _entries_of_others(graph: FactorGraph, start: int, stop: int) -> Any:
    others = np.ones(graph.n_entries, dtype=bool)
    others[: graph.n_shared] = False
    for example in range(start, stop):
        for own in graph.local(example).own:
            others[own] = False
    return others


def _check_entropy(
    inference: Inference, graph: FactorGraph, theta: Floats, temperature: float, added: Added | None, where: str
) -> None:
    """H(μ) = (value − ⟨θ, μ⟩)/T, wherever an entropy is offered; a refusal is a ValueError."""
    if temperature == 0 or added is not None or not np.isfinite(theta).all():
        return
    oracle = inference.prepare(graph)
    answer = oracle.maximize(theta, temperature, ask=("nodes", "edges"))
    try:
        entropy = oracle.entropy(answer)
    except ValueError:
        return
    single = (oracle.maximize(theta, temperature, None, slice(i, i + 1)).counts for i in range(len(graph)))
    scores = np.array([float(counts @ theta) for counts in single if counts is not None])
    close(entropy, (answer.values - scores) / temperature, f"{where}: entropy is not (value - <θ, μ>)/T")
