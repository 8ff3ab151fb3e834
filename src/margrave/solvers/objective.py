"""What a solver sees: a function of weights, a sum over examples.

    Σ_g η_g/2 ‖w_g‖² + C Σ_i s_i loss_i(w)

The penalty is apart, so that a cluster can add up the sum over examples and a solver adds the penalty once.
"""

from collections.abc import Mapping

import numpy as np

from margrave.graphs import FactorGraph
from margrave.graphs.labelings import count_some
from margrave.inference import Added, Cost, Inference
from margrave.losses import Loss
from margrave.primitives import Floats, Integers, Labels, for_reading, once
from margrave.scores import BoundModel
from margrave.scores.listed import add_listed, load_listed

ALL = slice(None)
ROUNDING = 1e-12  # an objective of 0 may come out so far from it
Penalty = float | Mapping[str, float] | None


class Objective:
    """All that a primal solver sees.

    Parameters
    ----------
    model : BoundModel
        Scores as a function of weights, with the graph and the features that they are of.
    labels : int32 array of shape (n_variables,)
        The truth.
    loss : Loss
    inference : Inference
    C : float
    penalty : float, mapping from penalty name to float, or None
        η of all weights, or of each group; 1 where it is not named.
    sample_weight : array of shape (n_examples,) or None
    node_weights : array of shape (n_variables,) or None
        Multiplies each variable's cost.
    n_jobs : int

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> batch = mg.Sequence().build(mg.Sequences(np.eye(3), [3]), n_states=2)
    >>> model = mg.scores.ScoreModel.lay_out(batch, {"nodes": mg.scores.Linear(), "edges": mg.scores.Constant()})
    >>> parts = mg.losses.LogLoss(), mg.inference.Forest()
    >>> objective = mg.solvers.Objective(model.bind(batch), np.array([0, 1, 1], dtype=np.int32), *parts)
    >>> value, gradient = objective.value_and_gradient(np.zeros(objective.n_weights))
    >>> round(float(value / np.log(2)), 12)  # three labels, each with probability one half
    3.0
    """

    def __init__(
        self,
        model: BoundModel,
        labels: Labels,
        loss: Loss,
        inference: Inference,
        C: float = 1.0,
        penalty: Penalty = None,
        sample_weight: Floats | None = None,
        node_weights: Floats | None = None,
        n_jobs: int = 1,
    ) -> None:
        inference.check(model.graph, loss.temperature)
        self.model, self.loss, self.inference, self.C = model, loss, inference, float(C)
        self.labels = _checked(labels, model.graph)
        self.sample_weight = None if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        self.etas = penalties(model, penalty)
        self._added = _added(loss.against(self.graph, self.labels, _node_weights(node_weights, self.labels)))
        self._oracle = inference.prepare(self.graph, n_jobs)
        self.bounded = True
        self._theta = np.zeros(self.graph.n_entries)
        # Counts may stand where scores did if all scores are written anew each time. At T = 0 they are made of labels,
        # when scores are no longer needed; else it depends on the algorithm.
        scored = {term.block for term in model.model.terms} == {block.name for block in self.graph.blocks}
        together = scored and (loss.temperature == 0 or self._oracle.in_place)
        self._counts = self._theta if together else np.zeros(self.graph.n_entries)

    @property
    def graph(self) -> FactorGraph:
        """The graph of all examples."""
        return self.model.graph

    @property
    def n_weights(self) -> int:
        """Length of the weight vector."""
        return self.model.n_weights

    def __len__(self) -> int:
        return len(self.graph)

    def value_and_gradient(
        self, weights: Floats, out: Floats | None = None, examples: slice = ALL
    ) -> tuple[float, Floats]:
        """C Σ s_i loss_i over some examples, and its (sub)gradient, written to `out`."""
        out = np.empty(self.n_weights) if out is None else out
        start, stop, _ = examples.indices(len(self))
        truth = self._truth if (start, stop) == (0, len(self)) else None  # before the counts, whose vector it uses
        value = self._maximum(weights, examples)
        if truth is not None:
            value -= float(weights @ truth)
            np.multiply(truth, -self.C, out=out)
        else:
            out[:] = 0.0
            value -= self._subtract_truth(weights, out, slice(start, stop))
        self.model.add_pullback(self._counts, out, examples, self.C)
        return self.C * value, out

    def value(self, weights: Floats) -> float:
        """C Σ s_i loss_i over all examples, without a gradient."""
        return self.C * (self._maximum(weights, ALL, counts=False) - float(weights @ self._truth))

    def descend(self, weights: Floats, examples: Integers, step: float) -> None:
        """Take `step` times the gradient of some examples' losses (T > 0) from the weights, in place; no penalty.

        For models whose terms are all listed (`BoundModel.listed`); costs no more than what these examples touch.
        """
        graph, rows, s = self.graph, self.model.listed, self._loss_weights
        assert rows is not None
        load_listed(rows, examples, weights, self._theta)
        self._oracle.average(self._theta, examples, self.loss.temperature, self._counts, self._added, s)
        shared = self._counts[: graph.n_shared]
        count_some(self.labels, examples, -s, graph.wiring, graph.coefficients, self._counts, shared)
        add_listed(rows, examples, self._counts, -step, weights)

    def value_of(self, weights: Floats, examples: Integers) -> float:
        """C Σ s_i loss_i of some examples, for models whose terms are all listed."""
        assert self.model.listed is not None
        load_listed(self.model.listed, examples, weights, self._theta)
        total, first, s = 0.0, self.graph.first_variable, self._loss_weights
        for example in examples.tolist():
            one = slice(example, example + 1)
            labels = self.labels[first[example] : first[example + 1]]
            best = self._oracle.maximize(self._theta, self.loss.temperature, self._added, one, ask=()).values[0]
            total += s[example] * float(best - self.graph.values(self._theta, labels, one)[0])
        return total

    @once
    def _loss_weights(self) -> Floats:
        """C s_i of each example."""
        return self.C * (np.ones(len(self)) if self.sample_weight is None else self.sample_weight)

    def penalty(self, weights: Floats, out: Floats | None = None) -> float:
        """Σ_g η_g/2 ‖w_g‖²; its gradient is added to `out`."""
        total = 0.0
        for run, eta in self.etas:
            part = weights[run]
            total += 0.5 * eta * float(part @ part)
            if out is not None:
                out[run] += eta * part
        return total

    def distance(self, gradient: Floats) -> float:
        """½ Σ_g ‖∇_g‖²/η_g: how far the whole objective is from its minimum at the most.

        NaN where some η_g is 0, and where the inference does not bound the maximum: then nothing is known.
        """
        total = 0.0 if self.bounded else np.nan
        for run, eta in self.etas:
            part = gradient[run]
            total += 0.5 * float(part @ part) / eta if eta > 0 else np.nan * (run.stop > run.start)
        return total

    # ------------------------------------------------------------------

    @once
    def _truth(self) -> Floats:
        """Σ s_i features_i ⊗ y_i."""
        pulled = np.zeros(self.n_weights)
        self._counts[:] = 0.0
        self.graph.counts(self.labels, self._counts, self.sample_weight)
        self.model.add_pullback(self._counts, pulled)
        return pulled

    def _maximum(self, weights: Floats, examples: slice, counts: bool = True) -> float:
        """Σ s_i maximum_T(θ_i + Δ_i) over some examples; their counts are left in `_counts`."""
        self.model.scores(weights, self._theta, examples)
        temperature, out = self.loss.temperature, self._counts if counts else None
        s = self.sample_weight
        answer = self._oracle.maximize(self._theta, temperature, self._added, examples, out, s, ask=())
        self.bounded = answer.bound_kind != "none"
        if counts and answer.labels is not None:
            self._counts[:] = 0.0
            self.graph.counts(answer.labels, self._counts, s, examples)
        reached = answer.bounds if answer.bound_kind == "upper" else answer.values
        return float(reached.sum() if s is None else reached @ s[examples])

    def _subtract_truth(self, weights: Floats, out: Floats, examples: slice) -> float:
        """Take C Σ s_i features_i ⊗ y_i of some examples from `out`; returns Σ s_i ⟨θ_i, y_i⟩."""
        first = self.graph.first_variable
        labels = self.labels[first[examples.start] : first[examples.stop]]
        counts = self.graph.counts(labels, weights=self.sample_weight, examples=examples)
        pulled = np.zeros(self.n_weights)
        self.model.add_pullback(counts, pulled, examples)
        out -= self.C * pulled
        return float(weights @ pulled)


