import numpy as np
import pytest

from margrave.display import LossBoundDisplay


def test_the_bounds_hold_and_only_the_tight_one_is_touched():
    display = LossBoundDisplay.from_range(-20.0, 20.0, 4001).plot()
    y = {name: line.get_ydata() for name, line in display.lines_.items()}
    assert (y["tight"] >= y["log"] - 1e-12).all() and (y["tight"] - y["log"]).min() < 1e-12
    assert (y["printed"] - y["log"]).min() > 0.8
    assert (y["hinge"] >= y["zero_one"]).all()


def test_the_curves_are_the_losses_of_the_printed_formulas():
    display = LossBoundDisplay.from_range(-3.0, 3.0, 61).plot()
    z = display.z
    y = {name: line.get_ydata() for name, line in display.lines_.items()}
    np.testing.assert_allclose(y["log"], np.log(1 + np.exp(-z)))
    np.testing.assert_allclose(y["hinge"], [max(0, 1 - margin) for margin in z])
    np.testing.assert_allclose(y["printed"] - y["hinge"], np.log(np.exp(1) + np.exp(-1)))
    np.testing.assert_allclose(y["tight"] - y["hinge"], np.log(1 + np.exp(-1)))
    assert y["zero_one"][z <= 0].all() and not y["zero_one"][z > 1e-9].any()


def test_lines_differ_in_more_than_colour():
    lines = LossBoundDisplay.from_range().plot().lines_.values()
    assert len({(line.get_linestyle(), line.get_linewidth(), str(line._dash_pattern)) for line in lines}) == 5


def test_an_empty_range_is_refused():
    with pytest.raises(ValueError, match="start must be below stop"):
        LossBoundDisplay.from_range(1.0, 1.0)


def test_rows_are_the_curves():
    display = LossBoundDisplay.from_range(n_points=5).plot()
    rows = display.rows()
    assert list(rows[0]) == ["z", "hinge", "log", "zero_one", "printed", "tight"]
    for name, line in display.lines_.items():
        assert [row[name] for row in rows] == line.get_ydata().tolist()
