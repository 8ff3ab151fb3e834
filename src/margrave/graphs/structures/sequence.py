"""Sequences: each label meets the one before it."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, overload

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator

from margrave.graphs.batch import Batch, Features, Input, rows_from_lengths
from margrave.graphs.block import Block
from margrave.graphs.factor_graph import FactorGraph
from margrave.graphs.topology import EdgeTables, Places, Topology
from margrave.primitives import AnyArray, Integers

_LONGEST_KEPT = 512


@dataclass(frozen=True, eq=False)
class Sequences:
    """Sequences stacked into one matrix: a row per position, and how many rows each sequence has.

    Parameters
    ----------
    features : array or CSR matrix of shape (n_rows, n_features)
    lengths : int array of shape (n_sequences,)
    encoder : object or None
        What turned other data into these columns; a fit on them keeps it, to encode such data at prediction.

    Examples
    --------
    >>> import numpy as np
    >>> from margrave import Sequences
    >>> words = Sequences(np.zeros((5, 2)), [3, 2])
    >>> len(words), words[1].shape
    (2, (2, 2))
    """

    features: AnyArray | sparse.csr_array
    lengths: Integers
    encoder: Any = None

    def __post_init__(self) -> None:
        lengths = np.asarray(self.lengths)
        if lengths.ndim != 1 or (len(lengths) and (lengths.dtype.kind not in "iu" or lengths.min() < 0)):
            raise ValueError("lengths must be a list of whole numbers of at least 0")
        if len(getattr(self.features, "shape", ())) != 2:
            raise ValueError("features must be a matrix with one row per position")
        if int(lengths.sum()) != self.features.shape[0]:
            raise ValueError(f"lengths add up to {int(lengths.sum())}, but features has {self.features.shape[0]} rows")
        object.__setattr__(self, "lengths", lengths.astype(np.int64))
        object.__setattr__(self, "_first", rows_from_lengths(self.lengths))

    def __len__(self) -> int:
        return len(self.lengths)

    @overload
    def __getitem__(self, which: int | np.integer[Any]) -> Any: ...
    @overload
    def __getitem__(self, which: slice | AnyArray) -> "Sequences": ...
    def __getitem__(self, which: Any) -> Any:
        """One sequence's matrix, or some of the sequences."""
        first = self._first  # type: ignore[attr-defined]
        if isinstance(which, int | np.integer):
            index = range(len(self))[which]
            return self.features[first[index] : first[index + 1]]
        chosen = np.arange(len(self))[which]
        rows = [np.arange(first[i], first[i + 1]) for i in chosen]
        return Sequences(
            self.features[np.concatenate([*rows, np.empty(0, np.int64)])], self.lengths[chosen], self.encoder
        )

    def __iter__(self) -> Iterator[Any]:
        return (self[i] for i in range(len(self)))


class Sequence(BaseEstimator):
    """Each position is a variable, each pair of neighbours an edge; all edges share one table.

    Parameters
    ----------
    boundary : bool, default=False
        Whether the first and the last position have scores of their own (start and end transitions); their weights
        count among the edges'.
    """

    def __init__(self, boundary: bool = False) -> None:
        self.boundary = boundary

    def build(self, data: Sequences, n_states: int) -> Batch:
        """The graph of some sequences whose positions have `n_states` labels to choose from."""
        lengths = data.lengths
        kinds, topology_of = np.unique(lengths, return_inverse=True)
        topologies = [_topology(int(length), n_states) for length in kinds]
        nodes = Block("nodes", n_rows=int(lengths.sum()), n_slots=1, n_entries=n_states)
        edges = Block("edges", n_rows=1, n_slots=1, n_entries=n_states**2, shared=True)
        graph = FactorGraph([nodes, edges], topologies, topology_of, {"nodes": rows_from_lengths(lengths)})
        inputs = {"nodes": Input("nodes", data.features, "nodes"), "edges": Input("edges", None, "edges")}
        if self.boundary:
            inputs["boundary"] = Input("nodes", _ends(lengths), "edges")
        return Batch(graph, inputs)


def _topology(length: int, n_states: int) -> Topology:
    """The shape of a sequence; those of ordinary length are kept for the process, some hundred bytes a position."""
    return _kept(length, n_states) if length <= _LONGEST_KEPT else _made(length, n_states)


@lru_cache(maxsize=256)
def _kept(length: int, n_states: int) -> Topology:
    return _made(length, n_states)


def _made(length: int, n_states: int) -> Topology:
    first = np.arange(max(length - 1, 0))
    return Topology(
        n_states=np.full(length, n_states),
        edges=np.stack([first, first + 1], axis=1),
        variables=Places.of(0, np.arange(length), 0),
        tables=EdgeTables.one_each(Places.of(np.ones(len(first), dtype=np.int64), 0, 0)),
    )


def _ends(lengths: Integers) -> Features:
    """Two binary features per position: it is the first, it is the last."""
    first = rows_from_lengths(lengths)
    filled = lengths > 0
    rows = np.concatenate([first[:-1][filled], first[1:][filled] - 1])
    columns = np.repeat([0, 1], filled.sum())
    shape = (int(first[-1]), 2)
    return sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=shape)
