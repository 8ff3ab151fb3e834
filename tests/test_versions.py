import json
import re
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import margrave as mg
from margrave.versions import OPTIONAL, REQUIRED, versions

PROJECT = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def names(requirements):
    return {re.match(r"[\w-]+", requirement)[0] for requirement in requirements}


def test_what_is_installed_is_told_by_its_version():
    found = versions()
    assert found["margrave"] == mg.__version__
    assert found["python"].startswith("{}.{}.{}".format(*sys.version_info))
    for package in ("numpy", "scipy", "numba", "llvmlite", "scikit-learn", "highspy"):
        assert found[package] == version(package)


def test_what_is_missing_is_none_and_said(monkeypatch, capsys):
    monkeypatch.setattr("margrave.versions.OPTIONAL", ("no-such-package",))
    assert versions()["no-such-package"] is None
    mg.show_versions()
    assert re.search(r"^no-such-package +not installed \(optional\)$", capsys.readouterr().out, flags=re.MULTILINE)


def test_one_line_for_each(capsys):
    mg.show_versions()
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(versions())


def test_the_optional_ones_are_those_of_the_extras():
    extras = PROJECT["optional-dependencies"]
    assert set(OPTIONAL) == set().union(*(names(extras[name]) for name in extras if name not in ("all", "dev", "docs")))
    assert set(REQUIRED) - {"llvmlite"} <= names(PROJECT["dependencies"])


def test_nothing_is_imported_to_find_versions():
    code = "import margrave, json, sys; margrave.show_versions(); print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    modules = json.loads(run.stdout.splitlines()[-1])
    assert not {"numpy", "numba", "sklearn", "highspy"}.intersection(modules)
