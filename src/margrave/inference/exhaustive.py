"""All labellings, one by one: the judge of every other algorithm.

Written in NumPy from the definition, sharing no code with the kernels that it judges. An example with n variables of K
states costs K^n · (variables + edges), so this is for graphs of about twenty binary variables or fewer.
"""

from collections.abc import Collection
from typing import Any

import numpy as np

from margrave.graphs import FactorGraph, Topology
from margrave.inference.base import ALL, Added, Inference, Maximum
from margrave.primitives import Floats, Integers, Labels

#: Numbers that one step may hold at a time; more examples than fit are taken in turns.
_MOST_AT_ONCE = 4_000_000


class Exhaustive(Inference):
    """Maximum, log partition and marginals by enumeration; exact on every graph, any temperature.

    Parameters
    ----------
    max_labelings : int, default=2**20
        Graphs with more labellings than this are refused.

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> graph = mg.Sequence().build(mg.Sequences(np.zeros((3, 0)), [3]), n_states=2).graph
    >>> theta = np.array([1.0, 0, 0, 1, 0.5, 0, 0, 0, 0, 0])  # a table that likes equal neighbours, then three nodes
    >>> mg.inference.Exhaustive().maximize(graph, theta).labels
    array([0, 0, 0], dtype=int32)
    """

    def __init__(self, max_labelings: int = 2**20) -> None:
        self.max_labelings = max_labelings

    def refusal(self, graph: FactorGraph) -> str | None:
        """See `Inference.refusal`."""
        for t in graph.topologies:
            with np.errstate(over="ignore"):
                n_labelings = float(np.prod(t.n_states.astype(float)))
            if n_labelings > self.max_labelings:
                return (
                    f"Exhaustive was given a graph with {n_labelings:.3g} labellings, more than max_labelings="
                    f"{self.max_labelings}; use Forest where there are no loops, or raise max_labelings"
                )
        return None

    def prepare(self, graph: FactorGraph, n_jobs: int = 1) -> "ExhaustiveOracle":
        """See `Inference.prepare`; `n_jobs` is not used."""
        return ExhaustiveOracle(graph)


def all_labelings(topology: Topology) -> Integers:
    """Every labelling of a shape, shape (n_labelings, n_variables), the last variable fastest."""
    n_labelings = int(np.prod(topology.n_states))
    return np.indices(tuple(topology.n_states)).reshape(topology.n_variables, n_labelings).T


