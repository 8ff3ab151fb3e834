"""Several scorers added up: words and characters, a bias beside a kernel."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from margrave.graphs import Features
from margrave.primitives import Floats
from margrave.scores.base import ALL, BoundScorer, Layout, Observed, Scorer, Which


class Sum(Scorer):
    """The sum of several scorers of the same features, each with weights of its own.

    Parameters
    ----------
    parts : sequence of Scorer

    Examples
    --------
    >>> from margrave.scores import Constant, Linear, Sum
    >>> Sum([Linear(bias=False), Constant()]).lay_out(None or __import__("numpy").eye(3), n_outputs=2).n_weights
    8
    """

    def __init__(self, parts: Sequence[Scorer] = ()) -> None:
        self.parts = parts

    def lay_out(
        self, features: Features, n_outputs: int, truth: Observed | None = None, default: Which = "all"
    ) -> "SumLayout":
        """See `Scorer.lay_out`."""
        return SumLayout(n_outputs, tuple(part.lay_out(features, n_outputs, truth, default) for part in self.parts))


@dataclass(frozen=True, eq=False)
class SumLayout:
    """The parts' weights, one part after the other."""

    n_outputs: int
    parts: tuple[Layout, ...]

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return sum(part.n_weights for part in self.parts)

    def bind(self, features: Features, n_jobs: int = 1) -> "BoundSum":
        """See `Layout.bind`."""
        return BoundSum(tuple(part.bind(features, n_jobs) for part in self.parts), self.runs)

    @property
    def runs(self) -> tuple[slice, ...]:
        """Where each part's weights stand."""
        ends = np.cumsum([0] + [part.n_weights for part in self.parts])
        return tuple(slice(int(a), int(b)) for a, b in itertools.pairwise(ends))

    def check(self, n_features: int | None, n_outputs: int) -> None:
        """See `Layout.check`."""
        for part in self.parts:
            part.check(n_features, n_outputs)

    def matrix(self, weights: Floats) -> Floats:
        """See `Layout.matrix`; the parts' tables one below the other."""
        tables = [part.matrix(weights[run]) for part, run in zip(self.parts, self.runs, strict=True)]
        return np.concatenate([*tables, np.zeros((0, self.n_outputs))])


@dataclass(frozen=True, eq=False)
class BoundSum:
    """See `BoundScorer`."""

    parts: tuple[BoundScorer, ...]
    runs: tuple[slice, ...]

    def scores(self, weights: Floats, out: Floats, rows: slice = ALL, add: bool = False) -> None:
        """See `BoundScorer.scores`."""
        if not add:
            out[:] = 0.0
        for part, run in zip(self.parts, self.runs, strict=True):
            part.scores(weights[run], out, rows, add=True)

    def add_pullback(self, gradient: Floats, out: Floats, rows: slice = ALL, scale: float = 1.0) -> None:
        """See `BoundScorer.add_pullback`."""
        for part, run in zip(self.parts, self.runs, strict=True):
            part.add_pullback(gradient, out[run], rows, scale)

    def quadratic(self, gradient: Floats, rows: slice = ALL) -> float:
        """See `BoundScorer.quadratic`."""
        return sum(part.quadratic(gradient, rows) for part in self.parts)

    def listed(self, n_rows: int) -> None:
        """See `BoundScorer.listed`: a sum is asked scorer by scorer."""
        return None
