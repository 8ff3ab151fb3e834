"""Structured hinge: max-margin Markov networks, structural support vector machines."""

from numpy.typing import ArrayLike

from margrave.graphs import FactorGraph
from margrave.inference import Cost
from margrave.losses.base import Loss, cost_against
from margrave.primitives import Floats, Labels


class Hinge(Loss):
    """max over y' of θ(y') + Δ(y', y) − θ(y): at least the cost of the predicted labelling.

    Parameters
    ----------
    cost : "hamming" or array of shape (n_labels, n_labels), default="hamming"
        What a variable costs: row the true label, column the other.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.losses.Hinge(cost=[[0, 1], [5, 0]]).temperature  # missing the second label is five times as bad
    0.0
    """

    def __init__(self, cost: str | ArrayLike = "hamming") -> None:
        self.cost = cost

    @property
    def temperature(self) -> float:
        """0."""
        return 0.0

    def against(self, graph: FactorGraph, labels: Labels, node_weights: Floats | None = None) -> Cost:
        """See `Loss.against`."""
        return cost_against(self.cost, graph, labels, node_weights)
