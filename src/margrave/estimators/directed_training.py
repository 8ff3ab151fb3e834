"""Training directed label models: every label of every order is a binary problem of its own, with known neighbours."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from copy import copy
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from scipy import sparse

from margrave.graphs import Dependencies
from margrave.losses import Loss
from margrave.primitives import Floats, Integers, for_each
from margrave.scores.margins import GRAM, Inputs, MarginRows
from margrave.scores.signs import Signs, SignTable
from margrave.solvers import BinaryObjective, Interrupted, Record, Solution, Solver


class LabelRecord(Record):
    """A line of `history_`: which label of which order it is about."""

    label: int
    order: int


@dataclass(frozen=True, eq=False)
class Examples:
    """Training data as solvers see them.

    Parameters
    ----------
    inputs : Inputs
        Features, or the Gram matrix of a kernel.
    values : int8 array of shape (n_examples, K)
        -1 or +1 as neighbours see them; nothing is unknown here.
    weights : array of shape (n_examples, K)
        U of each label's problem: C times weights of examples and classes; 0 where a label is not known.
    clique_table : array of shape (n_examples, n_clique_features) or None
    joint : function of parents' values, or None
        Gives the Gram matrix of a kernel of features and parents together, which then have no weights of their own.
    """

    inputs: Inputs
    values: Any
    weights: Floats
    clique_table: Floats | None = None
    joint: Callable[[Any], Inputs] | None = None

    def take(self, rows: Integers) -> Examples:
        """Some of the examples."""
        table = None if self.clique_table is None else self.clique_table[rows]
        return Examples(self.inputs.take(rows), self.values[rows], self.weights[rows], table)


@dataclass
class Trained:
    """Weights of all labels of all orders, and how they came about.

    Attributes
    ----------
    inputs : array of shape (n_orders, K, n_columns + 1)
        Weights of features (coefficients of rows, with a Gram matrix), the bias last; rows as labels.
    cliques : for each order an array of shape (n_cliques, 1 + n_clique_features)
    """

    inputs: Floats
    cliques: list[Floats]
    history: list[LabelRecord] = field(default_factory=list)
    gap: float = np.nan
    n_iter: int = 0
    unconverged: list[int] = field(default_factory=list)
    interrupted: bool = False


class Training:
    """All problems of some orders.

    Parameters
    ----------
    examples : Examples
    dependencies : one Dependencies per order
    loss : Loss
    solver : Solver of BinaryObjective
    """

    def __init__(
        self, examples: Examples, dependencies: Sequence[Dependencies], loss: Loss, solver: Solver[BinaryObjective]
    ) -> None:
        self._examples, self._dependencies, self._loss, self._solver = examples, dependencies, loss, solver
        self._positive = examples.values > 0
        self._signs = [SignTable(d, self._positive) for d in dependencies]

    def run(self, n_jobs: int, callback: Callable[[LabelRecord], Any] | None = None) -> Trained:
        """Solve them all; which thread solves which makes no difference."""
        K, guard = self._examples.values.shape[1], threading.Lock()
        jobs = [(m, place) for m in range(len(self._dependencies)) for place in range(K)]
        solved: dict[tuple[int, int], Solution] = {}
        stopped, cut_short = threading.Event(), threading.Event()

        def work(job: tuple[int, int]) -> None:
            if stopped.is_set():
                return
            try:
                solution = self._solve(*job)
            except Interrupted as interrupted:
                solution = interrupted.solution
                cut_short.set()
                stopped.set()
            if not solution.history:  # not one complete iteration
                return
            with guard:
                solved[job] = solution
                if callback is not None and callback(self._records(job, solution)[-1]) is True:
                    stopped.set()

        try:
            for_each(work, jobs, n_jobs)
        except KeyboardInterrupt:
            cut_short.set()
            stopped.set()
        with guard:
            done = dict(solved)
        return self._collect(done, cut_short.is_set())

    # ------------------------------------------------------------------

    def objective(self, m: int, place: int) -> BinaryObjective:
        """The problem of the label at a place of order m."""
        examples, label = self._examples, int(self._dependencies[m].order[place])
        inputs, signs = examples.inputs, self._signs_of(m, place)
        if examples.joint is not None:
            inputs = examples.joint(examples.values[:, self._dependencies[m].order[:place]])
        if examples.clique_table is not None and len(signs.base):
            inputs = inputs.beside(signed(signs, examples.clique_table))
        rows = MarginRows(inputs, signs)
        labels = np.where(self._positive[:, label], 1.0, -1.0)
        return BinaryObjective(rows, labels, np.ascontiguousarray(examples.weights[:, label]), self._loss)

    def _signs_of(self, m: int, place: int) -> Signs:
        return self._signs[m].of(place) if self._examples.joint is None else Signs.none(len(self._positive))

    def _solve(self, m: int, place: int) -> Solution:
        solver: Any = copy(self._solver)  # parameters only, so no deeper
        if solver.random_state is not None:  # another order of rows for each problem, the same in every run
            seed = np.random.SeedSequence([int(solver.random_state), m, int(self._dependencies[m].order[place])])
            solver.random_state = int(seed.generate_state(1)[0] >> 1)
        solution: Solution = solver.minimize(self.objective(m, place))
        return solution

    def _records(self, job: tuple[int, int], solution: Solution) -> list[LabelRecord]:
        where = {"label": int(self._dependencies[job[0]].order[job[1]]), "order": job[0]}
        return [LabelRecord(**record, **where) for record in solution.history]  # type: ignore[typeddict-item]

    def _collect(self, solved: dict[tuple[int, int], Solution], interrupted: bool) -> Trained:
        examples, n_orders = self._examples, len(self._dependencies)
        width = examples.inputs.n_columns
        extra = 0 if examples.clique_table is None else examples.clique_table.shape[1]
        trained = Trained(
            np.zeros((n_orders, examples.values.shape[1], width + 1)),
            [np.zeros((d.n_cliques, 1 + extra)) for d in self._dependencies],
            interrupted=interrupted,
        )
        primal = dual = 0.0
        for (m, place), solution in sorted(solved.items()):
            d = self._dependencies[m]
            self._put(trained, m, place, solution.weights, width)
            trained.history += self._records((m, place), solution)
            last = solution.history[-1]
            primal, dual = primal + last["objective"], dual + (last["dual"] or 0.0)
            trained.n_iter = max(trained.n_iter, last["iteration"])
            if solution.stopped_by in ("max_iter", "precision"):
                trained.unconverged.append(int(d.order[place]))
        complete = len(solved) == n_orders * examples.values.shape[1]
        trained.gap = (primal - dual) / primal if complete and primal > 0 else (0.0 if complete else np.nan)
        return trained

    def _put(self, trained: Trained, m: int, place: int, weights: Floats, width: int) -> None:
        """A problem's weights where they belong; those of clique features stand between inputs and bias."""
        d, examples = self._dependencies[m], self._examples
        label, run, cliques = int(d.order[place]), d.run(place), trained.cliques[m]
        n_signs = 0 if examples.joint is not None else run.stop - run.start
        if n_signs:
            cliques[run, 0] = weights[len(weights) - n_signs :]
        bias = weights[len(weights) - n_signs - 1]
        trained.inputs[m, label, :width], trained.inputs[m, label, width] = weights[:width], bias
        if examples.clique_table is not None and n_signs:
            table = signed(self._signs_of(m, place), examples.clique_table)
            gram = examples.inputs.kind == GRAM
            of_features = weights[:width] @ table if gram else weights[width : len(weights) - n_signs - 1]
            cliques[run, 1:] = of_features.reshape(n_signs, -1)


def signed(signs: Signs, table: Floats) -> Floats:
    """Every clique's sign times every clique feature, shape (n_examples, n_cliques · n_features)."""
    n = len(signs)
    listed = sparse.csr_array((np.ones(len(signs.columns)), signs.columns, signs.pointer), (n, len(signs.base)))
    values = signs.base * (1.0 - 2.0 * listed.toarray())
    products: Floats = values[:, :, None] * table[:, None, :]
    return products.reshape(n, -1)
