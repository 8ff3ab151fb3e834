"""Log-loss: conditional random fields."""

from margrave.graphs import FactorGraph
from margrave.inference import Cost
from margrave.losses.base import Loss
from margrave.primitives import Floats, Labels


class LogLoss(Loss):
    """−log p(y | x): no cost, temperature 1.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.SequenceClassifier(loss=mg.losses.LogLoss()).loss
    LogLoss()
    """

    @property
    def temperature(self) -> float:
        """1."""
        return 1.0

    def against(self, graph: FactorGraph, labels: Labels, node_weights: Floats | None = None) -> Cost | None:
        """Nothing costs."""
        return None
