"""Reader of column files: one token a line, its columns side by side, a blank line between sentences."""

import io
import os
import re
from collections.abc import Iterable, Iterator
from sys import intern
from typing import Any

from margrave.datasets.packed import open_packed

_BLANKS = " \t\r\n"
# Only these separate columns: str.split() would also cut at a no-break space, which is a token in real corpora.
_GAP = re.compile(r"[ \t]+")


class RaggedLineError(ValueError):
    """A line with another number of columns than the first line.

    Attributes
    ----------
    source : str
        The file.
    line : int
        The number of the line, from 1.
    expected, got : int
        The number of columns of the first line and of this one.
    text : str
        The line.
    """

    def __init__(self, source: str, line: int, expected: int, got: int, text: str) -> None:
        super().__init__(
            f"{source}, line {line}: expected {expected} columns as in the first line, got {got} in {text!r}; "
            f"mend the line, or say what separates the columns with separator= and what begins a comment with comment="
        )
        self.source, self.line, self.expected, self.got, self.text = source, line, expected, got, text

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.source, self.line, self.expected, self.got, self.text)


def read_conll(
    source: str | os.PathLike[str] | Iterable[str],
    *,
    separator: str | None = None,
    comment: str | None = None,
    encoding: str = "utf-8-sig",
    ragged: bool = False,
) -> list[list[tuple[str, ...]]]:
    r"""Read sentences from a file in columns (the format of the CoNLL shared tasks).

    One token a line; a blank line, or several, ends a sentence. Both ends of line are understood, and a last sentence
    without a blank line after it.

    Parameters
    ----------
    source : path or iterable of lines
        A file (also packed: `.gz`, `.xz`), or the lines themselves.
    separator : str, optional
        What stands between two columns. None: any run of spaces and tabs; with a separator, columns may be empty.
    comment : str, optional
        Lines that begin with this are skipped. None: there are no comments ("#" is a token in many corpora).
    encoding : str
        Of the file; the default is UTF-8, with or without a byte-order mark.
    ragged : bool
        Whether lines may have other numbers of columns than the first, as where columns are attributes.

    Returns
    -------
    list of lists of tuples of str
        Sentences, tokens, columns. Equal strings are one object: memory grows with the vocabulary, not the text.

    Raises
    ------
    RaggedLineError
        A ValueError: a line with another number of columns than the first line, with the number of the line.

    Examples
    --------
    >>> read_conll(["the DT B-NP\n", "cat NN I-NP\n", "\n", "sleeps VBZ B-VP\n"])
    [[('the', 'DT', 'B-NP'), ('cat', 'NN', 'I-NP')], [('sleeps', 'VBZ', 'B-VP')]]
    """
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        if "\n" in name:
            raise ValueError("source: expected a path or lines, got one str of several lines; pass source.splitlines()")
        # newline="\n": a lone carriage return inside a token (tweets have them) must not end a line.
        with io.TextIOWrapper(open_packed(name), encoding=encoding, newline="\n") as lines:
            return list(_sentences(lines, name, separator, comment, ragged))
    return list(_sentences(source, "source", separator, comment, ragged))


def _sentences(
    lines: Iterable[str], name: str, separator: str | None, comment: str | None, ragged: bool
) -> Iterator[list[tuple[str, ...]]]:
    sentence: list[tuple[str, ...]] = []
    width = 0
    for number, line in enumerate(lines, start=1):
        if comment is not None and line.startswith(comment):
            continue
        if not line.strip(_BLANKS):
            if sentence:
                yield sentence
                sentence = []
            continue
        columns = _columns(line, separator)
        width = width or len(columns)
        if len(columns) != width and not ragged:
            raise RaggedLineError(name, number, width, len(columns), line.strip(_BLANKS))
        sentence.append(columns)
    if sentence:
        yield sentence


def _columns(line: str, separator: str | None) -> tuple[str, ...]:
    if separator is None:
        return tuple(map(intern, _GAP.split(line.strip(_BLANKS))))
    return tuple(map(intern, line.rstrip("\r\n").split(separator)))
