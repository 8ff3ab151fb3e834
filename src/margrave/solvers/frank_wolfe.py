"""Block-coordinate Frank-Wolfe: one example's dual variables at a time, a step that is exactly the best."""

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from margrave.primitives import Floats, Integers
from margrave.solvers.base import Progress, Run, Solution, Solver
from margrave.solvers.dual_objective import DualObjective, Duals, mix

#: A pass has at least so many rounds of answers: with few examples, older answers cost more passes than they save time.
_PARTS = 64


class FrankWolfe(Solver[DualObjective]):
    """For the structured hinge: moves μ_i towards the answer that is worth most, costs included, by exact line search.

    With d = answer − μ_i, the dual rises along it with slope C s_i (⟨θ_i, d⟩ + cost(answer) − ⟨Δ_i, μ_i⟩) and curvature
    Σ_g C² s_i²/η_g ‖features_i ⊗ d‖²; the best step is their quotient, at most 1. Needs nothing but answers at T = 0.

    Parameters
    ----------
    tol : float, default=1e-3
        Stops where the duality gap is at most this share of the primal.
    max_iter : int, default=1000
        Passes over the examples.
    steps : int, default=1
        Steps per visit of an example.
    together : int, default=8
        How many examples, at most, are answered with the same weights before each takes its step, which is the best at
        its turn all the same; never more than one in 64 of all. One is the textbook's way, and spends time on calls.
    average : bool, default=True
        Whether the mean of all passes, later ones weighted more, is looked at beside the last; the better is returned.
    check_every : int, default=10
        Passes between two looks at the gap, which costs a pass without steps.
    random_state : int or None, default=None
        Of the order of examples, new in each pass.

    References
    ----------
    Lacoste-Julien, Jaggi, Schmidt and Pletscher, Block-coordinate Frank-Wolfe optimization for structural SVMs,
    ICML 2013.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.ChainM3N(solver=mg.solvers.FrankWolfe(tol=1e-2)).solver.tol
    0.01
    """

    objective_type = DualObjective
    counts: ClassVar[Mapping[str, int]] = {"steps": 1, "together": 1, "check_every": 1}

    def __init__(
        self,
        tol: float = 1e-3,
        max_iter: int = 1000,
        steps: int = 1,
        together: int = 8,
        average: bool = True,
        check_every: int = 10,
        random_state: int | None = None,
    ) -> None:
        self.tol = tol
        self.max_iter = max_iter
        self.steps = steps
        self.together = together
        self.average = average
        self.check_every = check_every
        self.random_state = random_state

    def refusal(self, objective: DualObjective) -> str | None:
        """See `Solver.refusal`."""
        if objective.loss.temperature > 0 or objective.loss.scope != "graph":
            name = type(objective.loss).__name__
            return f"FrankWolfe takes the hinge, not {name}: use LBFGS"
        if any(eta == 0 and run.stop > run.start for run, eta in objective.etas):
            return "FrankWolfe needs a penalty above 0 on all weights: its dual divides by it; use a small number"
        return None

    def begin(self, objective: DualObjective, start: Floats | None) -> Run:
        """See `Solver.begin`."""
        return _Passes(self, objective, start)


class _Passes:
    """The dual variables, the weights that they give, and the means of both over passes."""

    def __init__(self, solver: FrankWolfe, objective: DualObjective, start: Floats | None) -> None:
        self.iteration = 0
        self._solver, self._objective, self._start = solver, objective, start
        self._rng = np.random.default_rng(solver.random_state)
        self._weights, self._duals = np.zeros(objective.n_weights), objective.at_truth()
        self._mean_weights, self._mean_duals = self._weights.copy(), self._duals.copy() if solver.average else None

    def advance(self, last: int) -> Progress:
        """See `Run.advance`; as many passes as stand between two looks at the gap."""
        stop = min(last, self.iteration + self._solver.check_every)
        while self.iteration < stop:
            guide = self._start if self.iteration == 0 else None
            order = self._rng.permutation(len(self._objective))
            together = max(1, min(self._solver.together, len(order) // _PARTS))
            for first in range(0, len(order), together):
                self._visit(order[first : first + together], guide)
            self.iteration += 1
            if self._mean_duals is not None:
                share = 2.0 / (self.iteration + 1)
                mix(self._mean_weights, self._weights, share)
                self._mean_duals.mix(self._duals, share)
        return self._progress()

    def solution(self) -> Solution:
        """See `Run.solution`; weights, primal and dual all computed afresh from the dual variables."""
        found = []
        for duals in (self._duals, self._mean_duals):
            if duals is not None:
                weights = self._objective.weights_of(duals)
                found.append((self._objective.certify(weights, duals)[2], weights, duals))
        gap, weights, duals = min(found, key=lambda item: _least_known(item[0]))
        return Solution(weights, gap=gap, duals=duals)

    # ------------------------------------------------------------------

    def _visit(self, examples: Integers, guide: Floats | None) -> None:
        """Some examples' steps; `guide`: weights of an earlier fit, whose answers are better directions at first."""
        for _ in range(self._solver.steps):
            if self._objective.improve(self._weights, self._duals, examples, guide) == 0.0:
                return

    def _progress(self) -> Progress:
        candidates: list[tuple[Floats, Duals]] = [(self._weights, self._duals)]
        if self._mean_duals is not None:
            candidates.append((self._mean_weights, self._mean_duals))
        reached = []
        for weights, duals in candidates:
            primal = self._objective.value(weights) + self._objective.penalty(weights)
            dual = self._objective.dual(weights, duals)
            reached.append(Progress(primal, self._objective.gap(primal, dual), dual))
        return min(reached, key=lambda progress: _least_known(progress.gap))


def _least_known(gap: float) -> float:
    """Where nothing is known of a gap, any that is known is better."""
    return np.inf if np.isnan(gap) else gap
