"""Which labels a label looks at: an order, and for each place in it the cliques that it forms with places before it.

A directed model scores each label given those before it. What it needs of the labels is Π over a clique's members of ±1
values: one number per clique, its *sign*. Everything here counts *places* of the order, not labels.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heapify, heappop, heappush
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from margrave.primitives import Floats, Integers, once


@dataclass(frozen=True, eq=False)
class Dependencies:
    """An order of K labels, with the cliques of each place.

    Parameters
    ----------
    order : int array of shape (K,)
        The label that stands at each place.
    pointer : int array of shape (K + 1,)
        Place i has the cliques `pointer[i]:pointer[i + 1]`.
    first_member : int array of shape (n_cliques + 1,)
        Clique c has the members `first_member[c]:first_member[c + 1]`, besides the place that it belongs to.
    members : int array
        Places before the clique's own, rising within a clique.

    Examples
    --------
    >>> from margrave.graphs import Dependencies
    >>> Dependencies.full([2, 0, 1]).n_cliques
    3
    >>> Dependencies.of_parents([[], [0], [0, 1]], clique_size=3).cliques(2)
    [(0,), (1,), (0, 1)]
    """

    order: Integers
    pointer: Integers
    first_member: Integers
    members: Integers

    def __post_init__(self) -> None:
        for name in ("order", "pointer", "first_member", "members"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.int64))
        self._check()

    @classmethod
    def full(cls, order: ArrayLike, clique_size: int = 2) -> "Dependencies":
        """Every place looks at all places before it, in cliques of up to `clique_size` labels, its own included."""
        labels = np.asarray(order)
        return cls._of_places(labels, [np.arange(i) for i in range(len(labels))], clique_size)

    @classmethod
    def of_parents(
        cls,
        parents: Sequence[Sequence[int]],
        order: ArrayLike | None = None,
        clique_size: int = 2,
        names: Sequence[str] | None = None,
    ) -> "Dependencies":
        """Label i looks at the labels `parents[i]`.

        Parameters
        ----------
        parents : for each label the labels that it looks at
        order : permutation or None
            Parents come before their children in it; None: such an order, lower labels first where there is a choice.
        clique_size : int
            How many labels are in a clique at the most.
        names : for each label what messages call it, or None
            None: its number.
        """
        for label, of_label in enumerate(parents):
            outside = [parent for parent in of_label if not 0 <= parent < len(parents)]
            if outside:
                raise ValueError(f"parents[{label}] names label {outside[0]}, but labels are 0 to {len(parents) - 1}")
        ranked = topological_order(parents, names) if order is None else _permutation(order, len(parents))
        place = np.empty(len(ranked), dtype=np.int64)
        place[ranked] = np.arange(len(ranked))
        by_place = [np.unique(place[np.asarray(parents[label], dtype=np.int64)]) for label in ranked]
        for i, before in enumerate(by_place):
            if len(before) and before[-1] >= i:
                child, parent = _named([ranked[i], ranked[before[-1]]], names)
                raise ValueError(f"order puts label {child} before label {parent}, which it looks at")
        return cls._of_places(ranked, by_place, clique_size)

    @classmethod
    def _of_places(cls, order: Integers, parents: Sequence[Integers], clique_size: int) -> "Dependencies":
        counts, sizes, members = [0], [np.empty(0, dtype=np.int64)], [np.empty(0, dtype=np.int64)]
        for found in parents:
            of_place = 0
            for size in range(1, min(clique_size - 1, len(found)) + 1):
                cliques = found[:, None] if size == 1 else np.array(list(combinations(found.tolist(), size)))
                members.append(cliques.ravel())
                sizes.append(np.full(len(cliques), size))
                of_place += len(cliques)
            counts.append(of_place)
        first = np.concatenate([[0], np.cumsum(np.concatenate(sizes))])
        return cls(order, np.cumsum(counts), first, np.concatenate(members))

    # ------------------------------------------------------------------ views

    @property
    def n_labels(self) -> int:
        """K."""
        return len(self.order)

    @property
    def n_cliques(self) -> int:
        """Cliques of all places."""
        return len(self.first_member) - 1

    def run(self, place: int) -> slice:
        """Which cliques a place has."""
        return slice(int(self.pointer[place]), int(self.pointer[place + 1]))

    def cliques(self, place: int) -> list[tuple[int, ...]]:
        """The members of each clique of a place."""
        return list(self._members_of(self.run(place)))

    @once
    def sizes(self) -> Integers:
        """How many members each clique has."""
        return np.diff(self.first_member)

    @once
    def child(self) -> Integers:
        """The place that each clique belongs to."""
        return np.repeat(np.arange(self.n_labels), np.diff(self.pointer))

    def pairs(self, weights: Floats) -> Floats:
        """Weights of the cliques with one member as tables [child, parent] by place; shape (..., K, K).

        Parameters
        ----------
        weights : array of shape (..., n_cliques)
        """
        single = np.flatnonzero(self.sizes == 1)
        table = np.zeros((*weights.shape[:-1], self.n_labels, self.n_labels))
        table[..., self.child[single], self.members[self.first_member[single]]] = weights[..., single]
        return table

    def signs_of(self, place: int, labels: ArrayLike) -> Floats:
        """Π over the members of each clique of a place, of ±1 labels (columns are labels); shape (n, cliques there)."""
        run, by_label = self.run(place), np.asarray(labels)
        if run.stop == run.start:
            return np.empty((len(by_label), 0))
        first = self.first_member[run.start : run.stop + 1]
        members = by_label[:, self.order[self.members[first[0] : first[-1]]]].astype(np.float64)
        return np.multiply.reduceat(members, first[:-1] - first[0], axis=1)

    def signs(self, labels: ArrayLike) -> Floats:
        """As `signs_of`, of all places; shape (n, n_cliques)."""
        parts = [self.signs_of(place, labels) for place in range(self.n_labels)]
        return np.concatenate(parts, axis=1) if parts else np.empty((len(np.asarray(labels)), 0))

    # ------------------------------------------------------------------

    def _members_of(self, run: slice) -> Iterator[tuple[int, ...]]:
        for c in range(run.start, run.stop):
            yield tuple(self.members[self.first_member[c] : self.first_member[c + 1]].tolist())

    def _check(self) -> None:
        """What kernels follow without a look; also of dependencies that come out of a file."""
        K = len(_permutation(self.order, len(self.order)))
        if len(self.pointer) != K + 1 or self.pointer[0] != 0 or (np.diff(self.pointer) < 0).any():
            raise ValueError(f"pointer must rise from 0 and have {K + 1} numbers")
        if len(self.first_member) != self.pointer[-1] + 1 or self.first_member[0] != 0 or (self.sizes < 1).any():
            raise ValueError("first_member must rise from 0, with at least one member per clique")
        if self.first_member[-1] != len(self.members):
            raise ValueError(f"first_member must end with the number of members, {len(self.members)}")
        children = np.repeat(self.child, self.sizes)
        if len(self.members) and (self.members.min() < 0 or (self.members >= children).any()):
            raise ValueError("members must be places before the clique's own")
        same_clique = np.ones(max(len(self.members) - 1, 0), dtype=bool)
        same_clique[self.first_member[1:-1] - 1] = False
        if (np.diff(self.members)[same_clique] <= 0).any():
            raise ValueError("members must rise within a clique")
        single = np.flatnonzero(self.sizes == 1)
        pairs = self.child[single] * K + self.members[self.first_member[single]]
        if len(np.unique(pairs)) < len(pairs):
            raise ValueError("a place must not have the same clique twice")


def _permutation(order: ArrayLike, K: int) -> Integers:
    found = np.asarray(order, dtype=np.int64)
    if not np.array_equal(np.sort(found), np.arange(K)):
        raise ValueError(f"order must be a permutation of 0 to {K - 1}, got {found}")
    return found


def topological_order(parents: Sequence[Sequence[int]], names: Sequence[str] | None = None) -> Integers:
    """Labels so that each stands after those that it looks at, lower ones first; a ValueError names a cycle.

    Examples
    --------
    >>> topological_order([[1], [], [0]]).tolist()
    [1, 0, 2]
    """
    waiting = [len(set(found)) for found in parents]
    children: list[list[int]] = [[] for _ in parents]
    for label, found in enumerate(parents):
        for parent in set(found):
            children[parent].append(label)
    ready = [label for label, n in enumerate(waiting) if n == 0]
    heapify(ready)
    order = []
    while ready:
        order.append(heappop(ready))
        for child in children[order[-1]]:
            waiting[child] -= 1
            if waiting[child] == 0:
                heappush(ready, child)
    if len(order) < len(parents):
        cycle = " <- ".join(_named(_cycle(parents, set(range(len(parents))) - set(order)), names))
        raise ValueError(f"parents must have no cycle, but labels look at each other: {cycle}")
    return np.array(order, dtype=np.int64)


def _named(labels: Sequence[int], names: Sequence[str] | None) -> list[str]:
    return [str(label) if names is None else names[label] for label in labels]


def _cycle(parents: Sequence[Sequence[int]], stuck: set[int]) -> list[int]:
    """Follow parents among labels that all wait for one another, until one comes back."""
    path = [min(stuck)]
    while True:
        label = next(parent for parent in parents[path[-1]] if parent in stuck)
        if label in path:
            return [*path[path.index(label) :], label]
        path.append(label)
