"""PyStruct, built where it can be: its newest release (0.3.2, of 2018) does not install on the Pythons of today.

Its source distribution is fetched by pip into results/pystruct/, mended, built in a virtual environment of its own
there, and run in a process of its own; nothing of it is part of this repository. What is mended:
- setup.py asks for 2to3, which setuptools 58 has dropped;
- the two files of C are Cython's of 2018, which CPython 3.11 refuses, and their .pyx are not in the distribution: they
  are read back from the comments of the C, where Cython puts every line, and translated by Cython 0.29 again;
- np.int, np.float, np.bool and sklearn.externals.joblib are gone.
AD3 is not needed for chains, and is left out.
"""

import json
import re
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks._report import RESULTS

VERSION = "0.3.2"
HOME = RESULTS / "pystruct"
CHILD = Path(__file__).with_name("_pystruct_child.py")
TOOLS = ("setuptools<58", "wheel", "cython==0.29.37", "numpy", "scipy", "scikit-learn", "joblib", "cvxopt")


def passes(X: list[Any], y: list[Any], C: float, n_passes: int, again: bool = False) -> dict[str, Any]:
    """CPU seconds of a run of `FrankWolfeSSVM(ChainCRF())`, and what it reached; "reason" where it is not built."""
    try:
        python = build(again)
        np.savez(HOME / "words.npz", features=np.concatenate(X), labels=np.concatenate(y), lengths=[len(x) for x in X])
        done = _run(str(python), str(CHILD), str(HOME / "words.npz"), str(C), str(n_passes))
    except (subprocess.CalledProcessError, OSError) as error:
        said = str(getattr(error, "stderr", None) or error).strip().splitlines()
        return {"reason": said[-1] if said else repr(error)}
    found: dict[str, Any] = json.loads(done.splitlines()[-1])
    return found


def build(again: bool = False) -> Path:
    """The Python of an environment that has PyStruct; made once, in a minute or two."""
    python, done = HOME / "env" / "bin" / "python", HOME / "built"
    if done.exists() and not again:
        return python
    HOME.mkdir(parents=True, exist_ok=True)
    _run(sys.executable, "-m", "venv", "--clear", str(HOME / "env"))
    pip = (str(python), "-m", "pip", "--disable-pip-version-check", "--quiet")
    _run(*pip, "install", *TOOLS)
    whence = ("--no-deps", "--no-binary", ":all:", "--no-build-isolation")
    _run(*pip, "download", f"pystruct=={VERSION}", *whence, "--dest", str(HOME))
    with tarfile.open(HOME / f"pystruct-{VERSION}.tar.gz") as archive:
        archive.extractall(HOME, filter="data")
    source = HOME / f"pystruct-{VERSION}"
    mend(source)
    _run(*pip, "install", "--no-deps", "--no-build-isolation", str(source))
    done.touch()
    return python


def mend(source: Path) -> None:
    """See the module; in place."""
    for path in source.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        text = re.sub(r"\bnp\.(int|float|bool)\b(?!_)", r"\1", text).replace("sklearn.externals.joblib", "joblib")
        if path == source / "setup.py":
            text = re.sub(r"use_2to3=True,", "", text).replace('.c"]', '.pyx"]')
        path.write_text(text, encoding="utf-8")
    for name in ("src/utils.c", "pystruct/inference/_viterbi.c"):
        path = source / name
        path.with_suffix(".pyx").write_text(cython_source(path.read_text(encoding="utf-8")), encoding="utf-8")
        path.unlink()


def cython_source(text: str) -> str:
    """The lines that Cython has put into the comments of its C, each with the two before and after it.

    What no comment shows are blank lines and the insides of docstrings and of fused types.
    """
    lines: dict[int, str] = {}
    for name, number, comment in re.findall(r'/\* "([^"]+)":(\d+)\n((?: \*.*\n)+)', text):
        if not name.endswith(".pyx") or "numpy" in name:
            continue
        body = [line[3:] for line in comment.splitlines() if not line.startswith(" */")]
        here = next(k for k, line in enumerate(body) if "# <<<<" in line)
        for k, line in enumerate(body, start=int(number) - here):
            lines[k] = re.sub(r"\s*# <<<<+\s*$", "", line)
    whole = "\n".join(lines.get(k, "") for k in range(1, max(lines) + 1))
    whole = re.sub(r'(    """[^"\n]+)\n', r'\1"""\n', whole)  # a docstring that lost its end
    fused = "ctypedef fused some_int:\n    cython.int\n    cython.long\n"
    return re.sub(r"^    cython\.uint\n", fused, whole, flags=re.MULTILINE).replace("xrange", "range")


def _run(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout
