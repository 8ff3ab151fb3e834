"""Log-loss that leaves room for costs."""

from numpy.typing import ArrayLike

from margrave.graphs import FactorGraph
from margrave.inference import Cost
from margrave.losses.base import Loss, cost_against
from margrave.primitives import Floats, Labels


class SoftmaxMargin(Loss):
    """log Σ over y' of exp(θ(y') + Δ(y', y) − θ(y)): a probabilistic model that fears costly errors more.

    Parameters
    ----------
    cost : "hamming" or array of shape (n_labels, n_labels), default="hamming"
        What a variable costs: row the true label, column the other.

    References
    ----------
    Gimpel and Smith, Softmax-margin CRFs, NAACL 2010.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.losses.SoftmaxMargin().temperature
    1.0
    """

    def __init__(self, cost: str | ArrayLike = "hamming") -> None:
        self.cost = cost

    @property
    def temperature(self) -> float:
        """1."""
        return 1.0

    def against(self, graph: FactorGraph, labels: Labels, node_weights: Floats | None = None) -> Cost:
        """See `Loss.against`."""
        return cost_against(self.cost, graph, labels, node_weights)
