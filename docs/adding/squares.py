"""A scorer that sees each feature twice: as it is, and squared."""

from dataclasses import dataclass

import numpy as np

from margrave.graphs import Features
from margrave.primitives import Floats
from margrave.scores import BoundScorer, Layout, Linear, Scorer


class Squares(Scorer):
    """Score of output k = Σ over features d of w_dk x_d + v_dk x_d², and a bias."""

    def lay_out(
        self, features: Features, n_outputs: int, truth: object = None, default: str = "all"
    ) -> Layout:
        """See `Scorer.lay_out`."""
        return SquaresLayout(
            Linear(features="all", bias=True).lay_out(_with_squares(features), n_outputs)
        )


@dataclass(frozen=True, eq=False)
class SquaresLayout:
    """The layout of linear scores of twice as many features."""

    linear: Layout

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return self.linear.n_weights

    def bind(self, features: Features, n_jobs: int = 1) -> BoundScorer:
        """See `Layout.bind`."""
        return self.linear.bind(_with_squares(features), n_jobs)

    def check(self, n_features: int | None, n_outputs: int) -> None:
        """Refuse to be read from a file beside other features."""
        self.linear.check(None if n_features is None else 2 * n_features, n_outputs)

    def matrix(self, weights: Floats) -> Floats:
        """See `Layout.matrix`."""
        return self.linear.matrix(weights)


def _with_squares(features: Features) -> Floats:
    if not isinstance(features, np.ndarray):
        raise ValueError("Squares needs dense features; use Linear for sparse ones")
    return np.hstack([features, features.astype(np.float64) ** 2])
