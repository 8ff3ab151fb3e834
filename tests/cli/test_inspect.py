import json

import margrave as mg
from margrave.cli.inspection import look_into
from margrave.cli.model_file import load_tagger


def test_json(margrave, model):
    found = json.loads(margrave("inspect", model, "--json", "--label", "O", "--label", "B-NP", "--top", "3").stdout)
    assert found == look_into(load_tagger(str(model)), ["O", "B-NP"], 3)
    assert list(found["labels"]) == ["B-NP", "O"]


def test_for_a_person(margrave, model):
    run = margrave("inspect", model, "--top", "2")
    assert run.stdout.startswith("ChainCRF, C = 1: 4 labels, ")
    assert "2 is the label" in run.stdout
    assert all(label in run.stdout for label in mg.load(model).classes_)
    assert run.stderr == ""


def test_bad_input(refused, margrave, files, model, tmp_path):
    said = refused("inspect", model, "--label", "X")
    assert said == "--label X: the model has no such label; it has B-NP, B-VP, I-NP, O"
    assert "could not be read" in refused("inspect", tmp_path / "none")
    assert "is not a margrave model file" in refused("inspect", files / "train.txt")
    assert "--top" in margrave("inspect", model, "--top", "0", code=2).stderr
