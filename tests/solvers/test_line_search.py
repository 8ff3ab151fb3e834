import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from margrave.solvers.line_search import CURVATURE, DECREASE, NOISE, wolfe_step


class Along:
    """A function along a direction, with a note of where it was evaluated."""

    def __init__(self, value, slope):
        self.value, self.slope, self.steps = value, slope, []

    def __call__(self, step):
        self.steps.append(step)
        return self.value(step), self.slope(step)

    def search(self, first=1.0, **options):
        return wolfe_step(self, self.value(0.0), self.slope(0.0), first, **options)


FUNCTIONS = {
    "parabola": Along(lambda t: (t - 3) ** 2, lambda t: 2 * (t - 3)),
    "quartic": Along(lambda t: (t - 1) ** 4 + t, lambda t: 4 * (t - 1) ** 3 + 1),
    "far minimum": Along(lambda t: np.hypot(1, t / 1e4 - 1), lambda t: (t / 1e4 - 1) / np.hypot(1, t / 1e4 - 1) / 1e4),
    "near minimum": Along(lambda t: (1e6 * t - 1) ** 2, lambda t: 2e6 * (1e6 * t - 1)),
    "wall": Along(lambda t: -t - np.log1p(-t) * 0.1 if t < 1 else np.inf, lambda t: 0.1 / (1 - t) - 1 if t < 1 else 1),
    "nan beyond": Along(lambda t: (t - 0.1) ** 2 if t < 0.5 else np.nan, lambda t: 2 * (t - 0.1) if t < 0.5 else 1.0),
    "waves": Along(lambda t: 0.1 * t * t - np.sin(3 * t), lambda t: 0.2 * t - 3 * np.cos(3 * t)),
}


def is_wolfe(function, point):
    """The strong conditions, or those of Hager and Zhang: no rise, and no more slope than a parabola would have."""
    step, value, slope = point
    value_0, slope_0 = function.value(0.0), function.slope(0.0)
    enough = value <= value_0 + DECREASE * step * slope_0
    enough |= value <= value_0 + NOISE * abs(value_0) and slope <= (2 * DECREASE - 1) * slope_0
    return enough and abs(slope) <= CURVATURE * abs(slope_0)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("first", [1e-3, 1.0, 50.0])
def test_steps_satisfy_wolfes_conditions(name, first):
    function = FUNCTIONS[name]
    point = function.search(first)
    assert is_wolfe(function, point)
    assert point == (point[0], function.value(point[0]), function.slope(point[0]))
    assert function.steps[-1] == point[0]  # the caller's buffers hold the point that is returned


@given(
    terms=st.lists(st.tuples(st.floats(0.01, 10), st.floats(0.1, 5), st.floats(-3, 3)), min_size=1, max_size=4),
    curvature=st.floats(0, 2),
    first=st.floats(1e-4, 100),
)
def test_convex_functions(terms, curvature, first):
    """Sums of a log cosh(b (t - c)), as losses are, and a penalty."""

    def value(t):
        return sum(a * np.logaddexp(b * (t - c), -b * (t - c)) for a, b, c in terms) + curvature * t * t

    def slope(t):
        return sum(a * b * np.tanh(b * (t - c)) for a, b, c in terms) + 2 * curvature * t

    assume(slope(0.0) < -1e-3)
    function = Along(value, slope)
    point = function.search(first)
    assert is_wolfe(function, point)


def test_a_slope_decides_where_values_are_all_rounding():
    # a parabola on a value so large that the decrease along it cannot be told from rounding
    function = Along(lambda t: 1e8, lambda t: 1e-9 * (t - 2))
    step, _, slope = function.search(0.01)
    assert abs(slope) <= CURVATURE * 2e-9
    assert slope <= (2 * DECREASE - 1) * -2e-9  # at most what a parabola's slope is where the decrease is still enough
    assert 0 < step < 4


@pytest.mark.parametrize("first", [1e-3, 1.0, 1e3])
def test_none_where_nothing_is_lower(first):
    function = Along(lambda t: 1 + t, lambda t: 1.0)  # it rises, whatever the slope at its beginning is said to be
    assert wolfe_step(function, 1.0, -1.0, first) is None
    assert len(function.steps) <= 60


def test_none_where_nothing_is_finite():
    assert wolfe_step(lambda t: (np.inf, np.nan), 1.0, -1.0, 1.0) is None


def test_no_more_evaluations_than_allowed():
    function = Along(lambda t: -t, lambda t: -1.0)  # falls for ever
    assert function.search(max_evaluations=4) is None
    assert len(function.steps) == 4


def test_interrupts_go_through():
    def interrupted(step):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        wolfe_step(interrupted, 1.0, -1.0, 1.0)
