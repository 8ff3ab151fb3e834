"""The account of skipped tests: a test that is skipped and that nobody expects to be skipped fails the run."""

from pathlib import Path

import pytest


class SkippedTests:
    """A pytest plugin that writes down which tests (or whole files) were skipped, without their parameters."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):  # an expected failure reports itself as skipped
            self.names.add(report.nodeid.split("[")[0])

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.names.add(report.nodeid)


def read_expected(path: Path) -> set[str]:
    """The names in a list: one a line, the parameters left out, `#` starts a comment."""
    lines = (line.split("#")[0].strip() for line in path.read_text(encoding="utf-8").splitlines())
    return {line for line in lines if line}


def report_lines(skipped: set[str], expected: set[str], source: str) -> list[str]:
    """What to tell whoever ran the tests; nothing where the two agree."""
    return [f"skipped, but not in {source}: {name}" for name in sorted(skipped - expected)] + [
        f"in {source}, but it ran (or is gone): {name}" for name in sorted(expected - skipped)
    ]
