"""One job in a process of its own, whose peak of resident memory is printed; `memory.py` runs it by its path.

    python _memory_child.py PANDAS JOB FORM FOLDER TEMPLATES ITERATIONS

PANDAS is "pandas" or "no-pandas". JOB is "build" (the input alone), "import" (the input, and margrave's readers and
templates imported), "margrave" or "crfsuite" (a fit). FORM is "tiny", "csr", "strings" or "dicts". FOLDER holds the
files of `memory.py`. TEMPLATES is the file of margrave's templates, read by its path: to build imports no margrave.
"""

import json
import resource
import sys
import warnings
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

PANDAS, JOB, FORM, FOLDER, TEMPLATES, ITERATIONS = sys.argv[1:]
if PANDAS == "no-pandas":
    sys.modules["pandas"] = None  # before anything else: whoever imports it is told that it is not there


def build():
    """The input in its form, and the labels."""
    if FORM == "tiny":
        return [[["a"], ["b"]]], [["x", "y"]]
    if FORM == "csr":
        return _arrays()
    spec = spec_from_file_location("templates", TEMPLATES)
    templates = module_from_spec(spec)
    spec.loader.exec_module(templates)
    X, y = [], []
    for block in Path(FOLDER, "train.txt").read_text(encoding="utf-8").split("\n\n"):
        tokens = [line.split(" ") for line in block.splitlines()]
        rows = templates.conll_template([(word, part) for word, part, _ in tokens])
        X.append([dict.fromkeys(row, 1.0) for row in rows] if FORM == "dicts" else rows)
        y.append([tag for _, _, tag in tokens])
    return X, y


def _arrays():
    import numpy as np

    data, indices, indptr, lengths, tags = (
        np.load(Path(FOLDER, f"{name}.npy")) for name in ("data", "indices", "indptr", "lengths", "tags")
    )
    return (data, indices, indptr, lengths), np.split(tags, np.cumsum(lengths)[:-1])


def fit_margrave(X, y):
    import margrave as mg

    if FORM == "csr":
        from scipy.sparse import csr_array

        data, indices, indptr, lengths = X
        X = mg.Sequences(csr_array((data, indices, indptr)), lengths)
    return mg.ChainCRF(C=0.5, max_iter=int(ITERATIONS)).fit(X, y).n_iter_


def fit_crfsuite(X, y):
    import pycrfsuite

    trainer = pycrfsuite.Trainer(verbose=False)
    for row, tags in zip(X, y, strict=True):
        trainer.append(row, tags)
    trainer.set_params({"c1": 0.0, "c2": 1.0, "max_iterations": int(ITERATIONS)})
    trainer.train(str(Path(FOLDER, "model.crfsuite")))
    return len(trainer.logparser.iterations)


def peak_mb():
    """The peak of this process alone: where /proc tells, not ru_maxrss, which begins with the parent's."""
    status = Path("/proc/self/status")
    for line in status.read_text().splitlines() if status.exists() else ():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main():
    warnings.simplefilter("ignore")  # it may stop before it converges
    X, y = build()
    iterations = 0
    if JOB == "import":
        import margrave.datasets
        import margrave.features  # noqa: F401
    elif JOB != "build":
        iterations = {"margrave": fit_margrave, "crfsuite": fit_crfsuite}[JOB](X, y)
    print(json.dumps({"peak MB": peak_mb(), "iterations": iterations, "pandas": bool(sys.modules.get("pandas"))}))


main()
