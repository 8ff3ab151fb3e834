"""Each table and figure as a function of an `Order`."""

from __future__ import annotations

import csv
from typing import Any

from margrave.display import LossBoundDisplay, MeasuresDisplay, save_figure
from margrave.papers.catalogue import Order
from margrave.papers.lmsbn import search
from margrave.papers.lmsbn.table import make_table
from margrave.papers.results import write_csv
from margrave.papers.selection import MEASURES

Rows = list[dict[str, Any]]
#: The models of Figure 4, as far as the table has them.
_BARS = (
    "BCl", "BCk rbf", "TSBC linear, tuned for exact_match", "LMSBNlo", "LMSBNlf",
    "LMSBNkf rbf, the linear model's order", "LMSBN chi2, 12 orders", "LMSBN chi2, its own order",
)  # fmt: skip


def table(order: Order) -> Rows:
    """The comparison on Scene, or on the set of `order.data`."""
    return make_table(order.data or "scene", order.folder, order.n_jobs, order.seed, order.report, order.trial)


def figure_2(order: Order) -> Rows:
    """Losses of a margin, and the bound of the log-loss."""
    display = LossBoundDisplay.from_range().plot()
    save_figure(display.figure_, order.folder / "figure_2")
    rows: Rows = list(display.rows())
    write_csv(order.folder / "figure_2.csv", rows)
    return rows


def figure_3_upper(order: Order) -> Rows:
    """Seconds per example, as the labels grow."""
    data = order.data or ("scene" if order.trial else "rcv1v2")
    return search.time_against_relaxation(
        order.folder, order.n_jobs, order.seed, order.report, data, order.trial
    )  # fmt: skip


def figure_3_lower(order: Order) -> Rows:
    """Shares of examples solved below S."""
    data = order.data or ("scene" if order.trial else "rcv1v2")
    return search.solved_below(order.folder, order.n_jobs, order.seed, order.report, data, order.trial)


def figure_4(order: Order) -> Rows:
    """The table as bars; the table is taken from the folder if it is there, else recomputed."""
    name = order.data or "scene"
    path = order.folder / f"table_{name}.csv"
    if path.exists():
        with path.open(encoding="utf-8", newline="") as file:
            rows: Rows = list(csv.DictReader(file))
    else:
        rows = table(order)
    shown = [row for row in rows if row["model"] in _BARS]
    numbers = [{"model": row["model"], **{key: float(row[key]) for key in MEASURES}} for row in shown]
    save_figure(MeasuresDisplay.from_rows(numbers).plot().figure_, order.folder / "figure_4")
    write_csv(order.folder / "figure_4.csv", numbers)
    return numbers


def ablation(order: Order) -> Rows:
    """Structures and kernels."""
    data = order.data or "scene"
    return search.ablation(order.folder, order.n_jobs, order.seed, order.report, data, order.trial)
