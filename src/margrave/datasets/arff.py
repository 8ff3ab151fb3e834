"""Reader of ARFF tables: named columns of numbers, dense or sparse."""

import os
import re
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from io import TextIOWrapper
from typing import Any

import numpy as np
from scipy.sparse import csr_array

from margrave.datasets.packed import open_packed
from margrave.primitives import Booleans, Floats

_NUMERIC = {"numeric", "real", "integer"}
_ATTRIBUTE = re.compile(
    r"""@attribute\s+(?:'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s'"]\S*))\s+(?P<kind>.*)""",
    re.IGNORECASE,
)
_ESCAPED = re.compile(r"\\(.)")


class ArffError(ValueError):
    """A line of an ARFF file that cannot be read.

    Attributes
    ----------
    source : str
        The file.
    line : int
        The number of the line, from 1.
    problem : str
        What was expected and what came.
    """

    def __init__(self, source: str, line: int, problem: str) -> None:
        super().__init__(f"{source}, line {line}: {problem}")
        self.source, self.line, self.problem = source, line, problem

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.line, self.problem)


@dataclass(frozen=True, eq=False)
class ArffTable:
    """What an ARFF file holds.

    Parameters
    ----------
    relation : str
        The name of the table.
    names : list of p str
        The attributes, in the file's order.
    values : ndarray (n, p), float64, or csr_array (n, p), float64
        The rows: sparse where the file's rows are. A missing value ("?") is NaN.

    Examples
    --------
    >>> ArffTable("toy", ["a", "b"], np.zeros((3, 2))).values.shape
    (3, 2)
    """

    relation: str
    names: list[str]
    values: Any


@dataclass
class _Header:
    relation: str = ""
    names: list[str] = field(default_factory=list)
    nominal: list[bool] = field(default_factory=list)


def read_arff(source: str | os.PathLike[str] | Iterable[str], *, encoding: str = "utf-8-sig") -> ArffTable:
    """Read an ARFF file of numeric attributes and of nominal attributes with the values 0 and 1.

    Dense rows (`1,0.5,0`) give an array; sparse rows (`{0 1,4 0.5}`: pairs of a column, from 0, and a value; every
    other value is 0) give a CSR array. Names may be quoted, keywords may be in any case, lines that begin with `%` and
    blank lines are skipped. Reading takes time and memory in proportion to the file.

    Parameters
    ----------
    source : path or iterable of lines
        A file (also packed: `.gz`, `.xz`), or the lines themselves.
    encoding : str
        Of the file; the default is UTF-8, with or without a byte-order mark.

    Returns
    -------
    ArffTable
        `relation`, `names` and `values`.

    Raises
    ------
    ArffError
        A ValueError with the number of the line: an attribute of another kind (strings, dates, other nominal values), a
        row of another length, a value that is no number, a column that is not there, dense and sparse rows in one file.

    References
    ----------
    .. [1] I. Witten, E. Frank, M. Hall, C. Pal, "Data Mining", appendix B: the WEKA workbench; the file format.

    Examples
    --------
    >>> table = read_arff(["@relation toy", "@attribute 'a b' numeric", "@attribute c {0,1}", "@data", "0.5,1", "2,0"])
    >>> table.names, table.values.tolist()
    (['a b', 'c'], [[0.5, 1.0], [2.0, 0.0]])
    >>> read_arff(
    ...     ["@relation toy", "@attribute a numeric", "@attribute c {0,1}", "@data", "{1 1}", "{}"]
    ... ).values.toarray()
    array([[0., 1.],
           [0., 0.]])
    """
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        if "\n" in name:
            raise ValueError("source: expected a path or lines, got one str of several lines; pass source.splitlines()")
        with TextIOWrapper(open_packed(name), encoding=encoding) as lines:
            return _table(lines, name)
    return _table(source, "source")


def _table(lines: Iterable[str], source: str) -> ArffTable:
    numbered = _without_comments(lines)
    header = _read_header(numbered, source)
    first = next(numbered, None)
    rows = _SparseRows(source, header) if first is not None and first[1].startswith("{") else _DenseRows(source, header)
    if first is not None:
        rows.add(*first)
        for number, line in numbered:
            rows.add(number, line)
    return ArffTable(header.relation, header.names, rows.values())


def _without_comments(lines: Iterable[str]) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(lines, start=1):
        text = line.strip()
        if text and not text.startswith("%"):
            yield number, text


def _read_header(numbered: Iterator[tuple[int, str]], source: str) -> _Header:
    header, number = _Header(), 0
    seen: dict[str, int] = {}
    for number, line in numbered:
        keyword = line.split(None, 1)[0].lower()
        if keyword == "@data":
            if not header.names:
                raise ArffError(source, number, "expected @attribute lines before @data, got none")
            return header
        if keyword == "@relation":
            header.relation = _unquoted(line[len(keyword) :].strip())
        elif keyword == "@attribute":
            name, nominal = _attribute(line, source, number)
            if (earlier := seen.setdefault(name, number)) != number:
                raise ArffError(source, number, f"expected each attribute once, got {name!r} as in line {earlier}")
            header.names.append(name)
            header.nominal.append(nominal)
        else:
            raise ArffError(source, number, f"expected @relation, @attribute or @data, got {line[:60]!r}")
    raise ArffError(source, number, "expected a line @data, and the file ended without one")


