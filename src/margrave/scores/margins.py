"""Margins of one label after the other: ⟨w, [x, 1, signs]⟩ of every row, for solvers that visit rows one by one.

A row has inputs (dense, sparse, or a row of a Gram matrix), a one for the bias, and *signs*: a ±1 number for each
clique of labels that the label looks at. Of the signs only those that differ from a usual value are listed. With m
signs, base values b_f, weights w_f = b_f (u_f + c) and D the listed ones of a row,

    Σ_f sign_f w_f = Σ_f u_f + c m − 2 Σ_{f in D} (u_f + c),

and adding δ times the row to the weights takes 2δ from u_f for f in D and adds δ to c. So a row of signs costs what is
listed of it, not m. Kernels that use `margin` and `add_row` get both compiled into them.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from margrave.primitives import AnyArray, Floats, Integers, Labels, for_reading, inlined_kernel, kernel, once
from margrave.scores.rows import Rows, rows_of
from margrave.scores.signs import Signs

DENSE, BINARY, VALUED, GRAM = range(4)
#: What is summed besides the weights: c and Σ u of the formula above, and m.
OFFSET, SUM, COUNT = range(3)

#: Dense inputs; pointer, columns and values of sparse ones; the Gram matrix; pointer and columns of the listed signs.
Visited = tuple[int, AnyArray, Integers, Labels, Floats, AnyArray, Integers, Labels]
#: Weights of the inputs (coefficients of rows, with a Gram matrix), the bias last; u; the sums; K · coefficients.
State = tuple[Floats, Floats, Floats, Floats]

_NO_FLOATS, _NO_TABLE, _NO_POINTER, _NO_COLUMNS = (
    np.empty(0),
    np.empty((0, 0)),
    np.empty(0, np.int64),
    np.empty(0, np.int32),
)


@dataclass(frozen=True, eq=False)
class Inputs:
    """The part of the rows that all labels share.

    Parameters
    ----------
    kind : DENSE, BINARY, VALUED or GRAM
    table : array of shape (n_rows, n_columns)
        The inputs if they are dense, their Gram matrix where `kind` is GRAM; else empty.
    rows : Rows or None
        The inputs if they are sparse.
    squares : array of shape (n_rows,)
        ‖x‖² + 1 of each row.
    n_columns : int
        How many weights besides the bias: features, or rows of the Gram matrix.

    Examples
    --------
    >>> Inputs.of(np.eye(2)).squares
    array([2., 2.])
    """

    kind: int
    table: Floats
    rows: Rows | None
    squares: Floats
    n_columns: int

    @classmethod
    def of(cls, features: AnyArray | sparse.csr_array) -> "Inputs":
        """Of features, without a copy where they are float64 or of CSR's usual types."""
        if sparse.issparse(features):
            rows = rows_of(sparse.csr_array(features))
            kind = BINARY if rows.values is None else VALUED
            matrix: Any = features
            squares = np.asarray(matrix.multiply(matrix).sum(axis=1)).ravel() + 1.0
            return cls(kind, _NO_TABLE, rows, squares, features.shape[1])
        table = for_reading(features, np.float64)
        return cls(DENSE, table, None, np.einsum("ij,ij->i", table, table) + 1.0, table.shape[1])

    @classmethod
    def of_gram(cls, gram: Floats) -> "Inputs":
        """Of the rows' inner products in the space of a kernel, shape (n_rows, n_rows)."""
        table = for_reading(gram, np.float64)
        return cls(GRAM, table, None, np.diag(table) + 1.0, len(table))

    def take(self, rows: Integers) -> "Inputs":
        """Some of the rows; of a Gram matrix their inner products with each other."""
        if self.kind == GRAM:
            return Inputs.of_gram(self.table[np.ix_(rows, rows)])
        return Inputs.of(self.table[rows] if self.kind == DENSE else self.matrix[rows])

    def beside(self, columns: Floats) -> "Inputs":
        """The same rows with more columns; a Gram matrix gains their inner products."""
        if self.kind == GRAM:
            return Inputs.of_gram(self.table + columns @ columns.T)
        if self.kind == DENSE:
            return Inputs.of(np.concatenate([self.table, columns], axis=1))
        return Inputs.of(sparse.hstack([self.matrix, sparse.csr_array(columns)], format="csr"))

    def scores(self, weights: Floats, rows: Integers, of: Integers) -> Floats:
        """⟨w, [x, 1]⟩ of some rows; with a Gram matrix, of weights that are coefficients of the rows `of`."""
        if self.kind == GRAM:
            return np.asarray(self.table[np.ix_(rows, of)] @ weights[:-1] + weights[-1])
        x = self.table[rows] if self.kind == DENSE else self.matrix[rows]
        return np.asarray(x @ weights[:-1] + weights[-1])

    @once
    def short_table(self) -> AnyArray:
        """The table in single precision, which takes half the time to walk through."""
        return self.table.astype(np.float32)

    @property
    def matrix(self) -> sparse.csr_array:
        """Sparse inputs as SciPy's matrix, over the same memory."""
        assert self.rows is not None
        values = np.ones(len(self.rows.columns)) if self.rows.values is None else self.rows.values
        return sparse.csr_array((values, self.rows.columns, self.rows.pointer), (len(self), self.n_columns))

    def __len__(self) -> int:
        return len(self.squares)


