"""Room for searches over labellings: what kernels of `branching` and `averaging` work on, one per thread."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from margrave.graphs import Dependencies
from margrave.inference.averaging import Terms, begin_average, search_average
from margrave.inference.branching import DEPTH, NODES, Heap, Wiring, begin, complete, search, search_all
from margrave.inference.directed import DirectedScores, Kept, Searched, Values
from margrave.primitives import Floats, Integers


def _heap(most: int, K: int) -> Heap:
    return np.empty(most), np.zeros(most, dtype=np.int64), np.empty((most, K), dtype=np.int8), np.zeros(1, np.int64)


def _sorted(heap: Heap, slack: float) -> tuple[Values, Floats]:
    """What a heap holds, best first; nothing that is worse than the best by more than `slack`."""
    losses, slots, values, count = heap
    order = np.argsort(losses[: count[0]], kind="stable")
    order = order[losses[order] <= losses[order[0]] + slack] if len(order) else order
    return values[slots[order]], losses[order]


class OrderTree:
    """The search tree of one order's labels."""

    def __init__(self, scores: DirectedScores, wiring: Wiring, inputs: Floats, given: Values, most: int) -> None:
        K = inputs.shape[1]
        self._scores, self._wiring, self._inputs, self._given = scores, wiring, inputs, given
        partial, rest, tried = np.empty(K + 1), np.empty(K + 1), np.empty(K + 1, dtype=np.int64)
        self._path = np.empty(K), np.empty(K), np.empty((K + 1, K)), partial, rest, tried
        self._heap, self._memory = _heap(most, K), np.zeros(3, dtype=np.int64)
        self._example, self._floor, self._back = 0, 0.0, np.argsort(scores.dependencies.order)

    @classmethod
    def maker(cls, scores: DirectedScores, given: Values, most: int) -> Callable[[], "OrderTree"]:
        """A function that makes trees, which share all that they only read."""
        order = scores.dependencies.order
        shared = wiring_of(scores), scores.by_place, np.ascontiguousarray(given[:, order])
        return lambda: cls(scores, *shared, most)

    @property
    def done(self) -> bool:
        """Whether everything has been tried."""
        return bool(self._memory[DEPTH] < 0)

    def best(self, first: int, stop: int, ceiling: float, most: int, out: Searched) -> None:
        """The best labelling of each of a run of examples."""
        values = np.empty((stop - first, len(self._back)), dtype=np.int8)
        fixed = self._inputs, self._wiring, self._given, self._scores.smooth, ceiling, most
        search_all(
            first, stop, *fixed, self._path, self._heap, self._memory, values, out.loss, out.bound, out.nodes
        )  # fmt: skip
        out.labels[first:stop] = values[:, self._back]

    def begin(self, example: int) -> None:
        """Turn to an example."""
        self._example = example
        fixed = example, self._inputs[example], self._wiring, self._known(), self._scores.smooth
        begin(*fixed, self._path, self._heap, self._memory)

    def go(self, ceiling: float, slack: float, most: int) -> None:
        """Go on until all is tried, or `most` nodes are visited."""
        fixed = self._example, self._wiring, self._known(), self._scores.smooth
        self._floor = float(search(*fixed, ceiling, float(slack), most, self._path, self._heap, self._memory))

    def kept(self, slack: float) -> Kept:
        """The best labellings so far; where none was found, the preferred values."""
        if self._heap[3][0] == 0:
            complete(self._example, self._wiring, self._known(), self._scores.smooth, self._path, self._heap)
        values, losses = _sorted(self._heap, slack)
        return Kept(values[:, self._back], losses, self._floor, int(self._memory[NODES]))

    def first(self) -> tuple[Values, float, float, int]:
        """The best labelling so far, with its loss, a bound of all, and the nodes visited."""
        labels, losses, bound, nodes = self.kept(np.inf)
        return labels[0], float(losses[0]), min(bound, float(losses[0])), nodes

    def _known(self) -> Values:
        row: Values = self._given[self._example if len(self._given) > 1 else 0]
        return row


def wiring_of(scores: DirectedScores) -> Wiring:
    """The cliques of an order with their weights, as kernels read them."""
    d, weights = scores.dependencies, np.atleast_2d(scores.cliques)
    tables = np.ascontiguousarray(d.pairs(weights).transpose(0, 2, 1))
    long = np.flatnonzero(d.sizes > 1)
    pointer = np.concatenate([[0], np.cumsum(np.bincount(d.child[long], minlength=d.n_labels))]).astype(np.int64)
    first, members = _members(d, long)
    reach = np.zeros((len(weights), d.n_labels))
    np.add.at(reach.T, d.child, np.abs(weights).T)
    return tables, pointer, first, members, np.ascontiguousarray(weights[:, long]), reach


def _members(d: Dependencies, cliques: Integers) -> tuple[Integers, Integers]:
    """The members of some cliques, one after the other: where each begins, and all."""
    sizes = d.sizes[cliques]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    at = np.repeat(d.first_member[cliques] - first[:-1], sizes) + np.arange(first[-1])
    return first, d.members[at]


