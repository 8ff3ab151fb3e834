"""The seam between function classes and everything that asks for scores.

A scorer is a parameter object. It learns from the data how many weights there are and where they stand (`lay_out`),
which makes a *layout*: all that a fitted model keeps. A layout bound to features gives scores, and pulls gradients back
to weights. All weights of a model are one flat vector; a layout sees its own part of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol

from sklearn.base import BaseEstimator

from margrave.graphs import Features
from margrave.primitives import Floats, Integers
from margrave.scores.listed import Listed

ALL = slice(None)
Which = Literal["observed", "all"]


@dataclass(frozen=True)
class Truth:
    """Which outputs of which rows the training labels touch: (row, output) pairs."""

    rows: Integers
    outputs: Integers


Observed = Callable[[], Truth]  # made only if some scorer asks for it


class BoundScorer(Protocol):
    """A layout with features at hand."""

    def scores(self, weights: Floats, out: Floats, rows: slice = ALL, add: bool = False) -> None:
        """Write (or add) the scores of some rows; `out` has shape (number of rows asked for, n_outputs)."""
        ...

    def add_pullback(self, gradient: Floats, out: Floats, rows: slice = ALL, scale: float = 1.0) -> None:
        """Add `scale` times Σ over rows of features ⊗ gradient to `out`; never clears it."""
        ...

    def quadratic(self, gradient: Floats, rows: slice = ALL) -> float:
        """‖pull-back of `gradient`‖², without making it."""
        ...

    def listed(self, n_rows: int) -> Listed | None:
        """All rows as lists of features, for those who visit rows one by one; None where scores are no such sums."""
        ...


class Layout(Protocol):
    """How many weights, and where they stand: what a fitted model keeps of a scorer."""

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        ...

    def bind(self, features: Features, n_jobs: int = 1) -> BoundScorer:
        """Make features ready: types, column blocks; once per fit or prediction."""
        ...

    def check(self, n_features: int | None, n_outputs: int) -> None:
        """Raise a ValueError where the layout is not one of so many features and outputs, as one from a file may be."""
        ...

    def matrix(self, weights: Floats) -> Floats:
        """The weights as a table of shape (n_features, n_outputs), zero where there is no weight."""
        ...


class Scorer(BaseEstimator, ABC):
    """A function class for one block: parameters only, never changed by a fit."""

    @abstractmethod
    def lay_out(
        self, features: Features, n_outputs: int, truth: Observed | None = None, default: Which = "all"
    ) -> Layout:
        """Decide which weights there are.

        Parameters
        ----------
        features : the features of the training data
        n_outputs : int
            Scores per row.
        truth : function that gives a Truth, or None
            What the labels touch; called where only observed weights are asked for.
        default : {"observed", "all"}
            What to do where the scorer's own parameter leaves it open.
        """


def pairs_or_refuse(truth: Observed | None, name: str) -> Truth:
    """What `truth` gives, or a ValueError where observed weights were asked for without labels to observe."""
    if truth is None:
        raise ValueError(f"{name}(features='observed') needs the training labels; use features='all'")
    return truth()
