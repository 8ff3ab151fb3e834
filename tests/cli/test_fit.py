import json
import signal
import subprocess
import sys

import pytest

import margrave as mg
from margrave.cli.fit import Plan, fit
from margrave.cli.model_file import load_tagger
from margrave.cli.options import Features, Kept, Model


def test_every_option_reaches_the_work(monkeypatch, margrave):
    plans = []
    monkeypatch.setattr("margrave.cli.training.train", lambda plan, as_json: plans.append((plan, as_json)))
    margrave("fit", "f")
    assert plans.pop() == (Plan("f"), False)
    margrave(
        "fit", "f", "-o", "m", "--evaluate", "e", "--json", "--verbose", "--label-column", "-2", "--delimiter", "tab",
        "--comment", "#", "--encoding", "latin-1", "--features", "conll", "--feature-columns", "0,1", "--window", "3",
        "--no-bigrams", "--features-kept", "all", "--boundary", "--model", "m3n", "--C", "0.5", "--choose-C", "1,2",
        "--folds", "4", "--tol", "0.01", "--max-iter", "7", "--seed", "3", "--jobs", "2",
    )  # fmt: skip
    assert plans.pop() == (
        Plan(
            file="f", output="m", evaluate="e", label_column="-2", delimiter="tab", comment="#", encoding="latin-1",
            features=Features.conll, feature_columns="0,1", window=3, bigrams=False, model=Model.m3n, C=0.5,
            candidates="1,2", folds=4, boundary=True, kept=Kept.all, tol=0.01, max_iter=7, jobs=2, seed=3, verbose=True,
        ),
        True,
    )  # fmt: skip
    assert fit.__doc__


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--features", "words"),
        ("--model", "svm"),
        ("--folds", "1"),
        ("--max-iter", "0"),
        ("--window", "-1"),
        ("--C", "x"),
    ],
)
def test_values_that_cannot_be_are_usage_errors(margrave, files, option, value):
    assert option in margrave("fit", files / "train.txt", option, value, code=2).stderr


def start(*arguments):
    command = [sys.executable, "-m", "margrave", "fit", *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def interrupt_after(iteration, process):
    """Ctrl-C, once a line says that the iteration is done."""
    for line in process.stderr:
        if line.startswith(f"iteration {iteration} "):
            process.send_signal(signal.SIGINT)
            break
    out, rest = process.communicate(timeout=300)
    assert out == ""
    return rest.splitlines()[-1]


@pytest.mark.skipif(sys.platform == "win32", reason="no Ctrl-C can be sent to a process alone")
def test_ctrl_c_keeps_the_model_of_the_last_complete_iteration(files, tmp_path):
    target = tmp_path / "m"
    # a tolerance that is never reached, so that only Ctrl-C can end it
    process = start(
        files / "train.txt", "--model", "m3n", "--tol", "1e-15", "--max-iter", "10000000", "-o", target, "--verbose"
    )
    said = interrupt_after(30, process)
    assert process.returncode == 130
    model = load_tagger(str(target)).estimator
    assert model.n_iter_ >= 30
    assert said == (
        f"interrupted after {model.n_iter_} iterations, at a gap of {model.gap_:.1e}: the model of the last complete "
        f"iteration was saved to {target}"
    )


def test_a_fit_in_a_process_of_its_own(files, tmp_path):
    process = start(files / "train.txt", "-o", tmp_path / "m", "--json", "--verbose")
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0
    assert json.loads(out)["output"] == str(tmp_path / "m")
    assert all(line.startswith(("iteration", "training", "compiling")) for line in err.splitlines())
    assert mg.load(tmp_path / "m").n_iter_ == json.loads(out)["iterations"]
