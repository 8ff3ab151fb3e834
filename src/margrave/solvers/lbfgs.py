"""Limited-memory BFGS, in place."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from margrave.primitives import Floats
from margrave.solvers.base import Progress, Run, Solution, Solver
from margrave.solvers.curvature import Curvature
from margrave.solvers.line_search import wolfe_step
from margrave.solvers.objective import Objective, relative_gap
from margrave.solvers.stochastic import stochastic_start


class LBFGS(Solver[Objective]):
    """Quasi-Newton steps for smooth losses (T > 0).

    Takes the room of memory/2 + 5 vectors of weights: 2 · memory of 16 bits a number, 5 in double precision.

    Parameters
    ----------
    memory : int, default=20
        How many past steps the curvature is estimated from.
    tol : float, default=1e-3
        Stops where the objective is at most this share above its minimum: ½ Σ_g ‖∇_g‖²/η_g bounds the difference.
    max_iter : int, default=1000
    warm_up : int, default=0
        Passes of stochastic gradient steps before the first iteration, which then starts much nearer to the minimum; a
        pass takes about as long as an iteration. Worth while for thousands of examples; one thread does it.
    random_state : int or None, default=None
        Of the order of examples in these passes.

    References
    ----------
    Liu and Nocedal, On the limited memory BFGS method for large scale optimization, Math. Programming 45, 1989.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.ChainCRF(solver=mg.solvers.LBFGS(memory=30, tol=1e-5)).solver.memory
    30
    """

    objective_type = Objective
    counts: ClassVar[Mapping[str, int]] = {"memory": 1, "warm_up": 0}

    def __init__(
        self,
        memory: int = 20,
        tol: float = 1e-3,
        max_iter: int = 1000,
        warm_up: int = 0,
        random_state: int | None = None,
    ) -> None:
        self.memory = memory
        self.tol = tol
        self.max_iter = max_iter
        self.warm_up = warm_up
        self.random_state = random_state

    def refusal(self, objective: Objective) -> str | None:
        """See `Solver.refusal`."""
        if objective.loss.temperature > 0:
            return None
        name = type(objective.loss).__name__
        return f"LBFGS takes smooth losses, not {name}: use FrankWolfe, or SmoothedHinge with LBFGS"

    def begin(self, objective: Objective, start: Floats | None) -> Run:
        """See `Solver.begin`."""
        if self.warm_up > 0:
            found = stochastic_start(objective, self.warm_up, self.random_state, start)
            start = start if found is None else found
        return _Descent(objective, start, self.memory)


class _Descent:
    """The last weights and gradient, and the steps that led to them."""

    def __init__(self, objective: Objective, start: Floats | None, memory: int) -> None:
        n = objective.n_weights
        self.iteration = 0
        self._objective = objective
        self._weights = np.zeros(n) if start is None else np.array(start, dtype=np.float64)
        self._gradient, self._direction = np.empty(n), np.empty(n)
        self._trial, self._trial_gradient = np.empty(n), np.empty(n)
        self._curvature = Curvature(memory)
        self._value = self._evaluate(self._weights, self._gradient)

    def advance(self, last: int) -> Progress:
        """See `Run.advance`; one iteration."""
        slope = self._find_direction()
        if slope < 0:
            found = wolfe_step(self._at, self._value, slope, self._first_step())
            if found is None and len(self._curvature):  # it may be to blame: once more, downhill
                self._curvature.forget()
                slope = self._find_direction()
                found = wolfe_step(self._at, self._value, slope, self._first_step())
            if found is not None:
                self._accept(found[1])
                return Progress(self._value, self._gap())
        self.iteration += 1
        return Progress(self._value, self._gap(), stuck=True)

    def solution(self) -> Solution:
        """See `Run.solution`."""
        return Solution(self._weights, gap=self._gap())

    # ------------------------------------------------------------------

    def _evaluate(self, weights: Floats, gradient: Floats) -> float:
        value, _ = self._objective.value_and_gradient(weights, gradient)
        return value + self._objective.penalty(weights, gradient)

    def _at(self, step: float) -> tuple[float, float]:
        np.multiply(self._direction, step, out=self._trial)
        self._trial += self._weights
        value = self._evaluate(self._trial, self._trial_gradient)
        return value, float(self._trial_gradient @ self._direction)

    def _gap(self) -> float:
        return relative_gap(self._value, self._objective.distance(self._gradient))

    def _first_step(self) -> float:
        return 1.0 if len(self._curvature) else min(1.0, 1.0 / float(np.abs(self._gradient).sum()))

    def _find_direction(self) -> float:
        """Downhill, as far as the curvature says; returns the slope along the direction."""
        np.negative(self._gradient, out=self._direction)
        self._curvature.apply(self._direction)
        return float(self._direction @ self._gradient)

    def _accept(self, value: float) -> None:
        """Make the trial point the current one, and remember the step that led there."""
        self._curvature.remember(self._trial, self._weights, self._trial_gradient, self._gradient)
        self.__dict__.update(  # at once: no Ctrl-C stands between weights and what is said about them
            _weights=self._trial, _trial=self._weights, _gradient=self._trial_gradient,
            _trial_gradient=self._gradient, _value=value, iteration=self.iteration + 1,
        )  # fmt: skip
