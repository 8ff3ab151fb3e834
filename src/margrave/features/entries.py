"""What a token's attributes mean, and the sparse matrix that they make."""

from array import array
from collections.abc import Callable, Iterable, Mapping
from itertools import accumulate, chain, repeat
from math import isfinite
from numbers import Real
from typing import Any

import numpy as np
from scipy.sparse import csr_array

_COLUMN_TYPE = "i"  # a C int: scipy's 32-bit indices
_UNKNOWN = -1
_MAX_COLUMNS = 2**31 - 1
_MAX_SHOWN = 60  # characters of a value in a message
# The usual classes stand before the abstract ones, whose check is ten times slower.
_NUMBERS = (float, int, Real, np.bool_)
MAPPINGS = (dict, Mapping)
_LISTS = (list, tuple, set, frozenset)
_PLAIN_NUMBERS = {float, int, bool}


class GrowingVocabulary(dict[str, int]):
    """A vocabulary being learned: an attribute that is looked up and missing gets the next column.

    `__missing__` is called for new attributes only, so that the check of their type costs nothing for the others.
    """

    def __missing__(self, attribute: str) -> int:
        _check_name(attribute)
        column = len(self)
        if column == _MAX_COLUMNS:
            raise OverflowError(f"expected at most {_MAX_COLUMNS} distinct attributes")
        self[str(attribute)] = column
        return column

    def column(self, attribute: str) -> int:
        """The column of one attribute."""
        return self[attribute]

    def columns(self, attributes: Iterable[str]) -> Iterable[int]:
        """The columns of many."""
        return map(self.__getitem__, attributes)


