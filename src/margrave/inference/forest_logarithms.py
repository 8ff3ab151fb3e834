"""Message passing on forests with logarithms: slower, but nothing vanishes.

For the examples that `forest_marginals` gives up: scores large against the temperature, or long paths through forbidden
states. The recursion is the same, with log-sum-exp for sums; minus infinity is never subtracted from itself.
"""

import numpy as np

from margrave.graphs.wiring import (
    EXAMPLES,
    FIRST_PAIR,
    FIRST_STATE,
    N_STATES,
    VARIABLES,
)
from margrave.inference.forest_loading import (
    EDGE,
    FLIP,
    PARENT,
    VARIABLE,
    Inputs,
    load_edge,
    load_example,
    return_edge,
    return_nodes,
    shape_of,
)
from margrave.primitives import Floats, exp, kernel


@kernel
def log_marginals(
    first: int,
    stop: int,
    inputs: Inputs,
    temperature: float,
    weights: Floats,
    work: Floats,
    own: Floats,
    values: Floats,
    counts: Floats,
    shared_counts: Floats,
    node_marginals: Floats,
    edge_marginals: Floats,
) -> None:
    """As `forest_marginals.marginals`, for those of examples `first` to `stop` whose value is NaN."""
    w, coefficients, order = inputs[1], inputs[2], inputs[3]
    scores, message, marginal, raw = work[0], work[1], work[2], own[0]
    starts = w[EXAMPLES][first, FIRST_STATE], w[EXAMPLES][first, FIRST_PAIR]
    for example in range(first, stop):
        if not np.isnan(values[example - first]):
            continue
        load_example(example, inputs, scores)
        total = _upward(example, inputs, temperature, scores, message, raw)
        values[example - first] = temperature * total
        if len(counts) + len(node_marginals) + len(edge_marginals) > 0:
            weight = weights[example] if len(weights) > 0 else 1.0
            _downward(
                example, inputs, temperature, scores, message, marginal, raw,
                weight, counts, shared_counts, edge_marginals, starts[1],
            )  # fmt: skip
            return_nodes(example, w, coefficients, order, marginal, weight, counts, node_marginals, starts[0])


@kernel
def _log_sum(values: Floats, n: int) -> float:
    peak = -np.inf
    for a in range(n):
        peak = max(peak, values[a])
    if peak == -np.inf:
        return peak
    total = 0.0
    for a in range(n):
        total += exp(values[a] - peak)
    result: float = peak + np.log(total)
    return result


@kernel
def _upward(
    example: int,
    inputs: Inputs,
    temperature: float,
    scores: Floats,
    message: Floats,
    raw: Floats,
) -> float:
    """Turn scores into log beliefs, fill log messages; returns the log partition."""
    w, order = inputs[1], inputs[3]
    skipped, edges, n = shape_of(w, example)
    terms = message[len(message) - 1]
    total = 0.0
    for p in range(n):
        for a in range(scores.shape[1]):
            scores[p, a] /= temperature
    for k in range(n):
        p = n - 1 - k
        parent = order[skipped + p, PARENT]
        n_states = w[VARIABLES][skipped + order[skipped + p, VARIABLE], N_STATES]
        norm = _log_sum(scores[p], n_states)
        total += norm
        if norm > -np.inf:  # beliefs that grew along a path would lose their digits
            for a in range(n_states):
                scores[p, a] -= norm
        if parent < 0:
            continue
        load_edge(example, edges + order[skipped + p, EDGE], inputs, raw)
        child_first = order[skipped + p, FLIP] == 1
        for a in range(w[VARIABLES][skipped + order[skipped + parent, VARIABLE], N_STATES]):
            for b in range(n_states):
                terms[b] = scores[p, b] + (raw[b, a] if child_first else raw[a, b]) / temperature
            message[p, a] = _log_sum(terms, n_states)
            scores[parent, a] += message[p, a]
    return total


@kernel
def _downward(
    example: int,
    inputs: Inputs,
    temperature: float,
    belief: Floats,
    message: Floats,
    marginal: Floats,
    raw: Floats,
    weight: float,
    counts: Floats,
    shared_counts: Floats,
    edge_marginals: Floats,
    pair_start: int,
) -> None:
    """Fill marginals by position, and return those of edges; all zero where no labelling is allowed."""
    w, coefficients, order = inputs[1], inputs[2], inputs[3]
    skipped, edges, n = shape_of(w, example)
    for p in range(n):
        parent = order[skipped + p, PARENT]
        n_states = w[VARIABLES][skipped + order[skipped + p, VARIABLE], N_STATES]
        marginal[p] = 0.0
        if parent < 0:
            total = _log_sum(belief[p], n_states)
            for b in range(n_states):
                marginal[p, b] = exp(belief[p, b] - total) if total > -np.inf else 0.0
            continue
        e, child_first = edges + order[skipped + p, EDGE], order[skipped + p, FLIP] == 1
        load_edge(example, e, inputs, raw)
        for a in range(w[VARIABLES][skipped + order[skipped + parent, VARIABLE], N_STATES]):
            total = 0.0
            for b in range(n_states):
                u, v = (b, a) if child_first else (a, b)
                given_a = 0.0
                if message[p, a] > -np.inf:
                    given_a = exp(raw[u, v] / temperature + belief[p, b] - message[p, a])
                raw[u, v] = given_a
                total += given_a
            share = marginal[parent, a] / total if total > 0.0 else 0.0  # rounding must not add up along a path
            for b in range(n_states):
                u, v = (b, a) if child_first else (a, b)
                raw[u, v] *= share
                marginal[p, b] += raw[u, v]
        return_edge(example, e, raw, weight, w, coefficients, counts, shared_counts, edge_marginals, pair_start)
