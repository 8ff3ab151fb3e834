"""The two loops against the inverse Hessian that BFGS updates build as a matrix."""

import numpy as np
import pytest

from margrave.solvers.curvature import Curvature


def bfgs_inverse(pairs, n):
    """(I − ρ s yᵀ) H (I − ρ y sᵀ) + ρ s sᵀ from the scaled identity on, for pairs as they are kept."""
    s, y = pairs[-1]
    inverse = np.eye(n) * (s @ y) / (y @ y)
    for s, y in pairs:
        rho, unit = 1.0 / (s @ y), np.eye(n)
        inverse = (unit - rho * np.outer(s, y)) @ inverse @ (unit - rho * np.outer(y, s)) + rho * np.outer(s, s)
    return inverse


def kept(vector):
    """Eight binary digits of each number."""
    fractions, exponents = np.frexp(vector)
    return np.ldexp(np.round(fractions * 2**8), exponents - 8)


@pytest.mark.parametrize(("memory", "n_pairs"), [(3, 1), (3, 3), (3, 7), (1, 4)])
def test_the_product_is_that_of_the_matrix(memory, n_pairs):
    rng, n = np.random.default_rng(n_pairs), 6
    root = rng.normal(size=(n, n))
    hessian = root @ root.T + np.eye(n)
    curvature, pairs, w = Curvature(memory), [], rng.normal(size=n)
    for _ in range(n_pairs):
        v = w + rng.normal(size=n)
        curvature.remember(v, w, hessian @ v, hessian @ w)
        pairs.append(tuple(kept(d) for d in (v - w, hessian @ v - hessian @ w)))
        w = v
    assert len(curvature) == min(memory, n_pairs)
    direction = rng.normal(size=n)
    expected = bfgs_inverse(pairs[-memory:], n) @ direction
    curvature.apply(direction)
    np.testing.assert_allclose(direction, expected, rtol=1e-9, atol=1e-9)


def test_negative_curvature_is_not_remembered():
    curvature = Curvature(2)
    curvature.remember(np.ones(2), np.zeros(2), -np.ones(2), np.zeros(2))
    curvature.remember(np.ones(2), np.ones(2), np.ones(2), np.zeros(2))
    assert len(curvature) == 0
    direction = np.array([3.0, -1.0])
    curvature.apply(direction)
    assert direction.tolist() == [3.0, -1.0]


def test_what_is_forgotten_has_no_effect():
    curvature = Curvature(2)
    curvature.remember(np.ones(2), np.zeros(2), 5 * np.ones(2), np.zeros(2))
    curvature.forget()
    direction = np.ones(2)
    curvature.apply(direction)
    assert direction.tolist() == [1.0, 1.0]
