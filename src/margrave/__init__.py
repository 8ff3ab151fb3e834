"""Structured prediction: predicting many labels that depend on each other, at once.

A **graph** says which variables meet; **scores** say what each meeting is worth; **inference** finds the best (or the
average) labelling; a **loss** compares it with the truth; a **solver** lowers the loss. An **estimator** is those five
words in one object, with the face of scikit-learn.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from margrave._version import __version__

if TYPE_CHECKING:  # what editors and mypy read
    from margrave import checks, datasets, display, features, graphs, inference, losses, metrics, scores, solvers
    from margrave.estimators import (
        ChainCRF,
        ChainM3N,
        LMSBNClassifier,
        SequenceClassifier,
        ThresholdTunedClassifier,
        compare,
        load,
    )
    from margrave.graphs import Sequence, Sequences
    from margrave.versions import show_versions

__all__ = [
    "ChainCRF",
    "ChainM3N",
    "LMSBNClassifier",
    "Sequence",
    "SequenceClassifier",
    "Sequences",
    "ThresholdTunedClassifier",
    "__version__",
    "checks",
    "compare",
    "datasets",
    "display",
    "features",
    "graphs",
    "inference",
    "load",
    "losses",
    "metrics",
    "scores",
    "show_versions",
    "solvers",
]

#: The package that each class lives in; the other names are packages themselves.
_HOMES = {
    "ChainCRF": "estimators",
    "ChainM3N": "estimators",
    "LMSBNClassifier": "estimators",
    "Sequence": "graphs",
    "SequenceClassifier": "estimators",
    "Sequences": "graphs",
    "ThresholdTunedClassifier": "estimators",
    "compare": "estimators",
    "load": "estimators",
    "show_versions": "versions",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for: `import margrave` alone stays light."""
    if name not in __all__:
        raise AttributeError(f"module 'margrave' has no attribute {name!r}")
    if name in _HOMES:
        return getattr(import_module(f"margrave.{_HOMES[name]}"), name)
    return import_module(f"margrave.{name}")


def __dir__() -> list[str]:
    return __all__
