"""Every example on every page of the documentation runs, and prints what the page says."""

import doctest
import importlib
import re
import shlex
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from margrave.cli import app

DOCS = Path(__file__).parents[2] / "docs"
#: Pages that take their text from elsewhere, and have no examples of their own.
WITHOUT_EXAMPLES = {"changelog.md", "contributing.md", "decisions.md"}
PAGES = sorted(path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md"))
BLOCK = re.compile(r"^```(?P<kind>[^\n`]*)\n(?P<code>.*?)^```$", flags=re.MULTILINE | re.DOTALL)
FLAGS = doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS


def blocks(page):
    """The fenced blocks of a page: what they are, their text, and the line they begin at."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return [(m["kind"].strip(), m["code"], text.count("\n", 0, m.start("code"))) for m in BLOCK.finditer(text)]


def commands(code):
    """The examples of a console block, `$ margrave ...` and what it prints, as a doctest reads them."""
    code = re.sub(r"^\$ (.*)$", lambda m: f">>> margrave({m[1]!r})", code, flags=re.MULTILINE)
    return re.sub(r"^\s*$", "<BLANKLINE>", code, flags=re.MULTILINE) if ">>>" in code else code


def margrave(command):
    """Run a command line in this process."""
    program, *arguments = shlex.split(command)
    assert program == "margrave", f"only margrave can be run, not {program}"
    result = CliRunner().invoke(app, arguments, terminal_width=100)
    sys.stdout.write(result.output)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception


def run_doctest(code, names, page, line):
    """Run the examples of one block; what failed, in words."""
    test = doctest.DocTestParser().get_doctest(code, {}, page, str(DOCS / page), line)
    test.globs = names  # the parser copies what it is given, and names must last
    said = []
    doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test, out=said.append, clear_globs=False)
    return "".join(said)


def run_page(page):
    """Run a page from top to bottom in one namespace; how many blocks ran, and what failed."""
    names, failures, n_run = {"__name__": "page", "margrave": margrave}, [], 0
    for kind, code, line in blocks(page):
        if kind == "python":
            exec(compile("\n" * line + code, str(DOCS / page), "exec"), names)
        elif kind == "pycon":
            failures.append(run_doctest(code, names, page, line))
        elif kind == "console":
            failures.append(run_doctest(commands(code), {"margrave": margrave}, page, line))
        else:
            if kind == "{code-block} text":  # a file, under the name of its caption
                caption, _, text = code.partition("\n\n")
                Path(caption.removeprefix(":caption: ")).write_text(text, encoding="utf-8")
            continue
        n_run += 1
    return n_run, "".join(failures)


@pytest.mark.parametrize("page", [page for page in PAGES if page not in WITHOUT_EXAMPLES])
def test_the_examples_of_a_page_run(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("MARGRAVE_DATA", raising=False)  # pages say the same with and without the folder
    monkeypatch.syspath_prepend(str((DOCS / page).parent))  # where the files lie that a page shows
    n_run, failures = run_page(page)
    assert not failures, failures
    assert n_run, f"{page} has no example that runs"


@pytest.mark.parametrize("page", PAGES)
def test_code_that_is_not_run_says_so(page):
    for kind, code, line in blocks(page):
        if kind == "{code-block} text":
            assert re.match(r":caption: [a-z_]+\.[a-z]+\n\n", code), f"{page}, line {line}: a file without a name"
        elif kind.startswith("{code-block}"):
            assert re.match(r":caption: Not run", code), f"{page}, line {line}: a block that no test runs"
        else:
            assert kind in {"python", "pycon", "console", "sh", "text"} or kind.startswith("{"), f"{page}, line {line}"


def test_every_public_package_has_a_page_of_reference():
    source = DOCS.parent / "src" / "margrave"
    packages = {f"margrave.{path.parent.name}" for path in source.glob("*/__init__.py")}
    public = {name for name in packages if getattr(importlib.import_module(name), "__all__", [])}
    written = "".join(path.read_text(encoding="utf-8") for path in (DOCS / "api").glob("*.rst"))
    documented = set(re.findall(r"automodule:: (\S+)", written))
    assert documented - {"margrave"} == public - {"margrave.cli"}
