"""A batch of examples: blocks of scores, and index arrays that say who reads what."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from margrave.graphs import wiring
from margrave.graphs.basis import Basis
from margrave.graphs.compiled import compile_wiring
from margrave.graphs.topology import Topology
from margrave.primitives import Floats, Integers, Labels, even_slices

#: Into how many slices a batch is cut, at the most; by the data alone, so that sums are the same for any `n_jobs`.
MOST_SLICES = 16


@dataclass(frozen=True, eq=False)
class Block:
    """Scores of shape (n_rows, n_slots, n_entries): a row per feature row, a slot per variable or table in it.

    Parameters
    ----------
    name : str
    n_rows, n_slots, n_entries : int
        Entries are the states of a variable or the cells of a table, or fewer numbers that `basis` expands to them.
    basis : Basis or None
    shared : bool
        Whether the rows are every example's (tied tables), instead of each example having rows of its own.
    """

    name: str
    n_rows: int
    n_slots: int
    n_entries: int
    basis: Basis | None = None
    shared: bool = False

    def __post_init__(self) -> None:
        if self.basis is not None and self.basis.n_entries != self.n_entries:
            raise ValueError(
                f"block {self.name!r} has {self.n_entries} entries, but its basis expands {self.basis.n_entries}"
            )

    @property
    def width(self) -> int:
        """Numbers in one row."""
        return self.n_slots * self.n_entries

    @property
    def size(self) -> int:
        """Numbers in all."""
        return self.n_rows * self.width

    @property
    def n_cells(self) -> int:
        """States, or pairs of states, that one slot scores."""
        return self.n_entries if self.basis is None else self.basis.n_cells


@dataclass(frozen=True)
class Local:
    """One example's part of θ: runs of its own rows, then the entries that it shares with others.

    Dual variables have this layout, since a batch vector has summed what examples share.
    """

    own: tuple[slice, ...]
    shared: Integers

    def gather(self, vector: Floats, shared: Floats | None = None) -> Floats:
        """The example's numbers out of a vector of θ's layout."""
        return np.concatenate([vector[run] for run in self.own] + [vector[self.shared]])

    @property
    def size(self) -> int:
        """How many numbers the example has."""
        return sum(run.stop - run.start for run in self.own) + len(self.shared)


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
        self._check()

    def __len__(self) -> int:
        return len(self.topology_of)

    # ------------------------------------------------------------------ the layout of θ

    @cached_property
    def starts(self) -> dict[str, int]:
        """Where each block begins in θ."""
        order = sorted(self.blocks, key=lambda block: not block.shared)
        ends = np.cumsum([0] + [block.size for block in order])
        return {block.name: int(start) for block, start in zip(order, ends[:-1], strict=True)}

    @cached_property
    def n_entries(self) -> int:
        """Length of θ."""
        return sum(block.size for block in self.blocks)

    @cached_property
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

    @cached_property
    def wiring(self) -> wiring.Wiring:
        """The index arrays of `margrave.graphs.wiring`."""
        return compile_wiring(self)

    @cached_property
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

    @cached_property
    def first_state(self) -> Integers:
        """Where each variable's states begin in an array over the batch's states; shape (n_variables + 1,)."""
        sizes = self._by_topology([t.n_states for t in self.topologies])
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def first_pair(self) -> Integers:
        """Where each edge's pairs of states begin in an array over the batch's edges; shape (n_edges + 1,)."""
        sizes = self._by_topology([t.n_states[t.edges].prod(axis=1) for t in self.topologies])
        return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)

    @cached_property
    def most_states(self) -> int:
        """The largest number of states of any variable."""
        return max((int(t.n_states.max()) for t in self.topologies if t.n_variables), default=1)

    # ------------------------------------------------------------------ pieces of a batch

    @cached_property
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

    @cached_property
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
        wiring.count_labels(labels, int(self.first_variable[start]), weights, *args)
        return out

    def values(self, theta: Floats, labels: Labels, examples: slice = slice(None)) -> Floats:
        """Score of a labelling of the variables of `examples`, per example."""
        start, stop, _ = examples.indices(len(self))
        values = np.empty(max(stop - start, 0))
        origin = int(self.first_variable[start])
        wiring.score_labels(theta, labels, origin, self.wiring, self.coefficients, start, stop, values)
        return values

    # ------------------------------------------------------------------ checks

    def _by_topology(self, arrays: Sequence[Integers]) -> Integers:
        """One array per topology, repeated for every example that has it, end to end."""
        parts = [arrays[t] for t in self.topology_of]
        return np.concatenate([*parts, np.empty(0, dtype=np.int64)])

    def _check(self) -> None:
        names = [block.name for block in self.blocks]
        if len(set(names)) != len(names):
            raise ValueError(f"blocks must have different names, got {names}")
        if len(self) and (self.topology_of.min() < 0 or self.topology_of.max() >= len(self.topologies)):
            raise ValueError(f"topology_of must count the {len(self.topologies)} topologies from 0")
        for block in self.blocks:
            if not block.shared:
                self._check_rows(block)
        for i, topology in enumerate(self.topologies):
            _check_variables(i, topology, self.blocks)
            _check_tables(i, topology, self.blocks)

    def _check_rows(self, block: Block) -> None:
        first = self.rows.get(block.name)
        if first is None or len(first) != len(self) + 1:
            raise ValueError(
                f"rows[{block.name!r}] must have {len(self) + 1} numbers, one more than there are examples"
            )
        if (np.diff(first) < 0).any() or first[0] < 0 or first[-1] > block.n_rows:
            raise ValueError(f"rows[{block.name!r}] must increase from 0 or more to at most {block.n_rows}")
        index = self.blocks.index(block)
        for i, topology in enumerate(self.topologies):
            used = np.concatenate(
                [p.row[p.block == index] for p in (topology.variables, topology.tables.places)] + [[-1]]
            ).max()
            having = np.diff(first)[self.topology_of == i]
            if len(having) and having.min() <= used:
                raise ValueError(
                    f"topology {i} reads row {used} of block {block.name!r}, but an example has {having.min()} rows there"
                )


def _check_variables(index: int, topology: Topology, blocks: tuple[Block, ...]) -> None:
    """A variable's states have entries of their own: costs, truth and duals live there."""
    places = topology.variables
    for b, block in enumerate(blocks):
        mine = places.block == b
        if not mine.any():
            continue
        if block.shared:
            raise ValueError(f"topology {index}: variables cannot read the shared block {block.name!r}; share weights")
        if (topology.n_states[mine] != block.n_cells).any():
            raise ValueError(f"topology {index}: block {block.name!r} scores {block.n_cells} states of a variable")
        if len(np.unique(places.row[mine] * block.n_slots + places.slot[mine])) != mine.sum():
            raise ValueError(f"topology {index}: two variables read the same slot of block {block.name!r}")
        if places.slot[mine].max() >= block.n_slots:
            raise ValueError(f"topology {index}: block {block.name!r} has only {block.n_slots} slots")


def _check_tables(index: int, topology: Topology, blocks: tuple[Block, ...]) -> None:
    places, edge_of = topology.tables.places, np.repeat(np.arange(topology.n_edges), np.diff(topology.tables.pointer))
    cells = topology.n_states[topology.edges].prod(axis=1)[edge_of]
    for b, block in enumerate(blocks):
        mine = places.block == b
        if not mine.any():
            continue
        if (cells[mine] != block.n_cells).any():
            bad = int(edge_of[mine][np.flatnonzero(cells[mine] != block.n_cells)[0]])
            raise ValueError(
                f"topology {index}: edge {bad} has {int(cells[mine].max())} pairs of states, "
                f"block {block.name!r} scores {block.n_cells}"
            )
        if places.slot[mine].max() >= block.n_slots or (block.shared and places.row[mine].max() >= block.n_rows):
            raise ValueError(f"topology {index}: a table stands outside of block {block.name!r}")
