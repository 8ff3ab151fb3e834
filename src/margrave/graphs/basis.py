"""Blocks with few numbers: fixed matrices that expand entries into the scores of states or of pairs of states.

A block may hold one number where a table has K x K: with basis B (n_entries x n_cells) the scores of the cells are
Σ_b entry_b · B_b, and the counts that belong to the entries are the cells' marginals contracted by the same matrix. So
a Potts edge costs one number, and one signed number per binary variable gives the penalty that liblinear gives.
"""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from margrave.primitives import Floats, Integers


@dataclass(frozen=True, eq=False)
class Basis:
    """A fixed matrix of shape (n_entries, n_cells), kept by cell: which entries feed it, with which coefficients.

    Examples
    --------
    >>> from margrave.graphs import potts
    >>> potts(2).matrix()
    array([[1., 0., 0., 1.]])
    """

    n_entries: int
    pointer: Integers  # (n_cells + 1,)
    entries: Integers  # (n_terms,)
    coefficients: Floats  # (n_terms,)

    @property
    def n_cells(self) -> int:
        """How many states, or pairs of states, the basis scores."""
        return len(self.pointer) - 1

    def matrix(self) -> Floats:
        """The basis written out, shape (n_entries, n_cells)."""
        by_cell = sparse.csr_array(
            (self.coefficients, self.entries, self.pointer), shape=(self.n_cells, self.n_entries)
        )
        return np.ascontiguousarray(by_cell.toarray().T)


def from_matrix(matrix: Floats) -> Basis:
    """A basis from its matrix of shape (n_entries, n_cells)."""
    matrix = np.asarray(matrix, dtype=np.float64)
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        raise ValueError(f"matrix must be a finite array of shape (n_entries, n_cells), got shape {matrix.shape}")
    by_cell = sparse.csr_array(matrix.T)
    return Basis(
        n_entries=matrix.shape[0],
        pointer=by_cell.indptr.astype(np.int64),
        entries=by_cell.indices.astype(np.int64),
        coefficients=by_cell.data.astype(np.float64),
    )


def sign() -> Basis:
    """One number z per binary variable: -z/2 on state 0, +z/2 on state 1."""
    return from_matrix(np.array([[-0.5, 0.5]]))


def potts(n_states: int) -> Basis:
    """One number per edge: what it is worth that both ends agree."""
    return from_matrix(np.eye(n_states).reshape(1, -1))


def symmetric(n_states: int) -> Basis:
    """K(K+1)/2 numbers per edge: a table that reads the same from both ends, upper triangle row by row."""
    upper = np.triu_indices(n_states)
    matrix = np.zeros((len(upper[0]), n_states, n_states))
    entries = np.arange(len(upper[0]))
    matrix[entries, upper[0], upper[1]] = 1.0
    matrix[entries, upper[1], upper[0]] = 1.0
    return from_matrix(matrix.reshape(len(entries), -1))


def scaled(table: Floats) -> Basis:
    """One number per edge that multiplies a fixed table of shape (K, L)."""
    return from_matrix(np.asarray(table, dtype=np.float64).reshape(1, -1))
