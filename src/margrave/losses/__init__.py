"""How wrong a model is."""

from margrave.losses.base import Loss
from margrave.losses.hinge import Hinge
from margrave.losses.log_loss import LogLoss
from margrave.losses.smoothed_hinge import SmoothedHinge
from margrave.losses.softmax_margin import SoftmaxMargin

__all__ = ["Hinge", "LogLoss", "Loss", "SmoothedHinge", "SoftmaxMargin"]
