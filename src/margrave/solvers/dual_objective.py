"""What dual solvers see: one block of dual variables per example.

The dual variables of example i are marginals μ_i of its labellings. They give the weights

    w_g = (C/η_g) Σ_i s_i features_i ⊗ (y_i − μ_i)        and the dual        C Σ_i s_i ⟨Δ_i, μ_i⟩ − Σ_g η_g/2 ‖w_g‖²

which is at most the objective's minimum. μ_i is kept as counts of entries (bases contracted) with the number ⟨Δ_i, μ_i⟩
beside it: the formulas read nothing else. Entries that are one example's own stand in a vector of θ's layout; those
that examples share are kept per example, since a batch vector has summed them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from margrave.graphs.labelings import count_labels
from margrave.graphs.wiring import (
    COSTS,
    EXAMPLES,
    FIRST_VARIABLE,
    NODE_WEIGHTS,
    NOTHING,
    TRUE,
    Extra,
    Wiring,
)
from margrave.inference import Maximum
from margrave.primitives import Floats, Integers, Labels, kernel
from margrave.scores import BoundScorer
from margrave.solvers.objective import Objective


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
        """Become (1 − share) · self + share · other, in place: feasible if both are."""
        _mix(self.own, other.own, self.shared, other.shared, self.costs, other.costs, share)


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
        first = self.graph.first_variable
        for example in range(len(self)):
            self.toward(self.labels[first[example] : first[example + 1]], example, duals)
            self.take(example, duals, 1.0)
        return duals

    def answer(self, weights: Floats, example: int) -> Maximum:
        """The labelling of one example that is worth most, costs included; its labels are valid until the next call."""
        self.load(weights, example)
        return self._oracle.answer(self._theta, example, 0.0, self._added)

    def load(self, weights: Floats, example: int) -> None:
        """Make the scores of one example those that `weights` give."""
        for part in self._parts_of(example):
            part.scorer.scores(weights[part.weights], part.theta, part.rows, part.add)

    def toward(self, labels: Labels, example: int, duals: Duals) -> tuple[float, float]:
        """Set the direction counts(labels) − μ_i; returns its product with the scores, and the labels' cost."""
        slope, cost = _toward(
            example, labels, *self._fixed, self._extra, duals.own, duals.shared, self._theta, self._direction
        )
        return slope, cost

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
        _take(example, *self._locals.arrays, self._direction, step, cost, duals.own, duals.shared, duals.costs)

    def weights_of(self, duals: Duals) -> Floats:
        """The weights that dual variables give."""
        counts = duals.own.copy() if self.sample_weight is None else self._weighted(duals.own)
        counts[: self.graph.n_shared] = 0.0
        for example in range(len(self)):
            mine = slice(self._locals.first[example], self._locals.first[example + 1])
            s = 1.0 if self.sample_weight is None else self.sample_weight[example]
            counts[self._locals.touched(example)] += s * duals.shared[mine]
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
        return primal, dual, (primal - dual) / primal if primal > 0 else 0.0

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

    @cached_property
    def _fixed(self) -> tuple[Wiring, Floats, int, Integers, Integers, Integers, Integers]:
        return self.graph.wiring, self.graph.coefficients, self.graph.n_shared, *self._locals.arrays

    @cached_property
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
        locals_ = [graph.local(example) for example in range(len(graph))]
        runs = [[(run.start, run.stop) for run in local.own] for local in locals_]
        self._runs = np.array(runs, dtype=np.int64).reshape(len(graph), -1, 2)
        firsts = {int(t): locals_[i].shared for i, t in enumerate(graph.topology_of)}
        lists = [firsts.get(t, np.empty(0, dtype=np.int64)) for t in range(len(graph.topologies))]
        ends = np.cumsum([0] + [len(entries) for entries in lists])
        self._entries = np.concatenate([*lists, np.empty(0, dtype=np.int64)])
        self._places = np.stack([ends[:-1], ends[1:]], axis=1)[graph.topology_of].astype(np.int64).reshape(-1, 2)
        self.first = np.concatenate([[0], np.cumsum([len(local.shared) for local in locals_])]).astype(np.int64)

    @cached_property
    def arrays(self) -> tuple[Integers, Integers, Integers, Integers]:
        """Runs of own entries; which shared entries are touched; where their list and their duals begin."""
        return self._runs, self._entries, self._places, self.first

    def touched(self, example: int) -> Integers:
        """The shared entries that an example touches."""
        start, stop = self._places[example]
        return self._entries[start:stop]


@kernel
def _mix(
    own: Floats, own_2: Floats, shared: Floats, shared_2: Floats, costs: Floats, costs_2: Floats, share: float
) -> None:
    for k in range(len(own)):
        own[k] += share * (own_2[k] - own[k])
    for k in range(len(shared)):
        shared[k] += share * (shared_2[k] - shared[k])
    for k in range(len(costs)):
        costs[k] += share * (costs_2[k] - costs[k])


@kernel
def _toward(
    example: int,
    labels: Labels,
    w: Wiring,
    coefficients: Floats,
    n_shared: int,
    runs: Integers,
    entries: Integers,
    places: Integers,
    first: Integers,
    extra: Extra,
    own: Floats,
    shared: Floats,
    theta: Floats,
    direction: Floats,
) -> tuple[float, float]:
    for r in range(runs.shape[1]):
        for k in range(runs[example, r, 0], runs[example, r, 1]):
            direction[k] = -own[k]
    at = first[example]
    for j in range(places[example, 0], places[example, 1]):
        direction[entries[j]] = -shared[at]
        at += 1
    origin = w[EXAMPLES][example, FIRST_VARIABLE]
    count_labels(labels, origin, own[:0], w, coefficients, example, example + 1, direction, direction[:n_shared])
    slope, cost = 0.0, 0.0
    for r in range(runs.shape[1]):
        for k in range(runs[example, r, 0], runs[example, r, 1]):
            slope += theta[k] * direction[k]
    for j in range(places[example, 0], places[example, 1]):
        slope += theta[entries[j]] * direction[entries[j]]
    if len(extra[TRUE]) > 0:
        for v in range(origin, w[EXAMPLES][example + 1, FIRST_VARIABLE]):
            if extra[TRUE][v] >= 0:
                weight = extra[NODE_WEIGHTS][v] if len(extra[NODE_WEIGHTS]) > 0 else 1.0
                cost += weight * extra[COSTS][extra[TRUE][v], labels[v - origin]]
    return slope, cost


@kernel
def _take(
    example: int,
    runs: Integers,
    entries: Integers,
    places: Integers,
    first: Integers,
    direction: Floats,
    step: float,
    cost: float,
    own: Floats,
    shared: Floats,
    costs: Floats,
) -> None:
    costs[example] += step * (cost - costs[example])
    for r in range(runs.shape[1]):
        for k in range(runs[example, r, 0], runs[example, r, 1]):
            own[k] += step * direction[k]
    at = first[example]
    for j in range(places[example, 0], places[example, 1]):
        shared[at] += step * direction[entries[j]]
        direction[entries[j]] = 0.0
        at += 1
