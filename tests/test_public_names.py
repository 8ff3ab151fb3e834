"""Every package says what is public, and importing the library costs nothing that a user did not ask for."""

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import margrave

SOURCE = Path(margrave.__file__).parent
PACKAGES = ["margrave", *sorted(f"margrave.{path.parent.name}" for path in SOURCE.glob("*/__init__.py"))]
HEAVY = ("matplotlib", "pandas", "pooch", "typer", "torch", "sklearn.svm", "sklearn.linear_model")


def top_level(tree):
    """The statements of a module, those below an `if TYPE_CHECKING` included."""
    for node in tree.body:
        yield from node.body if isinstance(node, ast.If) else [node]


def names_bound_in(package):
    """The public names that an `__init__` imports from the library or defines at its top level."""
    path = SOURCE.joinpath(*package.split(".")[1:], "__init__.py")
    bound = set()
    for node in top_level(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "margrave":
            bound |= {alias.asname or alias.name for alias in node.names}
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            bound.add(node.name)
    return {name for name in bound if not name.startswith("_")}


@pytest.mark.parametrize("package", PACKAGES)
def test_all_is_sorted_and_complete(package):
    module = importlib.import_module(package)
    public = list(getattr(module, "__all__", []))
    assert public == sorted(set(public))
    assert {name for name in public if not name.startswith("_")} == names_bound_in(package)
    missing = [name for name in public if not hasattr(module, name)]
    assert not missing


def test_every_name_of_the_library_is_listed_by_dir():
    assert set(margrave.__all__) <= set(dir(margrave))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'margrave' has no attribute 'ChainCrf'"):
        margrave.ChainCrf  # noqa: B018


def modules_after(statement):
    code = f"{statement}\nimport json, sys\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_import_pulls_in_nothing_heavy():
    assert not modules_after("import margrave").intersection(HEAVY)


def test_using_the_library_pulls_in_nothing_heavy_beyond_what_scikit_learn_does():
    # scikit-learn's own base module imports pandas wherever it is installed
    use = "import margrave\nfor name in margrave.__all__:\n    getattr(margrave, name)"
    assert not (modules_after(use) - modules_after("import sklearn.base")).intersection(HEAVY)
