"""What the columns of a model's files mean: which is the label, which are features, and what attributes they make.

`fit` settles it, the model file keeps it, and `predict` and `evaluate` ask for nothing again.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from margrave.cli.column_file import ColumnFile, Format
from margrave.cli.errors import BadInputError
from margrave.cli.options import Features, LabelAt
from margrave.features import ColumnTemplate, conll_template, crfsuite_attributes
from margrave.persistence import ModelFileError

Sentence = list[tuple[str, ...]]

#: No window is wider, and no file that a model describes.
WIDEST = 2**16
#: How many columns must make attributes.
LEAST_USED = {Features.columns: 1, Features.conll: 2, Features.attributes: 0}


@dataclass(frozen=True)
class Columns:
    """How a model reads column files.

    Attributes
    ----------
    features : Features
    label : int
        The label's column in the files that the model was trained on.
    n_columns : int
        The number of columns of those files; 0 where each line has a number of its own.
    used : tuple of int
        The columns that attributes are made of; empty for `Features.attributes`, which takes them all.
    window, bigrams : int, bool
        Of `ColumnTemplate`.
    delimiter, comment, encoding : see `Format`
    """

    features: Features
    label: int
    n_columns: int = 0
    used: tuple[int, ...] = ()
    window: int = 2
    bigrams: bool = True
    delimiter: str | None = None
    comment: str | None = None
    encoding: str = "utf-8"

    @property
    def format(self) -> Format:
        """What files look like."""
        return Format(self.delimiter, self.comment, self.encoding, ragged=self.features is Features.attributes)

    def describe(self) -> str:
        """In words, for a person."""
        if self.features is Features.attributes:
            return f"{self.label} is the label, the others are attributes"
        used = ", ".join(map(str, self.used))
        how = "the CoNLL template" if self.features is Features.conll else f"a window of {self.window}"
        return f"0 to {self.n_columns - 1}: {self.label} is the label, {used} make attributes by {how}"

    # ------------------------------------------------------------------ data

    def attributes(self, file: ColumnFile, label: int | LabelAt = LabelAt.as_trained) -> list[Any]:
        """What the estimator takes as X."""
        at = self._label_in(file, label)
        if self.features is Features.attributes:
            return _written_attributes(file, at)
        tokens = self._arranged(file, at)
        if self.features is Features.conll:
            word, tag = self.used[:2]
            return [conll_template([(token[word], token[tag]) for token in sentence]) for sentence in tokens]
        return ColumnTemplate(self.used, self.window, self.bigrams).transform(tokens)

    def labels(self, file: ColumnFile, label: int | LabelAt = LabelAt.as_trained) -> list[list[str]] | None:
        """The labels of all sentences, or None where the file has none."""
        at = self._label_in(file, label)
        return None if at is None else [[token[at] for token in sentence] for sentence in file.sentences]

    def _label_in(self, file: ColumnFile, label: int | LabelAt) -> int | None:
        """The label's column in a file."""
        if isinstance(label, int):
            return label if self.features is Features.attributes else resolved(label, file)
        if label is LabelAt.nowhere or (self.n_columns and file.width != self.n_columns):
            return None
        return self.label

    def _arranged(self, file: ColumnFile, at: int | None) -> list[Sentence]:
        """Tokens whose columns are those that the model was trained on; columns that nothing reads may be empty."""
        if file.width == self.n_columns and at == self.label:
            return file.sentences
        rest = [k for k in range(self.n_columns) if k != self.label]
        given = [k for k in range(file.width) if k != at]
        if len(given) == len(rest):
            places = dict(zip(rest, given, strict=True))
        elif len(given) == len(self.used):
            places = dict(zip(self.used, given, strict=True))
        else:
            raise BadInputError(self._unfit(file, len(given), len(rest)))
        numbers = [places.get(k) for k in range(self.n_columns)]
        return [[tuple("" if k is None else token[k] for k in numbers) for token in s] for s in file.sentences]

    def _unfit(self, file: ColumnFile, n_given: int, n_rest: int) -> str:
        ways = f"{counted(self.n_columns)} (label in column {self.label}), or {n_rest} without the label"
        if len(self.used) != n_rest:
            ways += f", or only the {len(self.used)} that attributes are made of"
        with_label = "" if n_given == file.width else ", one of them the label"
        return (
            f"{file.name} has {counted(file.width)}{with_label}; the model takes {ways}; give it such a file, or say "
            f"where the label is with --label-column"
        )

    # ------------------------------------------------------------------ model files

    def as_json(self) -> dict[str, Any]:
        """As the header of a model file has it."""
        return asdict(self)

    @classmethod
    def from_json(cls, values: Any) -> "Columns":
        """From the header of a model file; every value of it is doubted."""
        try:
            return cls(**_checked(values))
        except (TypeError, ValueError, KeyError) as error:
            raise ModelFileError(f"describes its columns wrongly: {error}") from None


def counted(n: int) -> str:
    """A number of columns, in words."""
    return f"{n} column" if n == 1 else f"{n} columns"


def resolved(label: int, file: ColumnFile) -> int:
    """A column's number from 0, where negative ones count from the end."""
    if not -file.width <= label < file.width:
        raise BadInputError(
            f"{file.name} has {counted(file.width)}, numbered 0 to {file.width - 1} (or -1 to -{file.width} from the "
            f"end); there is no column {label}"
        )
    return label % file.width


def _written_attributes(file: ColumnFile, at: int | None) -> list[list[dict[str, float]]]:
    """The attributes of all tokens, a line's label taken out."""
    X, n_read = [], 0
    for sentence in file.sentences:
        tokens = []
        for fields in sentence:
            rest = list(fields)
            try:
                if at is not None:
                    del rest[at]
                tokens.append(crfsuite_attributes(rest))
            except IndexError:
                raise BadInputError(f"{file.name}, line {file.line_of(n_read)}: there is no column {at}") from None
            except ValueError as error:
                raise BadInputError(f"{file.name}, line {file.line_of(n_read)}: {error}") from None
            n_read += 1
        X.append(tokens)
    return X


_KINDS: Mapping[str, type | tuple[type, ...]] = {
    "label": int,
    "n_columns": int,
    "window": int,
    "bigrams": bool,
    "delimiter": (str, type(None)),
    "comment": (str, type(None)),
    "encoding": str,
}


def _checked(values: Any) -> dict[str, Any]:
    checked: dict[str, Any] = {"features": Features(values["features"]), "used": tuple(map(int, values["used"]))}
    for name, kind in _KINDS.items():
        if not isinstance(values[name], kind):
            raise TypeError(f"{name} is {values[name]!r}")
        checked[name] = values[name]
    n_columns, used, features = checked["n_columns"], checked["used"], checked["features"]
    if n_columns and not all(0 <= k < n_columns for k in (checked["label"], *used)):
        raise ValueError("a column is beyond the last")
    if features is not Features.attributes and (not n_columns or len(used) < LEAST_USED[features]):
        raise ValueError(f"{counted(len(used))} of {n_columns} make attributes, too few for {features}")
    if not 0 <= checked["window"] <= WIDEST or not 0 <= n_columns <= WIDEST:
        raise ValueError(f"the window or the number of columns is not from 0 to {WIDEST}")  # else all memory would go
    if "" in (checked["delimiter"], checked["comment"]):
        raise ValueError("the delimiter or the comment is empty")
    return checked
