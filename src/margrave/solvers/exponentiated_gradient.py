"""Exponentiated gradient: dual variables that are probabilities, moved by multiplying them."""

import numpy as np
from scipy.special import expit, logit

from margrave.primitives import Floats, random_words
from margrave.solvers.base import Run
from margrave.solvers.binary_objective import BinaryObjective
from margrave.solvers.binary_solver import BinarySolver, MultiplierRun, passes_to_next_look
from margrave.solvers.exponentiated_steps import exponentiated_passes

#: The share of U at which a multiplier begins, and how near to 0 or U one may be that a start gives.
_SMALL, _NEAREST = 0.01, 1e-4


class ExponentiatedGradient(BinarySolver):
    """For the hinge (T = 0) and the log-loss (T = 1) of one label: one row's dual variable at a time, multiplied.

    A row's multiplier is a probability times its weight, α = U σ(t): that of the wrong value. With z = y⟨w, row⟩ a
    step multiplies the odds σ/(1 − σ) by e^(η · slope of the dual):

        t ← (1 − ηT) t + η ((1 if T = 0 else 0) − z),

    whose fixed point for the log-loss is t = −z, where α = U σ(−z). The weights follow by (change of α) y · row. Each
    row has a rate η of its own: halved until the dual does not fall, a fifth larger after a step that stopped short
    of the row's best (at most 1 where T = 1). So the dual never falls, and α stays inside its bounds by itself.

    A step costs what the row lists (see `margrave.scores.margins`) and one exponential for each rate that is tried.

    Parameters
    ----------
    tol : float, default=1e-3
        Stops where the duality gap is at most this share of the primal.
    max_iter : int, default=10000
        Passes over the rows.
    random_state : int or None, default=None
        Of the order of rows, new in each pass.

    References
    ----------
    Collins, Globerson, Koo, Carreras and Bartlett, Exponentiated gradient algorithms for conditional random fields
    and max-margin Markov networks, JMLR 9, 2008.

    Examples
    --------
    >>> import margrave as mg
    >>> from margrave.datasets import load_scene
    >>> scene = load_scene("train")
    >>> model = mg.LMSBNClassifier(C=0.1, solver=mg.solvers.ExponentiatedGradient(tol=0.01, random_state=0))
    >>> model.fit(scene.data, scene.target).gap_ <= 0.01
    True
    """

    def begin(self, objective: BinaryObjective, start: Floats | None) -> Run:
        """See `Solver.begin`."""
        return _RowByRow(objective, start, self.random_state)


class _RowByRow(MultiplierRun):
    """The multipliers as probabilities, and a rate for each."""

    def __init__(self, objective: BinaryObjective, start: Floats | None, random_state: int | None) -> None:
        super().__init__(objective, start)
        room = np.where(objective.weights > 0, objective.weights, 1.0)
        shares = np.full(len(room), _SMALL) if start is None else self.multipliers / room
        self._logits = logit(np.clip(shares, _NEAREST, 1.0 - _NEAREST))
        self.multipliers = objective.weights * expit(self._logits)
        self.state = objective.rows.state_of(self.multipliers * objective.labels)
        self._words = random_words(np.random.default_rng(random_state))
        self._order, self._squares = objective.examples.copy(), objective.rows.squares
        # σ has a slope of at most ¼, so a step of this rate is at most the best one
        self._rates = 1.0 / (0.25 * room * self._squares + float(objective.smooth))

    def passes(self, n: int) -> int:
        """See `MultiplierRun.passes`."""
        problem, n = self.objective, min(n, passes_to_next_look(self.iteration))
        fixed = problem.rows.visited, problem.labels, problem.weights, self._squares, problem.smooth
        moving = self.state, self.multipliers, self._logits, self._rates
        exponentiated_passes(*fixed, n, *moving, self._order, self._words)
        return n
