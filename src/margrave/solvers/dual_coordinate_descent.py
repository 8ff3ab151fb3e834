"""Dual coordinate descent for one binary label: one row's multiplier at a time, each step the best."""

import numpy as np

from margrave.primitives import Floats, random_words
from margrave.solvers.base import Run
from margrave.solvers.binary_objective import BinaryObjective
from margrave.solvers.binary_solver import BinarySolver, MultiplierRun
from margrave.solvers.coordinate_steps import ACTIVE, HIGHEST, LOWEST, VIOLATION, hinge_passes, logistic_passes

#: Passes before the first look at the gap, and the most between two looks.
_FIRST_LOOK, _MOST_BETWEEN = 8, 64
#: Violations that passes aim at, at first; of small problems, whose passes cost next to nothing, what rounding leaves.
_LOOSEST, _TIGHTEST = 1.0, 1e-13
#: Below this a violation may be what rounding leaves, and never fall: rows that were left out come back at every look.
_ROUNDING = 1e-9
#: Products that are as good as free: a fraction of a millisecond.
_FREE = 1_000_000
#: Steps read dense inputs in single precision until the gap, or what passes aim at, is so small.
_SHORT_UNTIL = 1e-4


class DualCoordinateDescent(BinarySolver):
    """For the hinge (with shrinking) and the log-loss of one label; inputs dense, sparse, or known by a Gram matrix.

    A step costs what the row lists: see `margrave.scores.margins`. Convergence is linear.

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
    Hsieh, Chang, Lin, Keerthi and Sundararajan, A dual coordinate descent method for large-scale linear SVM, ICML 2008.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.solvers.DualCoordinateDescent(tol=1e-6)
    DualCoordinateDescent(tol=1e-06)
    """

    def begin(self, objective: BinaryObjective, start: Floats | None) -> Run:
        """See `Solver.begin`."""
        return _Passes(objective, start, self.random_state)


class _Passes(MultiplierRun):
    def __init__(self, objective: BinaryObjective, start: Floats | None, random_state: int | None) -> None:
        super().__init__(objective, start)
        self._words = random_words(np.random.default_rng(random_state))
        self._order, self._squares = objective.examples.copy(), objective.rows.squares
        self._memory = np.array([len(self._order), np.inf, -np.inf, np.inf])
        free = _FREE // max(1, len(self._order) * objective.n_weights)
        self._tolerance, self._between = (_TIGHTEST, free) if free > _MOST_BETWEEN else (_LOOSEST, _FIRST_LOOK)
        self._short = objective.rows.inputs.table.size > 0 and free <= _MOST_BETWEEN

    @property
    def exact(self) -> bool:
        """See `MultiplierRun.exact`."""
        return not self._short

    def passes(self, n: int) -> int:
        """See `MultiplierRun.passes`."""
        problem = self.objective
        if self._short and min(self.gap, self._tolerance) <= _SHORT_UNTIL:
            self._short = False
            self.state = problem.rows.state_of(self.multipliers * problem.labels)
        visited = problem.rows.visited_short if self._short else problem.rows.visited
        fixed = visited, problem.labels, problem.weights, self._squares
        moving = self.state, self.multipliers, self._order
        n = min(n, self._between)
        self._between = min(2 * self._between, _MOST_BETWEEN)
        if problem.smooth:
            return int(logistic_passes(*fixed, n, *moving, self._words))
        done = int(hinge_passes(*fixed, self._tolerance, n, *moving, self._memory, self._words))
        reached = self._memory[VIOLATION] <= self._tolerance
        if reached:  # done as well as was asked: ask for more
            self._tolerance *= 0.25
        if reached or self._tolerance <= _ROUNDING:
            self._memory[[ACTIVE, HIGHEST, LOWEST]] = len(self._order), np.inf, -np.inf
        return done
