"""Stochastic subgradient steps on one binary label's primal, which leave dual variables behind."""

import numpy as np

from margrave.primitives import Floats, Integers, Words, exp, kernel, random_words, shuffle
from margrave.scores.margins import State, Visited, add_row, margin
from margrave.solvers.base import Run
from margrave.solvers.binary_objective import BinaryObjective
from margrave.solvers.binary_solver import BinarySolver, MultiplierRun, passes_to_next_look


class Pegasos(BinarySolver):
    r"""For the hinge and the log-loss of one label: a subgradient step for every row, 1/(λt) long.

    Let n rows have a weight U_l above 0, Ū their mean, and λ = 1/(n Ū). Then λ times the objective is
    λ/2 ‖w‖² + 1/n Σ U_l/Ū loss_l, and step t, of length 1/(λt), along a subgradient of the visited row's part,

        w ← (1 − 1/t) w + 1/(λt) U_l/Ū s y_l row_l,      s = −loss'(y_l ⟨w, row_l⟩) in [0, 1]
                                                          (1 or 0; for the log-loss σ(−z)),

    is v ← v + U_l/Ū s y_l row_l with w = v/(λt): nothing is ever scaled. After P passes of one visit to each row,
    t = Pn, so w = Σ α_l y_l row_l with α_l = U_l/(Ū λ P n) Σ s: U_l times the *mean* of the row's P shares s. That
    lies in [0, U_l]: the weights at the end of a pass come with dual variables that prove how good they are. A start
    counts as a first pass, whose shares are those of the start.

    A step costs what the row lists (see `margrave.scores.margins`). The gap falls as log(T)/T: good for a first
    answer, slow for a precise one. There is no projection onto a ball, which would take the weights from their duals.

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
    Shalev-Shwartz, Singer and Srebro, Pegasos: primal estimated sub-gradient solver for SVM, ICML 2007.

    Examples
    --------
    >>> import margrave as mg
    >>> from margrave.datasets import load_scene
    >>> scene = load_scene("train")
    >>> model = mg.LMSBNClassifier(C=0.1, solver=mg.solvers.Pegasos(tol=0.1, random_state=0))
    >>> model.fit(scene.data, scene.target).gap_ <= 0.1
    True
    """

    def begin(self, objective: BinaryObjective, start: Floats | None) -> Run:
        """See `Solver.begin`."""
        return _Passes(objective, start, self.random_state)


class _Passes(MultiplierRun):
    """`state` holds Ū v, the sum of U_l s y_l row_l over all visits: after P passes w is a Pth of it."""

    def __init__(self, objective: BinaryObjective, start: Floats | None, random_state: int | None) -> None:
        super().__init__(objective, start)
        self._words = random_words(np.random.default_rng(random_state))
        self._order, self._visits = objective.examples.copy(), int(start is not None)
        self._shares = self.multipliers / np.where(objective.weights > 0, objective.weights, 1.0)

    def passes(self, n: int) -> int:
        """See `MultiplierRun.passes`."""
        problem, n = self.objective, min(n, passes_to_next_look(self.iteration))
        fixed = problem.rows.visited, problem.labels, problem.weights, problem.smooth
        subgradient_passes(*fixed, self._visits, n, self.state, self._shares, self._order, self._words)
        self._visits += n
        self.multipliers = problem.weights * (self._shares / self._visits)
        return n


@kernel
def subgradient_passes(
    visited: Visited,
    labels: Floats,
    weights: Floats,
    smooth: bool,
    made: int,
    n_passes: int,
    state: State,
    shares: Floats,
    order: Integers,
    words: Words,
) -> None:
    """`n_passes` passes after `made` earlier ones over the rows of `order`; adds every row's shares up.

    `state` holds Σ U_l shares_l y_l row_l: after t steps, t/n times the weights.
    """
    n = len(order)
    for p in range(made, made + n_passes):
        shuffle(order, n, words)
        for s in range(n):
            row, before = order[s], p * n + s
            z = labels[row] * margin(visited, state, row) * n / before if before > 0 else 0.0
            share = 1.0 / (1.0 + exp(z)) if smooth else (1.0 if z < 1.0 else 0.0)
            if share > 0.0:
                shares[row] += share
                add_row(visited, state, row, weights[row] * share * labels[row])
