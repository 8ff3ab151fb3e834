"""A batch of examples: blocks of scores, and index arrays that say who reads what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from margrave.graphs import labelings, wiring
from margrave.graphs.block import Block
from margrave.graphs.checked import check_graph
from margrave.graphs.compiled import compile_wiring
from margrave.graphs.topology import Topology
from margrave.primitives import Floats, Integers, Labels, even_slices, once

#: Into how many slices a batch is cut, at the most; by the data alone, so that sums are the same for any `n_jobs`.
MOST_SLICES = 16


@dataclass(frozen=True)
class Local:
    """One example's part of θ: runs of its own rows, then the entries that it shares with others.

    Dual variables have this layout, since a batch vector has summed what examples share.
    """

    own: tuple[slice, ...]
    shared: Integers

    def gather(self, vector: Floats) -> Floats:
        """The example's numbers out of a vector of θ's layout."""
        return np.concatenate([vector[run] for run in self.own] + [vector[self.shared]])

    @property
    def size(self) -> int:
        """How many numbers the example has."""
        return len(self.shared) + sum(int(run.stop - run.start) for run in self.own)


class FactorGraph:
    """A batch of graphs over shared blocks of scores θ, one flat vector.

    Parameters
    ----------
    blocks : sequence of Block
    topologies : sequence of Topology
        The distinct shapes; their places count blocks in the order given here.
    topology_of : int array of shape (n_examples,)
        Which shape each example has.
    rows : mapping from block name to int array of shape (n_examples + 1,)
        For every block that is not shared, where each example's rows begin, and where the last one's end.

    Notes
    -----
    Shared blocks stand first in θ: the first `n_shared` numbers are every example's, the others are one example's each.
    """

    def __init__(
        self,
        blocks: Sequence[Block],
        topologies: Sequence[Topology],
        topology_of: ArrayLike,
        rows: Mapping[str, ArrayLike],
    ) -> None:
        self.blocks = tuple(blocks)
        self.topologies = tuple(topologies)
        self.topology_of = np.asarray(topology_of, dtype=np.int64)
        self.rows = {name: np.asarray(first, dtype=np.int64) for name, first in rows.items()}
        check_graph(self.blocks, self.topologies, self.topology_of, self.rows)

    def __len__(self) -> int:
        return len(self.topology_of)

    # ------------------------------------------------------------------ the layout of θ

    @once
    def starts(self) -> dict[str, int]:
        """Where each block begins in θ."""
        order = sorted(self.blocks, key=lambda block: not block.shared)
        ends = np.cumsum([0] + [block.size for block in order])
        return {block.name: int(start) for block, start in zip(order, ends[:-1], strict=True)}

    @once
    def n_entries(self) -> int:
        """Length of θ."""
        return sum(block.size for block in self.blocks)

    @once
    def n_shared(self) -> int:
        """How many of θ's first numbers belong to every example."""
        return sum(block.size for block in self.blocks if block.shared)

    def block(self, name: str) -> Block:
        """The block of that name."""
        return next(block for block in self.blocks if block.name == name)

    def view(self, theta: Floats, name: str) -> Floats:
        """A block of a vector of θ's layout, as a matrix of shape (n_rows, width); no copy."""
        block, start = self.block(name), self.starts[name]
        return theta[start : start + block.size].reshape(block.n_rows, block.width)

    def rows_of(self, name: str, examples: slice) -> slice:
        """The rows that a run of examples has in a block; all rows if they are shared."""
        if self.block(name).shared:
            return slice(0, self.block(name).n_rows)
        first = self.rows[name]
        start, stop, _ = examples.indices(len(self))
        return slice(int(first[start]), int(first[stop]))

    # ------------------------------------------------------------------ what kernels read

    @once
    def wiring(self) -> wiring.Wiring:
        """The index arrays of `margrave.graphs.wiring`."""
        return compile_wiring(self)

    @once
    def coefficients(self) -> Floats:
        """The coefficients of the blocks' bases, one block after the other."""
        parts = [block.basis.coefficients for block in self.blocks if block.basis is not None]
        return np.concatenate([*parts, np.empty(0)])

    @property
    def first_variable(self) -> Integers:
        """Where each example's variables begin in an array over the batch; shape (n_examples + 1,)."""
        return self.wiring[wiring.EXAMPLES][:, wiring.FIRST_VARIABLE]

    @property
    def first_edge(self) -> Integers:
        """Where each example's edges begin in an array over the batch; shape (n_examples + 1,)."""
        return self.wiring[wiring.EXAMPLES][:, wiring.FIRST_EDGE]

    @property
    def n_variables(self) -> int:
        """Variables of all examples."""
        return int(self.first_variable[-1])

    @property
    def n_edges(self) -> int:
        """Edges of all examples."""
        return int(self.first_edge[-1])

    @once
    def first_state(self) -> Integers:
        """Where each variable's states begin in an array over the batch's states; shape (n_variables + 1,)."""
        sizes = self._by_topology([t.n_states for t in self.topologies])
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @once
    def first_pair(self) -> Integers:
        """Where each edge's pairs of states begin in an array over the batch's edges; shape (n_edges + 1,)."""
        sizes = self._by_topology([t.n_states[t.edges].prod(axis=1) for t in self.topologies])
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @once
    def most_states(self) -> int:
        """The largest number of states of any variable."""
        return max((int(t.n_states.max()) for t in self.topologies if t.n_variables), default=1)

    # ------------------------------------------------------------------ pieces of a batch

    @once
    def slices(self) -> tuple[tuple[int, int], ...]:
        """Runs of examples of about equal work, cut by the data alone."""
        work = [1 + t.n_states.sum() + t.n_states[t.edges].prod(axis=1).sum() for t in self.topologies]
        ends = np.cumsum(np.array(work, dtype=np.int64)[self.topology_of])
        return tuple(even_slices(ends, MOST_SLICES))

    def local(self, example: int) -> Local:
        """One example's own layout: what dual variables of that example have."""
        own = []
        for block in self.blocks:
            if not block.shared:
                start, rows = self.starts[block.name], self.rows_of(block.name, slice(example, example + 1))
                own.append(slice(start + rows.start * block.width, start + rows.stop * block.width))
        return Local(tuple(own), self._shared_entries[self.topology_of[example]])

    @once
    def _shared_entries(self) -> list[Integers]:
        """For each topology, the entries below `n_shared` that its tables read."""
        found = []
        for t in self.topologies:
            places, entries = t.tables.places, [np.empty(0, dtype=np.int64)]
            for i, block in enumerate(self.blocks):
                if block.shared:
                    mine = places.block == i
                    first = places.row[mine] * block.width + places.slot[mine] * block.n_entries
                    runs = np.unique(first)[:, None] + np.arange(block.n_entries)
                    entries.append(self.starts[block.name] + runs.ravel())
            found.append(np.sort(np.concatenate(entries)))
        return found

    # ------------------------------------------------------------------ labellings

    def counts(
        self, labels: Labels, out: Floats | None = None, weights: Floats | None = None, examples: slice = slice(None)
    ) -> Floats:
        """Add the 0/1 marginals of a labelling to `out` (zeros if None), times each example's weight.

        Parameters
        ----------
        labels : int32 array over the variables of `examples`
        """
        out = np.zeros(self.n_entries) if out is None else out
        start, stop, _ = examples.indices(len(self))
        weights = np.empty(0) if weights is None else weights
        args = (self.wiring, self.coefficients, start, stop, out, out[: self.n_shared])
        labelings.count_labels(labels, int(self.first_variable[start]), weights, *args)
        return out

    def values(self, theta: Floats, labels: Labels, examples: slice = slice(None)) -> Floats:
        """Score of a labelling of the variables of `examples`, per example."""
        start, stop, _ = examples.indices(len(self))
        values = np.empty(max(stop - start, 0))
        origin = int(self.first_variable[start])
        labelings.score_labels(theta, labels, origin, self.wiring, self.coefficients, start, stop, values)
        return values

    def _by_topology(self, arrays: Sequence[Integers]) -> Integers:
        """One array per topology, repeated for every example that has it, end to end."""
        parts = [arrays[t] for t in self.topology_of]
        return np.concatenate([*parts, np.empty(0, dtype=np.int64)])
