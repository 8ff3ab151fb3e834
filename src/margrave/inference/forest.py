"""Trees, chains among them: two passes of messages give everything exactly."""

from collections.abc import Collection

import numpy as np

from margrave.graphs import FactorGraph, Topology
from margrave.graphs.wiring import NOTHING, PREPARED, SUMS
from margrave.inference.base import ALL, Added, Inference, Maximum
from margrave.inference.forest_best import best_labels
from margrave.inference.forest_loading import CHILDREN, Inputs, prepare_tables
from margrave.inference.forest_logarithms import log_marginals
from margrave.inference.forest_marginals import marginals
from margrave.inference.forest_some import best_of_some, counts_of_some
from margrave.primitives import Floats, Integers, Labels, for_each

_NONE = np.empty(0)


class Forest(Inference):
    """Max-product (T = 0) or sum-product (T > 0) from the leaves to the root and back; exact on graphs without loops.

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> graph = mg.Sequence().build(mg.Sequences(np.zeros((3, 0)), [3]), n_states=2).graph
    >>> theta = np.array([1.0, 0, 0, 1, 0.5, 0, 0, 0, 0, 0])  # a table that likes equal neighbours, then three nodes
    >>> best = mg.inference.Forest().maximize(graph, theta)
    >>> best.labels, best.values
    (array([0, 0, 0], dtype=int32), array([2.5]))
    >>> mg.inference.Forest().maximize(graph, theta, temperature=1.0).node_marginals.round(2)
    array([0.62, 0.38, 0.56, 0.44, 0.53, 0.47])

    Notes
    -----
    O(variables · K + edges · K²) time, O(variables · K) memory per example. Where scores are so large against T that
    products vanish, an example is done again with logarithms.
    """

    def refusal(self, graph: FactorGraph) -> str | None:
        """See `Inference.refusal`."""
        for i, t in enumerate(graph.topologies):
            if (t.cached(forest_order)[:, 1] < 0).sum() + t.n_edges != t.n_variables:
                return f"Forest was given a graph with a loop (topology {i}); use Exhaustive for small graphs"
        return None

    def prepare(self, graph: FactorGraph, n_jobs: int = 1) -> "ForestOracle":
        """See `Inference.prepare`."""
        return ForestOracle(graph, n_jobs)


def forest_order(topology: Topology) -> Integers:
    """Variables in an order that puts parents before children, depth first; one row per position.

    Columns: variable, position of its parent (-1: a root), the edge to it, whether that edge is written child first,
    number of children.
    """
    n = topology.n_variables
    neighbours: list[list[tuple[int, int, int]]] = [[] for _ in range(n)]
    for e, (u, v) in enumerate(topology.edges.tolist()):
        neighbours[u].append((v, e, 0))
        neighbours[v].append((u, e, 1))
    order = np.empty((n, 5), dtype=np.int64)
    position = [-1] * n
    filled = 0
    for root in range(n):
        waiting = [(root, -1, -1, 0)] if position[root] < 0 else []
        while waiting:
            variable, parent, edge, flip = waiting.pop()
            if position[variable] >= 0:
                continue
            order[filled] = variable, parent, edge, flip, 0
            if parent >= 0:
                order[parent, CHILDREN] += 1
            position[variable] = filled
            waiting.extend((other, filled, e, f) for other, e, f in neighbours[variable] if position[other] < 0)
            filled += 1
    return order


def blocks_to_clear(graph: FactorGraph) -> list[str]:
    """Blocks of the examples' own that marginals of variables do not fill: tables are added to, gaps stay at 0."""
    names = []
    for b, block in enumerate(graph.blocks):
        if not block.shared:
            filled = np.array([(t.variables.block == b).sum() for t in graph.topologies], dtype=np.int64)
            first = graph.rows[block.name]
            if filled[graph.topology_of].sum() < (first[-1] - first[0]) * block.n_slots:
                names.append(block.name)
    return names


