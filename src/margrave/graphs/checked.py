"""What must hold for a factor graph; checked once, when it is made."""

from collections.abc import Mapping, Sequence

import numpy as np

from margrave.graphs.block import Block
from margrave.graphs.topology import Topology
from margrave.primitives import Integers


def check_graph(
    blocks: Sequence[Block], topologies: Sequence[Topology], topology_of: Integers, rows: Mapping[str, Integers]
) -> None:
    """Raise a ValueError that names the first thing that does not fit."""
    names = [block.name for block in blocks]
    if len(set(names)) != len(names):
        raise ValueError(f"blocks must have different names, got {names}")
    if len(topology_of) and (topology_of.min() < 0 or topology_of.max() >= len(topologies)):
        raise ValueError(f"topology_of must count the {len(topologies)} topologies from 0")
    for i, topology in enumerate(topologies):
        _check_places(i, topology, len(blocks))
    for b, block in enumerate(blocks):
        if not block.shared:
            _check_rows(b, block, topologies, topology_of, rows.get(block.name))
    for i, topology in enumerate(topologies):
        _check_variables(i, topology, blocks)
        _check_tables(i, topology, blocks)


def _check_places(index: int, topology: Topology, n_blocks: int) -> None:
    """Kernels follow these numbers without a look."""
    for of, places in (("a variable", topology.variables), ("a table", topology.tables.places)):
        if len(places) and min(numbers.min() for numbers in (places.block, places.row, places.slot)) < 0:
            raise ValueError(f"topology {index}: the place of {of} has a number below 0")
        if len(places) and places.block.max() >= n_blocks:
            raise ValueError(f"topology {index}: {of} stands in block {places.block.max()}, but there are {n_blocks}")


def _check_rows(
    index: int, block: Block, topologies: Sequence[Topology], topology_of: Integers, first: Integers | None
) -> None:
    if first is None or len(first) != len(topology_of) + 1:
        raise ValueError(
            f"rows[{block.name!r}] must have {len(topology_of) + 1} numbers, one more than there are examples"
        )
    if (np.diff(first) < 0).any() or first[0] < 0 or first[-1] > block.n_rows:
        raise ValueError(f"rows[{block.name!r}] must increase from 0 or more to at most {block.n_rows}")
    for i, topology in enumerate(topologies):
        places = topology.variables, topology.tables.places
        used = max(int(p.row[p.block == index].max(initial=-1)) for p in places)
        having = np.diff(first)[topology_of == i]
        if len(having) and having.min() <= used:
            raise ValueError(
                f"topology {i} reads row {used} of block {block.name!r}, but an example has {having.min()} rows there"
            )


def _check_variables(index: int, topology: Topology, blocks: Sequence[Block]) -> None:
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


def _check_tables(index: int, topology: Topology, blocks: Sequence[Block]) -> None:
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
