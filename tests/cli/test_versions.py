import json

from margrave.versions import versions


def test_as_the_library_prints_them(margrave):
    lines = margrave("versions").stdout.splitlines()
    assert [line.split()[0] for line in lines] == list(versions())


def test_json(margrave):
    assert json.loads(margrave("versions", "--json").stdout) == versions()
