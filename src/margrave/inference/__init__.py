"""The best, or the average, labelling."""

from margrave.inference.base import Added, Cost, EdgeScores, Inference, Maximum, Oracle
from margrave.inference.exhaustive import Exhaustive
from margrave.inference.forest import Forest

__all__ = ["Added", "Cost", "EdgeScores", "Exhaustive", "Forest", "Inference", "Maximum", "Oracle"]
