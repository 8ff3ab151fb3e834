"""Peak resident memory of fits on CoNLL-2000, each in a process of its own: ChainCRF(C=0.5) beside python-crfsuite.

- From CSR arrays that np.load reads: the whole process.
- From lists of lists of strings, and of dicts: the process, less one that only builds the same input. Two such are
  subtracted: one that has imported margrave's reader and template, which a program builds its input with; and one
  without any library, so that all imports count as part of the fit.
- From two tokens: what imports and compiled kernels take, whatever the data.

scikit-learn imports pandas wherever it is installed. Margrave does not need it, so the processes are told that it is
not there; beside that stand the figures with it. The kernels are compiled before. Memory is the kernel's VmHWM: unlike
ru_maxrss, it does not begin with what the parent held when it started the process.

Options: --iterations N, --sentences N (a small trial).
"""

import json
import subprocess
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks._conll import Chunks
from benchmarks._report import Row, judged, keep, show, unjudged
from margrave.datasets import fetch_conll2000
from margrave.features import templates

CSR_BAR, LISTS_BAR = 350, 200
CHILD = Path(__file__).with_name("_memory_child.py")
FORMS = {"strings": "lists of strings", "dicts": "dicts of 1.0"}
#: (pandas, job, form)
Case = tuple[str, str, str]
CASES: list[Case] = [
    *[(pandas, job, "tiny") for job in ("import", "margrave") for pandas in ("no-pandas", "pandas")],
    *[(pandas, "margrave", "csr") for pandas in ("no-pandas", "pandas")],
    *[("no-pandas", job, form) for form in FORMS for job in ("build", "import", "margrave", "crfsuite")],
    *[("pandas", "margrave", form) for form in FORMS],
]


def main(options: Sequence[str] = ()) -> None:
    parser = ArgumentParser("memory", description=__doc__)
    parser.add_argument("--iterations", type=int, default=100, help="at the most")
    parser.add_argument("--sentences", type=int, help="only the first so many")
    chosen = parser.parse_args(list(options))
    with TemporaryDirectory() as folder:
        write_input(Path(folder), chosen.sentences)
        for form in ("csr", *FORMS):
            measure(("no-pandas", "margrave", form), folder, 3)  # kernels compiled, and kept
        peaks = {case: measure(case, folder, chosen.iterations) for case in CASES}
    rows = [{**describe(case), **peaks[case]} for case in CASES]
    show("CoNLL-2000: peak memory of a process", rows, "pandas: whether scikit-learn has imported it")
    verdict = compare({case: row["peak MB"] for case, row in peaks.items()})
    caption = "MB; without pandas, which is no dependency of margrave's, unless it is named"
    show(f"CoNLL-2000, at most {chosen.iterations} iterations", verdict, caption)
    document = {"options": vars(chosen), "peaks": rows, "bars": verdict}
    keep("memory" if chosen.sentences is None else "memory_trial", document)


def write_input(folder: Path, sentences: int | None) -> None:
    """The arrays of the encoded training set, and its columns as text."""
    train, conll = Chunks.fetch("train", sentences), fetch_conll2000(subset="train")
    matrix = train.encoded.features
    arrays = {name: getattr(matrix, name) for name in ("data", "indices", "indptr")}
    tags = np.array([tag for tags in train.tags for tag in tags])
    for name, array in {**arrays, "lengths": train.encoded.lengths, "tags": tags}.items():
        np.save(folder / f"{name}.npy", array)
    blocks = [
        "\n".join(f"{word} {part} {tag}" for (word, part), tag in zip(sentence, tags, strict=True))
        for sentence, tags in zip(conll.data[:sentences], conll.target, strict=False)
    ]
    (folder / "train.txt").write_text("\n\n".join(blocks), encoding="utf-8")


def measure(case: Case, folder: str, iterations: int) -> Row:
    command = [sys.executable, str(CHILD), *case, folder, str(templates.__file__), str(iterations)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(case)} failed:\n{done.stderr}")
    row: Row = json.loads(done.stdout.splitlines()[-1])
    print(f"{' '.join(case)}: {row['peak MB']:.0f} MB, {row['iterations']} iterations", flush=True)
    return row


def describe(case: Case) -> Row:
    _, job, form = case
    jobs = {"build": "no library", "import": "reader, template", "margrave": "margrave fit", "crfsuite": "CRFsuite fit"}
    inputs = {"tiny": "two tokens", "csr": "CSR arrays", **FORMS}
    return {"input": inputs[form], "process": jobs[job]}


def compare(peaks: dict[Case, float]) -> list[Row]:
    """The figures that have a bar, and those that explain them."""
    alone = "no-pandas", "margrave", "csr"
    rows = [
        judged("margrave, CSR arrays: the whole process", peaks[alone], CSR_BAR),
        unjudged("margrave, CSR arrays: the same with pandas", peaks["pandas", "margrave", "csr"]),
    ]
    for form, words in FORMS.items():
        built, imported = peaks["no-pandas", "build", form], peaks["no-pandas", "import", form]
        ours, theirs = peaks["no-pandas", "margrave", form], peaks["no-pandas", "crfsuite", form]
        rows += [
            judged(f"margrave, {words}: fit less build with reader and template", ours - imported, LISTS_BAR),
            unjudged(f"margrave, {words}: fit less build", ours - built),
            unjudged(f"margrave, {words}: the same with pandas", peaks["pandas", "margrave", form] - built),
            unjudged(f"CRFsuite, {words}: fit less build", theirs - built),
        ]
    return rows


if __name__ == "__main__":
    main(sys.argv[1:])
