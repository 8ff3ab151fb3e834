"""Model files of the command line: those of `est.save`, whose header says besides what columns mean.

`mg.load` reads them as it reads any other, and gives the estimator; `load_tagger` gives the columns as well.
"""

import os
from dataclasses import dataclass
from typing import Any

import margrave as mg
from margrave.cli.columns import Columns
from margrave.cli.errors import BadInputError, UnmetError
from margrave.persistence import ModelFileError, read_file, save_object


@dataclass(frozen=True)
class Tagger:
    """A fitted model of sequences and how it reads files; `columns` is None for models saved in Python."""

    estimator: "mg.SequenceClassifier"
    columns: Columns | None


def save_tagger(tagger: Tagger, path: str | os.PathLike[str]) -> None:
    """Write a model file, all of it or nothing.

    Raises
    ------
    UnmetError
        Where the disk refuses; what was there before is as it was.
    """
    notes = None if tagger.columns is None else {"columns": tagger.columns.as_json()}
    try:
        save_object(tagger.estimator, path, notes)
    except OSError as error:
        raise UnmetError(error.strerror or str(error)) from None


def load_tagger(path: str) -> Tagger:
    """Read a model file.

    Raises
    ------
    BadInputError
        Where it cannot be read, is no model file, or holds something else than a model of sequences.
    """
    try:
        header, _ = read_file(path)
        estimator: Any = mg.load(path)
        columns = Columns.from_json(header["columns"]) if "columns" in header else None
    except OSError as error:
        raise BadInputError(f"{path} could not be read: {error.strerror or error}; check the path") from None
    except ModelFileError as error:
        sentence = str(error) if str(path) in str(error) else f"{path} {error}"
        raise BadInputError(f"{sentence}; expected a model that `margrave fit --output` or est.save wrote") from None
    if not isinstance(estimator, mg.SequenceClassifier):
        raise BadInputError(
            f"{path} holds a {type(estimator).__name__}; expected a model of sequences: ChainCRF, ChainM3N or "
            f"SequenceClassifier; use mg.load in Python"
        )
    return Tagger(estimator, columns)


def columns_of(tagger: Tagger, path: str) -> Columns:
    """How the model reads files; refused for models that do not know."""
    if tagger.columns is None:
        raise BadInputError(
            f"{path} was saved in Python, and does not say what the columns of a file mean; predict with "
            f"mg.load({path!r}) in Python, or train with `margrave fit`"
        )
    return tagger.columns
