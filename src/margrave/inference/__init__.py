"""The best, or the average, labelling."""

from margrave.inference.base import Added, Cost, EdgeScores, Inference, Maximum, Oracle
from margrave.inference.beam import Beam
from margrave.inference.branch_and_bound import BranchAndBound, LabelSearch
from margrave.inference.directed import DirectedScores, Kept, Searched
from margrave.inference.exhaustive import Exhaustive
from margrave.inference.forest import Forest

__all__ = [
    "Added",
    "Beam",
    "BranchAndBound",
    "Cost",
    "DirectedScores",
    "EdgeScores",
    "Exhaustive",
    "Forest",
    "Inference",
    "Kept",
    "LabelSearch",
    "Maximum",
    "Oracle",
    "Searched",
]
