"""Every table and figure runs from its command, small, into a folder that was not there."""

import csv
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from margrave.cli import app
from margrave.papers import PAPERS

ITEMS = [(name, item) for name, paper in PAPERS.items() for item in paper.items]


def run(*arguments):
    result = CliRunner().invoke(app, ["paper", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def rows_of(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """What the trial of each item printed, and the folder that it filled."""
    found = {}
    for name, item in ITEMS:
        folder = tmp_path_factory.mktemp(name) / "new"
        option = item.split(" ") if " " in item else [item]
        found[item] = (
            folder,
            json.loads(run(name, f"--{option[0]}", *option[1:], "--trial", "--json", "-o", str(folder))),
        )
    return found


@pytest.mark.parametrize("item", [item for _, item in ITEMS])
def test_an_item_is_made_from_nothing(made, item):
    folder, printed = made[item]
    tables = sorted(folder.glob("*.csv"))
    assert tables and printed["rows"]
    assert all(rows_of(table) for table in tables)
    for picture in folder.glob("*.png"):
        assert picture.read_bytes().startswith(b"\x89PNG") and picture.with_suffix(".svg").exists()


def test_the_table_has_the_papers_models_and_what_they_were_chosen_from(made):
    folder, printed = made["table scene"]
    models = [row["model"] for row in printed["rows"]]
    for name in ("BCl", "BCk", "TSBC", "LMSBNlo", "LMSBNlf", "LMSBNkf"):
        assert any(model.startswith(name) for model in models), name
    choices = rows_of(folder / "table_scene_choices.csv")
    assert {row["model"] for row in choices} <= set(models)
    for row in choices:
        five = [float(row[key]) for key in ("exact_match", "f1_samples", "f1_macro", "f1_micro")]
        mean = np.mean([1.0 - float(row["hamming_loss"]), *five])
        assert float(row["mean"]) == pytest.approx(mean)


def test_the_share_of_solved_examples_is_above_its_bound(made):
    # Markov's inequality on the very examples: no more than E[L]/S of them have an optimum of S or more.
    for row in made["figure 3-lower"][1]["rows"]:
        if not row["model"].startswith("random"):  # whose searches may be stopped
            assert row["solved"] >= row["bound"] - 1e-12


def test_a_better_fit_needs_fewer_nodes_than_there_are(made):
    for row in made["ablation"][1]["rows"]:
        assert row["certified"] == 1.0 and row["loss of the answer"] <= row["expected loss"] + 1e-9


def test_search_is_timed_beside_the_relaxation(made):
    rows = made["figure 3-upper"][1]["rows"]
    assert {row["method"] for row in rows} == {"branch and bound", "linear relaxation"}
    assert all(row["seconds"] > 0 and row["sd"] >= 0 for row in rows)


def test_papers_are_listed():
    shown = " ".join(run("--list").split())
    assert "lmsbn" in shown and "--figure 3-upper" in shown


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nothing"], "there is no paper 'nothing'"),
        (["lmsbn"], "ask for one of --table scene"),
        (["lmsbn", "--figure", "9"], "got --figure 9"),
        (["lmsbn", "--figure", "2", "--ablation"], "got --figure 2 and --ablation"),
    ],
)
def test_what_there_is_not_is_refused(arguments, message):
    result = CliRunner().invoke(app, ["paper", *arguments])
    assert result.exit_code == 2
    assert message in " ".join(result.stderr.split())
