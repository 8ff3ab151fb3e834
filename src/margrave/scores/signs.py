"""Signs of cliques of labels, as rows of features: ±1 numbers, of which only the unusual ones are listed."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from margrave.graphs import Dependencies
from margrave.primitives import Booleans, Floats, Integers, Labels
from margrave.scores.rows import rows_of, selected


@dataclass(frozen=True, eq=False)
class Signs:
    """Signs of the cliques of one label, for every row.

    Parameters
    ----------
    base : array of shape (n_cliques,)
        The usual value of each sign, -1 or +1.
    pointer, columns : the signs of each row that differ from it, as CSR
    """

    base: Floats
    pointer: Integers
    columns: Labels

    @classmethod
    def none(cls, n: int) -> "Signs":
        """No cliques, for n rows."""
        return cls(np.empty(0), np.zeros(n + 1, dtype=np.int64), np.empty(0, dtype=np.int32))

    def __len__(self) -> int:
        return len(self.pointer) - 1


class SignTable:
    """The signs of all labels under some dependencies, made label by label.

    Parameters
    ----------
    dependencies : Dependencies
    positive : bool array of shape (n_rows, n_labels)
        Which labels are +1; columns are labels, not places.
    """

    def __init__(self, dependencies: Dependencies, positive: Booleans) -> None:
        self._dependencies = dependencies
        self._by_place = positive[:, dependencies.order]
        self._rows = rows_of(sparse.csr_array(self._by_place.astype(np.float64)))

    def of(self, place: int) -> Signs:
        """Signs of the cliques of a place: those of one member are listed where that is +1, longer ones where -1."""
        d, run = self._dependencies, self._dependencies.run(place)
        sizes = d.sizes[run]
        single, long = np.flatnonzero(sizes == 1), np.flatnonzero(sizes > 1)
        slot = np.full(d.n_labels, -1, dtype=np.int32)
        slot[d.members[d.first_member[run.start + single]]] = single
        listed = selected(self._rows, slot)
        base = np.where(sizes == 1, -1.0, 1.0)
        if not len(long):
            return Signs(base, listed.pointer, listed.columns)
        n = len(self._by_place)
        ones = sparse.csr_array((np.ones(len(listed.columns)), listed.columns, listed.pointer), (n, len(base)))
        odd = sparse.csr_array((n, len(base))) if not n else _odd(self._by_place, d, run.start + long, long, len(base))
        both = rows_of(sparse.csr_array(ones + odd))
        return Signs(base, both.pointer, both.columns)


def _odd(by_place: Booleans, d: Dependencies, cliques: Integers, slots: Integers, width: int) -> sparse.csr_array:
    """Where an odd number of a long clique's members is -1."""
    found = []
    for c in cliques.tolist():
        members = d.members[d.first_member[c] : d.first_member[c + 1]]
        found.append(np.flatnonzero((~by_place[:, members]).sum(axis=1) % 2))
    columns = np.repeat(slots, [len(rows) for rows in found])
    entries = (np.ones(len(columns)), (np.concatenate(found), columns))
    return sparse.csr_array(entries, shape=(len(by_place), width))
