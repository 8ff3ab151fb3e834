"""Gradient descent with a step that adapts: the shortest solver that keeps the contract."""

import numpy as np

from margrave.primitives import Floats
from margrave.solvers import Objective, Solution, Solver
from margrave.solvers.base import Progress, Run


class GradientDescent(Solver[Objective]):
    """Steps against the gradient; the step doubles where it helped, and halves until it does.

    Parameters
    ----------
    tol : float, default=1e-3
        The gap at which it stops.
    max_iter : int, default=10000
    """

    objective_type = Objective

    def __init__(self, tol: float = 1e-3, max_iter: int = 10000) -> None:
        self.tol = tol
        self.max_iter = max_iter

    def refusal(self, objective: Objective) -> str | None:
        """See `Solver.refusal`."""
        if objective.loss.temperature > 0:
            return None
        name = type(objective.loss).__name__
        return f"GradientDescent takes smooth losses, not {name}: use FrankWolfe"

    def begin(self, objective: Objective, start: Floats | None) -> Run:
        """See `Solver.begin`."""
        return _Descent(objective, start)


class _Descent:
    """Where the run stands: weights, the objective there, its gradient, and the last step."""

    def __init__(self, objective: Objective, start: Floats | None) -> None:
        self.iteration = 0
        self._objective, self._step = objective, 1.0
        self._weights = np.zeros(objective.n_weights) if start is None else start.copy()
        self._value, self._gradient = self._evaluate(self._weights)

    def advance(self, last: int) -> Progress:
        """See `Run.advance`; one iteration."""
        slope = float(self._gradient @ self._gradient)
        step = 2.0 * self._step
        while step > 1e-12:
            weights = self._weights - step * self._gradient
            value, gradient = self._evaluate(weights)
            if value <= self._value - 0.5 * step * slope:
                self._weights, self._value, self._gradient, self._step = (
                    weights,
                    value,
                    gradient,
                    step,
                )
                self.iteration += 1
                return Progress(value, self._gap())
            step /= 2.0
        self.iteration += 1
        return Progress(self._value, self._gap(), stuck=True)

    def solution(self) -> Solution:
        """See `Run.solution`."""
        return Solution(self._weights, gap=self._gap())

    def _evaluate(self, weights: Floats) -> tuple[float, Floats]:
        value, gradient = self._objective.value_and_gradient(weights)
        return value + self._objective.penalty(weights, gradient), gradient

    def _gap(self) -> float:
        return (
            self._objective.distance(self._gradient) / self._value if self._value > 0 else 0.0
        )
