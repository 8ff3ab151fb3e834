"""What a runner leaves behind: tables on the screen, and files in a folder that git ignores."""

import csv
import json
import os
import platform
from collections.abc import Iterable, Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

RESULTS = Path(__file__).parent.parent / "results"
Row = Mapping[str, Any]


def show(title: str, rows: Sequence[Row], caption: str = "") -> None:
    """Print rows that have the same keys as one table."""
    table = Table(title=title, caption=caption or None, title_justify="left", caption_justify="left")
    for key in rows[0]:
        table.add_column(key, justify="left" if isinstance(rows[0][key], str) else "right")
    for row in rows:
        table.add_row(*map(_text, row.values()))
    Console(width=None if Console().is_terminal else 160).print(table)


def judged(what: str, value: float, bar: float, at_most: bool = True) -> Row:
    """A row for a figure that has a bar; rows of figures without one are `unjudged`."""
    reached = value <= bar if at_most else value >= bar
    return {"what": what, "value": value, "bar": f"{'≤' if at_most else '≥'} {bar:.4g}", "reached": reached}


def unjudged(what: str, value: float) -> Row:
    """A row beside those of `judged`, for information."""
    return {"what": what, "value": value, "bar": "", "reached": ""}


def keep(name: str, document: Any, folder: Path = RESULTS) -> Path:
    """Write `name`.json, with the machine that it was measured on."""
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps({"machine": machine(), **document}, indent=1) + "\n", encoding="utf-8")
    return path


def keep_rows(name: str, rows: Iterable[Row], folder: Path = RESULTS) -> Path:
    """Write rows that have the same keys as `name`.csv."""
    folder.mkdir(exist_ok=True)
    path, rows = folder / f"{name}.csv", list(rows)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def machine() -> dict[str, Any]:
    """Processor, cores, load and versions: a figure without them says little."""
    packages = ("margrave", "numpy", "numba", "python-crfsuite")
    return {
        "processor": platform.processor() or platform.machine(),
        "cores": os.cpu_count(),
        "load": list(os.getloadavg()),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in packages},
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
