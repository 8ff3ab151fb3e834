import io

import numba
import pytest
from rich.console import Console

import margrave as mg
from margrave.cli.progress import Watcher

X, Y = [[["a"], ["b"]], [["b"]]] * 3, [["A", "B"], ["B"]] * 3


def watched(console, verbose=False, tol=1e-6):
    with Watcher(tol, 1000, verbose, console).showing() as watcher:
        return mg.ChainCRF(tol=tol).fit(X, Y, callback=watcher.begin("training"))


def test_nothing_is_printed_where_nobody_looks_on(capfd):
    watched(Console(file=io.StringIO()))
    assert capfd.readouterr() == ("", "")


def test_a_line_per_iteration_where_asked_for(capsys):
    fitted = watched(Console(file=io.StringIO()), verbose=True)
    printed = capsys.readouterr()
    assert printed.out == ""
    lines = [line for line in printed.err.splitlines() if line.startswith("iteration")]
    assert "training ..." in printed.err
    assert [int(line.split()[1]) for line in lines] == [record["iteration"] for record in fitted.history_]
    last = fitted.history_[-1]
    assert f"objective {last['objective']:.6g}  gap {last['gap']:.1e}" in lines[-1]
    assert lines[-1].endswith(" left")


def test_a_bar_where_a_person_looks_on(capfd):
    drawn = io.StringIO()
    fitted = watched(Console(file=drawn, force_terminal=True, width=140))
    last = fitted.history_[-1]
    assert f"iteration {last['iteration']}  objective {last['objective']:.6g}" in drawn.getvalue()
    assert "training" in drawn.getvalue()
    assert capfd.readouterr() == ("", "")


def test_the_fit_is_the_same_whether_it_is_watched_or_not():
    assert watched(Console(file=io.StringIO())).weights_.tolist() == mg.ChainCRF(tol=1e-6).fit(X, Y).weights_.tolist()


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")
@pytest.mark.parametrize("terminal", [False, True])
def test_compiling_is_announced_once(capsys, terminal):
    drawn = io.StringIO()
    with Watcher(1e-3, 10, True, Console(file=drawn, force_terminal=terminal, width=140)).showing():
        numba.njit(lambda x: x + 1)(1)  # not kept in a cache: compiled whenever the test runs
        numba.njit(lambda x: x + 2)(1)
    seen = drawn.getvalue() if terminal else capsys.readouterr().err
    assert "compiling kernels, once on this machine" in seen
    if not terminal:
        assert seen.count("compiling") == 1


def test_each_fit_has_a_history_of_its_own(capsys):
    with Watcher(1e-6, 1000, True, Console(file=io.StringIO())).showing() as watcher:
        for title in ("first", "second"):
            mg.ChainCRF(tol=1e-6).fit(X, Y, callback=watcher.begin(title))
    first, second = capsys.readouterr().err.split("second ...\n")
    assert [line.split()[:6] for line in first.splitlines()[1:]] == [line.split()[:6] for line in second.splitlines()]
