"""A loss is a cost, a temperature and a scope.

    loss(θ, y) = maximum_T(θ + Δ) − ⟨θ + Δ, y⟩,     its gradient in θ is counts(μ − y)

with Δ the cost of states against the truth y (0 for the truth itself) and T the temperature.
"""

from abc import ABC, abstractmethod
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from margrave.graphs import FactorGraph
from margrave.inference import Cost
from margrave.primitives import Floats, Labels

Scope = Literal["graph", "variable"]


class Loss(BaseEstimator, ABC):
    """Parameters of a loss; knows neither inference nor solver.

    Attributes
    ----------
    scope : {"graph", "variable"}
        Whether the maximum is over whole labellings, or over each variable with its neighbours at the truth.
    """

    scope: Scope = "graph"

    @property
    @abstractmethod
    def temperature(self) -> float:
        """T of the formula above."""

    @abstractmethod
    def against(self, graph: FactorGraph, labels: Labels, node_weights: Floats | None = None) -> Cost | None:
        """Δ for a batch whose true labels are `labels`, times each variable's weight; None if nothing costs."""


def cost_against(cost: str | ArrayLike, graph: FactorGraph, labels: Labels, node_weights: Floats | None = None) -> Cost:
    """Δ from the parameter of a loss: "hamming", or a matrix [true label, other label]."""
    return Cost(labels, _table(cost, graph.most_states), node_weights)


def _table(cost: str | ArrayLike, n_states: int) -> Floats:
    if isinstance(cost, str):
        if cost != "hamming":
            raise ValueError(f"cost must be 'hamming' or a matrix of shape ({n_states}, {n_states}), got {cost!r}")
        return 1.0 - np.eye(n_states)
    table = np.asarray(cost, dtype=np.float64)
    if table.shape != (n_states, n_states):
        raise ValueError(f"cost must have shape ({n_states}, {n_states}), a row per true label, got {table.shape}")
    if not np.isfinite(table).all() or table.min() < 0 or np.diag(table).any():
        raise ValueError("cost must be finite, at least 0, and 0 on the diagonal (the truth costs nothing)")
    return table
