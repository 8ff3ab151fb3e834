"""Which tests run, and that none of them is skipped in silence."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.skips import SkippedTests, read_expected, report_lines

LISTS = Path(__file__).parent / "expected_skips"
#: Compiling a kernel and a loaded machine both take time that says nothing about the code.
settings.register_profile("margrave", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", parent=settings.get_profile("margrave"), derandomize=True, print_blob=True)
settings.register_profile("few", parent=settings.get_profile("ci"), max_examples=5)
settings.load_profile("ci" if os.environ.get("CI") else "margrave")

_SKIPPED = pytest.StashKey[SkippedTests]()


def data_folder() -> Path | None:
    value = os.environ.get("MARGRAVE_DATA")
    return Path(value) if value and Path(value).is_dir() else None


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")
    parser.addoption(
        "--expected-skips",
        action="store_true",
        help="fail unless the skipped tests are those of tests/expected_skips (for runs of the whole suite)",
    )


def pytest_configure(config: pytest.Config) -> None:
    # Only the process that reports keeps the list: with pytest-xdist the workers send their reports to it.
    if not hasattr(config, "workerinput"):
        config.stash[_SKIPPED] = SkippedTests()
        config.pluginmanager.register(config.stash[_SKIPPED], "skipped-tests")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    no_data = pytest.mark.skip(reason="the environment variable MARGRAVE_DATA names no folder")
    too_slow = pytest.mark.skip(reason="slow: give --slow to run it")
    for item in items:
        if "data" in item.keywords and data_folder() is None:
            item.add_marker(no_data)
        if "slow" in item.keywords and not config.getoption("--slow"):
            item.add_marker(too_slow)


def _lines(config: pytest.Config) -> list[str]:
    name = "without_data.txt" if data_folder() is None else "with_data.txt"
    return report_lines(config.stash[_SKIPPED].names, read_expected(LISTS / name), f"tests/expected_skips/{name}")


@pytest.hookimpl(tryfirst=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    config = session.config
    checked = _SKIPPED in config.stash and config.getoption("--expected-skips")
    if checked and session.exitstatus == pytest.ExitCode.OK and _lines(config):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if not config.getoption("--expected-skips"):
        return
    lines = _lines(config)
    if lines:
        terminalreporter.section("the skipped tests are not the expected ones", red=True)
        for line in lines:
            terminalreporter.write_line(line)
