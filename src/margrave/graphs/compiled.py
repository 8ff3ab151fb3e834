"""Writes a factor graph down as the index arrays that kernels read."""

from typing import TYPE_CHECKING

import numpy as np

from margrave.graphs import wiring as w
from margrave.graphs.topology import Topology
from margrave.primitives import Integers

if TYPE_CHECKING:
    from margrave.graphs.factor_graph import FactorGraph


def compile_wiring(graph: "FactorGraph") -> w.Wiring:
    """The arrays of `margrave.graphs.wiring`, in the order of its constants."""
    sums, tables, sum_of_edge = _distinct_sums(graph)
    return (
        _examples(graph),
        _starts(graph),
        _topologies(graph),
        np.concatenate([_variables(graph, t) for t in graph.topologies] + [np.empty((0, 4), np.int64)]),
        np.concatenate([_edges(t, s) for t, s in zip(graph.topologies, sum_of_edge, strict=True)] + [_NO_EDGES]),
        sums,
        tables,
        *_bases(graph),
    )


_NO_EDGES = np.empty((0, 4), np.int64)


def _running(sizes: Integers) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _pairs(topology: Topology) -> Integers:
    pairs: Integers = topology.n_states[topology.edges].prod(axis=1)
    return pairs


def _examples(graph: "FactorGraph") -> Integers:
    of = graph.topology_of
    sizes = np.array(
        [(t.n_variables, t.n_edges, t.n_states.sum(), _pairs(t).sum()) for t in graph.topologies], dtype=np.int64
    ).reshape(-1, 4)
    columns = [np.append(of, -1)] + [_running(sizes[of, i]) for i in range(4)]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _starts(graph: "FactorGraph") -> Integers:
    starts = np.empty(
        (max(len(graph), 1), len(graph.blocks)), dtype=np.int64
    )  # who reads shared tables asks the first row
    for b, block in enumerate(graph.blocks):
        starts[:, b] = graph.starts[block.name]
        if not block.shared:
            starts[: len(graph), b] += graph.rows[block.name][:-1] * block.width
    return starts


def _topologies(graph: "FactorGraph") -> Integers:
    variables = _running(np.array([t.n_variables for t in graph.topologies], dtype=np.int64))
    edges = _running(np.array([t.n_edges for t in graph.topologies], dtype=np.int64))
    return np.ascontiguousarray(np.stack([variables, edges], axis=1))


def _variables(graph: "FactorGraph", t: Topology) -> Integers:
    places = t.variables
    columns = [t.n_states, places.block, _offsets(graph, places), _running(t.n_states)[:-1]]
    return np.ascontiguousarray(np.stack(columns, axis=1))


def _edges(t: Topology, sum_of_edge: Integers) -> Integers:
    return np.ascontiguousarray(np.stack([t.edges[:, 0], t.edges[:, 1], sum_of_edge, _running(_pairs(t))[:-1]], axis=1))


def _offsets(graph: "FactorGraph", places: object) -> Integers:
    width = np.array([block.width for block in graph.blocks], dtype=np.int64)
    entries = np.array([block.n_entries for block in graph.blocks], dtype=np.int64)
    block, row, slot = (getattr(places, name) for name in ("block", "row", "slot"))
    offsets: Integers = row * width[block] + slot * entries[block]
    return offsets


def _distinct_sums(graph: "FactorGraph") -> tuple[Integers, Integers, list[Integers]]:
    """Sums of tables that edges have in common are kept once, whatever the topology: they are prepared once, too."""
    known: dict[tuple[tuple[int, ...], ...], int] = {}
    sum_of_edge = []
    for t in graph.topologies:
        offsets, places = _offsets(graph, t.tables.places), t.tables.places
        parts = np.stack([places.block, offsets, t.tables.transposed.astype(np.int64)], axis=1).tolist()
        shapes, pointer = t.n_states[t.edges].tolist(), t.tables.pointer.tolist()
        keys = [(tuple(shapes[e]), *map(tuple, parts[pointer[e] : pointer[e + 1]])) for e in range(t.n_edges)]
        sum_of_edge.append(np.array([known.setdefault(key, len(known)) for key in keys], dtype=np.int64))
    shared = np.array([all(graph.blocks[part[0]].shared for part in key[1:]) for key in known], dtype=bool)
    tables = np.array([part for key in known for part in key[1:]], dtype=np.int64).reshape(-1, 3)
    sums = np.zeros((len(known) + 1, 4), dtype=np.int64)
    sums[:, w.FIRST_TABLE] = _running(np.array([len(key) - 1 for key in known], dtype=np.int64))
    sums[:-1, w.PREPARED] = np.where(shared, np.cumsum(shared) - 1, -1)
    sums[:-1, w.ROWS :] = np.array([key[0] for key in known], dtype=np.int64).reshape(-1, 2)
    return sums, tables, sum_of_edge


def _bases(graph: "FactorGraph") -> tuple[Integers, Integers, Integers]:
    first, cells, terms, n_cells, n_terms = [], [], [], 0, 0
    for block in graph.blocks:
        first.append(-1 if block.basis is None else n_cells)
        if block.basis is not None:
            cells.append(block.basis.pointer[:-1] + n_terms)
            terms.append(block.basis.entries)
            n_cells, n_terms = n_cells + block.basis.n_cells, n_terms + len(block.basis.entries)
    cells.append(np.array([n_terms]))
    terms.append(np.empty(0, dtype=np.int64))
    return tuple(np.concatenate(a).astype(np.int64).reshape(-1, 1) for a in ([first], cells, terms))  # type: ignore[return-value]
