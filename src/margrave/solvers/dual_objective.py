"""What dual solvers see: one block of dual variables per example.

The dual variables of example i are marginals μ_i of its labellings. They give the weights

    w_g = (C/η_g) Σ_i s_i features_i ⊗ (y_i − μ_i)        and the dual        C Σ_i s_i ⟨Δ_i, μ_i⟩ − Σ_g η_g/2 ‖w_g‖²

which is at most the objective's minimum. μ_i is kept as counts of entries (bases contracted) with the number ⟨Δ_i, μ_i⟩
beside it: the formulas read nothing else. Entries that are one example's own stand in a vector of θ's layout; those
that examples share are kept per example, since a batch vector has summed them.
"""

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from margrave.graphs.wiring import NOTHING
from margrave.inference import Maximum
from margrave.primitives import Floats, Integers, Labels, kernel, once
from margrave.scores import BoundScorer
from margrave.scores.listed import Rows, load_listed
from margrave.solvers.dual_steps import (
    Fixed,
    Variables,
    best_steps,
    set_direction,
    set_to_truth,
    sum_shared,
    take_direction,
)
from margrave.solvers.objective import Objective, relative_gap


@dataclass(eq=False)
class Duals:
    """Dual variables of all examples.

    Attributes
    ----------
    own : array in θ's layout
        Counts of entries that belong to one example.
    shared : array
        Counts of the shared entries that an example touches, one example after the other.
    costs : array of shape (n_examples,)
        ⟨Δ_i, μ_i⟩.
    """

    own: Floats
    shared: Floats
    costs: Floats

    def copy(self) -> "Duals":
        """Another set of the same numbers."""
        return Duals(self.own.copy(), self.shared.copy(), self.costs.copy())

    def mix(self, other: "Duals", share: float) -> None:
        """Become (1 − share) · self + share · other, in place: feasible if both are.

        In one kernel, which no Ctrl-C divides: counts of one mixture beside costs of another would certify nothing.
        """
        mix_all((self.own, self.shared, self.costs), (other.own, other.shared, other.costs), share)


class _Part(NamedTuple):
    """One term's part in one example; the arrays are views of the objective's work space."""

    scorer: BoundScorer
    rows: slice
    weights: slice
    eta: float
    theta: Floats
    direction: Floats
    add: bool