class AverageTree:
    """The search tree of labels under the mean of several orders."""

    def __init__(
        self, terms: Terms, inputs: Floats, given: Values, smooth: bool, most: int, incumbent: "Incumbent | None"
    ) -> None:
        K, n_terms, n_cliques = given.shape[1], inputs.shape[1], len(terms[0])
        self._terms, self._inputs, self._given, self._smooth = terms, inputs, given, smooth
        terms_at, labels_at = (K + 1, n_terms), (K + 1, K)
        by_depth = np.empty(terms_at), np.empty(terms_at), np.empty(labels_at), np.empty(labels_at)
        steps = np.empty(K + 1, dtype=np.int64), np.empty(K + 1, dtype=np.int64)
        self._tree = (
            *by_depth,
            *steps,
            np.empty(K),
            np.empty(K + 1),
            np.empty(n_cliques, dtype=np.int64),
            np.empty(n_cliques),
        )
        self._heap, self._memory = _heap(most, K), np.zeros(3, dtype=np.int64)
        self._example, self._floor, self._incumbent = 0, 0.0, incumbent

    @classmethod
    def maker(
        cls, scores: Sequence[DirectedScores], given: Values, most: int, starts: Sequence[Values]
    ) -> Callable[[], "AverageTree"]:
        """A function that makes trees; `starts` are labellings to begin with, the best of which is kept."""
        inputs = np.ascontiguousarray(np.concatenate([order.inputs for order in scores], axis=1))
        shared = _terms(scores), inputs, given
        incumbent = _best_of(scores, starts) if starts else None
        return lambda: cls(*shared, scores[0].smooth, most, incumbent)

    @property
    def done(self) -> bool:
        """Whether everything has been tried."""
        return bool(self._memory[DEPTH] < 0)

    def best(self, first: int, stop: int, ceiling: float, most: int, out: Searched) -> None:
        """The best labelling of each of a run of examples."""
        for example in range(first, stop):
            self.begin(example)
            self.go(ceiling, np.inf, most)
            out.labels[example], out.loss[example], out.bound[example], out.nodes[example] = self.first()

    def begin(self, example: int) -> None:
        """Turn to an example."""
        self._example = example
        fixed = example, self._inputs[example], self._terms, self._known(), self._smooth
        begin_average(*fixed, self._tree, self._heap, self._memory)

    def go(self, ceiling: float, slack: float, most: int) -> None:
        """Go on until all is tried, or `most` nodes are visited."""
        if self._incumbent is not None:
            ceiling = min(ceiling, float(self._incumbent.losses[self._example]))
        self._floor = self._search(ceiling, slack, most)

    def _search(self, ceiling: float, slack: float, most: int) -> float:
        n_free = int((self._known() == 0).sum())
        fixed = self._example, self._terms, n_free, self._smooth, ceiling, float(slack), most
        return float(search_average(*fixed, self._tree, self._heap, self._memory))

    def kept(self, slack: float) -> Kept:
        """The best labellings so far; where none was found, the first that the tree leads to."""
        nodes = int(self._memory[NODES])
        if self._heap[3][0] == 0:
            self.begin(self._example)
            self._search(np.inf, slack, 0)
        values, losses = _sorted(self._heap, slack)
        return Kept(values, losses, self._floor, nodes)

    def first(self) -> tuple[Values, float, float, int]:
        """The best labelling so far, with its loss, a bound of all, and the nodes visited."""
        if self._heap[3][0] == 0 and self._incumbent is not None:
            labels, loss = self._incumbent.labels[self._example], float(self._incumbent.losses[self._example])
            return labels, loss, min(self._floor, loss), int(self._memory[NODES])
        values, losses, bound, nodes = self.kept(np.inf)
        return values[0], float(losses[0]), min(bound, float(losses[0])), nodes

    def _known(self) -> Values:
        row: Values = self._given[self._example if len(self._given) > 1 else 0]
        return row


class Incumbent(NamedTuple):
    """Labellings to begin with."""

    labels: Values
    losses: Floats


def _best_of(scores: Sequence[DirectedScores], starts: Sequence[Values]) -> Incumbent:
    """For every example the labelling of least mean loss among `starts`."""
    losses = np.stack([sum(order.losses(labels) for order in scores) / len(scores) for labels in starts])
    chosen, rows = losses.argmin(axis=0), np.arange(losses.shape[1])
    return Incumbent(np.stack(starts)[chosen, rows], losses[chosen, rows])


def _terms(scores: Sequence[DirectedScores]) -> Terms:
    """Cliques of all orders in terms of labels."""
    term_of, sizes, members = [], [], []
    for m, order in enumerate(scores):
        d = order.dependencies
        term_of.append(m * d.n_labels + d.order[d.child])
        sizes.append(d.sizes)
        members.append(d.order[d.members])
    labels = np.concatenate(members)
    of_member = np.repeat(np.arange(sum(map(len, sizes))), np.concatenate(sizes))
    by_label = np.argsort(labels, kind="stable")
    counts = np.bincount(labels, minlength=scores[0].dependencies.n_labels)
    pointer = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    first = np.concatenate([[0], np.cumsum(np.concatenate(sizes))]).astype(np.int64)
    weights = np.concatenate([np.atleast_2d(order.cliques) for order in scores], axis=1)
    return np.concatenate(term_of), first, labels, pointer, of_member[by_label], np.ascontiguousarray(weights)
