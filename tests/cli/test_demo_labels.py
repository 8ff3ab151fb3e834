"""The demonstration: a comparison, certificates, and two pictures, all of them true."""

import json

import pytest
from rich.console import Console
from typer.testing import CliRunner

import margrave as mg
from margrave.cli import app
from margrave.cli.demo_labels import Labelled, show_labelled


def run(*arguments):
    result = CliRunner().invoke(app, ["demo", *arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    folder = tmp_path_factory.mktemp("demo") / "pictures"
    return json.loads(run("--json", "--pictures", str(folder))), folder


def test_labels_that_know_of_each_other_are_right_more_often(found):
    rows = {row["model"]: row["exact_match"] for row in found[0]["rows"]}
    assert rows["LMSBN, χ²"] > rows["LMSBN"] > rows["chain of SVMs"] > rows["separate SVMs"]


def test_every_answer_is_proved(found):
    assert found[0]["certified"] == found[0]["n_test"] == 1196
    assert 12 <= found[0]["mean_nodes"] < 30 and 0 <= found[0]["gap"] <= 1e-3
    scene = mg.datasets.load_scene()
    answers = mg.LMSBNClassifier(0.1, random_state=0).fit(scene.X_train, scene.Y_train).predict_certified(scene.X_test)
    assert found[0]["mean_nodes"] == pytest.approx(answers.nodes.mean())


def test_two_pictures_are_written(found):
    names = sorted(path.name for path in found[1].iterdir())
    assert names == ["certificates.png", "certificates.svg", "dependencies.png", "dependencies.svg"]
    assert all(path.stat().st_size > 5000 for path in found[1].iterdir())


def test_a_person_sees_all_of_it():
    row = {"model": "m", "exact_match": 0.5, "hamming_loss": 0.1, "certified": 1.0}
    shown = Labelled(10, 20, [row], 19, 13.4, 7e-4, [])
    console = Console(width=80, color_system=None, highlight=False)
    with console.capture() as captured:
        show_labelled(shown, console)
    text = " ".join(captured.get().split())
    for words in (
        "20 unseen photographs",
        "trained on 10",
        "19 of 20 answers",
        "13 of 126",
        "7.0e-04",
        "margrave[plots]",
    ):
        assert words in text


def test_the_demo_prints_for_a_person_in_eighty_columns(monkeypatch, tmp_path):
    scene = mg.datasets.load_scene()
    small = {name: scene[name][::12] for name in ("X_train", "Y_train", "X_test", "Y_test")}
    monkeypatch.setattr("margrave.datasets.load_scene", lambda: type(scene)(**{**scene, **small}))
    text = run("--pictures", str(tmp_path))
    assert "Certificates:" in text and max(map(len, text.splitlines())) <= 80