class DualObjective(Objective):
    """What dual solvers need on top of `Objective`; its weights follow from the dual variables."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._extra = NOTHING if self._added is None else self._added.extra(self.graph)
        self._direction = np.zeros(self.graph.n_entries)
        self._parts: dict[int, tuple[_Part, ...]] = {}

    def weight_of(self, example: int) -> float:
        """C s_i."""
        return self.C if self.sample_weight is None else self.C * float(self.sample_weight[example])

    def at_truth(self) -> Duals:
        """μ = y: weights 0, dual 0."""
        duals = Duals(np.zeros(self.graph.n_entries), np.zeros(self._locals.first[-1]), np.zeros(len(self)))
        variables = (duals.own, duals.shared, duals.costs)
        set_to_truth(self.labels, self._fixed, self._extra, variables, self._direction)
        return duals

    def answer(self, weights: Floats, example: int) -> Maximum:
        """The labelling of one example that is worth most, costs included; its labels are valid until the next call."""
        self.load(weights, example)
        return self._oracle.answer(self._theta, example, 0.0, self._added)

    def load(self, weights: Floats, example: int) -> None:
        """Make the scores of one example those that `weights` give."""
        for part in self._parts_of(example):
            part.scorer.scores(weights[part.weights], part.theta, part.rows, part.add)

    def improve(self, weights: Floats, duals: Duals, examples: Integers, guide: Floats | None = None) -> float:
        """Take some examples' answers, then each one's best step towards its own; returns the longest step.

        Weights and dual variables change in place. `guide` are other weights to take the answers from; the steps are
        the best ones all the same.
        """
        if self._rows is None:
            return max(self._improve_one(weights, duals, int(example), guide) for example in examples)
        load_listed(self._rows, examples, weights if guide is None else guide, self._theta)
        labels = self._oracle.answers(self._theta, examples, self._added)
        etas, scratch, loss_weights, places = self._for_steps
        duals_ = (duals.own, duals.shared, duals.costs)
        longest: float = best_steps(
            examples, labels, self._rows, self._fixed, self._extra, etas, loss_weights, weights, duals_,
            self._direction, scratch, places,
        )  # fmt: skip
        return longest

    def _improve_one(self, weights: Floats, duals: Duals, example: int, guide: Floats | None) -> float:
        """As `improve`, scorer by scorer, for one example."""
        weight = self.weight_of(example)
        if weight == 0.0:
            return 0.0
        labels = self.answer(weights if guide is None else guide, example).labels
        if guide is not None:
            self.load(weights, example)
        assert labels is not None
        slope, cost = self.toward(labels, example, duals)
        slope += cost - duals.costs[example]
        step = 0.0
        if slope > 0.0:
            curvature = self.quadratic(example)
            step = min(1.0, weight * slope / curvature) if curvature > 0.0 else 1.0
            self.move(weights, example, step)
        self.take(example, duals, step, cost)
        return step

    def toward(self, labels: Labels, example: int, duals: Duals) -> tuple[float, float]:
        """Set the direction counts(labels) − μ_i; returns its product with the scores, and the labels' cost."""
        variables = (duals.own, duals.shared, duals.costs)
        cost = set_direction(example, labels, self._fixed, self._extra, variables, self._direction)
        local = self.graph.local(example)
        return float(local.gather(self._theta) @ local.gather(self._direction)), cost

    def quadratic(self, example: int) -> float:
        """Σ_g C² s_i²/η_g ‖pull-back of the direction‖²: minus the curvature of the dual along it."""
        total = 0.0
        for part in self._parts_of(example):
            total += part.scorer.quadratic(part.direction, part.rows) / part.eta
        return total * self.weight_of(example) ** 2

    def move(self, weights: Floats, example: int, step: float) -> None:
        """Change the weights as μ_i += step · direction does, in place."""
        scale = -step * self.weight_of(example)
        for part in self._parts_of(example):
            part.scorer.add_pullback(part.direction, weights[part.weights], part.rows, scale / part.eta)

    def take(self, example: int, duals: Duals, step: float, cost: float | None = None) -> None:
        """μ_i += step · direction, and ⟨Δ_i, μ_i⟩ towards `cost` if it is given; the direction is spent.

        In one kernel, which no Ctrl-C divides: whenever a run ends, its duals belong together.
        """
        cost = duals.costs[example] if cost is None else cost
        variables = (duals.own, duals.shared, duals.costs)
        take_direction(example, self._fixed, self._direction, step, cost, variables)

    def weights_of(self, duals: Duals) -> Floats:
        """The weights that dual variables give."""
        counts = duals.own.copy() if self.sample_weight is None else self._weighted(duals.own)
        counts[: self.graph.n_shared] = 0.0
        s = np.empty(0) if self.sample_weight is None else self.sample_weight
        sum_shared(self._fixed, s, duals.shared, counts)
        weights = self.C * self._truth
        self.model.add_pullback(counts, weights, scale=-self.C)
        for run, eta in self.etas:
            weights[run] /= eta
        return weights

    def dual(self, weights: Floats, duals: Duals) -> float:
        """The dual's value, where `weights` are those of `duals`."""
        s = 1.0 if self.sample_weight is None else self.sample_weight
        return self.C * float(np.sum(s * duals.costs)) - self.penalty(weights)

    def certify(self, weights: Floats, duals: Duals) -> tuple[float, float, float]:
        """Primal of these weights, dual of these dual variables, both computed afresh, and their relative gap."""
        primal = self.value(weights) + self.penalty(weights)
        dual = self.dual(self.weights_of(duals), duals)
        return primal, dual, self.gap(primal, dual)

    def gap(self, primal: float, dual: float) -> float:
        """(primal − dual)/primal; NaN where the inference does not bound the maximum, so that the primal is a guess."""
        return relative_gap(primal, primal - dual) if self.bounded else np.nan

    # ------------------------------------------------------------------

    def _parts_of(self, example: int) -> "tuple[_Part, ...]":
        """Each term's rows of one example, found once: a solver comes back thousands of times."""
        parts = self._parts.get(example)
        if parts is None:
            graph, run, written, found = self.graph, slice(example, example + 1), set[str](), []
            for term, scorer, (weights, eta) in zip(self.model.model.terms, self.model.bound, self.etas, strict=True):
                rows = graph.rows_of(term.block, run)
                theta, direction = (graph.view(v, term.block)[rows] for v in (self._theta, self._direction))
                found.append(_Part(scorer, rows, weights, eta, theta, direction, term.block in written))
                written.add(term.block)
            parts = self._parts[example] = tuple(found)
        return parts

    @once
    def _rows(self) -> Rows | None:
        return self.model.listed

    @once
    def _for_steps(self) -> tuple[Floats, Floats, Floats, Integers]:
        """η of each term, a zero per weight, C s_i of each example, and room for the places of a row."""
        most = max((block.width for block in self.graph.blocks), default=0) + 1
        etas = np.array([eta for _, eta in self.etas])
        return etas, np.zeros(self.n_weights), self._loss_weights, np.zeros(most, dtype=np.int64)

    @once
    def _fixed(self) -> Fixed:
        return self.graph.wiring, self.graph.coefficients, self.graph.n_shared, *self._locals.arrays

    @once
    def _locals(self) -> "_Locals":
        return _Locals(self)

    def _weighted(self, own: Floats) -> Floats:
        assert self.sample_weight is not None
        counts = own.copy()
        for block in self.graph.blocks:
            if not block.shared:
                of_row = np.repeat(self.sample_weight, np.diff(self.graph.rows[block.name]))
                first = self.graph.rows[block.name][0]
                self.graph.view(counts, block.name)[first : first + len(of_row)] *= of_row[:, None]
        return counts


