"""The seam between inference algorithms and everything that asks them.

    maximum_T(θ) = max over marginals μ of ⟨θ, μ⟩ + T · H(μ)

At T = 0 that is the best labelling's score, at T = 1 the log partition; the gradient in θ is the (expected) counts.
"""

from abc import ABC, abstractmethod
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal, Protocol

import numpy as np
from sklearn.base import BaseEstimator

from margrave.graphs import FactorGraph
from margrave.graphs.wiring import NOTHING, Extra
from margrave.primitives import Floats, Integers, Labels, for_reading

ALL = slice(None)
BoundKind = Literal["exact", "upper", "none"]


@dataclass(frozen=True, eq=False)
class Cost:
    """What states cost against a labelling, added while scores are loaded: no memory and no pass of its own.

    Parameters
    ----------
    labels : int32 array of shape (n_variables,)
        The true label of every variable; -1 where nothing is known and nothing costs.
    table : array of shape (n_labels, n_states)
        `table[true, other]`.
    weights : array of shape (n_variables,) or None
        Multiplies each variable's cost.
    """

    labels: Labels
    table: Floats
    weights: Floats | None = None

    def of(self, labels: Labels) -> Floats:
        """The cost of a labelling, variable by variable."""
        known = self.labels >= 0
        costs = np.where(known, self.table[np.where(known, self.labels, 0), labels], 0.0)
        return costs if self.weights is None else costs * self.weights


@dataclass(frozen=True, eq=False)
class EdgeScores:
    """Scores of single pairs of states: number i adds `value[i]` where edge `edge[i]` has states `u[i]`, `v[i]`."""

    edge: Integers
    u: Integers
    v: Integers
    value: Floats


@dataclass(frozen=True, eq=False)
class Added:
    """What is added to the scores of states for one question; never tied between examples.

    Parameters
    ----------
    cost : Cost or None
    nodes : array over all variables' states (see `FactorGraph.first_state`) or None
        Given labels, priors; minus infinity forbids a state.
    edges : EdgeScores or None
    """

    cost: Cost | None = None
    nodes: Floats | None = None
    edges: EdgeScores | None = None

    def extra(self, graph: FactorGraph) -> Extra:
        """The arrays that kernels read."""
        true, costs, node_weights, node_scores, edge_runs, pairs, pair_scores = NOTHING
        if self.cost is not None:
            true = for_reading(self.cost.labels, np.int32)
            costs = for_reading(self.cost.table, np.float64)
            if self.cost.weights is not None:
                node_weights = for_reading(self.cost.weights, np.float64)
        if self.nodes is not None:
            node_scores = for_reading(self.nodes, np.float64)
        if self.edges is not None:
            order = np.argsort(self.edges.edge, kind="stable")
            edge_runs = np.searchsorted(self.edges.edge[order], np.arange(graph.n_edges + 1)).astype(np.int64)
            pairs = for_reading(np.stack([self.edges.u, self.edges.v], axis=1)[order], np.int64)
            pair_scores = for_reading(self.edges.value[order], np.float64)
        return true, costs, node_weights, node_scores, edge_runs, pairs, pair_scores


@dataclass
class Maximum:
    """The answer to one question, for the examples that were asked for.

    Attributes
    ----------
    values : array of shape (n_examples,)
        maximum_T(θ); where the inference is approximate, of the answer that it gives.
    bounds : array of shape (n_examples,)
        Upper bounds of the true maximum, if `bound_kind` says so; equal to `values` where it is exact.
    bound_kind : {"exact", "upper", "none"}
    labels : int32 array over the examples' variables, or None
        T = 0: the best labelling.
    counts : array in θ's layout, or None
        T > 0: expected counts, what examples share summed over them.
    node_marginals : array over the examples' states, or None
    edge_marginals : array over the examples' pairs of states, or None
    """

    values: Floats
    bounds: Floats
    bound_kind: BoundKind
    labels: Labels | None = None
    counts: Floats | None = None
    node_marginals: Floats | None = None
    edge_marginals: Floats | None = None


