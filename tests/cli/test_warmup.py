import json

import pytest

from margrave.cli.errors import UnmetError
from margrave.cli.warming import Warmed


@pytest.fixture
def asked(monkeypatch):
    """What was asked for, in the place of minutes of compiling."""
    seen = []

    def warm_up(most_labels, report):
        report("8 labels: chains")
        seen.append(most_labels)
        return Warmed(compiled=0 if len(seen) > 1 else 63, folder="/kernels", labels=40, seconds=61.4)

    monkeypatch.setattr("margrave.cli.warming.warm_up", warm_up)
    return seen


def test_it_says_how_many_and_where(asked, margrave):
    said = margrave("warmup").stdout
    assert said == "63 kernels compiled, for up to 40 labels, in 61 s; they are kept in /kernels\n"
    assert margrave("warmup", "--labels", "33").stdout.startswith("every kernel was compiled already, ")
    assert asked == [40, 33]


def test_json(asked, margrave):
    assert json.loads(margrave("warmup", "--json").stdout) == {
        "compiled": 63, "folder": "/kernels", "labels": 40, "seconds": 61.4,
    }  # fmt: skip


def test_a_warm_up_that_keeps_nothing_has_failed(monkeypatch, refused):
    def warm_up(most_labels, report):
        raise UnmetError("there is no folder to keep them in")

    monkeypatch.setattr("margrave.cli.warming.warm_up", warm_up)
    assert refused("warmup", code=1) == "there is no folder to keep them in"


def test_no_labels_at_all(margrave):
    assert "--labels" in margrave("warmup", "--labels", "0", code=2).stderr
