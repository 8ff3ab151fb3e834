"""The face of scikit-learn: the five words of the house in one object."""

from margrave.estimators.base import StructuredEstimator
from margrave.estimators.chains import ChainCRF, ChainM3N
from margrave.estimators.comparison import Comparison, compare
from margrave.estimators.lmsbn import LMSBNClassifier
from margrave.estimators.saving import load
from margrave.estimators.sequence import SequenceClassifier
from margrave.estimators.threshold_tuned import ThresholdTunedClassifier

__all__ = [
    "ChainCRF",
    "ChainM3N",
    "Comparison",
    "LMSBNClassifier",
    "SequenceClassifier",
    "StructuredEstimator",
    "ThresholdTunedClassifier",
    "compare",
    "load",
]
