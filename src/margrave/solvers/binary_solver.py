"""What solvers of one binary label share: they move multipliers, and their weights follow."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from margrave.losses import Hinge, LogLoss
from margrave.primitives import Floats
from margrave.solvers.base import Progress, Solution, Solver
from margrave.solvers.binary_objective import BinaryObjective

#: Passes before the first look at the gap, and the most between two looks.
_FIRST_LOOK, _MOST_BETWEEN = 8, 64


class BinarySolver(Solver[BinaryObjective]):
    """Parameters of a solver for one binary label; the solution's duals are the multipliers."""

    objective_type: ClassVar[type[BinaryObjective]] = BinaryObjective

    def __init__(self, tol: float = 1e-3, max_iter: int = 10000, random_state: int | None = None) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.random_state = random_state

    def refusal(self, objective: BinaryObjective) -> str | None:
        """See `Solver.refusal`."""
        loss = objective.loss
        if isinstance(loss, LogLoss) or (isinstance(loss, Hinge) and isinstance(loss.cost, str)):
            return None
        return f"{type(self).__name__} takes Hinge() or LogLoss() of one label, not {loss}: use one of these"


class MultiplierRun:
    """Multipliers of all rows, and the weights that go with them.

    Parameters
    ----------
    objective : BinaryObjective
    start : array of shape (n_weights,) or None
        Weights whose multipliers are a beginning (see `BinaryObjective.multipliers_at`); None: zero.
    """

    def __init__(self, objective: BinaryObjective, start: Floats | None) -> None:
        self.objective, self.iteration, self.gap = objective, 0, np.inf
        self.multipliers = np.zeros(len(objective)) if start is None else objective.multipliers_at(start)
        self.state = objective.rows.state_of(self.multipliers * objective.labels)

    @property
    def exact(self) -> bool:
        """Whether `state` holds the weights of the multipliers, so that a look at the gap need not make them."""
        return False

    @abstractmethod
    def passes(self, n: int) -> int:
        """Make up to `n` passes over the rows; returns how many."""

    def advance(self, last: int) -> Progress:
        """See `Run.advance`; as many passes as stand between two looks at the gap."""
        self.iteration += self.passes(last - self.iteration)
        reached = self.objective.certify(self.multipliers, self.state if self.exact else None)
        self.gap = reached.gap
        return Progress(reached.primal, reached.gap, reached.dual)

    def solution(self) -> Solution:
        """See `Run.solution`; weights, primal and dual all computed afresh from the multipliers."""
        reached = self.objective.certify(self.multipliers)
        return Solution(reached.weights, gap=reached.gap, duals=reached.multipliers)


def passes_to_next_look(iteration: int) -> int:
    """How many passes to make before looking at the gap, which costs a pass: as many as were made, within limits.

    Examples
    --------
    >>> [passes_to_next_look(iteration) for iteration in (0, 8, 16, 1000)]
    [8, 8, 16, 64]
    """
    return max(_FIRST_LOOK, min(iteration, _MOST_BETWEEN))
