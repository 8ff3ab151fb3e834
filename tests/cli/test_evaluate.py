import json

import pytest
from seqeval.metrics import f1_score

import margrave as mg
from margrave.datasets import read_conll
from margrave.features import ColumnTemplate


@pytest.fixture(scope="module")
def answers(files, model):
    rows = read_conll(files / "test.txt")
    predicted = mg.load(model).predict(ColumnTemplate([0, 1]).transform(rows))
    return [[token[2] for token in sentence] for sentence in rows], [labels.tolist() for labels in predicted]


def test_json(margrave, files, model, answers):
    found = json.loads(margrave("evaluate", model, files / "test.txt", "--json").stdout)
    true, predicted = answers
    pairs = [pair for y, z in zip(true, predicted, strict=True) for pair in zip(y, z, strict=True)]
    assert found["token_accuracy"] == pytest.approx(sum(a == b for a, b in pairs) / len(pairs))
    assert found["sequence_accuracy"] == pytest.approx(sum(y == z for y, z in zip(true, predicted, strict=True)) / 12)
    assert found["chunks"]["f1"] == pytest.approx(f1_score(true, predicted))
    assert found["unknown_labels"] == {}


def test_for_a_person(margrave, files, model, answers):
    run = margrave("evaluate", model, files / "test.txt")
    assert f"{f1_score(*answers):.4f}" in run.stdout
    assert run.stderr == ""


def test_standard_input_and_a_label_elsewhere(margrave, files, model):
    lines = [line.split() for line in (files / "test.txt").read_text().splitlines()]
    moved = "\n".join(" ".join([*line[-1:], *line[:-1]]) for line in lines)
    asked = margrave("evaluate", model, "-", "--json", "--label-column", "0", stdin=moved)
    assert asked.stdout == margrave("evaluate", model, files / "test.txt", "--json").stdout


def test_labels_that_the_model_does_not_know(margrave, model):
    found = json.loads(margrave("evaluate", model, "-", "--json", stdin="cat NN B-XX\nsat VB B-VP\n").stdout)
    assert found["unknown_labels"] == {"B-XX": 1}


def test_bad_input(refused, files, model, tmp_path):
    said = refused("evaluate", model, files / "unlabelled.txt")
    assert said.endswith(
        "has 2 columns, none of them the label; expected 3, the label in column 2; add it, or say where it is with "
        "--label-column"
    )
    assert "labels are judged by true ones" in refused("evaluate", model, files / "test.txt", "--label-column", "none")
    assert "there is no column 5" in refused("evaluate", model, files / "test.txt", "--label-column", "5")
    assert "could not be read" in refused("evaluate", tmp_path / "none", files / "test.txt")
    assert "could not be read" in refused("evaluate", model, tmp_path / "none")
    assert "holds no tokens" in refused("evaluate", model, "-", stdin="")
    mg.ChainCRF().fit([[["a"]], [["b"]]], [["A"], ["B"]]).save(tmp_path / "python.mg")
    assert "was saved in Python" in refused("evaluate", tmp_path / "python.mg", files / "test.txt")
