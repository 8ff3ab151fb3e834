"""The rules of the house that no linter knows."""

import ast
import re
import statistics
from importlib.metadata import version
from pathlib import Path

import pytest

import margrave

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "margrave"
FILES = sorted(SOURCE.rglob("*.py"))
LARGEST_FILE = 300
MEDIAN_FILE = 170
LARGEST_FUNCTION = 30
#: Packages in which nothing may know what kind of structure it works on.
GENERIC = ("graphs", "inference", "losses", "solvers")
STRUCTURE_WORDS = {"chain", "chains", "sequence", "sequences", "sequential"}


def relative(path):
    return path.relative_to(SOURCE).as_posix()


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def lines_of(path):
    return len(path.read_text(encoding="utf-8").splitlines())


def docstrings(tree):
    """The identities of the strings that stand alone as a statement."""
    alone = (node.value for node in ast.walk(tree) if isinstance(node, ast.Expr))
    return {id(value) for value in alone if isinstance(value, ast.Constant) and isinstance(value.value, str)}


# ------------------------------------------------------------------------------------------------------------- versions


def test_changelog_knows_the_version():
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert headings[0] == "Unreleased"
    if ".dev" not in margrave.__version__:
        assert headings[1] == margrave.__version__


def test_installed_version_is_the_written_one():
    assert version("margrave") == margrave.__version__


# ---------------------------------------------------------------------------------------------------------------- sizes


def test_no_file_is_too_long():
    assert not [f"{relative(path)}: {lines_of(path)}" for path in FILES if lines_of(path) > LARGEST_FILE]


def test_files_are_short():
    assert statistics.median(lines_of(path) for path in FILES if path.name != "__init__.py") <= MEDIAN_FILE


def is_kernel(function):
    return any("kernel" in ast.unparse(decorator) for decorator in function.decorator_list)


def code_lines(function):
    """Lines of the statements in a function: no docstring, no comment between them, no blank line, no signature."""
    strings = docstrings(function)
    held = set()
    for node in ast.walk(function):
        if isinstance(node, ast.stmt) and node is not function and id(getattr(node, "value", None)) not in strings:
            inner = getattr(node, "body", None)
            last = inner[0].lineno - 1 if inner else node.end_lineno
            held.update(range(node.lineno, max(node.lineno, last) + 1))
    return len(held)


def functions(path):
    return [node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)]


def test_functions_other_than_kernels_are_short():
    assert not [
        f"{relative(path)}: {function.name} has {code_lines(function)} lines of code"
        for path in FILES
        for function in functions(path)
        if not is_kernel(function) and code_lines(function) > LARGEST_FUNCTION
    ]


# ---------------------------------------------------------------------------------------------------------------- names


def test_no_room_without_a_purpose():
    rooms = {part for path in FILES for part in Path(relative(path)).with_suffix("").parts}
    purposeless = re.compile(r"^_?(utils?|helpers?|common|misc)$")
    assert not [room for room in rooms if purposeless.match(room)]


def words(text):
    """`chainLength`, `CHAIN_LENGTH` and "a chain's length" all hold the word chain."""
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", text)}


def is_foreign(node):
    return isinstance(node, ast.ImportFrom) and not node.level and node.module.split(".")[0] != "margrave"


def foreign_names(tree):
    """What comes from outside, such as `collections.abc.Sequence`: its name is not ours to choose."""
    return {alias.asname or alias.name for node in ast.walk(tree) if is_foreign(node) for alias in node.names}


def identifiers(node):
    """The identifiers that a node itself spells."""
    fields = ("id", "attr", "arg", "name", "asname", "module", "rest", "kwd_attrs", "names")
    for field in fields:
        value = getattr(node, field, None)
        for item in value if isinstance(value, list) else [value]:
            if isinstance(item, str):
                yield item


def structure_words(source):
    """Where a source names a kind of structure, in identifiers or in strings other than docstrings."""
    tree = ast.parse(source)
    strings, foreign = docstrings(tree), foreign_names(tree)
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant):
            spelled = [node.value] if isinstance(node.value, str) and id(node) not in strings else []
        else:
            spelled = [name for name in identifiers(node) if name not in foreign]
        found += [text for text in spelled if words(text) & STRUCTURE_WORDS]
    return found


def generic_files():
    """Every file of the generic packages, apart from the structure itself and the list of names that holds it."""
    return [
        path
        for package in GENERIC
        for path in sorted((SOURCE / package).rglob("*.py"))
        if not (package == "graphs" and (path.name == "__init__.py" or "sequence" in path.stem))
    ]


@pytest.mark.parametrize("path", generic_files(), ids=relative)
def test_generic_packages_name_no_kind_of_structure(path):
    assert not structure_words(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "source",
    [
        "is_chain = True",
        "if kind == 'chain': pass",
        "def f(n_sequences): pass",
        "class ChainKernel: pass",
        "x.chain_length",
        "from margrave.graphs import Sequence",
        "f(sequence=1)",
        "raise ValueError(f'sequence {i} is empty')",
    ],
)
def test_the_search_finds_names_of_structures(source):
    assert structure_words(source)


@pytest.mark.parametrize(
    "source",
    [
        '"""Chains are trees."""',
        "x = 1  # a chain",
        'def f():\n    """Sum over the chain."""',
        "from collections.abc import Sequence\n\ndef f(x: Sequence[int]) -> None: ...",
        "from itertools import chain\nchain(a, b)",
        "consequence = 1",
    ],
)
def test_the_search_leaves_comments_docstrings_and_foreign_names_alone(source):
    assert not structure_words(source)
