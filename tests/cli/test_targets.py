import errno
import io
import json
import os
import sys

import pytest

from margrave.cli.errors import BadInputError, UnmetError
from margrave.cli.targets import checked_target, print_json, standard_output, write_lines


def test_a_file_that_can_be_written(tmp_path):
    assert checked_target(tmp_path / "model.mg") == tmp_path / "model.mg"
    assert list(tmp_path.iterdir()) == []


def test_a_link_is_written_through(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real" / "model.mg")
    assert checked_target(tmp_path / "link") == tmp_path / "real" / "model.mg"
    write_lines(["a\n"], str(tmp_path / "link"), "utf-8")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real" / "model.mg").read_text() == "a\n"


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(BadInputError, match="is a folder; expected the name of a file to write"):
        checked_target(tmp_path)


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(BadInputError, match=r"there is no folder .*nowhere to write model\.mg to; make it"):
        checked_target(tmp_path / "nowhere" / "model.mg")
    (tmp_path / "file").write_text("")
    with pytest.raises(BadInputError, match="there is no folder"):
        checked_target(tmp_path / "file" / "model.mg")


def test_a_folder_that_takes_no_files(tmp_path, monkeypatch):
    def refuse(**options):
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    with pytest.raises(BadInputError, match=r"takes no new file \(Permission denied\); name another"):
        checked_target(tmp_path / "model.mg")


@pytest.mark.skipif(os.name != "posix", reason="devices are files elsewhere than on Windows")
def test_a_device_is_written_to_but_never_replaced():
    with pytest.raises(BadInputError, match="is a device or a pipe"):
        checked_target("/dev/null")
    checked_target("/dev/null", replaced=False)
    write_lines(["a\n"], "/dev/null", "utf-8")
    assert not os.path.isfile("/dev/null")


def test_lines_to_a_file_and_to_standard_output(tmp_path, monkeypatch):
    write_lines(["é\n", "b\n"], str(tmp_path / "out"), "latin-1")
    assert (tmp_path / "out").read_bytes() == b"\xe9\nb\n"
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding="ascii"))
    write_lines(["é\n", "b\n"], "-", "utf-16")
    assert sys.stdout.buffer.getvalue().decode("utf-16") == "é\nb\n"


@pytest.mark.parametrize("error", [OSError(errno.ENOSPC, "No space left on device"), KeyboardInterrupt()])
def test_nothing_is_half_written(tmp_path, error):
    target = tmp_path / "out"
    target.write_text("before\n")

    def lines():
        yield "a\n"
        raise error

    with pytest.raises(UnmetError if isinstance(error, OSError) else KeyboardInterrupt) as caught:
        write_lines(lines(), str(target), "utf-8")
    if isinstance(error, OSError):
        assert "No space left on device; what was there before is as it was" in str(caught.value)
    assert target.read_text() == "before\n"
    assert list(tmp_path.iterdir()) == [target]


def test_json_without_what_json_has_not(capsys):
    print_json({"gap": float("nan"), "rows": [{"x": float("inf"), "y": 1.5}], "name": "é"})
    assert json.loads(capsys.readouterr().out) == {"gap": None, "rows": [{"x": None, "y": 1.5}], "name": "é"}


def test_words_are_printed_as_they_are(capsys):
    standard_output().print("[bold]:smile:[/] [x]")
    assert capsys.readouterr().out == "[bold]:smile:[/] [x]\n"
