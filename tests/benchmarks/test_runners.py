"""Every runner can be run, and says what it is."""

from importlib import import_module
from pathlib import Path

import pytest

import benchmarks.__main__ as command

README = Path(command.__file__).with_name("README.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", command.runners())
def test_a_runner_has_help(name, capsys):
    with pytest.raises(SystemExit) as stop:
        import_module(f"benchmarks.{name}").main(["--help"])
    assert stop.value.code == 0
    assert name in capsys.readouterr().out


@pytest.mark.parametrize("name", command.runners())
def test_a_runner_stands_in_the_readme(name):
    assert f"| `{name}` |" in README


def test_an_unknown_name_is_refused():
    with pytest.raises(SystemExit, match="no benchmark is called nothing"):
        command.main(["nothing"])