class ForestOracle:
    """Forest made ready for one graph."""

    def __init__(self, graph: FactorGraph, n_jobs: int = 1) -> None:
        self.graph, self.n_jobs = graph, n_jobs
        self._wiring, self._coefficients = graph.wiring, graph.coefficients
        self._order = np.concatenate([t.cached(forest_order) for t in graph.topologies] + [np.empty((0, 5), np.int64)])
        self._dims = (0,) * -(-graph.most_states // 8)
        width = 8 * len(self._dims)
        n_tables = int(graph.wiring[SUMS][:-1, PREPARED].max(initial=-1)) + 1
        self._tables = np.empty((n_tables, 2, width, width))
        self._peaks = np.zeros(n_tables)
        self._cleared = blocks_to_clear(graph)
        # Own scores of variables are read before their marginals are written, shared ones written last; a basis may
        # leave entries alone that feed no state.
        prepared = bool((graph.wiring[SUMS][:-1, PREPARED] >= 0).all())
        self.in_place = prepared and not self._cleared and all(block.basis is None for block in graph.blocks)
        self._n_rows = most = int(np.diff(graph.first_variable).max(initial=0)) + 1
        self._work, self._own = np.empty((most, width)), np.empty((3, width, width))
        self._labels, self._one_example = np.empty(0, dtype=np.int32), np.zeros(1, dtype=np.int64)
        self._one = Maximum(value := np.empty(1), value, "exact")
        self._last_added: Added | None = None
        self._averaging: tuple[Floats, Floats, Floats] | None = None  # made when first asked for
        self._extra = NOTHING

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
        graph = self.graph
        start, stop, _ = examples.indices(len(graph))
        extra = NOTHING if added is None else added.extra(graph)
        runs = [(max(a, start), min(b, stop)) for a, b in graph.slices if a < stop and b > start]
        answer = Maximum(values=(values := np.empty(max(stop - start, 0))), bounds=values, bound_kind="exact")
        inputs = (theta, graph.wiring, graph.coefficients, self._order, extra)
        prepare_tables(self._dims, *inputs[:3], temperature, self._own, self._tables, self._peaks)
        if temperature == 0.0:
            first = graph.first_variable
            answer.labels = np.empty(int(first[stop] - first[start]) if stop > start else 0, dtype=np.int32)
            for_each(lambda run: self._best(run, start, inputs, answer), runs, self.n_jobs)
            return answer
        if out is not None or "counts" in ask:
            answer.counts = np.zeros(graph.n_entries) if out is None else out
        self._make_room(answer, start, stop, ask)
        shared = np.zeros((len(runs), graph.n_shared))
        numbered = list(enumerate(runs))
        weights = _NONE if weights is None else weights
        for_each(
            lambda item: self._sum(item[1], start, inputs, temperature, weights, answer, shared[item[0]]),
            numbered,
            self.n_jobs,
        )
        if answer.counts is not None:
            answer.counts[: graph.n_shared] = 0.0
            for part in shared:
                answer.counts[: graph.n_shared] += part
        return answer

    def answer(self, theta: Floats, example: int, temperature: float = 0.0, added: Added | None = None) -> Maximum:
        """See `Oracle.answer`; at T = 0 the answer is valid until the next call."""
        if temperature > 0.0:
            return self.maximize(theta, temperature, added, slice(example, example + 1), ask=("nodes", "edges"))
        one = self._one_example
        one[0] = example
        self._one.labels = self.answers(theta, one, added)
        return self._one

    def answers(self, theta: Floats, examples: Integers, added: Added | None = None) -> Labels:
        """See `Oracle.answers`."""
        if len(self._labels) < len(examples) * self._n_rows:
            self._labels = np.empty(len(examples) * self._n_rows, dtype=np.int32)
        inputs = self._inputs(theta, added)
        n = best_of_some(
            self._dims, examples, inputs, self._tables, self._peaks, self._work, self._own, self._one.values,
            self._labels,
        )  # fmt: skip
        return self._labels[:n]

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
        if self._cleared:
            for name in self._cleared:
                for example in examples.tolist():
                    self.graph.view(out, name)[self.graph.rows_of(name, slice(example, example + 1))] = 0.0
        if self._averaging is None:
            width = self._own.shape[-1]
            self._averaging = np.empty((3, self._n_rows, width)), np.zeros(self._tables.shape), np.empty(1)
        work, sums, value = self._averaging
        shared = np.empty(self.graph.n_shared)
        counts_of_some(
            self._dims, examples, self._inputs(theta, added), temperature, self._tables, self._peaks,
            _NONE if weights is None else weights, work, self._own, sums, value, out, shared,
        )  # fmt: skip
        out[: len(shared)] = shared

    def _inputs(self, theta: Floats, added: Added | None) -> Inputs:
        """What kernels read; what is added is written down once, as it is the same thousands of times."""
        if added is not self._last_added:
            self._last_added, self._extra = added, NOTHING if added is None else added.extra(self.graph)
        return theta, self._wiring, self._coefficients, self._order, self._extra

    def entropy(self, maximum: Maximum, examples: slice = ALL) -> Floats:
        """Σ over edges of H(μ_edge) minus Σ over variables of (degree - 1) H(μ_variable): exact on forests."""
        graph, nodes, edges = self.graph, maximum.node_marginals, maximum.edge_marginals
        if nodes is None or edges is None:
            raise ValueError("entropy needs node and edge marginals; ask for ('nodes', 'edges')")
        start, stop, _ = examples.indices(len(graph))
        first_variable, first_edge = graph.first_variable[start : stop + 1], graph.first_edge[start : stop + 1]
        of_variable = _entropies(nodes, graph.first_state[first_variable[0] : first_variable[-1] + 1])
        of_edge = _entropies(edges, graph.first_pair[first_edge[0] : first_edge[-1] + 1])
        degrees = [np.bincount(t.edges.ravel(), minlength=t.n_variables) for t in graph.topologies]
        degree = np.concatenate([degrees[t] for t in graph.topology_of[start:stop]] + [np.empty(0, dtype=np.int64)])
        total = _sums(of_edge, first_edge - first_edge[0])
        return total - _sums((degree - 1) * of_variable, first_variable - first_variable[0])

    # ------------------------------------------------------------------

    def _best(self, run: tuple[int, int], start: int, inputs: Inputs, answer: Maximum) -> None:
        assert answer.labels is not None
        first = self.graph.first_variable
        labels = answer.labels[first[run[0]] - first[start] :]
        work, own = np.empty(self._work.shape), np.empty(self._own.shape)
        values = answer.values[run[0] - start :]
        best_labels(self._dims, *run, inputs, self._tables, self._peaks, work, own, values, labels)

    def _sum(
        self,
        run: tuple[int, int],
        start: int,
        inputs: Inputs,
        temperature: float,
        weights: Floats,
        answer: Maximum,
        shared: Floats,
    ) -> None:
        graph, values = self.graph, answer.values[run[0] - start :]
        variables, edges = graph.first_variable, graph.first_edge
        nodes = _from(answer.node_marginals, graph.first_state, variables[run[0]], variables[start])
        pairs = _from(answer.edge_marginals, graph.first_pair, edges[run[0]], edges[start])
        counts = _NONE if answer.counts is None else answer.counts
        if len(counts):
            for name in self._cleared:
                graph.view(counts, name)[graph.rows_of(name, slice(*run))] = 0.0
        into = (values, counts, shared, nodes, pairs)
        work, own = np.empty((3, *self._work.shape)), np.empty(self._own.shape)
        room = (weights, work, own, np.zeros(self._tables.shape))
        if marginals(self._dims, *run, inputs, temperature, self._tables, self._peaks, *room, *into):
            log_marginals(*run, inputs, temperature, weights, work, own, *into)

    def _make_room(self, answer: Maximum, start: int, stop: int, ask: Collection[str]) -> None:
        graph = self.graph
        if "nodes" in ask:
            ends = graph.first_state[graph.first_variable[[start, max(start, stop)]]]
            answer.node_marginals = np.empty(int(ends[1] - ends[0]))
        if "edges" in ask:
            ends = graph.first_pair[graph.first_edge[[start, max(start, stop)]]]
            answer.edge_marginals = np.empty(int(ends[1] - ends[0]))


def _from(array: Floats | None, first: Integers, item: int, origin: int) -> Floats:
    """The part of an array over states (or pairs) that begins with `item`, where the array begins with `origin`."""
    return _NONE if array is None else array[first[item] - first[origin] :]


def _entropies(marginals: Floats, first: Integers) -> Floats:
    logs = np.log(marginals, out=np.zeros_like(marginals), where=marginals > 0)
    return _sums(-marginals * logs, first - first[0])


def _sums(values: Floats, first: Integers) -> Floats:
    """Sums over runs of `values`; empty runs are 0."""
    running = np.concatenate([[0.0], np.cumsum(values)])
    result: Floats = running[first[1:]] - running[first[:-1]]
    return result