def _attribute(line: str, source: str, number: int) -> tuple[str, bool]:
    """The name of an attribute, and whether its values are nominal."""
    match = _ATTRIBUTE.fullmatch(line)
    if match is None:
        raise ArffError(source, number, f"expected @attribute, a name and a kind, got {line[:60]!r}")
    quoted = match["single"] if match["single"] is not None else match["double"]
    # A backslash is itself in a name without quotes.
    name = match["bare"] if quoted is None else _ESCAPED.sub(r"\1", quoted)
    kind = match["kind"].strip()
    if kind.lower() in _NUMERIC:
        return name, False
    values = [_unquoted(value.strip()) for value in kind[1:-1].split(",")] if kind[:1] + kind[-1:] == "{}" else []
    if values != ["0", "1"]:
        raise ArffError(
            source, number, f"{name!r}: expected numeric or {{0,1}}, got {kind[:60]!r}; leave that column out"
        )
    return name, True


def _unquoted(text: str) -> str:
    quoted = len(text) > 1 and text[0] == text[-1] and text[0] in "'\""
    return _ESCAPED.sub(r"\1", text[1:-1]) if quoted else text


class _DenseRows:
    """The rows of a file one of whose lines holds every value of a row."""

    def __init__(self, source: str, header: _Header) -> None:
        self._source, self._header = source, header
        self._numbers: list[int] = []
        self._values = array("d")

    def add(self, number: int, line: str) -> None:
        cells = line.split(",")
        if line.startswith("{"):
            raise ArffError(self._source, number, "expected a dense row as in the lines before, got a sparse one")
        if len(cells) != len(self._header.names):
            raise ArffError(self._source, number, f"expected {len(self._header.names)} values, got {len(cells)}")
        try:
            self._values.extend(map(float, cells))
        except ValueError:
            del self._values[len(self._numbers) * len(cells) :]
            self._values.extend(_number(cell, self._source, number) for cell in cells)
        self._numbers.append(number)

    def values(self) -> Floats:
        table = np.frombuffer(self._values, dtype=np.float64).reshape(len(self._numbers), len(self._header.names))
        wrong = _no_zero_or_one(table) & np.array(self._header.nominal)
        if wrong.any():
            row, column = (int(place) for place in np.argwhere(wrong)[0])
            _refuse_nominal(self._source, self._numbers[row], self._header.names[column], table[row, column])
        return table.copy()  # which owns its memory, and is writable


class _SparseRows:
    """The rows of a file whose lines hold pairs of a column and a value."""

    def __init__(self, source: str, header: _Header) -> None:
        self._source, self._header = source, header
        self._numbers: list[int] = []
        self._columns, self._values, self._ends = array("i"), array("d"), array("q", [0])

    def add(self, number: int, line: str) -> None:
        if not (line.startswith("{") and line.endswith("}")):
            raise ArffError(self._source, number, f"expected a sparse row, {{column value, ...}}, got {line[:60]!r}")
        body, before = line[1:-1].strip(), -1
        for cell in body.split(",") if body else ():
            column, value = self._pair(cell, number)
            if not before < column < len(self._header.names):
                self._refuse_column(column, before, number)
            self._columns.append(column)
            self._values.append(value)
            before = column
        self._ends.append(len(self._columns))
        self._numbers.append(number)

    def _pair(self, cell: str, number: int) -> tuple[int, float]:
        parts = cell.split()
        if len(parts) != 2 or not parts[0].isdecimal():
            raise ArffError(self._source, number, f"expected a column, from 0, and a value, got {cell.strip()!r}")
        try:
            return int(parts[0]), float(parts[1])
        except ValueError:
            return int(parts[0]), _number(parts[1], self._source, number)

    def _refuse_column(self, column: int, before: int, number: int) -> None:
        if column <= before:
            raise ArffError(self._source, number, f"expected columns in ascending order, got {column} after {before}")
        raise ArffError(self._source, number, f"expected columns below {len(self._header.names)}, got {column}")

    def values(self) -> Any:
        columns, values = np.array(self._columns), np.array(self._values, dtype=np.float64)
        wrong = np.flatnonzero(_no_zero_or_one(values) & np.array(self._header.nominal)[columns])
        if wrong.size:
            row = int(np.searchsorted(self._ends, wrong[0], side="right")) - 1
            _refuse_nominal(self._source, self._numbers[row], self._header.names[columns[wrong[0]]], values[wrong[0]])
        # 32-bit indices wherever they suffice: liblinear takes no others.
        ends = np.array(self._ends, dtype=np.int32 if len(columns) < 2**31 else np.int64)
        table = csr_array((values, columns, ends), shape=(len(self._numbers), len(self._header.names)))
        table.eliminate_zeros()
        return table


def _number(cell: str, source: str, number: int) -> float:
    text = _unquoted(cell.strip())
    if text == "?":
        return float("nan")
    try:
        return float(text)
    except ValueError:
        raise ArffError(source, number, f"expected a number or ?, got {text!r}") from None


def _no_zero_or_one(values: Floats) -> Booleans:
    wrong: Booleans = (values != 0) & (values != 1) & ~np.isnan(values)
    return wrong


def _refuse_nominal(source: str, number: int, name: str, value: float) -> None:
    raise ArffError(source, number, f"{name!r}: expected 0 or 1 as its attribute line says, got {value:g}")
