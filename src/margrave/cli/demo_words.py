"""`margrave demo words`: a chain CRF learns to read handwritten words, offline, and says how sure its optimum is."""

import dataclasses
import json
from typing import Any

import numpy as np
import typer
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table
from rich.text import Text

import margrave as mg  # the names of which are imported when they are used: `margrave --version` waits for none

TRAIN_FOLD, TEST_FOLD = 0, 1
N_SHOWN = 12


@dataclasses.dataclass(frozen=True)
class Reading:
    """What the demonstration found: the errors on unseen words and the certificate of the fit."""

    n_train_words: int
    n_test_words: int
    n_test_letters: int
    character_error: float
    word_error: float
    iterations: int
    objective: float
    gap: float
    seconds: float
    words: list[tuple[str, str]]
    """(true, predicted), evenly spaced over the test words: a sample that nobody chose."""


def read_words(C: float, n_jobs: int) -> Reading:
    """Train on one fold of the handwritten words, read another."""
    ocr = mg.datasets.load_ocr_letters()
    X, y = _fold(ocr.data, ocr.fold, TRAIN_FOLD), _fold(ocr.target, ocr.fold, TRAIN_FOLD)
    crf = mg.ChainCRF(C=C, n_jobs=n_jobs).fit(X, y)
    truth = _fold(ocr.target, ocr.fold, TEST_FOLD)
    predicted = crf.predict(_fold(ocr.data, ocr.fold, TEST_FOLD))
    wrong = [int(np.sum(a != b)) for a, b in zip(truth, predicted, strict=True)]
    n_letters = sum(map(len, truth))
    shown = np.linspace(0, len(truth) - 1, N_SHOWN).astype(int)
    return Reading(
        n_train_words=len(X),
        n_test_words=len(truth),
        n_test_letters=n_letters,
        character_error=sum(wrong) / n_letters,
        word_error=float(np.mean([n > 0 for n in wrong])),
        iterations=int(crf.history_[-1]["iteration"]),
        objective=float(crf.history_[-1]["objective"]),
        gap=float(crf.gap_),
        seconds=float(crf.history_[-1]["seconds"]),
        words=[("".join(truth[i]), "".join(predicted[i])) for i in shown],
    )


def _fold(words: list[NDArray[Any]], folds: NDArray[np.int64], fold: int) -> list[NDArray[Any]]:
    return [word for word, of in zip(words, folds, strict=True) if of == fold]


def coloured(true: str, predicted: str) -> Text:
    """Show the predicted letters, the wrong ones in red, bold and underlined: not by colour alone."""
    text = Text()
    for expected, letter in zip(true, predicted, strict=True):
        text.append(letter, style="green" if letter == expected else "bold underline red")
    return text


def show(reading: Reading, console: Console) -> None:
    """Print words, errors and certificate for a person."""
    table = Table(
        title=f"{len(reading.words)} of {reading.n_test_words} unseen words",
        caption="The data leave out first letters, which were capitals.",
    )
    table.add_column("written")
    table.add_column("read")
    table.add_column("wrong letters", justify="right")
    for true, predicted in reading.words:
        n_wrong = sum(a != b for a, b in zip(true, predicted, strict=True))
        table.add_row(true, coloured(true, predicted), str(n_wrong or ""))
    console.print(table)
    console.print(
        f"Trained on {reading.n_train_words} words: {reading.iterations} iterations, {reading.seconds:.1f} seconds."
    )
    console.print(
        f"Errors on unseen words: [bold]{reading.character_error:.1%}[/bold] of {reading.n_test_letters} letters, "
        f"[bold]{reading.word_error:.1%}[/bold] of {reading.n_test_words} words have a wrong letter."
    )
    console.print(
        f"Certificate: the objective is {reading.objective:.3f}; "
        f"no weights reach one lower by more than {reading.gap:.1e} of it."
    )


def demonstrate(C: float, n_jobs: int, as_json: bool) -> None:
    """Train on words, read others, show them."""
    if as_json:
        typer.echo(json.dumps(dataclasses.asdict(read_words(C, n_jobs))))
        return
    console = Console()
    with console.status("Learning to read (the first time, kernels are compiled) ..."):
        reading = read_words(C, n_jobs)
    show(reading, console)
