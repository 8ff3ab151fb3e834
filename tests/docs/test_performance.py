"""The tables of measurements are what the page needs."""

import csv
import re
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
TABLES = sorted(path.name for path in (DOCS / "performance").glob("*.csv"))
COLUMNS = ["what", "rival", "margrave", "ratio", "bar"]


def rows(name):
    with (DOCS / "performance" / name).open(encoding="utf-8", newline="") as file:
        return list(csv.reader(file))


def first_number(cell):
    return float(re.search(r"[0-9]+(?:\.[0-9]+)?", cell.replace(",", ""))[0])


def test_the_page_has_every_table_once():
    page = (DOCS / "performance.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^```\{measurements\} performance/(\S+)$", page, flags=re.MULTILINE)) == TABLES


@pytest.mark.parametrize("name", TABLES)
def test_a_row_has_every_column(name):
    header, *measured = rows(name)
    assert header == COLUMNS
    assert [row for row in measured if len(row) != len(COLUMNS) or not all(map(str.strip, row))] == []


@pytest.mark.parametrize("name", TABLES)
def test_a_ratio_is_the_quotient_of_its_two_figures(name):
    for what, rival, margrave, ratio, _ in rows(name)[1:]:
        if ratio != "-":  # where a quotient says nothing
            quotient = first_number(rival) / first_number(margrave)
            assert first_number(ratio) == pytest.approx(quotient, rel=0.06), (
                f"{what}: {rival} / {margrave} is not {ratio}"
            )
