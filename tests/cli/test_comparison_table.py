"""The table of a comparison, as a terminal shows it."""

import re
from io import StringIO

from rich.console import Console

from margrave.cli.comparison_table import show_comparison
from margrave.estimators import Comparison

ROWS = [
    {"model": "a [b]", "exact_match": 0.5, "hamming_loss": 0.25, "fit_seconds": 1.0, "certified": 0.875},
    {"model": "forest", "exact_match": 0.75, "hamming_loss": 0.5, "fit_seconds": 2.0, "certified": None},
]


def shown(**options):
    console = Console(file=StringIO(), width=100, **options)
    show_comparison(Comparison(ROWS), console, "Scene")
    return console.file.getvalue()


def test_rows_and_headings():
    lines = shown().splitlines()
    assert lines[0].strip() == "Scene"
    assert lines[2].split() == ["exact", "Hamming", "fit,", "proved"]
    assert lines[3].split() == ["model", "match", "loss", "s", "best"]
    assert lines[5].split() == ["a", "[b]", "0.500", "0.250", "1.00", "87.5%"]
    assert lines[6].split() == ["forest", "0.750", "0.500", "2.00"]


def test_the_best_of_each_measure_is_bold():
    text = shown(force_terminal=True, color_system="standard")
    for best in ("0.750", "0.250", "1.00"):
        assert re.search(rf"\x1b\[1m *{best}", text)
    for other in ("0.500", "2.00", "87.5%"):
        assert not re.search(rf"\x1b\[1m *{other}", text)
