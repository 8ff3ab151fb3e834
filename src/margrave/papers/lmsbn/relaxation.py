"""The linear relaxation of prediction, which section 2.3 compares branch and bound with.

min Σ_i ξ_i   with   ξ_i ≥ 1 − s_i y_i − Σ_j w_ij u_ij,  ξ_i ≥ 0,  y_i in [−1, 1],  and u_ij in place of y_i y_j:
u ≥ y_i + y_j − 1,   u ≥ −y_i − y_j − 1,   u ≤ y_i − y_j + 1,   u ≤ y_j − y_i + 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from margrave.primitives import Floats


class Relaxation:
    """The program of one model, solved by HiGHS; from example to example only the s_i change.

    Parameters
    ----------
    table : array of shape (K, K)
        w, row the label and column its parent.

    Examples
    --------
    >>> import numpy as np
    >>> Relaxation(np.array([[0.0, 0.0], [3.0, 0.0]])).solve(np.array([2.0, -0.5]))
    0.0
    """

    def __init__(self, table: Floats) -> None:
        import highspy  # noqa: PLC0415  (needed here only)

        K = len(table)
        children, parents = np.tril_indices(K, -1)
        n_pairs = len(children)
        self._K = K
        solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
        solver.setOptionValue("output_flag", False)
        lp = highspy.HighsLp()
        lp.num_col_, lp.num_row_ = 2 * K + n_pairs, K + 4 * n_pairs
        lp.col_cost_ = np.concatenate([np.zeros(K + n_pairs), np.ones(K)])
        lp.col_lower_ = np.concatenate([-np.ones(K + n_pairs), np.zeros(K)])
        lp.col_upper_ = np.concatenate([np.ones(K + n_pairs), np.full(K, np.inf)])
        lp.row_lower_ = np.concatenate([np.ones(K), np.full(4 * n_pairs, -1.0)])
        lp.row_upper_ = np.full(lp.num_row_, np.inf)
        matrix = _rows(table, children, parents)
        lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
        solver.passModel(lp)
        self._solver = solver

    def solve(self, inputs: Floats) -> float:
        """The optimum for an example's scores without labels: a bound of every labelling's loss."""
        for i, s in enumerate(inputs.tolist()):
            self._solver.changeCoeff(i, i, s)
        self._solver.run()
        return float(self._solver.getInfo().objective_function_value)


def _rows(table: Floats, children: Any, parents: Any) -> sparse.csr_array:
    """Columns: y, u, ξ. The y of each hinge has a place of its own, to be filled for each example."""
    K, n_pairs = len(table), len(children)
    pair = np.arange(n_pairs)
    hinges = sparse.csr_array((table[children, parents], (children, K + pair)), shape=(K, 2 * K + n_pairs))
    own = sparse.eye_array(K, 2 * K + n_pairs) + sparse.eye_array(K, 2 * K + n_pairs, k=K + n_pairs)
    blocks = [hinges + own]
    for of_u, of_child, of_parent in ((1, -1, -1), (1, 1, 1), (-1, 1, -1), (-1, -1, 1)):
        columns = np.concatenate([K + pair, children, parents])
        values = np.repeat([of_u, of_child, of_parent], n_pairs).astype(np.float64)
        blocks.append(sparse.csr_array((values, (np.tile(pair, 3), columns)), shape=(n_pairs, 2 * K + n_pairs)))
    return sparse.csr_array(sparse.vstack(blocks))
