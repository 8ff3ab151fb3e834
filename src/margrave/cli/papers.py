"""What `margrave paper` does, after its options are read."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from margrave.cli.errors import BadInputError, say
from margrave.cli.targets import standard_output
from margrave.papers import PAPERS, Order

Row = Mapping[str, Any]
_MOST_SHOWN = 60


def list_papers() -> None:
    """Print every paper with what can be recomputed of it."""
    console = standard_output()
    for name, paper in PAPERS.items():
        table = Table(title=f"{name}: {paper.title}", show_header=False, title_justify="left")
        for item, (_, what) in paper.items.items():
            table.add_row(f"--{item}", what)
        console.print(table)


def make_item(
    name: str, items: Sequence[str], folder: Path, data: str | None, jobs: int, seed: int, trial: bool
) -> list[Row]:
    """Recompute one item of a paper."""
    if name not in PAPERS:
        raise BadInputError(f"there is no paper {name!r} here; margrave paper --list shows: {', '.join(PAPERS)}")
    known = PAPERS[name].items
    if len(items) != 1 or items[0] not in known:
        asked = " and ".join(f"--{item}" for item in items) or "nothing"
        raise BadInputError(f"ask for one of {', '.join(f'--{item}' for item in known)}; got {asked}")
    order = Order(folder, data, jobs, seed, lambda text: say(f"{text} ..."), trial)
    return PAPERS[name].make(items[0], order)


def show_rows(rows: Sequence[Row], folder: Path) -> None:
    """Print a table of rows, and where it was written."""
    columns = list(dict.fromkeys(key for row in rows for key in row))
    more = f", {len(rows) - _MOST_SHOWN} more rows there" if len(rows) > _MOST_SHOWN else ""
    table = Table(*columns, caption=f"written to {folder}{more}")
    for row in rows[:_MOST_SHOWN]:
        table.add_row(*(_text(row.get(column, "")) for column in columns))
    standard_output().print(table)


def _text(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)