@dataclass(frozen=True, eq=False)
class MarginRows:
    """The rows of one label's problem.

    Examples
    --------
    >>> rows = MarginRows(
    ...     Inputs.of(np.array([[2.0], [3.0]])), Signs(np.array([-1.0]), np.array([0, 0, 1]), np.array([0]))
    ... )
    >>> rows.margins(np.array([1.0, 0.5, 10.0]))  # x + .5 + 10 · (-1, +1)
    array([-7.5, 13.5])
    """

    inputs: Inputs
    signs: Signs

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def n_weights(self) -> int:
        """Weights of the inputs, of the bias, of the signs."""
        return self.inputs.n_columns + 1 + len(self.signs.base)

    @property
    def squares(self) -> Floats:
        """‖[x, 1, signs]‖² of each row."""
        return self.inputs.squares + len(self.signs.base)

    @property
    def visited(self) -> Visited:
        """What kernels read."""
        return self._visited(self.inputs.table)

    @property
    def visited_short(self) -> Visited:
        """As `visited`, with inputs (or their Gram matrix) in single precision: for steps, not for certificates."""
        return self._visited(self.inputs.short_table)

    def _visited(self, table: AnyArray) -> Visited:
        inputs, rows = self.inputs, self.inputs.rows
        pointer, columns = (_NO_POINTER, _NO_COLUMNS) if rows is None else (rows.pointer, rows.columns)
        values = _NO_FLOATS if rows is None or rows.values is None else rows.values
        gram = inputs.kind == GRAM
        tables = (_NO_TABLE, table) if gram else (table, _NO_TABLE)
        signs = for_reading(self.signs.pointer, np.int64), for_reading(self.signs.columns, np.int32)
        return inputs.kind, tables[0], pointer, columns, values, tables[1], *signs

    def state(self) -> State:
        """Weights of zero, as kernels keep them."""
        m, sums = len(self.signs.base), np.zeros(3)
        sums[COUNT] = m
        return np.zeros(self.inputs.n_columns + 1), np.zeros(m), sums, np.zeros(len(self) * (self.inputs.kind == GRAM))

    def state_of(self, multipliers: Floats) -> State:
        """The weights Σ over rows of multiplier · row."""
        state = self.state()
        add_rows(self.visited, multipliers, state)
        return state

    def weights_of(self, state: State) -> Floats:
        """The weights of a state as one vector: inputs, bias, signs."""
        w, u, sums, _ = state
        return np.concatenate([w, self.signs.base * (u + sums[OFFSET])])

    def square(self, weights: Floats, state: State | None = None) -> float:
        """‖w‖²; with a Gram matrix, in the space of its kernel. The weights' own state saves a product with it."""
        if self.inputs.kind != GRAM:
            return float(weights @ weights)
        n = self.inputs.n_columns
        products = self.inputs.table @ weights[:n] if state is None else state[3]
        return float(products @ weights[:n] + weights[n:] @ weights[n:])

    def margins(self, weights: Floats) -> Floats:
        """⟨w, row⟩ of every row."""
        n = self.inputs.n_columns
        u = weights[n + 1 :] * self.signs.base
        products = self.inputs.table @ weights[:n] if self.inputs.kind == GRAM else _NO_FLOATS
        return self.margins_of((weights[: n + 1], u, np.array([0.0, u.sum(), len(u)]), products))

    def margins_of(self, state: State) -> Floats:
        """As `margins`, of a state."""
        out = np.empty(len(self))
        read_rows(self.visited, state, out)
        return out


