import numpy as np
import pytest

from margrave.checks import check_loss
from margrave.inference import Cost
from margrave.losses import Hinge, LogLoss, SmoothedHinge, SoftmaxMargin

ASYMMETRIC = [[0.0, 1.0], [3.0, 0.0]]
THREE = [[0.0, 1.0, 0.2], [3.0, 0.0, 1.0], [0.0, 1.0, 0.0]]


@pytest.mark.parametrize(
    "loss",
    [
        LogLoss(),
        Hinge(),
        Hinge(ASYMMETRIC),
        Hinge(THREE),
        SmoothedHinge(0.1),
        SmoothedHinge(2.0, ASYMMETRIC),
        SoftmaxMargin(),
        SoftmaxMargin(THREE),
    ],
    ids=lambda loss: f"{type(loss).__name__}-{getattr(loss, 'cost', '')}",
)
def test_losses(loss):
    check_loss(loss)


class CostlyTruth(Hinge):
    def against(self, graph, labels, node_weights=None):
        return Cost(labels, np.ones((graph.most_states, graph.most_states)), node_weights)


class Rewarding(Hinge):
    def against(self, graph, labels, node_weights=None):
        return Cost(labels, np.eye(graph.most_states) - 1.0, node_weights)


class Unweighted(Hinge):
    def against(self, graph, labels, node_weights=None):
        return super().against(graph, labels)


class Sudden(LogLoss):
    """A cost that appears only where weights are given."""

    def against(self, graph, labels, node_weights=None):
        return None if node_weights is None else Hinge().against(graph, labels, node_weights)


class Frozen(LogLoss):
    temperature = -1.0


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (CostlyTruth, "the truth costs something"),
        (Rewarding, "a cost is below 0"),
        (Unweighted, "weights of variables do not multiply"),
        (Sudden, "weights of variables make a cost of nothing"),
        (Frozen, "temperature is -1"),
    ],
)
def test_what_is_broken_is_named(broken, message):
    with pytest.raises(AssertionError, match=message):
        check_loss(broken())
