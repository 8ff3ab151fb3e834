import subprocess
import sys
from pathlib import Path

import pytest

from tests.skips import SkippedTests, read_expected, report_lines

ROOT = Path(__file__).parent.parent

SUITE = """
import pytest

def test_runs(): pass

@pytest.mark.parametrize("n", [1, 2])
def test_skipped(n): pytest.skip("for the test")

@pytest.mark.xfail(strict=True)
def test_known_failure(): assert False
"""


def skipped_in(folder, name, source):
    path = folder / name
    path.write_text(source)
    account = SkippedTests()
    # a run in a run: no options of the outer one, and nothing written outside the folder
    pytest.main(["-q", "-p", "no:cacheprovider", "-c", str(folder / "none.ini"), str(path)], plugins=[account])
    return account.names


def test_skipped_tests_are_written_down_once_without_parameters(tmp_path):
    (tmp_path / "none.ini").write_text("[pytest]\n")
    assert skipped_in(tmp_path, "test_some.py", SUITE) == {"test_some.py::test_skipped"}


def test_a_file_skipped_as_a_whole_is_written_down(tmp_path):
    (tmp_path / "none.ini").write_text("[pytest]\n")
    source = "import pytest\npytest.importorskip('no_such_module_anywhere')\n"
    assert skipped_in(tmp_path, "test_whole.py", source) == {"test_whole.py"}


def test_lists_take_comments_and_blank_lines(tmp_path):
    (tmp_path / "list.txt").write_text("# why\n\na.py::test_x  # as nothing else works\n")
    assert read_expected(tmp_path / "list.txt") == {"a.py::test_x"}


def test_both_directions_are_reported():
    assert report_lines({"a", "b"}, {"b", "c"}, "list") == [
        "skipped, but not in list: a",
        "in list, but it ran (or is gone): c",
    ]
    assert report_lines({"a"}, {"a"}, "list") == []


@pytest.mark.parametrize(("marks", "name"), [("data or slow", "without_data.txt"), ("slow", "with_data.txt")])
def test_the_lists_are_those_of_the_marked_tests(marks, name):
    """A run has one of the two settings; this looks at both lists in either."""
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "-m", marks, "tests"]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    marked = {line.split("[")[0] for line in printed.splitlines() if line.startswith("tests/") and "::" in line}
    assert "deselected" in printed
    assert marked == read_expected(ROOT / "tests" / "expected_skips" / name)
