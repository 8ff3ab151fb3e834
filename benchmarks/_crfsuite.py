"""CRFsuite through python-crfsuite: training, its own clock, and the weights that it has found."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pycrfsuite

from margrave.primitives import Floats

Rows = Sequence[Sequence[Any]]  # sequences of tokens: lists of attributes, or dicts
Tags = Sequence[Sequence[str]]

#: Its stopping rules out of the way, so that it goes on until no step lowers its objective.
TIGHT = {"c2": 1.0, "epsilon": 1e-8, "delta": 0.0, "period": 5000, "max_iterations": 3000, "num_memories": 30}


def trainer(rows: Rows, tags: Tags, **parameters: Any) -> pycrfsuite.Trainer:
    """A trainer that holds the data; it may train more than once."""
    made = pycrfsuite.Trainer(verbose=False)
    for row, tag in zip(rows, tags, strict=True):
        made.append(row, tag)
    made.select("lbfgs")
    made.set_params({"c1": 0.0, "c2": 1.0, **parameters})
    return made


def iteration_ms(made: pycrfsuite.Trainer, iterations: int = 12) -> float:
    """Median time of its iterations 2 to 12, as its log says (CPU time; a gradient and an L-BFGS step)."""
    made.set_params({"max_iterations": iterations})
    with TemporaryDirectory() as folder:
        made.train(f"{folder}/model")
    return 1e3 * median(iteration["time"] for iteration in made.logparser.iterations[1:])


def kept_model(path: Path, rows: Rows, tags: Tags, **parameters: Any) -> Path:
    """The model in a file, trained unless the file is there."""
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        unfinished = path.with_suffix(".part")
        trainer(rows, tags, **parameters).train(str(unfinished))
        unfinished.rename(path)
    return path


def open_tagger(path: Path) -> pycrfsuite.Tagger:
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def dense_weights(
    tagger: pycrfsuite.Tagger, columns: Mapping[str, int], states: Mapping[str, int]
) -> tuple[Floats, Floats, int, int]:
    """Its weights (n_features, n_states) and transitions, and how many of each it has.

    They are those of its dump, which has six decimals: at an optimum that changes the objective by less than 1e-7.
    """
    found = tagger.info()
    weights, transitions = np.zeros((len(columns), len(states))), np.zeros((len(states), len(states)))
    for (attribute, label), weight in found.state_features.items():
        weights[columns[attribute], states[label]] = weight
    for (before, after), weight in found.transitions.items():
        transitions[states[before], states[after]] = weight
    return weights, transitions, len(found.state_features), len(found.transitions)
