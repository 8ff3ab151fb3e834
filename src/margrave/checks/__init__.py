"""The contracts of the house as code, which algorithms from outside can run too."""

from margrave.checks.inference import check_inference

__all__ = ["check_inference"]