class Oracle(Protocol):
    """An inference algorithm made ready for one graph; owns its work space, so one per thread of questions.

    Attributes
    ----------
    in_place : bool
        Whether `maximize` at T > 0 may write counts over the very scores that it was asked about.
    """

    in_place: bool

    def maximize(
        self,
        theta: Floats,
        temperature: float = 0.0,
        added: Added | None = None,
        examples: slice = ALL,
        out: Floats | None = None,
        weights: Floats | None = None,
        ask: Collection[str] = ("counts", "nodes"),
    ) -> Maximum:
        """The maximum of each of a run of examples.

        Parameters
        ----------
        theta : array of shape (graph.n_entries,)
        temperature : float
        added : Added or None
        examples : slice
        out : array in θ's layout, or None
            Where counts go; shared entries and those of `examples` are overwritten, others left.
        weights : array of shape (len(graph),) or None
            Multiplies each example's counts.
        ask : collection of {"counts", "nodes", "edges"}
            T > 0: what to make besides the values.
        """
        ...

    def answer(self, theta: Floats, example: int, temperature: float = 0.0, added: Added | None = None) -> Maximum:
        """One example's maximum, with nothing looked up or checked: what one step of a dual solver asks for."""
        ...

    def answers(self, theta: Floats, examples: Integers, added: Added | None = None) -> Labels:
        """The best labellings (T = 0) of some examples, one after the other, valid until the next call; as `answer`."""
        ...

    def average(
        self,
        theta: Floats,
        examples: Integers,
        temperature: float,
        out: Floats,
        added: Added | None = None,
        weights: Floats | None = None,
    ) -> None:
        """Write the expected counts (T > 0) of some examples to `out`, each one's times its weight; leave the others'.

        What examples share is the sum over those asked for. `out` may be θ itself where the oracle works in place.
        """
        ...

    def entropy(self, maximum: Maximum, examples: slice = ALL) -> Floats:
        """H(μ) per example, of node and edge marginals that this inference gave."""
        ...


class Inference(BaseEstimator, ABC):
    """Parameters of an inference algorithm; `prepare` makes it ready for a graph.

    Attributes
    ----------
    positive_temperatures : bool
        Whether it gives marginals as well as best labellings.
    """

    positive_temperatures: bool = True

    @abstractmethod
    def prepare(self, graph: FactorGraph, n_jobs: int = 1) -> Oracle:
        """An oracle for `graph`: what depends on its shape is worked out here, once."""

    @abstractmethod
    def refusal(self, graph: FactorGraph) -> str | None:
        """Why this algorithm cannot serve `graph`, in a sentence that names another that can; None if it can."""

    def maximize(self, graph: FactorGraph, theta: Floats, n_jobs: int = 1, **options: Any) -> Maximum:
        """`prepare(graph).maximize(theta, ...)`, for a single question; options as in `Oracle.maximize`."""
        theta = np.asarray(theta, dtype=np.float64)
        if theta.shape != (graph.n_entries,):
            raise ValueError(f"theta must have shape ({graph.n_entries},), got {theta.shape}")
        self.check(graph, float(options.get("temperature", 0.0)))
        return self.prepare(graph, n_jobs).maximize(for_reading(theta, np.float64), **options)

    def check(self, graph: FactorGraph, temperature: float) -> None:
        """Raise a ValueError where `refusal` or the temperature says that the question cannot be asked."""
        reason = self.refusal(graph)
        if reason is not None:
            raise ValueError(reason)
        if temperature < 0 or not np.isfinite(temperature):
            raise ValueError(f"temperature must be a number of at least 0, got {temperature}")
        if temperature > 0 and not self.positive_temperatures:
            raise ValueError(f"{type(self).__name__} gives best labellings only, it was asked at T = {temperature:g}")