class KnownVocabulary:
    """A learned vocabulary: every other attribute has the column -1."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._get = vocabulary.get

    def column(self, attribute: str) -> int:
        """The column of one attribute."""
        _check_name(attribute)
        return self._get(attribute, _UNKNOWN)

    def columns(self, attributes: Iterable[str]) -> Iterable[int]:
        """The columns of many; that they are text has been seen to."""
        return map(self._get, attributes, repeat(_UNKNOWN))


class Entries:
    """The entries of the matrix while it is built: columns, and the few weights that are not one."""

    def __init__(self, vocabulary: GrowingVocabulary | KnownVocabulary) -> None:
        self.vocabulary = vocabulary
        self.columns = array(_COLUMN_TYPE)
        self.row_ends = array("q", [0])
        self.exceptions = array("q")  # places in `columns` whose weight is not one
        self.weights = array("d")  # their weights

    def add_quickly(self, tokens: list[Any]) -> bool:
        """Add the rows of a sequence of plain dicts or plain lists, if it is one; else False, and nothing is added.

        Whatever is done to every attribute is done by the interpreter's own loops, at a third of the time.
        """
        kinds, n_entries, numbers = set(map(type, tokens)), len(self.columns), list[Any]()
        if kinds == {dict}:
            keep: Callable[[Any], Any] = numbers.append  # gives None: the name of a number is its key
            names = [f"{k}:{v}" if type(v) is str else keep(v) or k for token in tokens for k, v in token.items()]
        elif kinds == {list}:
            names = list(chain.from_iterable(tokens))
        else:
            return False
        if not (set(map(type, chain.from_iterable(tokens))) <= {str} and set(map(type, numbers)) <= _PLAIN_NUMBERS):
            return False
        weights = _exceptional(tokens) if numbers.count(1.0) < len(numbers) else {}
        if not all(map(isfinite, weights.values())):
            return False
        self.columns.fromlist(list(self.vocabulary.columns(names)))
        self.exceptions.extend(n_entries + place for place in weights)
        self.weights.extend(weights.values())
        self.row_ends.extend(accumulate(map(len, tokens), initial=n_entries))
        del self.row_ends[-1 - len(tokens)]  # where the first row begins is where the last one ended
        return True

    def add(self, token: Any) -> None:
        """Add the row of one token."""
        if isinstance(token, _LISTS) and not isinstance(token, tuple):
            self._add_names(token)
        elif isinstance(token, MAPPINGS):
            self._add_mapping(token, "")
        else:
            raise TypeError(_not_a_token(token))
        self.row_ends.append(len(self.columns))

    def _add_names(self, names: Iterable[str]) -> None:
        try:
            self.columns.extend(map(self.vocabulary.column, _in_order(names)))
        except TypeError:  # not hashable, or not sortable: say which item
            for name in names:
                _check_name(name)
            raise

    def _add_mapping(self, mapping: Mapping[str, Any], prefix: str) -> None:
        for key, value in mapping.items():
            _check_name(key)
            name = f"{prefix}{key}"
            if isinstance(value, str):
                self.columns.append(self.vocabulary.column(f"{name}:{value}"))
            elif isinstance(value, _NUMBERS):
                self._add_weight(name, float(value))
            elif isinstance(value, MAPPINGS):
                self._add_mapping(value, f"{name}:")
            elif isinstance(value, _LISTS):
                for item in value:
                    _check_name(item)
                self._add_names([f"{name}:{item}" for item in _in_order(value)])
            else:
                raise TypeError(
                    f"the attribute {name!r} has a value of type {type(value).__name__}; expected str, bool, a number, "
                    f"a list, tuple or set of str, or a dict; leave the attribute out where it has no value"
                )

    def _add_weight(self, name: str, weight: float) -> None:
        if not isfinite(weight):
            raise ValueError(f"the attribute {name!r} has the weight {weight}: expected a finite number; leave it out")
        if weight != 1.0:  # zeros too: they change no score, but show an attribute together with a label
            self.exceptions.append(len(self.columns))
            self.weights.append(weight)
        self.columns.append(self.vocabulary.column(name))

    def matrix(self, n_columns: int) -> csr_array:
        """The rows as one canonical CSR matrix."""
        # Views of the arrays' memory: nothing is copied.
        columns = np.frombuffer(self.columns, dtype=np.int32)
        row_ends = np.frombuffer(self.row_ends, dtype=np.int64)
        weights = np.ones(len(columns))
        weights[np.frombuffer(self.exceptions, dtype=np.int64)] = np.frombuffer(self.weights, dtype=np.float64)
        known = columns != _UNKNOWN
        if not known.all():
            row_ends = np.concatenate([[0], np.cumsum(known)])[row_ends]
            columns, weights = columns[known], weights[known]
        if row_ends[-1] <= np.iinfo(np.int32).max:
            row_ends = row_ends.astype(np.int32)
        rows = csr_array((weights, columns, row_ends), shape=(len(row_ends) - 1, n_columns))
        rows.sum_duplicates()
        return rows


def _exceptional(tokens: list[dict[str, Any]]) -> dict[int, float]:
    """The weights that are not one, by their place among the values of all tokens; text has the weight one."""
    values = enumerate(chain.from_iterable(map(dict.values, tokens)))
    return {place: float(value) for place, value in values if type(value) is not str and value != 1.0}


def _in_order(names: Iterable[str]) -> Iterable[str]:
    """Sets sorted: their own order changes from process to process."""
    return sorted(names) if isinstance(names, set | frozenset) else names


def _check_name(name: object) -> None:
    if not isinstance(name, str):
        raise TypeError(f"expected attributes named by str, got {brief(name)}; write a weight as {{'name': weight}}")


def _not_a_token(token: object) -> str:
    expected = f"expected a dict of attributes or a list or set of str, got {brief(token)}"
    if isinstance(token, str):
        return f"{expected}; put the word into a dict, {{'word': {token!r}}}, or into a list, [{token!r}]"
    if isinstance(token, tuple):
        return f"{expected}; extract features from (word, tag) tuples first, e.g. with margrave.features.conll_template"
    return expected


def brief(value: object) -> str:
    """The type and the beginning of a value, for messages."""
    text = repr(value)
    return f"{type(value).__name__} {text if len(text) <= _MAX_SHOWN else text[:_MAX_SHOWN] + '...'}"
