import gzip
import hashlib
import lzma
import os
import socket
import subprocess
import sys

import pytest

from margrave.datasets import DataFile, DatasetChecksumError, DatasetNotFoundError, Origin, Registry

CONTENTS = b"the DT B-NP\n"
OTHER = b"a DT B-NP\n"


@pytest.fixture(autouse=True)
def no_surroundings(monkeypatch):
    """Neither a data folder nor a proxy of the machine may answer for what a test sets up."""
    monkeypatch.delenv("MARGRAVE_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def registry(host=None, name="toy"):
    origin = None if host is None else Origin("owner/name", "c0ffee", "text/train.txt", host=host)
    file = DataFile("toy/train.txt", hashlib.sha256(CONTENTS).hexdigest(), origin)
    return Registry(name, {"train": file}, licence=f"{name}: for everyone")


def put(folder, contents=CONTENTS, name="train.txt"):
    path = folder / "toy" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(contents)
    return path


def closed_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def test_folder_of_the_environment_comes_before_the_cache(tmp_path, monkeypatch):
    in_folder, in_cache = put(tmp_path / "folder"), put(tmp_path / "cache")
    assert registry().locate("train", data_home=tmp_path / "cache") == in_cache
    monkeypatch.setenv("MARGRAVE_DATA", str(tmp_path / "folder"))
    assert registry().locate("train", data_home=tmp_path / "cache") == in_folder


def test_cache_answers_where_the_folder_lacks_the_file(tmp_path, monkeypatch):
    in_cache = put(tmp_path / "cache")
    monkeypatch.setenv("MARGRAVE_DATA", str(tmp_path))
    assert registry().locate("train", data_home=tmp_path / "cache") == in_cache


@pytest.mark.parametrize(("suffix", "pack"), [(".xz", lzma.compress), (".gz", gzip.compress)])
def test_checksum_is_that_of_the_unpacked_contents(tmp_path, suffix, pack):
    path = put(tmp_path, pack(CONTENTS), f"train.txt{suffix}")
    assert registry().locate("train", data_home=tmp_path) == path
    put(tmp_path, pack(OTHER), f"train.txt{suffix}")
    with pytest.raises(DatasetChecksumError, match="of the unpacked contents"):
        registry().locate("train", data_home=tmp_path)


def test_another_file_is_refused_and_not_passed_over(tmp_path, monkeypatch):
    wrong = put(tmp_path / "folder", OTHER)
    put(tmp_path / "cache")
    monkeypatch.setenv("MARGRAVE_DATA", str(tmp_path / "folder"))
    with pytest.raises(DatasetChecksumError) as caught:
        registry().locate("train", data_home=tmp_path / "cache")
    message = str(caught.value)
    assert str(wrong) in message
    assert f"expected SHA-256 {hashlib.sha256(CONTENTS).hexdigest()}" in message
    assert f"got {hashlib.sha256(OTHER).hexdigest()}" in message


def test_missing_file_without_origin_says_what_to_put_where(tmp_path, monkeypatch):
    monkeypatch.setenv("MARGRAVE_DATA", str(tmp_path / "folder"))
    with pytest.raises(DatasetNotFoundError) as caught:
        registry().locate("train", data_home=tmp_path / "cache")
    message = str(caught.value)
    assert isinstance(caught.value, FileNotFoundError)
    for part in ("toy/train.txt", "MARGRAVE_DATA", str(tmp_path / "folder"), str(tmp_path / "cache" / "toy")):
        assert part in message
    assert "no public origin" in message


def test_origin_is_fetched_once_and_kept_in_the_cache(served, tmp_path):
    folder, host = served
    (folder / "text").mkdir()
    (folder / "text" / "train.txt").write_bytes(CONTENTS)
    path = registry(host).locate("train", data_home=tmp_path / "cache")
    assert path == tmp_path / "cache" / "toy" / "train.txt"
    assert path.read_bytes() == CONTENTS
    (folder / "text" / "train.txt").unlink()
    assert registry(host).locate("train", data_home=tmp_path / "cache") == path


def test_origin_that_serves_another_file_leaves_nothing_in_the_cache(served, tmp_path):
    folder, host = served
    (folder / "text").mkdir()
    (folder / "text" / "train.txt").write_bytes(OTHER)
    with pytest.raises(DatasetChecksumError, match=r"owner/name/c0ffee/text/train\.txt does not serve the published"):
        registry(host).locate("train", data_home=tmp_path / "cache")
    assert [path for path in (tmp_path / "cache").rglob("*") if path.is_file()] == []


def test_origin_without_the_file_names_the_place_that_would_do(served, tmp_path):
    _, host = served
    with pytest.raises(DatasetNotFoundError, match="HTTPError") as caught:
        registry(host).locate("train", data_home=tmp_path / "cache")
    assert str(tmp_path / "cache" / "toy" / "train.txt") in str(caught.value)


def test_unreachable_origin_names_folder_and_file(tmp_path):
    with pytest.raises(DatasetNotFoundError) as caught:
        registry(f"http://127.0.0.1:{closed_port()}").locate("train", data_home=tmp_path)
    message = str(caught.value)
    assert "ConnectionError" in message
    assert "MARGRAVE_DATA" in message
    assert str(tmp_path / "toy" / "train.txt") in message


def test_no_download_where_it_is_forbidden(served, tmp_path):
    folder, host = served
    (folder / "text").mkdir()
    (folder / "text" / "train.txt").write_bytes(CONTENTS)
    with pytest.raises(DatasetNotFoundError, match="download_if_missing=False"):
        registry(host).locate("train", data_home=tmp_path / "cache", download_if_missing=False)


def test_licence_note_is_printed_once_per_process(tmp_path, capsys):
    put(tmp_path)
    entry = registry(name="toy-of-the-licence-test")
    entry.locate("train", data_home=tmp_path)
    entry.locate("train", data_home=tmp_path)
    assert capsys.readouterr().err == "toy-of-the-licence-test: for everyone\n"


def test_the_network_library_is_not_imported_for_files_in_a_folder(tmp_path):
    put(tmp_path)
    code = (
        "import sys, hashlib; from margrave.datasets import DataFile, Registry; "
        f"file = DataFile('toy/train.txt', hashlib.sha256({CONTENTS!r}).hexdigest()); "
        f"Registry('toy', {{'train': file}}, 'note').locate('train'); "
        "print(sorted({'pooch', 'requests'} & set(sys.modules)))"
    )
    environment = {**os.environ, "MARGRAVE_DATA": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
