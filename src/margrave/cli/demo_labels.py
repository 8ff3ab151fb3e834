"""`margrave demo labels`: photographs with several labels, by models that do and do not know what goes together."""

import dataclasses
from pathlib import Path
from typing import Any

from rich.console import Console

import margrave as mg
from margrave.cli.comparison_table import show_comparison
from margrave.cli.targets import print_json
from margrave.estimators.comparison import Comparison


@dataclasses.dataclass(frozen=True)
class Labelled:
    """What the demonstration found."""

    n_train: int
    n_test: int
    rows: list[dict[str, Any]]
    certified: int
    mean_nodes: float
    gap: float
    pictures: list[str]


def label_scenes(C: float, n_jobs: int, folder: Path) -> Labelled:
    """Train on the photographs of the training part, label the others; draw what was learned and proved."""
    from sklearn.multioutput import ClassifierChain, MultiOutputClassifier  # noqa: PLC0415 -- rivals, used here only
    from sklearn.svm import LinearSVC  # noqa: PLC0415

    scene = mg.datasets.load_scene()
    data = scene.X_train, scene.Y_train, scene.X_test, scene.Y_test
    svm = LinearSVC(loss="hinge", C=C, max_iter=100_000, random_state=0)
    models = {
        "separate SVMs": MultiOutputClassifier(svm),
        "chain of SVMs": ClassifierChain(svm),
        "LMSBN": mg.LMSBNClassifier(C, n_jobs=n_jobs, random_state=0),
        "LMSBN, χ²": mg.LMSBNClassifier(3.0, kernel="chi2", n_jobs=n_jobs, random_state=0),
    }
    mg.compare(models, *(part[::12] for part in data))  # kernels are compiled before they are timed
    compared = mg.compare(models, *data)
    model = models["LMSBN"].fit(scene.X_train, scene.Y_train)
    answers = model.predict_certified(scene.X_test)
    return Labelled(
        n_train=len(scene.X_train),
        n_test=len(scene.X_test),
        rows=compared.rows,
        certified=int(answers.certified.sum()),
        mean_nodes=float(answers.nodes.mean()),
        gap=float(model.gap_),
        pictures=_draw(model, answers, list(scene.label_names), folder),
    )


def _draw(model: Any, answers: Any, names: list[str], folder: Path) -> list[str]:
    """Two pictures; none where matplotlib is missing."""
    try:
        dependencies = mg.display.DependencyMatrixDisplay.from_estimator(model, label_names=names).plot()
        certificates = mg.display.CertificateDisplay.from_certified(answers).plot()
    except ImportError:
        return []
    saved = [
        mg.display.save_figure(display.figure_, folder / stem)[0]
        for display, stem in ((dependencies, "dependencies"), (certificates, "certificates"))
    ]
    return [str(path) for path in saved]


def show_labelled(found: Labelled, console: Console) -> None:
    """Print comparison, certificates and pictures for a person."""
    title = f"{found.n_test} unseen photographs, six labels; trained on {found.n_train}"
    show_comparison(Comparison(found.rows), console, title)
    console.print("The SVMs are scikit-learn's, one by one and as its ClassifierChain.")
    console.print(
        f"Certificates: {found.certified} of {found.n_test} answers of LMSBN are proved to lose least of all 64 "
        f"labellings; that took {found.mean_nodes:.0f} of 126 possible (label, value) pairs each, on average."
    )
    console.print(f"Training: no weights reach an objective lower by more than {found.gap:.1e} of it.")
    if found.pictures:
        console.print(f"Pictures: {', '.join(found.pictures)}", markup=False)
    else:
        console.print("Pictures need matplotlib: pip install 'margrave[plots]'", markup=False)


def demonstrate_labels(C: float, n_jobs: int, folder: Path, as_json: bool) -> None:
    """Run it, and print the result for a person or a program."""
    if as_json:
        print_json(dataclasses.asdict(label_scenes(C, n_jobs, folder)))
        return
    console = Console(highlight=False, markup=False)
    with console.status("Training (the first time, kernels are compiled) ..."):
        found = label_scenes(C, n_jobs, folder)
    show_labelled(found, console)
