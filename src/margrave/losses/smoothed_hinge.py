"""The hinge with its maximum smoothed by entropy."""

from numpy.typing import ArrayLike

from margrave.graphs import FactorGraph
from margrave.inference import Cost
from margrave.losses.base import Loss, cost_against
from margrave.primitives import Floats, Labels


class SmoothedHinge(Loss):
    """ε log Σ over y' of exp((θ(y') + Δ(y', y) − θ(y))/ε): at least the hinge, at most ε log(labellings) above it.

    The entropy is that of the inference: with exact inference the sum is over labellings, as written here.

    Parameters
    ----------
    epsilon : float, default=0.1
        The temperature; the smaller, the closer to the hinge and the harder to minimise.
    cost : "hamming" or array of shape (n_labels, n_labels), default="hamming"
        What a variable costs: row the true label, column the other.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.SequenceClassifier(loss=mg.losses.SmoothedHinge(0.1), solver=mg.solvers.LBFGS()).loss.temperature
    0.1
    """

    def __init__(self, epsilon: float = 0.1, cost: str | ArrayLike = "hamming") -> None:
        self.epsilon = epsilon
        self.cost = cost

    @property
    def temperature(self) -> float:
        """The parameter epsilon."""
        if not 0 < self.epsilon < float("inf"):
            raise ValueError(f"epsilon must be a number above 0, got {self.epsilon}; use Hinge for 0")
        return float(self.epsilon)

    def against(self, graph: FactorGraph, labels: Labels, node_weights: Floats | None = None) -> Cost:
        """See `Loss.against`."""
        return cost_against(self.cost, graph, labels, node_weights)
