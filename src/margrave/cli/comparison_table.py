"""A comparison of models for a person to read."""

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from margrave.estimators import Comparison

#: Headings that leave room for all columns in a terminal of 80 characters.
_HEADINGS = {
    "exact_match": "exact\nmatch",
    "hamming_loss": "Hamming\nloss",
    "f1_samples": "F,\nsamples",
    "f1_macro": "F,\nmacro",
    "f1_micro": "F,\nmicro",
    "fit_seconds": "fit,\ns",
    "predict_seconds": "predict,\ns",
    "certified": "proved\nbest",
}


def show_comparison(comparison: Comparison, console: Console, title: str | None = None) -> None:
    """Print a row per model; of each measure the best in bold."""
    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0), pad_edge=False)
    for key in comparison.columns:
        table.add_column(_HEADINGS.get(key, key), justify="left" if key == "model" else "right", no_wrap=True)
    best = {key: _best(comparison, key) for key in comparison.columns if key not in ("model", "certified")}
    for row, cells in zip(comparison.rows, comparison.cells(), strict=True):
        bold = [key in best and row[key] == best[key] for key in comparison.columns]
        table.add_row(*(Text(cell, style="bold" if b else "") for cell, b in zip(cells, bold, strict=True)))
    console.print(table)


def _best(comparison: Comparison, key: str) -> float:
    values = [float(row[key]) for row in comparison.rows]
    return min(values) if key == "hamming_loss" or key.endswith("_seconds") else max(values)
