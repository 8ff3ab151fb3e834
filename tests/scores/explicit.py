"""Linear scores written out as dense matrix products, from the definition."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse

from margrave.scores import Truth


@dataclass
class Explicit:
    """X with a column of ones if there is a bias, and which (feature, output) pairs have a weight."""

    x: np.ndarray
    mask: np.ndarray

    @classmethod
    def of(cls, features, n_outputs, bias, pairs=None):
        """`pairs`: the (row, output) pairs that the truth touches, where only observed weights exist."""
        x = features.toarray() if sparse.issparse(features) else np.asarray(features)
        x = x.astype(np.float64)
        mask = np.ones((x.shape[1], n_outputs), dtype=bool)
        if pairs is not None:
            mask[:] = False
            for row, output in pairs:
                for feature in range(x.shape[1]):
                    if x[row, feature] != 0:
                        mask[feature, output] = True
        if bias:
            x = np.column_stack([x, np.ones(len(x))])
            mask = np.vstack([mask, np.ones(n_outputs, dtype=bool)])
        return cls(x, mask)

    @property
    def n_weights(self):
        return int(self.mask.sum())

    def table(self, weights):
        table = np.zeros(self.mask.shape)
        table[self.mask] = weights
        return table

    def scores(self, weights, rows=slice(None)):
        return self.x[rows] @ self.table(weights)

    def pullback(self, gradient, rows=slice(None)):
        return (self.x[rows].T @ gradient)[self.mask]


def truth_of(pairs):
    rows, outputs = np.array(sorted(pairs), dtype=np.int64).reshape(-1, 2).T
    return lambda: Truth(rows, outputs)


def check(bound, explicit, n_outputs, rng, rows=slice(None)):
    """All that a bound scorer promises, against the explicit matrices."""
    weights = rng.normal(size=explicit.n_weights)
    n_rows = len(range(*rows.indices(len(explicit.x))))
    start = rng.normal(size=(n_rows, n_outputs))

    expected = explicit.scores(weights, rows)
    out = start.copy()
    bound.scores(weights, out, rows)
    assert np.allclose(out, expected, rtol=1e-12, atol=1e-12)
    out = start.copy()
    bound.scores(weights, out, rows, add=True)
    assert np.allclose(out, start + expected, rtol=1e-12, atol=1e-12)

    gradient = rng.normal(size=(n_rows, n_outputs))
    pulled, before = explicit.pullback(gradient, rows), rng.normal(size=explicit.n_weights)
    for scale in (1.0, -2.5):
        out = before.copy()
        bound.add_pullback(gradient, out, rows, scale)
        assert np.allclose(out, before + scale * pulled, rtol=1e-12, atol=1e-12)
    assert np.isclose(bound.quadratic(gradient, rows), pulled @ pulled, rtol=1e-10, atol=1e-12)
    # asked again, about another direction: work space and Gram matrices are kept between calls
    assert np.isclose(bound.quadratic(2 * gradient, rows), 4 * (pulled @ pulled), rtol=1e-10, atol=1e-12)


def check_adjoint(bound, n_weights, shape, rng):
    """⟨scores(w), G⟩ = ⟨w, pull-back of G⟩."""
    weights, gradient = rng.normal(size=n_weights), rng.normal(size=shape)
    out, pulled = np.empty(shape), np.zeros(n_weights)
    bound.scores(weights, out)
    bound.add_pullback(gradient, pulled)
    assert np.isclose(np.vdot(out, gradient), weights @ pulled, rtol=1e-11, atol=1e-11)
