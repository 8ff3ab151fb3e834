"""What can be recomputed, by the names of the command line."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]


@dataclass(frozen=True)
class Order:
    """How something is recomputed.

    Parameters
    ----------
    folder : Path
        Where tables (CSV) and pictures (PNG, SVG) go.
    data : str or None
        The set, where there is a choice; None: the paper's.
    n_jobs, seed : int
    report : function of text
        Told what is being done.
    trial : bool
        A few examples and one setting: shows that it runs; its numbers mean nothing.
    """

    folder: Path
    data: str | None = None
    n_jobs: int = 1
    seed: int = 0
    report: Callable[[str], None] = lambda text: None
    trial: bool = False


@dataclass(frozen=True)
class Paper:
    """A paper's tables and figures: where the function of an `Order` is that makes each, and what it is."""

    title: str
    items: Mapping[str, tuple[str, str]]

    def make(self, item: str, order: Order) -> list[Row]:
        """Recompute a table, a figure or an experiment; returns the rows of its table."""
        module, function = self.items[item][0].split(":")
        rows: list[Row] = getattr(import_module(module), function)(order)
        return rows


_LMSBN = "margrave.papers.lmsbn.commands"
PAPERS: Mapping[str, Paper] = {
    "lmsbn": Paper(
        "X. Miao, R. Rao: Large margin Boltzmann machines and large margin sigmoid belief networks",
        {
            "table scene": (f"{_LMSBN}:table", "measures and prediction time of every model (also of --data)"),
            "figure 2": (f"{_LMSBN}:figure_2", "losses, and the bound of the log-loss"),
            "figure 3-upper": (f"{_LMSBN}:figure_3_upper", "time of branch and bound and of the linear relaxation"),
            "figure 3-lower": (f"{_LMSBN}:figure_3_lower", "share of examples solved against S, and its bound"),
            "figure 4": (f"{_LMSBN}:figure_4", "the table as bars"),
            "ablation": (f"{_LMSBN}:ablation", "parents, clique size, kernel: expected loss, nodes, exact match"),
        },
    ),
}