class _Locals:
    """Where each example's entries stand, as kernels want it."""

    def __init__(self, objective: Objective) -> None:
        graph = objective.graph
        own = [b for b in graph.blocks if not b.shared]
        firsts = [graph.starts[block.name] + graph.rows[block.name] * block.width for block in own]
        runs = [np.stack([first[:-1], first[1:]], axis=1) for first in firsts]
        self._runs = np.stack(runs, axis=1) if runs else np.empty((len(graph), 0, 2), dtype=np.int64)
        of, first_of = graph.topology_of, np.unique(graph.topology_of, return_index=True)
        shared = {int(t): graph.local(int(example)).shared for t, example in zip(*first_of, strict=True)}
        lists = [_runs_of(shared.get(t, np.empty(0, dtype=np.int64))) for t in range(len(graph.topologies))]
        sizes = np.array([(found[:, 1] - found[:, 0]).sum() for found in lists], dtype=np.int64)
        ends = np.cumsum([0] + [len(found) for found in lists])
        self._shared = np.concatenate([*lists, np.empty((0, 2), dtype=np.int64)])
        self._places = np.stack([ends[:-1], ends[1:]], axis=1)[of].astype(np.int64).reshape(-1, 2)
        self.first = np.concatenate([[0], np.cumsum(sizes[of])]).astype(np.int64)

    @once
    def arrays(self) -> tuple[Integers, Integers, Integers, Integers]:
        """Runs of own entries; runs of shared ones; which of these an example touches; where its duals begin."""
        return self._runs, self._shared, self._places, self.first


def _runs_of(entries: Integers) -> Integers:
    """Rising numbers as runs: rows of (first, end)."""
    firsts = np.flatnonzero(np.diff(entries, prepend=-2) != 1)
    ends = np.append(firsts[1:], len(entries)) if len(firsts) else firsts
    runs: Integers = np.stack([entries[firsts], entries[ends - 1] + 1], axis=1)
    return runs


@kernel
def mix(vector: Floats, other: Floats, share: float) -> None:
    """Become (1 − share) · vector + share · other, in place and in one walk."""
    for k in range(len(vector)):
        vector[k] += share * (other[k] - vector[k])


@kernel
def mix_all(mine: Variables, other: Variables, share: float) -> None:
    """As `mix`, for all arrays of dual variables."""
    for i in range(len(mine)):
        mix(mine[i], other[i], share)