class ExhaustiveOracle:
    """Enumerates, shape by shape."""

    in_place = False

    def __init__(self, graph: FactorGraph) -> None:
        self.graph = graph

    def maximize(
        self,
        theta: Floats,
        temperature: float = 0.0,
        added: Added | None = None,
        examples: slice = ALL,
        out: Floats | None = None,
        weights: Floats | None = None,
        ask: Collection[str] = ("counts", "nodes"),
    ) -> Maximum:
        """See `Oracle.maximize`."""
        graph, asked = self.graph, np.arange(len(self.graph))[examples]
        answer = _Answer(graph, asked, temperature, out, weights, ask)
        for index, topology in enumerate(graph.topologies):
            members = asked[graph.topology_of[asked] == index]
            labelings = topology.cached(all_labelings)
            step = max(1, _MOST_AT_ONCE // len(labelings))
            for first in range(0, len(members), step):
                some = members[first : first + step]
                scores = self._scores(theta, topology, labelings, some, added or Added())
                answer.take(topology, labelings, some, scores)
        return answer.maximum()

    def answer(self, theta: Floats, example: int, temperature: float = 0.0, added: Added | None = None) -> Maximum:
        """See `Oracle.answer`."""
        return self.maximize(theta, temperature, added, slice(example, example + 1))

    def answers(self, theta: Floats, examples: Integers, added: Added | None = None) -> Labels:
        """See `Oracle.answers`."""
        labels = [self.answer(theta, int(example), 0.0, added).labels for example in examples]
        return np.concatenate([np.empty(0, dtype=np.int32), *(found for found in labels if found is not None)])

    def average(
        self,
        theta: Floats,
        examples: Integers,
        temperature: float,
        out: Floats,
        added: Added | None = None,
        weights: Floats | None = None,
    ) -> None:
        """See `Oracle.average`."""
        n_shared, scores = self.graph.n_shared, theta.copy()
        shared, part = np.zeros(n_shared), out
        for example in examples.tolist():
            self.maximize(scores, temperature, added, slice(example, example + 1), part, weights, ask=())
            shared += part[:n_shared]
        out[:n_shared] = shared

    def entropy(self, maximum: Maximum, examples: slice = ALL) -> Floats:
        """Not a function of node and edge marginals where a graph has loops, so refused; use (value - ⟨θ, μ⟩)/T."""
        raise ValueError(
            "the exact entropy of a graph with loops is no function of its marginals; use Forest on forests"
        )

    def _scores(self, theta: Floats, t: Topology, labelings: Integers, some: Integers, added: Added) -> Floats:
        """Score of every labelling of every example, shape (n_examples, n_labelings)."""
        graph, total = self.graph, np.zeros((len(some), len(labelings)))
        for v in range(t.n_variables):
            states = _slot(graph, theta, t.variables, v, some)
            place = graph.first_variable[some] + v
            if added.cost is not None:
                true = added.cost.labels[place]
                cost = np.where((true >= 0)[:, None], added.cost.table[np.maximum(true, 0), : t.n_states[v]], 0.0)
                states = states + (cost if added.cost.weights is None else cost * added.cost.weights[place][:, None])
            if added.nodes is not None:
                states = states + added.nodes[graph.first_state[place][:, None] + np.arange(t.n_states[v])]
            total += states[:, labelings[:, v]]
        for e, (u, v) in enumerate(t.edges):
            shape = (len(some), int(t.n_states[u]), int(t.n_states[v]))
            table = np.zeros(shape)
            for k in range(t.tables.pointer[e], t.tables.pointer[e + 1]):
                cells = _slot(graph, theta, t.tables.places, k, some)
                flipped = (shape[0], shape[2], shape[1])
                table += cells.reshape(flipped).transpose(0, 2, 1) if t.tables.transposed[k] else cells.reshape(shape)
            if added.edges is not None:
                for i, example in enumerate(some):
                    mine = added.edges.edge == graph.first_edge[example] + e
                    np.add.at(table[i], (added.edges.u[mine], added.edges.v[mine]), added.edges.value[mine])
            total += table[:, labelings[:, u], labelings[:, v]]
        return total


class _Answer:
    """Collects answers shape by shape and puts them where they belong in the batch."""

    def __init__(
        self,
        graph: FactorGraph,
        asked: Integers,
        temperature: float,
        out: Floats | None,
        weights: Floats | None,
        ask: Collection[str],
    ) -> None:
        self.graph, self.asked, self.temperature = graph, asked, temperature
        self.weights = np.ones(len(graph)) if weights is None else weights
        self.values = np.zeros(len(asked))
        first = int(asked[0]) if len(asked) else 0
        stop = int(asked[-1]) + 1 if len(asked) else 0
        self.origin = (first, int(graph.first_variable[first]), int(graph.first_edge[first]))
        last_variable, last_edge = int(graph.first_variable[stop]), int(graph.first_edge[stop])
        self.labels = np.zeros(last_variable - self.origin[1], dtype=np.int32)
        self.counts = self.nodes = self.edges = None
        if temperature > 0:
            n_states = graph.first_state[last_variable] - graph.first_state[self.origin[1]]
            n_pairs = graph.first_pair[last_edge] - graph.first_pair[self.origin[2]]
            self.nodes = np.zeros(n_states) if "nodes" in ask else None
            self.edges = np.zeros(n_pairs) if "edges" in ask else None
            self.counts = self._cleared(out) if out is not None or "counts" in ask else None

    def _cleared(self, out: Floats | None) -> Floats:
        out = np.zeros(self.graph.n_entries) if out is None else out
        out[: self.graph.n_shared] = 0.0
        for example in self.asked:
            for run in self.graph.local(example).own:
                out[run] = 0.0
        return out

    def take(self, t: Topology, labelings: Integers, some: Integers, scores: Floats) -> None:
        """Answer for examples of one shape from the scores of all their labellings."""
        best = scores.max(axis=1) if t.n_variables else np.zeros(len(some))
        if self.temperature == 0:
            winners = labelings[scores.argmax(axis=1)]
            place = self.graph.first_variable[some][:, None] + np.arange(t.n_variables) - self.origin[1]
            self.labels[place] = winners
            self.values[some - self.origin[0]] = best
            return
        finite = np.where(np.isfinite(best), best, 0.0)
        unnormalised = np.exp((scores - finite[:, None]) / self.temperature)
        total = unnormalised.sum(axis=1)
        with np.errstate(divide="ignore"):
            self.values[some - self.origin[0]] = finite + self.temperature * np.log(total)
        probability = unnormalised / np.where(total > 0, total, 1.0)[:, None]
        self._marginals(t, labelings, some, probability)

    def _marginals(self, t: Topology, labelings: Integers, some: Integers, probability: Floats) -> None:
        graph, weight = self.graph, self.weights[some][:, None]
        for v in range(t.n_variables):
            marginal = probability @ (labelings[:, v][:, None] == np.arange(t.n_states[v]))
            if self.nodes is not None:
                first = graph.first_state[graph.first_variable[some] + v] - graph.first_state[self.origin[1]]
                self.nodes[first[:, None] + np.arange(t.n_states[v])] = marginal
            if self.counts is not None:
                _add_slot(graph, self.counts, t.variables, v, some, weight * marginal)
        for e, (u, v) in enumerate(t.edges):
            pair = labelings[:, u] * t.n_states[v] + labelings[:, v]
            marginal = probability @ (pair[:, None] == np.arange(t.n_states[u] * t.n_states[v]))
            if self.edges is not None:
                first = graph.first_pair[graph.first_edge[some] + e] - graph.first_pair[self.origin[2]]
                self.edges[first[:, None] + np.arange(marginal.shape[1])] = marginal
            if self.counts is not None:
                square = marginal.reshape(len(some), t.n_states[u], t.n_states[v])
                for k in range(t.tables.pointer[e], t.tables.pointer[e + 1]):
                    turned = square.transpose(0, 2, 1) if t.tables.transposed[k] else square
                    flat = turned.reshape(len(some), -1)
                    _add_slot(graph, self.counts, t.tables.places, k, some, weight * flat)

    def maximum(self) -> Maximum:
        """The whole answer."""
        return Maximum(
            values=self.values,
            bounds=self.values,
            bound_kind="exact",
            labels=self.labels if self.temperature == 0 else None,
            counts=self.counts,
            node_marginals=self.nodes,
            edge_marginals=self.edges,
        )


def _entries(graph: FactorGraph, places: Any, index: int, some: Integers) -> tuple[Integers, Any]:
    """Where in θ the entries of a place stand for each example, shape (n_examples, n_entries), and their block."""
    block = graph.blocks[places.block[index]]
    row = np.full(len(some), places.row[index])
    if not block.shared:
        row = row + graph.rows[block.name][some]
    start = graph.starts[block.name] + row * block.width + places.slot[index] * block.n_entries
    return start[:, None] + np.arange(block.n_entries), block


def _slot(graph: FactorGraph, theta: Floats, places: Any, index: int, some: Integers) -> Floats:
    entries, block = _entries(graph, places, index, some)
    values: Floats = theta[entries]
    if block.basis is None:
        return values
    matrix = block.basis.matrix()
    terms = np.zeros((*values.shape, matrix.shape[1]))
    np.multiply(values[:, :, None], matrix, out=terms, where=matrix != 0)  # minus infinity times 0 is no score at all
    result: Floats = terms.sum(axis=1)
    return result


def _add_slot(graph: FactorGraph, counts: Floats, places: Any, index: int, some: Integers, cells: Floats) -> None:
    entries, block = _entries(graph, places, index, some)
    np.add.at(counts, entries, cells if block.basis is None else cells @ block.basis.matrix().T)
