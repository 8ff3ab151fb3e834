"""The shape of one example: variables, edges, and where in the blocks their scores stand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from margrave.primitives import Booleans, Integers

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Places:
    """Index arrays into blocks: number i stands in slot `slot[i]` of row `row[i]` of block `block[i]`.

    Rows count from the example's first row of that block, or from the block's own first row if the block is shared.
    """

    block: Integers
    row: Integers
    slot: Integers

    @classmethod
    def of(cls, block: ArrayLike, row: ArrayLike, slot: ArrayLike) -> "Places":
        """Places from arrays or numbers, broadcast against each other."""
        arrays = np.broadcast_arrays(np.atleast_1d(block), row, slot)
        return cls(*(np.array(a, dtype=np.int64) for a in arrays))

    def __len__(self) -> int:
        return len(self.block)


@dataclass(frozen=True, eq=False)
class EdgeTables:
    """The tables that each edge sums: edge e has tables `pointer[e]:pointer[e + 1]`, each as it is or transposed."""

    pointer: Integers
    places: Places
    transposed: Booleans

    @classmethod
    def one_each(cls, places: Places, transposed: ArrayLike = False) -> "EdgeTables":
        """Edge e reads the table at `places[e]`."""
        n = len(places)
        return cls(np.arange(n + 1), places, np.array(np.broadcast_to(transposed, n), dtype=bool))

    @classmethod
    def sums(cls, tables: Sequence[Sequence[tuple[int, int, int, bool]]]) -> "EdgeTables":
        """For each edge a list of (block, row, slot, transposed)."""
        flat = [table for edge in tables for table in edge]
        block, row, slot, transposed = (np.array([t[i] for t in flat], dtype=np.int64) for i in range(4))
        pointer = np.concatenate([[0], np.cumsum([len(edge) for edge in tables])]).astype(np.int64)
        return cls(pointer, Places(block, row, slot), transposed.astype(bool))


@dataclass(frozen=True, eq=False)
class Topology:
    """One distinct shape, shared by every example that has it.

    Parameters
    ----------
    n_states : int array of shape (n_variables,)
        How many states each variable has.
    edges : int array of shape (n_edges, 2)
        Pairs of variables, counted from the example's first; no loops, no pair twice.
    variables : Places of length n_variables
        Where the scores of each variable's states stand.
    tables : EdgeTables
        Which tables each edge sums; a table of edge (u, v) is read row-major in u, or in v where it is transposed.

    Notes
    -----
    What an inference algorithm derives from a shape (an order, a colouring, a tree) is a function in that algorithm's
    own file; `cached` computes it once per topology.
    """

    n_states: Integers
    edges: Integers
    variables: Places
    tables: EdgeTables
    _cache: dict[Callable[..., Any], Any] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_states", np.asarray(self.n_states, dtype=np.int64))
        object.__setattr__(self, "edges", np.asarray(self.edges, dtype=np.int64).reshape(-1, 2))
        self._check()

    @property
    def n_variables(self) -> int:
        """Number of variables of an example of this shape."""
        return len(self.n_states)

    @property
    def n_edges(self) -> int:
        """Number of edges of an example of this shape."""
        return len(self.edges)

    def cached(self, build: Callable[["Topology"], T]) -> T:
        """`build(self)`, computed at the first call and kept."""
        if build not in self._cache:
            self._cache[build] = build(self)
        result: T = self._cache[build]
        return result

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_cache": {}}  # derived facts are cheap to rebuild and may not pickle

    def _check(self) -> None:
        n = self.n_variables
        if len(self.variables) != n:
            raise ValueError(f"variables must have a place for each of the {n} variables, got {len(self.variables)}")
        if n and self.n_states.min() < 1:
            raise ValueError("n_states must be at least 1 everywhere")
        if len(self.tables.pointer) != self.n_edges + 1:
            raise ValueError(f"tables must serve {self.n_edges} edges, got {len(self.tables.pointer) - 1}")
        pointer, n_tables = self.tables.pointer, len(self.tables.places)
        if pointer[0] != 0 or (np.diff(pointer) < 0).any() or pointer[-1] != n_tables:
            raise ValueError(f"tables.pointer must rise from 0 to the number of tables, {n_tables}; got {pointer}")
        if len(self.tables.transposed) != n_tables:
            raise ValueError(f"tables.transposed must have {n_tables} values, got {len(self.tables.transposed)}")
        _check_edges(self.edges, n)


def _check_edges(edges: Integers, n_variables: int) -> None:
    if not len(edges):
        return
    if edges.min() < 0 or edges.max() >= n_variables:
        bad = int(np.flatnonzero((edges < 0).any(axis=1) | (edges >= n_variables).any(axis=1))[0])
        raise ValueError(f"edge {bad} joins {tuple(edges[bad])}, but the variables are 0 to {n_variables - 1}")
    low, high = edges.min(axis=1), edges.max(axis=1)
    if (low == high).any():
        raise ValueError(f"edge {int(np.flatnonzero(low == high)[0])} joins a variable to itself")
    keys = low * n_variables + high
    unique, first = np.unique(keys, return_index=True)
    if len(unique) != len(keys):
        bad = int(np.setdiff1d(np.arange(len(keys)), first)[0])
        raise ValueError(f"edge {bad} joins {tuple(edges[bad])} a second time; give one edge the sum of their tables")
