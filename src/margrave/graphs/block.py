"""A matrix of scores: rows as the features have them, slots for variables or tables, entries for states or pairs."""

from dataclasses import dataclass

from margrave.graphs.basis import Basis


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
