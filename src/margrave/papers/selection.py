"""Hyperparameters by cross-validation inside the training set, and the table that the choice was made from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from margrave.metrics import multilabel_scores
from margrave.primitives import AnyArray, Integers

Parameters = Mapping[str, Any]
#: The five measures of the paper, by the names of `multilabel_scores`.
MEASURES = ("exact_match", "hamming_loss", "f1_samples", "f1_macro", "f1_micro")


def mean_measure(scores: Mapping[str, float]) -> float:
    """What parameters are chosen by: the mean of exact match, 1 − Hamming loss and the three F."""
    better = [1.0 - scores[name] if name == "hamming_loss" else scores[name] for name in MEASURES]
    return float(np.mean(better))


@dataclass
class Selection:
    """Cross-validation of settings; remembers every setting that it has seen.

    Parameters
    ----------
    X, Y : training data
    n_folds : int
    seed : int
        Of the folds, which are the same for all models.

    Attributes
    ----------
    rows : list of dicts
        A line per model and setting, with the measures over all examples left out.
    """

    X: Any
    Y: AnyArray
    n_folds: int = 5
    seed: int = 0
    rows: list[dict[str, Any]] = field(default_factory=list)

    def choose(self, name: str, make: Callable[[Parameters], Any], grid: Sequence[Parameters]) -> Parameters:
        """The setting of the grid with the best mean measure; the first of equals."""
        found = [self._score(name, make, setting) for setting in grid]
        return grid[int(np.argmax(found))]

    def _score(self, name: str, make: Callable[[Parameters], Any], setting: Parameters) -> float:
        predicted = np.empty_like(self.Y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # labels that never change in a fold
            for train, test in self._folds():
                predicted[test] = make(setting).fit(self.X[train], self.Y[train]).predict(self.X[test])
        scores = multilabel_scores(self.Y, predicted)
        chosen = {measure: scores[measure] for measure in MEASURES}
        self.rows.append({"model": name, **setting, **chosen, "mean": mean_measure(scores)})
        return float(self.rows[-1]["mean"])

    def _folds(self) -> list[tuple[Integers, Integers]]:
        n = len(self.Y)
        of = np.random.default_rng(self.seed).permutation(n) % self.n_folds
        return [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(self.n_folds)]
