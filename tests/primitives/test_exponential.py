import numpy as np
import pytest

from margrave.primitives import exp, kernel
from margrave.primitives.exponential import LARGEST, SMALLEST


@kernel
def exp_of(x, out):
    for i in range(len(x)):
        out[i] = exp(x[i])


def exps(x):
    x = np.asarray(x, dtype=np.float64)
    out = np.empty_like(x)
    exp_of(x, out)
    return out


def test_agrees_with_numpy_over_the_whole_range():
    x = np.concatenate([np.linspace(SMALLEST, LARGEST, 3001), np.linspace(-2, 2, 401), [0.0, -0.0, 1e-300, -1e-17]])
    assert np.allclose(exps(x), np.exp(x), rtol=1e-14, atol=0)


def test_agrees_where_the_exponent_changes():
    # half-way between two powers of two the remainder jumps from one end of its range to the other
    k = np.arange(-1000, 1001, 20) + 0.5
    x = np.concatenate([np.nextafter(k * np.log(2), -np.inf), np.nextafter(k * np.log(2), np.inf)])
    assert np.allclose(exps(x), np.exp(x), rtol=1e-14, atol=0)


def test_exact_at_zero():
    assert exps([0.0, -0.0]).tolist() == [1.0, 1.0]


@pytest.mark.parametrize("x", [-np.inf, -1e300, -1e30, -745.0, np.nextafter(SMALLEST, -np.inf)])
def test_zero_below_the_range(x):
    assert exps([x]).tolist() == [0.0]


@pytest.mark.parametrize("x", [np.nextafter(LARGEST, np.inf), 1e5, np.inf])
def test_constant_above_the_range(x):
    assert exps([x]) == exps([LARGEST])
    assert np.isfinite(exps([x]))


def test_never_falls():
    # near 0 and at the seams of powers of two: a polynomial that jumped down would break comparisons of messages
    x = np.sort(np.concatenate([np.linspace(-1, 1, 1001), np.linspace(SMALLEST, LARGEST, 1001)]))
    values = exps(x)
    assert (values[1:] >= values[:-1] * (1 - 4e-16)).all()
