"""After a warm-up nothing is compiled any more: in processes of their own, with a cache folder of their own."""

import ast
import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import numba
import pytest

import margrave
from margrave.cli.errors import UnmetError
from margrave.cli.warming import kernels, warm_up

SOURCE = Path(margrave.__file__).parent
MOST_LABELS = 12  # two widths of kernels: what holds for two holds for more

compiled_only = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def run(code, folder, **environment):
    return subprocess.run(
        [sys.executable, "-W", "ignore", "-c", textwrap.dedent(code)],
        env={**os.environ, "NUMBA_CACHE_DIR": str(folder), **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=600,
    ).stdout


@pytest.fixture(scope="module")
def warm(tmp_path_factory):
    """A folder that was warmed up, and what the process that did it has to say."""
    folder = tmp_path_factory.mktemp("kernels")
    code = f"""
        import dataclasses, json
        from margrave.cli.warming import kernels, warm_up
        warmed = warm_up({MOST_LABELS})
        names = [f"{{k.py_func.__module__}}.{{k.py_func.__name__}}" for k in kernels() if k.signatures]
        print(json.dumps({{**dataclasses.asdict(warmed), "kernels": names}}))
    """
    return folder, json.loads(run(code, folder))


def written_kernels():
    """Every function that the sources put under a decorator of kernels."""
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef) and any("kernel" in ast.unparse(d) for d in node.decorator_list):
                module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
                yield f"margrave.{module}.{node.name}"


@compiled_only
def test_every_kernel_is_compiled(warm):
    warmed = warm[1]
    missing = sorted(set(written_kernels()) - set(warmed["kernels"]))
    assert not missing, f"no tiny problem runs {missing}: add one to margrave/cli/tiny_problems.py"
    assert warmed["compiled"] >= len(warmed["kernels"])
    assert warmed["labels"] == 16


@compiled_only
def test_it_says_where_kernels_are_kept(warm):
    folder, warmed = warm
    assert Path(warmed["folder"]) == folder
    assert list(folder.rglob("*.nbc"))


#: Fits, questions and files, none of them one of the tiny problems.
USES = """
    import itertools, os, tempfile
    import numpy as np
    from scipy import sparse
    import margrave as mg
    from margrave.primitives import on_first_compilation

    compiled = []
    rng = np.random.default_rng(7)
    forms = {
        "C": lambda x: x, "F": np.asfortranarray, "float32": lambda x: x.astype(np.float32),
        "int": lambda x: x.astype(int), "csr": sparse.csr_matrix, "csc": sparse.csc_array,
        "valued": lambda x: sparse.csr_array(0.3 * x),
        "64": lambda x: wide(sparse.csr_array(x)), "dicts": lambda x: [dict(zip("abcdef", row)) for row in x.tolist()],
        "read-only": lambda x: frozen(x.copy()), "every second row": lambda x: np.repeat(x, 2, axis=0)[::2],
    }

    def wide(x):
        x.indices, x.indptr = x.indices.astype(np.int64), x.indptr.astype(np.int64)
        return x

    def frozen(x):
        x.flags.writeable = False
        return x

    def use(K, form, kind, **options):
        lengths = (0, 1, 2, 7, K)
        X = [form((rng.random((n, 6)) < 0.5).astype(float)) for n in lengths]
        y = [rng.integers(K, size=n) for n in lengths[:-1]] + [np.arange(K)]
        model = kind(max_iter=3, n_jobs=2, random_state=0, **options).fit(X, y)
        model.predict(X), model.predict_marginals(X), model.log_proba(X, y), model.score(X, y), model.predict(X[1:2])
        return model, X

    with on_first_compilation(lambda: compiled.append(1)):
        for K, form, kind in itertools.product((2, 5, 8, 12), forms.values(), (mg.ChainCRF, mg.ChainM3N)):
            use(K, form, kind)
        for which, boundary in itertools.product(("observed", "all"), (False, True)):
            for kind in (mg.ChainCRF, mg.ChainM3N):
                nodes, edges = mg.scores.Linear(which, bias=True), mg.scores.Constant(which)
                use(5, forms["valued"], kind, nodes=nodes, edges=edges, boundary=boundary)
        for form, kernel in itertools.product(set(forms) - {"dicts"}, ("linear", "chi2", "rbf")):
            X = forms[form]((rng.random((20, 6)) < 0.5).astype(float))
            Y = rng.integers(0, 2, size=(20, 3))
            for loss, orders, size in (("hinge", 1, 2), ("log", 3, 2), ("hinge", 3, 3), ("log", 1, 3)):
                options = dict(loss=loss, n_orders=orders, clique_size=size, kernel=kernel, tol=0.1, n_jobs=2)
                model = mg.LMSBNClassifier(**options, random_state=0, max_iter=9).fit(X, Y)
                model.predict(X), model.predict(X[1:2]), model.predict_proba(X), model.predict(X, decode="hamming")
                model.predict_certified(X, given=np.where(Y, np.nan, Y)), model.predict_labellings(X, slack=2, most=3)
                model.set_params(inference=mg.inference.BranchAndBound(S=1, max_nodes=7, time_limit=1)).predict(X)
                model.predict_top_k(X, 3)
        model, X = use(12, forms["dicts"], mg.ChainCRF, C=1e6)  # scores far apart: some go to the logarithms
        model.weights_ *= 1e3
        model.predict_marginals(X)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "model")
            model.save(path)
            mg.load(path).predict_marginals(X)
    print(len(compiled))
"""


@compiled_only
def test_a_second_process_compiles_nothing(warm):
    assert run(USES, warm[0]) == "0\n"


@compiled_only
def test_the_command_fit_compiles_nothing_after_it(warm, files):
    code = """
        import sys
        from margrave.cli import app
        from margrave.primitives import on_first_compilation
        compiled = []
        with on_first_compilation(lambda: compiled.append(1)):
            app(["fit", sys.argv[1], "--json", "--choose-C", "1,2"], standalone_mode=False)
        print(len(compiled))
    """
    train = repr(str(files / "train.txt"))
    assert run(code.replace("sys.argv[1]", train), warm[0]).splitlines()[-1] == "0"


def test_kernels_are_found_where_they_are_written():
    from margrave.scores import dense

    found = kernels()
    assert numba.config.DISABLE_JIT or dense.few_squares in found
    assert len(found) == len({id(kernel) for kernel in found})


class Kernel:
    def __init__(self, folder):
        self.stats = type("Stats", (), {"cache_path": folder})


@pytest.mark.parametrize(
    ("found", "message"),
    [([], "NUMBA_DISABLE_JIT is set"), ([Kernel("/a"), Kernel(None)], "no folder to keep them in: .* NUMBA_CACHE_DIR")],
)
def test_a_warm_up_that_keeps_nothing_says_so(monkeypatch, found, message):
    monkeypatch.setattr("margrave.cli.warming.run_all", lambda most_labels, report: None)
    monkeypatch.setattr("margrave.cli.warming.kernels", lambda: found)
    with pytest.raises(UnmetError, match=message):
        warm_up(8)


def test_the_folder_that_all_have_in_common(monkeypatch):
    monkeypatch.setattr("margrave.cli.warming.run_all", lambda most_labels, report: None)
    monkeypatch.setattr("margrave.cli.warming.kernels", lambda: [Kernel("/a/b/c"), Kernel("/a/b/d")])
    assert warm_up(9).folder == "/a/b"
    assert warm_up(9).labels == 16
