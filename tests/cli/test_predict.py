import subprocess
import sys

import numpy as np
import pytest

import margrave as mg
from margrave.datasets import read_conll
from margrave.features import ColumnTemplate


@pytest.fixture(scope="module")
def expected(files, model):
    """What the estimator says about the test file, asked in Python."""
    X = ColumnTemplate([0, 1]).transform(read_conll(files / "test.txt"))
    estimator = mg.load(model)
    return estimator.predict(X), estimator.predict_marginals(X)


def tokens(text):
    return [line.split() for line in text.splitlines() if line.strip()]


def test_the_files_lines_and_the_estimators_labels(margrave, files, model, expected):
    run = margrave("predict", model, files / "test.txt")
    given = (files / "test.txt").read_text()
    assert run.stderr == ""
    assert [line.rsplit(" ", 1)[0] if line else "" for line in run.stdout.split("\n")] == given.split("\n")
    assert [token[-1] for token in tokens(run.stdout)] == np.concatenate(expected[0]).tolist()


def test_the_same_labels_without_the_true_ones(margrave, files, model, expected):
    run = margrave("predict", model, files / "unlabelled.txt")
    assert [token[-1] for token in tokens(run.stdout)] == np.concatenate(expected[0]).tolist()
    assert {len(token) for token in tokens(run.stdout)} == {3}
    asked = margrave("predict", model, files / "unlabelled.txt", "--label-column", "none")
    assert asked.stdout == run.stdout


def test_a_label_elsewhere(margrave, files, model, expected):
    moved = "\n".join(" ".join(line.split()[::-1]) for line in (files / "unlabelled.txt").read_text().splitlines())
    labelled = "\n".join(f"O {' '.join(line.split()[::-1])}" if line else "" for line in moved.splitlines())
    run = margrave("predict", model, "-", "--label-column", "0", stdin=labelled)
    assert [token[-1] for token in tokens(run.stdout)] == np.concatenate(expected[0]).tolist()


def test_marginals(margrave, files, model, expected):
    run = margrave("predict", model, files / "test.txt", "--marginals")
    rows = [line.split() for line in run.stdout.splitlines() if line]
    names = mg.load(model).classes_.tolist()
    assert [row[3] for row in rows] == np.concatenate(expected[0]).tolist()
    assert [[cell.rsplit(":", 1)[0] for cell in row[4:]] for row in rows] == [names] * len(rows)
    shares = [[float(cell.rsplit(":", 1)[1]) for cell in row[4:]] for row in rows]
    assert np.allclose(shares, np.concatenate(expected[1]), atol=1e-6)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_output_to_a_file(margrave, files, model, tmp_path, jobs):
    printed = margrave("predict", model, files / "test.txt").stdout
    run = margrave("predict", model, files / "test.txt", "-o", tmp_path / "out.txt", "--jobs", jobs)
    assert run.output == ""
    assert (tmp_path / "out.txt").read_text() == printed
    assert list(tmp_path.iterdir()) == [tmp_path / "out.txt"]


def test_a_pipe(files, model):
    command = [sys.executable, "-m", "margrave", "predict", str(model), "-"]
    content = (files / "test.txt").read_bytes()
    run = subprocess.run(command, input=content, capture_output=True, check=True)
    other = subprocess.run([*command[:-1], str(files / "test.txt")], capture_output=True, check=True)
    assert run.stdout == other.stdout
    assert run.stderr == b""


def test_odd_lines_stay_as_they_are(margrave, tmp_path):
    train, given = tmp_path / "train.txt", tmp_path / "given.txt"
    train.write_bytes(b"# id 1\nthe\tD\ncat\tN\n\n\nsat\tV\n")
    given.write_bytes(b"\n# id 2\r\ncat\tN\r\n\t\r\n\r\nthe\tD")
    margrave("fit", train, "-o", tmp_path / "m", "--comment", "#", "--window", "0", "--C", "100")
    out = tmp_path / "out.txt"
    margrave("predict", tmp_path / "m", given, "-o", out)
    assert out.read_bytes() == b"\n# id 2\r\ncat\tN\tN\r\n\t\r\n\r\nthe\tD\tD\n"


# --------------------------------------------------------------------------------------------------- written attributes


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    from typer.testing import CliRunner

    from margrave.cli import app

    folder = tmp_path_factory.mktemp("written")
    (folder / "train").write_text("A\tbias\tw=a\nB\tbias\tw=b\n\nB\tbias\tw=b:2\n")
    arguments = ["fit", str(folder / "train"), "-o", str(folder / "m"), "--features", "attributes"]
    assert CliRunner().invoke(app, arguments).exit_code == 0
    return folder / "m"


@pytest.mark.parametrize("label", ["A", "_"], ids=["known", "placeholder"])
def test_lines_of_attributes_with_a_label(margrave, written, label):
    run = margrave("predict", written, "-", stdin=f"{label}\tbias\tw=a\n{label}\tw=b\n")
    assert run.stdout == f"{label}\tbias\tw=a\tA\n{label}\tw=b\tB\n"


def test_lines_of_attributes_without_a_label(margrave, written):
    run = margrave("predict", written, "-", "--label-column", "none", stdin="bias\tw=a\nw=b\n")
    assert run.stdout == "bias\tw=a\tA\nw=b\tB\n"


@pytest.mark.parametrize("stdin", ["bias\tw=a\nbias\tw=b\n", "w=x\tbias\nw=y\tbias\n"])
def test_attributes_are_not_taken_for_labels(refused, written, stdin):
    said = refused("predict", written, "-", stdin=stdin)
    assert said.startswith("standard input: no value in the column of the label is a label of the model, as ")
    assert "--label-column none" in said


def test_a_bad_attribute_is_told_by_its_line(refused, written):
    said = refused("predict", written, "-", stdin="A\tbias\n\nA\tw:a:b\n")
    assert said.startswith(
        "standard input, line 3: the attribute 'w' must have a finite number for a weight, got 'a:b'"
    )


# ----------------------------------------------------------------------------------------------------------- bad input


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("a b c d\n", "has 4 columns; the model takes 3 columns (label in column 2), or 2 without the label; give it"),
        ("a\n", "has 1 column; the model takes 3 columns"),
        ("a b c\nd\n", "line 2: expected 3 columns as in the first line, got 1 in 'd'"),
        ("", "holds no tokens; expected one token a line"),
    ],
)
def test_files_that_do_not_fit_the_model(refused, model, content, sentence):
    said = refused("predict", model, "-", stdin=content)
    assert said.startswith("standard input") and sentence in said


def test_models_and_targets_that_are_none(refused, files, model, tmp_path):
    test = files / "test.txt"
    assert "is not a margrave model file" in refused("predict", test, test)
    assert "could not be read: No such file" in refused("predict", tmp_path / "none", test)
    assert "there is no folder" in refused("predict", model, test, "-o", tmp_path / "none" / "out")
    assert "--label-column takes" in refused("predict", model, test, "--label-column", "x")
    mg.ChainCRF().fit([[["a"]], [["b"]]], [["A"], ["B"]]).save(tmp_path / "python.mg")
    assert "was saved in Python" in refused("predict", tmp_path / "python.mg", test)


def test_a_target_is_looked_at_before_anything_is_read(refused, tmp_path):
    assert "there is no folder" in refused("predict", "no model", "no file", "-o", tmp_path / "none" / "out")
