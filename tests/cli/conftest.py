"""Column files, small ones, and a model trained on them by the command line itself."""

import random

import pytest
from typer.testing import CliRunner

from margrave.cli import app

WORDS = {
    "DT": ["the", "a", "every"],
    "NN": ["cat", "dog", "house", "[bold]", ":x:"],
    "VB": ["sees", "sat", "was"],
    "IN": ["on", "in"],
}
PATTERNS = [
    [("DT", "B-NP"), ("NN", "I-NP"), ("VB", "B-VP")],
    [("NN", "B-NP"), ("VB", "B-VP"), ("DT", "B-NP"), ("NN", "I-NP")],
    [("DT", "B-NP"), ("NN", "I-NP"), ("IN", "O"), ("DT", "B-NP"), ("NN", "I-NP"), ("VB", "B-VP")],
    [("VB", "B-VP")],
]


def sentences(n, seed):
    """Tokens (word, part of speech, chunk), some chunks drawn at random so that no model is right throughout."""
    rng = random.Random(seed)
    found = []
    for _ in range(n):
        pattern = rng.choice(PATTERNS)
        noisy = [(tag, label if rng.random() < 0.9 else rng.choice(["O", "B-NP", "B-VP"])) for tag, label in pattern]
        found.append([(rng.choice(WORDS[tag]), tag, label) for tag, label in noisy])
    return found


def text(rows, columns=slice(None), gap=" "):
    """A column file."""
    return "\n".join("".join(gap.join(token[columns]) + "\n" for token in sentence) for sentence in rows)


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("columns")
    (folder / "train.txt").write_text(text(sentences(30, seed=1)))
    (folder / "test.txt").write_text(text(sentences(12, seed=2)))
    (folder / "unlabelled.txt").write_text(text(sentences(12, seed=2), slice(2)))
    return folder


@pytest.fixture(scope="session")
def model(files):
    path = files / "model.mg"
    run = CliRunner().invoke(app, ["fit", str(files / "train.txt"), "-o", str(path)])
    assert run.exit_code == 0, run.output
    return path


@pytest.fixture
def margrave():
    """Run a command; what it printed is judged by the test."""

    def run(*arguments, code=0, stdin=None):
        result = CliRunner().invoke(app, [str(argument) for argument in arguments], input=stdin)
        assert result.exit_code == code, result.output
        assert "Traceback" not in result.output
        return result

    return run


@pytest.fixture
def refused(margrave):
    """Run a command that must refuse: the one sentence that it gave, with the code for bad input."""

    def run(*arguments, code=2, stdin=None):
        result = margrave(*arguments, code=code, stdin=stdin)
        assert result.stdout == ""
        lines = result.stderr.splitlines()
        assert len(lines) == 1 and lines[0].startswith("error: ")
        return lines[0].removeprefix("error: ")

    return run
