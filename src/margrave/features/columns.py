"""Attributes of the tokens of column files: a window over their columns, or attributes written out as CRFsuite does."""

import re
from collections.abc import Iterable, Sequence
from math import isfinite
from typing import Any, Self, TypeAlias

from sklearn.base import BaseEstimator

Sentence: TypeAlias = Sequence[Sequence[str]]

# What stands before the first colon that no backslash protects.
_NAME = re.compile(r"(?:\\[:\\]|[^:])*")
_ESCAPED = re.compile(r"\\([:\\])")


class ColumnTemplate(BaseEstimator):
    """Attributes of each token from a window over the columns of its sentence, all columns alike.

    For the token at position i of a sentence, each column k that is used, and offsets d inside the sentence:

    - `c{k}[{d}]=value`: the column's value at i + d, for d from -window to window;
    - `c{k}[-1]|c{k}[0]=...` and `c{k}[0]|c{k}[1]=...`: the pairs of neighbouring values that the token is part of;
    - `bias`; `__BOS__` at the first token, `__EOS__` at the last.

    At most (2 window + 3) attributes a column, and three more. It learns nothing, and may stand in a Pipeline before
    `ChainCRF` or `ChainM3N`.

    Parameters
    ----------
    columns : sequence of int, optional
        The columns that are used, numbered from 0 as the attributes' names are. None: all.
    window : int, default=2
        How many tokens to either side are looked at.
    bigrams : bool, default=True
        Whether pairs of neighbouring values are attributes too; never where the window is 0.

    Examples
    --------
    >>> from margrave.features import ColumnTemplate
    >>> rows = ColumnTemplate(window=1).transform([[("the", "DT"), ("cat", "NN")]])[0]
    >>> rows[0]
    ['bias', 'c0[0]=the', 'c0[1]=cat', 'c0[0]|c0[1]=the|cat', 'c1[0]=DT', 'c1[1]=NN', 'c1[0]|c1[1]=DT|NN', '__BOS__']
    >>> ColumnTemplate(columns=[1], window=0).transform([[("the", "DT"), ("cat", "NN")]])[0]
    [['bias', 'c1[0]=DT', '__BOS__'], ['bias', 'c1[0]=NN', '__EOS__']]
    """

    def __init__(self, columns: Sequence[int] | None = None, window: int = 2, bigrams: bool = True) -> None:
        self.columns = columns
        self.window = window
        self.bigrams = bigrams

    def fit(self, X: Iterable[Sentence], y: object = None) -> Self:
        """Learn nothing.

        Parameters
        ----------
        X, y : anything
            Ignored.

        Returns
        -------
        self
        """
        return self

    def fit_transform(self, X: Iterable[Sentence], y: object = None) -> list[list[list[str]]]:
        """Do as `transform`."""
        return self.transform(X)

    def transform(self, X: Iterable[Sentence]) -> list[list[list[str]]]:
        """Attributes of all tokens.

        Parameters
        ----------
        X : iterable of sentences
            A sentence is a sequence of tokens, a token a sequence of str, one per column; `read_conll` gives such.

        Returns
        -------
        list of lists of lists of str
            Sentences, tokens, attributes: what `ChainCRF` takes as X.
        """
        if self.window < 0:
            raise ValueError(f"window must be at least 0, got {self.window}")
        return [self._rows(sentence) for sentence in X]

    def _rows(self, sentence: Sentence) -> list[list[str]]:
        rows = [["bias"] for _ in sentence]
        if rows:
            for k in range(len(sentence[0])) if self.columns is None else self.columns:
                self._add_column(k, [token[k] for token in sentence], rows)
            rows[0].append("__BOS__")
            rows[-1].append("__EOS__")
        return rows

    def _add_column(self, k: int, values: list[str], rows: list[list[str]]) -> None:
        n = len(values)
        names = [(d, f"c{k}[{d}]=") for d in range(-self.window, self.window + 1)]
        pairs = [f"c{k}[-1]|c{k}[0]=", f"c{k}[0]|c{k}[1]="] if self.bigrams and self.window else []
        for i, row in enumerate(rows):
            row += [f"{name}{values[i + d]}" for d, name in names if 0 <= i + d < n]
            for j, name in enumerate(pairs, start=i - 1):
                if 0 <= j < n - 1:
                    row.append(f"{name}{values[j]}|{values[j + 1]}")


def crfsuite_attributes(fields: Iterable[str]) -> dict[str, float]:
    r"""Read the attributes of a token as CRFsuite's data files write them: `name`, or `name:weight`.

    In a name `\:` stands for a colon and `\\` for a backslash; any other backslash stands for itself. Without a weight
    it is 1. Empty fields are skipped; the weights of a name that comes twice are added.

    Parameters
    ----------
    fields : iterable of str
        The fields of a line after its label.

    Returns
    -------
    dict from str to float
        A token as `ChainCRF` takes it.

    Raises
    ------
    ValueError
        A weight that is no finite number.

    References
    ----------
    .. [1] N. Okazaki, "CRFsuite: a fast implementation of conditional random fields", 2007 (its format of data).

    Examples
    --------
    >>> crfsuite_attributes(["word=the", "length:3", r"time=12\:30", r"drive=C\:\\:0.5"])
    {'word=the': 1.0, 'length': 3.0, 'time=12:30': 1.0, 'drive=C:\\': 0.5}
    """
    token: dict[str, float] = {}
    for field in fields:
        if field:
            name, weight = _attribute(field) if ":" in field or "\\" in field else (field, 1.0)
            token[name] = token.get(name, 0.0) + weight
    return token


def _attribute(field: str) -> tuple[str, float]:
    match: Any = _NAME.match(field)
    name, text = _ESCAPED.sub(r"\1", match[0]), field[match.end() + 1 :]
    try:
        weight = float(text) if text else 1.0
    except ValueError:
        weight = float("nan")
    if not isfinite(weight):
        raise ValueError(
            rf"the attribute {name!r} must have a finite number for a weight, got {text!r}; "
            rf"write a colon that belongs to a name as \:"
        )
    return name, weight