def relative_gap(primal: float, excess: float) -> float:
    """What a primal is above a lower bound of the minimum, as a share of it; NaN where it is below 0, as no loss is.

    Where both are 0 but for rounding, a share of it would be noise: the gap is 0.
    """
    if abs(primal) <= ROUNDING and abs(excess) <= ROUNDING:
        return 0.0
    return excess / primal if primal > 0 else np.nan


def penalties(model: BoundModel, penalty: Penalty) -> list[tuple[slice, float]]:
    """η of each run of weights, from a number for all or numbers by name; checked."""
    names = {term.penalty for term in model.model.terms}
    given = penalty if isinstance(penalty, Mapping) else dict.fromkeys(names, 1.0 if penalty is None else penalty)
    unknown = set(given) - names
    if unknown:
        raise ValueError(f"penalty names {sorted(unknown)}, but there are {sorted(names)}")
    for name, eta in given.items():
        if not 0 <= _number(eta) < np.inf:
            raise ValueError(f"penalty of {name!r} must be a number of at least 0, got {eta!r}")
    runs = [(term.weights, float(given.get(term.penalty, 1.0))) for term in model.model.terms]
    return [(run, eta if run.stop > run.start else 1.0) for run, eta in runs]  # no weights: nothing may divide by 0


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float | np.number) else np.nan


def _checked(labels: Labels, graph: FactorGraph) -> Labels:
    """The truth as kernels read it, who follow its numbers without a look."""
    labels, n_states = for_reading(labels, np.int32), np.diff(graph.first_state)
    if labels.shape != n_states.shape:
        raise ValueError(f"labels must have shape {n_states.shape}, a state per variable, got {labels.shape}")
    bad = np.flatnonzero((labels < 0) | (labels >= n_states))
    if len(bad):
        v = int(bad[0])
        raise ValueError(f"the label of variable {v} is {labels[v]}, but its states are 0 to {n_states[v] - 1}")
    return labels


def _node_weights(weights: Floats | None, labels: Labels) -> Floats | None:
    if weights is None:
        return None
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != labels.shape or not np.isfinite(weights).all() or (weights < 0).any():
        raise ValueError(f"node_weights must be {len(labels)} finite numbers of at least 0, one per variable")
    return weights


def _added(cost: Cost | None) -> Added | None:
    return None if cost is None else Added(cost=cost)
