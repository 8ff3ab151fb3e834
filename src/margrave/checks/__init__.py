"""The contracts of the house as code, which algorithms from outside can run too."""

from margrave.checks.estimator import check_estimator
from margrave.checks.inference import check_inference
from margrave.checks.loss import check_loss
from margrave.checks.solver import check_solver

__all__ = ["check_estimator", "check_inference", "check_loss", "check_solver"]
