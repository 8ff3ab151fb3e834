"""What a solver sees of one binary label whose neighbours are known.

    ½‖w‖² + Σ_l U_l loss(y_l ⟨w, row_l⟩),     loss(z) = [1 − z]₊ (T = 0)  or  log(1 + e^(−z)) (T = 1)

This is the node-wise scope of a loss: one variable, potentials ±z/2, every other label clamped. Its dual has a
multiplier α_l in [0, U_l] per row, with w = Σ α_l y_l row_l:

    T = 0:  Σ α_l − ½‖w‖²            T = 1:  −Σ [α_l log(α_l/U_l) + (U_l − α_l) log((U_l − α_l)/U_l)] − ½‖w‖²
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, xlogy

from margrave.losses import Loss
from margrave.primitives import Floats, Integers
from margrave.scores.margins import MarginRows, State
from margrave.solvers.objective import relative_gap

#: A row whose margin is so near to 1 stands at the hinge's kink.
KINK = 1e-3


@dataclass(frozen=True, eq=False)
class Certified:
    """Weights made afresh of multipliers, with both objectives; `gap` is (primal − dual)/primal."""

    weights: Floats
    multipliers: Floats
    primal: float
    dual: float
    gap: float


class BinaryObjective:
    """One label's problem.

    Parameters
    ----------
    rows : MarginRows
    labels : array of shape (n_rows,)
        -1 or +1.
    weights : array of shape (n_rows,)
        U of each row: C times the weights of examples and classes; 0 leaves a row out.
    loss : Loss
        Read as a loss of one variable: its temperature says which of the two it is.

    Examples
    --------
    >>> import margrave as mg
    >>> from margrave.scores.margins import Inputs, MarginRows
    >>> from margrave.scores.signs import Signs
    >>> none = Signs(np.empty(0), np.zeros(3, dtype=np.int64), np.empty(0, dtype=np.int32))
    >>> rows = MarginRows(Inputs.of(np.array([[1.0], [-1.0]])), none)
    >>> objective = BinaryObjective(rows, np.array([1.0, -1.0]), np.ones(2), mg.losses.Hinge())
    >>> objective.value(np.array([0.5, 0.0])), objective.penalty(np.array([0.5, 0.0]))
    (1.0, 0.125)
    """

    def __init__(self, rows: MarginRows, labels: Floats, weights: Floats, loss: Loss) -> None:
        self.rows, self.labels, self.weights, self.loss = rows, labels, weights, loss
        self.examples: Integers = np.flatnonzero(weights > 0)

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def smooth(self) -> bool:
        """Whether the loss is the log-loss rather than the hinge."""
        return self.loss.temperature > 0

    @property
    def n_weights(self) -> int:
        """Weights of inputs, bias and signs; coefficients of rows where inputs are a Gram matrix."""
        return self.rows.n_weights

    def value(self, weights: Floats) -> float:
        """Σ U_l loss_l, without the penalty."""
        return self._loss(self.rows.margins(weights))

    def penalty(self, weights: Floats) -> float:
        """½‖w‖²."""
        return 0.5 * self.rows.square(weights)

    def multipliers_at(self, weights: Floats) -> Floats:
        """U times minus the slope of each row's loss at some weights: at the best weights, the best multipliers.

        Where a row of the hinge stands at its kink, which leaves its multiplier open, half of U.
        """
        z = self.labels * self.rows.margins(weights)
        share = expit(-z) if self.smooth else 0.5 - 0.5 * np.sign(np.where(np.abs(z - 1.0) < KINK, 0.0, z - 1.0))
        result: Floats = self.weights * share
        return result

    def certify(self, multipliers: Floats, state: State | None = None) -> Certified:
        """The weights that some multipliers give, and how far they can be from the best.

        They are made afresh, unless a state is given that was kept up with the multipliers.
        """
        state = self.rows.state_of(multipliers * self.labels) if state is None else state
        weights, margins = self.rows.weights_of(state), self.rows.margins_of(state)
        square = self.rows.square(weights, state)
        primal, dual = 0.5 * square + self._loss(margins), self._conjugate(multipliers) - 0.5 * square
        return Certified(weights, multipliers, primal, dual, relative_gap(primal, primal - dual))

    # ------------------------------------------------------------------

    def _loss(self, margins: Floats) -> float:
        z = self.labels * margins
        losses = np.logaddexp(0.0, -z) if self.smooth else np.maximum(1.0 - z, 0.0)
        return float(self.weights @ losses)

    def _conjugate(self, multipliers: Floats) -> float:
        if not self.smooth:
            return float(multipliers.sum())
        a, room = multipliers[self.examples], self.weights[self.examples]
        return -float((xlogy(a, a / room) + xlogy(room - a, (room - a) / room)).sum())
