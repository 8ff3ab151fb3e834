"""What each factor is worth."""

from margrave.scores.base import BoundScorer, Layout, Scorer, Truth
from margrave.scores.constant import Constant, Zero
from margrave.scores.kernel import Kernel
from margrave.scores.linear import Linear
from margrave.scores.model import BoundModel, ScoreModel
from margrave.scores.sum import Sum

__all__ = [
    "BoundModel",
    "BoundScorer",
    "Constant",
    "Kernel",
    "Layout",
    "Linear",
    "ScoreModel",
    "Scorer",
    "Sum",
    "Truth",
    "Zero",
]
