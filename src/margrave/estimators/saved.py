"""What estimators that go into model files have in common."""

import os
from abc import ABC, abstractmethod

from sklearn.utils.validation import check_is_fitted

from margrave.persistence import save_object


class Saved(ABC):
    """An estimator that can be saved; the attributes that a fit leaves on it are listed in `estimators.saving`."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file that `mg.load` reads: parameters, weights, names; no pickle, nothing executable.

        The file appears whole or not at all; one of that name stays as it was until then.
        """
        check_is_fitted(self)
        save_object(self, path)

    @abstractmethod
    def _check_loaded(self) -> None:
        """Raise a ValueError for what no fit leaves behind: kernels follow a model's numbers without a look."""
