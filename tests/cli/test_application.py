import subprocess
import sys

import pytest

import margrave as mg

COMMANDS = ["demo", "fit", "predict", "evaluate", "inspect", "warmup", "versions"]


def test_every_command_is_there_and_the_codes_are_told(margrave):
    shown = margrave("--help").stdout
    assert all(f" {command} " in shown for command in COMMANDS)
    assert "130 for Ctrl-C" in shown


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_says_what_it_does(margrave, command):
    shown = margrave(command, "--help").stdout
    assert f"margrave {command}" in " ".join(shown.split()) or f"root {command}" in shown
    assert "--help" in shown


def test_a_command_that_is_none_and_no_command(margrave):
    assert "No such command" in margrave("train", code=2).stderr
    assert margrave(code=2).stdout.lstrip().startswith("Usage")


def test_an_option_that_is_none(margrave, files):
    assert "No such option" in margrave("fit", files / "train.txt", "--wings", code=2).stderr


def test_debug_shows_where_an_error_came_from():
    command = [sys.executable, "-m", "margrave", "--debug", "evaluate", "nothing", "nowhere"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 2
    assert run.stderr.startswith("Traceback")
    assert run.stderr.splitlines()[-1].startswith("error: nothing could not be read")
    assert run.stdout == ""


def test_help_waits_for_nothing_heavy():
    code = """
        import sys
        from margrave.cli import app
        app(["fit", "--help"], standalone_mode=False)
        print(sorted({"numba", "scipy", "sklearn", "joblib"} & set(sys.modules)))
    """
    command = [sys.executable, "-c", "\n".join(line.strip() for line in code.splitlines())]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "[]"


def test_version(margrave):
    assert margrave("--version").stdout == f"margrave {mg.__version__}\n"
