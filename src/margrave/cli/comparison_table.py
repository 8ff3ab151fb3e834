"""A comparison of models for a person to read."""

from rich.console import Console
from rich.table import Table
from rich.text import Text

from margrave.estimators import Comparison

#: Headings of one line each.
_HEADINGS = {
    "exact_match": "exact",
    "hamming_loss": "Hamming",
    "f1_samples": "F samples",
    "f1_macro": "F macro",
    "f1_micro": "F micro",
    "fit_seconds": "fit s",
    "predict_seconds": "predict s",
}


def show_comparison(comparison: Comparison, console: Console, title: str | None = None) -> None:
    """Print a row per model; of each measure the best in bold."""
    table = Table(title=title, title_justify="left")
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
