import subprocess
import sys

import matplotlib.pyplot as plt
import numpy as np
import pytest

from margrave import display
from margrave.display.canvas import whole_figure
from margrave.estimators.directed_answers import Certified

CERTIFIED = Certified(np.ones((2, 1)), np.ones(2), np.ones(2), np.array([2, 4]), np.ones(2, dtype=bool))
MADE = {
    "DependencyMatrixDisplay": lambda: display.DependencyMatrixDisplay.from_matrix([[0.0, 1.0], [1.0, 0.0]]),
    "LabelGraphDisplay": lambda: display.LabelGraphDisplay.from_matrix([[0.0, 1.0], [1.0, 0.0]]),
    "SolvedFractionDisplay": lambda: display.SolvedFractionDisplay.from_losses({"a": [1.0]}, {"a": 2.0}),
    "CertificateDisplay": lambda: display.CertificateDisplay.from_certified(CERTIFIED),
    "LossBoundDisplay": display.LossBoundDisplay.from_range,
    "MeasuresDisplay": lambda: display.MeasuresDisplay.from_rows([{"model": "a", "f1": 0.5}]),
}


def test_every_display_is_here():
    assert set(MADE) == {name for name in display.__all__ if name.endswith("Display")}


@pytest.mark.parametrize("name", MADE)
def test_plot_returns_the_display_with_its_figure(name):
    made = MADE[name]()
    assert made.plot() is made
    made.figure_.canvas.draw()  # what draws late must not warn either
    assert all(ax.figure is made.figure_ for ax in np.atleast_1d(made.ax_))


@pytest.mark.parametrize("name", [name for name in MADE if name != "CertificateDisplay"])
def test_given_axes_are_used(name):
    figure, (left, right) = plt.subplots(1, 2)
    made = MADE[name]().plot(right)
    assert made.ax_ is right and made.figure_ is figure
    assert not left.has_data()


def test_axes_in_a_part_of_a_figure_are_used():
    figure = plt.figure()
    ax = figure.subfigures(1, 2)[1].subplots()
    assert whole_figure(ax) is figure
    assert MADE["LossBoundDisplay"]().plot(ax).figure_ is figure


@pytest.mark.parametrize("name", MADE)
def test_without_matplotlib_a_sentence_names_the_extra(name, monkeypatch):
    made = MADE[name]()
    for module in [module for module in sys.modules if module.partition(".")[0] == "matplotlib"]:
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=r"matplotlib, which is not installed: pip install 'margrave\[plots\]'"):
        made.plot()


def test_what_is_missing_inside_matplotlib_is_not_hidden(monkeypatch):
    def fail(name):
        raise ModuleNotFoundError("No module named 'kiwisolver'", name="kiwisolver")

    monkeypatch.setattr("margrave.display.canvas.import_module", fail)
    with pytest.raises(ModuleNotFoundError, match="kiwisolver"):
        MADE["LossBoundDisplay"]().plot()


def test_displays_are_made_without_matplotlib():
    code = (
        "import sys, margrave as mg\n"
        "mg.display.LossBoundDisplay.from_range()\n"
        "mg.display.DependencyMatrixDisplay.from_matrix([[0.0]])\n"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