@inlined_kernel
def margin(visited: Visited, state: State, row: int) -> float:
    """⟨w, row⟩."""
    kind, table, pointer, columns, values, _, sign_pointer, sign_columns = visited
    w, u, sums, products = state
    z: float = w[len(w) - 1]
    if kind == DENSE:
        x = table[row]
        for d in range(len(x)):
            z += x[d] * w[d]
    elif kind == BINARY:
        for k in range(np.uint64(pointer[row]), np.uint64(pointer[row + 1])):
            z += w[columns[k]]
    elif kind == VALUED:
        for k in range(np.uint64(pointer[row]), np.uint64(pointer[row + 1])):
            z += values[k] * w[columns[k]]
    else:
        z += products[row]
    listed = 0.0
    for k in range(np.uint64(sign_pointer[row]), np.uint64(sign_pointer[row + 1])):
        listed += u[sign_columns[k]]
    n_listed = sign_pointer[row + 1] - sign_pointer[row]
    z += sums[SUM] + sums[OFFSET] * (sums[COUNT] - 2.0 * n_listed) - 2.0 * listed
    return z


@inlined_kernel
def add_row(visited: Visited, state: State, row: int, delta: float) -> None:
    """W ← w + δ · row."""
    kind, table, pointer, columns, values, gram, sign_pointer, sign_columns = visited
    w, u, sums, products = state
    w[len(w) - 1] += delta
    if kind == DENSE:
        x = table[row]
        for d in range(len(x)):
            w[d] += delta * x[d]
    elif kind == BINARY:
        for k in range(np.uint64(pointer[row]), np.uint64(pointer[row + 1])):
            w[columns[k]] += delta
    elif kind == VALUED:
        for k in range(np.uint64(pointer[row]), np.uint64(pointer[row + 1])):
            w[columns[k]] += delta * values[k]
    else:
        w[row] += delta
        products_of_row = gram[row]
        for r in range(len(products_of_row)):
            products[r] += delta * products_of_row[r]
    for k in range(np.uint64(sign_pointer[row]), np.uint64(sign_pointer[row + 1])):
        u[sign_columns[k]] -= 2.0 * delta
    sums[OFFSET] += delta
    sums[SUM] -= 2.0 * delta * (sign_pointer[row + 1] - sign_pointer[row])


@kernel
def add_rows(visited: Visited, multipliers: Floats, state: State) -> None:
    """W ← w + Σ over rows of multiplier · row."""
    for row in range(len(multipliers)):
        if multipliers[row] != 0.0:
            add_row(visited, state, row, multipliers[row])


@kernel
def read_rows(visited: Visited, state: State, out: Floats) -> None:
    """Write ⟨w, row⟩ of every row."""
    for row in range(len(out)):
        out[row] = margin(visited, state, row)
