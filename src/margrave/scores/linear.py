"""Linear scores: weights per (feature, output), all of them or those that the training data show."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from margrave.graphs import Features
from margrave.primitives import Floats, Integers, Labels
from margrave.scores.base import BoundScorer, Observed, Scorer, Which, pairs_or_refuse
from margrave.scores.dense import BoundDense
from margrave.scores.observation import observed_pairs
from margrave.scores.observed import BoundObserved
from margrave.scores.sparse import BoundSparse


class Linear(Scorer):
    """Score of output k = Σ over features d of w_dk x_d, with a bias as one more feature if asked for.

    Parameters
    ----------
    features : {"observed", "all"} or None, default=None
        "observed": only pairs of a feature and an output that occur together in the training data have a weight, as in
        CRFsuite. None: observed for sparse input under log-loss, all otherwise.
    bias : bool or None, default=None
        Whether a feature that is always 1 is added; its weights are penalised. None: for dense input only.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.ChainCRF(nodes=mg.scores.Linear(bias=False))
    ChainCRF(nodes=Linear(bias=False))
    """

    def __init__(self, features: Which | None = None, bias: bool | None = None) -> None:
        self.features = features
        self.bias = bias

    def lay_out(
        self, features: Features, n_outputs: int, truth: Observed | None = None, default: Which = "all"
    ) -> "LinearLayout":
        """See `Scorer.lay_out`."""
        if features is None:
            raise ValueError("Linear needs features; use Constant where there are none")
        if self.features not in (None, "observed", "all"):
            raise ValueError(f"features of Linear must be 'observed', 'all' or None, got {self.features!r}")
        bias = not sparse.issparse(features) if self.bias is None else bool(self.bias)
        n_features = features.shape[1]
        if (self.features or (default if sparse.issparse(features) else "all")) == "all":
            return LinearLayout(n_features, n_outputs, bias)
        return LinearLayout(
            n_features,
            n_outputs,
            bias,
            *observed_pairs(sparse.csr_array(features), pairs_or_refuse(truth, "Linear"), n_outputs),
        )


@dataclass(frozen=True, eq=False)
class LinearLayout:
    """Weights of shape (n_features, n_outputs) row by row, or only those of `runs` and `outputs`; biases come last."""

    n_features: int
    n_outputs: int
    bias: bool
    runs: Integers | None = None
    outputs: Labels | None = None

    def __post_init__(self) -> None:
        if (self.runs is None) != (self.outputs is None):
            raise ValueError("runs and outputs must be given together")
        if self.runs is None or self.outputs is None:
            return
        for name, kind in (("runs", np.int64), ("outputs", np.int32)):  # of other types, numbers may wrap around
            given = getattr(self, name)
            if given.ndim != 1 or given.dtype.kind not in "iu" or (len(given) and given.max() > np.iinfo(kind).max):
                raise ValueError(f"{name} must be a list of whole numbers")
            object.__setattr__(self, name, given.astype(kind, copy=False))
        rising = len(self.runs) == self.n_features + 1 and self.runs[0] == 0 and (np.diff(self.runs) >= 0).all()
        if not rising or self.runs[-1] != len(self.outputs):
            raise ValueError("runs must rise from 0 to the number of observed weights, a run per feature")
        if len(self.outputs) and not 0 <= self.outputs.min() <= self.outputs.max() < self.n_outputs:
            raise ValueError(f"outputs must be from 0 to {self.n_outputs - 1}")

    @property
    def n_slopes(self) -> int:
        """Number of weights but for the biases."""
        return self.n_features * self.n_outputs if self.outputs is None else len(self.outputs)

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return self.n_slopes + self.bias * self.n_outputs

    def bind(self, features: Features, n_jobs: int = 1) -> BoundScorer:
        """See `Layout.bind`."""
        if features is None or features.shape[1] != self.n_features:
            got = "none" if features is None else features.shape[1]
            raise ValueError(f"features must have {self.n_features} columns as in fit, got {got}")
        if self.outputs is None and not sparse.issparse(features):
            return BoundDense(features, self.n_outputs, self.bias, n_jobs)
        matrix = sparse.csr_array(features)
        if self.runs is None or self.outputs is None:
            return BoundSparse(matrix, self.n_outputs, self.bias, n_jobs)
        return BoundObserved(matrix, self.n_outputs, self.bias, self.runs, self.outputs, n_jobs)

    def check(self, n_features: int | None, n_outputs: int) -> None:
        """See `Layout.check`."""
        if (self.n_features, self.n_outputs) != (n_features, n_outputs):
            raise ValueError(f"a linear layout of {self.n_features} features and {self.n_outputs} outputs")

    def matrix(self, weights: Floats) -> Floats:
        """See `Layout.matrix`; the last row are the biases, if there are any."""
        slopes, biases = weights[: self.n_slopes], weights[self.n_slopes :].reshape(-1, self.n_outputs)
        if self.outputs is None or self.runs is None:
            table = slopes.reshape(self.n_features, self.n_outputs)
        else:
            table = np.zeros((self.n_features, self.n_outputs))
            table[np.repeat(np.arange(self.n_features), np.diff(self.runs)), self.outputs] = slopes
        return np.concatenate([table, biases])
