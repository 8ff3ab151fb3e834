import os
import subprocess
import sys
import textwrap

import pytest

import margrave as mg
from tests.estimators.by_enumeration import sequences

X, Y = sequences()


def test_silent_unless_asked(capfd):
    mg.ChainCRF().fit(X, Y).predict(X)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("kind", [mg.ChainCRF, mg.ChainM3N])
def test_a_line_per_record(kind, capsys):
    seen = []
    model = kind(tol=1e-2, verbose=1).fit(X, Y, callback=seen.append)
    printed = capsys.readouterr()
    lines = [line for line in printed.err.splitlines() if line.startswith("iteration")]
    assert printed.out == ""
    assert len(lines) == len(model.history_) == len(seen)
    last = model.history_[-1]
    assert f"iteration {last['iteration']:5d}" in lines[-1]
    assert f"objective {last['objective']:.6g}" in lines[-1]
    assert f"gap {last['gap']:.2e}" in lines[-1]
    assert (" dual " in lines[-1]) == (last["dual"] is not None)


def test_the_users_callback_still_stops(capsys):
    model = mg.ChainCRF(verbose=1, tol=1e-9).fit(X, Y, callback=lambda record: True)
    assert len(model.history_) == 1
    assert len([line for line in capsys.readouterr().err.splitlines() if line.startswith("iteration")]) == 1


def test_compilation_is_announced_once(tmp_path):
    # without a compiler's cache the kernels of this small problem are compiled; a second fit compiles nothing
    code = """
        import margrave as mg
        from margrave.estimators.progress import announcing_compilation
        from margrave.scores.dense import few_squares
        import numpy as np
        for _ in range(2):
            with announcing_compilation(1):
                few_squares(np.eye(2), np.ones((2, 3)))
                few_squares(np.eye(2), np.ones((2, 3)))
        with announcing_compilation(0):
            pass
    """
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    )
    assert run.stderr == "compiling kernels, once on this machine ...\n"
