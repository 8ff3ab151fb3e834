"""Files that hold a header and arrays: whole or not at all, and nothing but what was written."""

import os
import signal
import subprocess
import sys
import textwrap
import tracemalloc

import numpy as np
import pytest

from margrave.persistence import ModelFileError, read_file, write_file
from tests.persistence.signed import resigned, with_header

ARRAYS = {
    "f": np.array([[1.5, -np.inf], [np.nan, 0.0]]),
    "i": np.arange(5, dtype=np.int32),
    "none": np.empty((0, 3)),
    "truth": np.array([True, False]),
}


@pytest.fixture
def path(tmp_path):
    return tmp_path / "file.mg"


def test_what_was_written_is_read(path):
    write_file(path, {"name": "é", "number": 1.25}, ARRAYS)
    header, arrays = read_file(path)
    assert header["name"] == "é" and header["number"] == 1.25
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype and arrays[name].shape == array.shape
        assert arrays[name].tobytes() == array.tobytes()
        assert arrays[name].flags.aligned


def test_big_endian_and_strided_arrays_are_stored_as_little_endian_rows(path):
    array = np.arange(12, dtype=">f8").reshape(3, 4)[:, ::2]
    write_file(path, {}, {"a": array})
    np.testing.assert_array_equal(read_file(path)[1]["a"], array)


def test_objects_are_refused_and_nothing_is_written(path):
    with pytest.raises(TypeError, match="'a' of dtype object"):
        write_file(path, {}, {"a": np.array([None])})
    assert os.listdir(path.parent) == []


@pytest.mark.parametrize("seed", range(10))
def test_every_damaged_file_is_refused(path, seed):
    write_file(path, {"name": "x" * 50}, ARRAYS)
    content, rng = path.read_bytes(), np.random.default_rng(seed)
    for _ in range(1000):
        damaged = bytearray(content)
        kind = rng.integers(5)
        if kind == 0:
            damaged = damaged[: rng.integers(len(damaged))]
        elif kind == 1:
            damaged[rng.integers(len(damaged))] ^= 1 << rng.integers(8)
        elif kind == 2:
            damaged += rng.bytes(int(rng.integers(1, 100)))
        elif kind == 3:
            damaged[:8] = rng.bytes(8)
        else:
            at = rng.integers(len(damaged) - 8)
            piece = rng.bytes(8)
            damaged[at : at + 8] = piece if bytes(damaged[at : at + 8]) != piece else b"different"[:8]
        path.write_bytes(damaged)
        with pytest.raises(ModelFileError):
            read_file(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h["arrays"]["f"].update(dtype="|O8"),
        lambda h: h["arrays"]["f"].update(dtype=5),
        lambda h: h["arrays"]["f"].update(shape=[2**62, 2**62]),
        lambda h: h["arrays"]["f"].update(shape=[-1]),
        lambda h: h["arrays"]["f"].update(shape=[1.5]),
        lambda h: h["arrays"]["f"].update(shape=["2"]),
        lambda h: h["arrays"]["f"].update(shape=7),
        lambda h: h["arrays"]["f"].update(at=3),
        lambda h: h["arrays"]["f"].update(at=-64),
        lambda h: h["arrays"]["f"].update(at=2**70),
        lambda h: h["arrays"]["i"].update(at=0),
        lambda h: h["arrays"].update(again=h["arrays"]["f"]),
        lambda h: h["arrays"].update(g=None),
        lambda h: h.update(arrays=[1, 2]),
        lambda h: h.pop("arrays"),
        lambda h: h.pop("format"),
    ],
)
def test_signed_lies_about_arrays_are_refused(path, change):
    write_file(path, {}, ARRAYS)
    path.write_bytes(with_header(path.read_bytes(), change))
    with pytest.raises(ModelFileError):
        read_file(path)


def test_deep_json_is_refused(path):
    write_file(path, {}, ARRAYS)
    text = b'{"sha256": "' + b"0" * 64 + b'", "deep": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"
    path.write_bytes(resigned(len(text).to_bytes(8, "little") + text))
    with pytest.raises(ModelFileError, match="cannot be read"):
        read_file(path)


def test_a_newer_format_is_refused_with_a_sentence(path):
    write_file(path, {"library": "9.9"}, ARRAYS)
    path.write_bytes(with_header(path.read_bytes(), lambda h: h.update(format=2)))
    with pytest.raises(ModelFileError, match=r"format 2, written by margrave 9\.9.*upgrade"):
        read_file(path)


def test_memory_stays_below_twice_the_file(path):
    write_file(path, {}, {"a": np.zeros(2_000_000)})
    size = path.stat().st_size
    tracemalloc.start()
    try:
        read_file(path)
        assert tracemalloc.get_traced_memory()[1] <= 2 * size
    finally:
        tracemalloc.stop()


def test_a_full_disk_leaves_the_old_file(path):
    """RLIMIT_FSIZE makes the write fail as a full disk would."""
    write_file(path, {}, {"a": np.arange(10)})
    script = f"""
        import resource, signal
        import numpy as np
        from margrave.persistence import write_file
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
        try:
            write_file({str(path)!r}, {{}}, {{"a": np.zeros(100_000)}})
        except OSError as error:
            assert "as it was" in str(error), error
        else:
            raise SystemExit("it was written")
    """
    subprocess.run([sys.executable, "-c", textwrap.dedent(script)], check=True)
    np.testing.assert_array_equal(read_file(path)[1]["a"], np.arange(10))
    assert os.listdir(path.parent) == [path.name]


def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new(path):
    """The writer is killed at every system call that touches files, in turn."""
    write_file(path, {}, {"a": np.zeros(3)})
    script = f"""
        import os, signal, sys
        import numpy as np
        from margrave.persistence import container
        left = int(sys.argv[1])
        def deadly(function):
            def call(*args, **options):
                global left
                left -= 1
                if left < 0:
                    os.kill(os.getpid(), signal.SIGKILL)
                return function(*args, **options)
            return call
        os.fsync, os.replace, os.open = deadly(os.fsync), deadly(os.replace), deadly(os.open)
        container.open = deadly(open)
        container.write_file({str(path)!r}, {{}}, {{"a": np.ones(3)}})
    """
    seen = set()
    for moment in range(6):
        ended = subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(moment)], check=False)
        assert ended.returncode in (0, -signal.SIGKILL)
        seen.add(float(read_file(path)[1]["a"][0]))
        if ended.returncode == 0:
            break
    assert ended.returncode == 0 and seen == {0.0, 1.0}


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(OSError, match=r"could not save to .*nowhere"):
        write_file(tmp_path / "nowhere" / "a.mg", {}, {})
