import json
import subprocess
import sys

import pytest
from rich.console import Console
from typer.testing import CliRunner

import margrave
from margrave.cli import app
from margrave.cli.demo_words import Reading, coloured, read_words, show

READING = Reading(
    n_train_words=3,
    n_test_words=40,
    n_test_letters=200,
    character_error=0.195,
    word_error=0.6,
    iterations=17,
    objective=1234.5678,
    gap=4.2e-4,
    seconds=1.25,
    words=[("brace", "brace"), ("nimble", "nirnle")],
)


def run(*arguments):
    result = CliRunner().invoke(app, list(arguments))
    assert result.exit_code == 0, result.output
    return result.stdout


@pytest.fixture(scope="module")
def reading():
    return json.loads(run("demo", "words", "--json"))


def test_json_is_one_object_with_errors_and_certificate(reading):
    assert reading["n_train_words"] == 626
    assert reading["n_test_words"] > 600
    # Reading each letter alone, by logistic regression, errs on more than a quarter of them.
    assert 0 < reading["character_error"] < 0.25
    assert reading["character_error"] < reading["word_error"] < 1
    assert 0 <= reading["gap"] <= 1e-3
    assert reading["objective"] > 0


def test_errors_agree_with_the_words_that_are_shown(reading):
    assert len(reading["words"]) == 12
    assert all(len(true) == len(predicted) for true, predicted in reading["words"])


def test_the_same_words_are_read_with_any_number_of_threads(reading):
    other = read_words(C=0.5, n_jobs=1)
    assert [list(pair) for pair in other.words] == reading["words"]
    assert other.objective == reading["objective"]


def test_a_person_sees_words_errors_and_certificate():
    console = Console(width=100, record=True, color_system=None)
    with console.capture() as captured:
        show(READING, console)
    shown = captured.get()
    assert "2 of 40 unseen words" in shown
    assert "nirnle" in shown
    assert "19.5% of 200 letters" in shown
    assert "60.0% of 40 words" in shown
    assert "1234.568" in shown
    assert "4.2e-04" in shown


def test_wrong_letters_stand_out_without_colour():
    text = coloured("nimble", "nimxle")
    assert [(span.start, str(span.style)) for span in text.spans if "underline" in str(span.style)] == [
        (3, "bold underline red")
    ]


def test_the_demo_prints_for_a_person(monkeypatch):
    monkeypatch.setattr("margrave.cli.demo_words.read_words", lambda C, n_jobs: READING)
    assert "Certificate" in run("demo", "words")


def test_a_penalty_that_cannot_be_is_refused():
    result = CliRunner().invoke(app, ["demo", "--C", "0"])
    assert result.exit_code == 2


def test_version():
    assert run("--version") == f"margrave {margrave.__version__}\n"


def test_the_package_runs_as_a_command():
    run = subprocess.run([sys.executable, "-m", "margrave", "--version"], capture_output=True, text=True, check=True)
    assert run.stdout == f"margrave {margrave.__version__}\n"
