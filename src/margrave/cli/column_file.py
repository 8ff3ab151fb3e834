"""Column files as commands read them: whole, from a path or from standard input, with their lines kept."""

import io
import lzma
import sys
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from margrave.cli.errors import BadInputError
from margrave.datasets.conll import RaggedLineError, read_conll
from margrave.datasets.packed import open_packed

STANDARD = "-"
_BLANKS = " \t\r\n"


@dataclass(frozen=True)
class Format:
    """What a column file looks like.

    Attributes
    ----------
    delimiter : str or None
        What stands between two columns; None: any run of spaces and tabs.
    comment : str or None
        What a line begins with that is no token; None: every line that is not blank is a token.
    encoding : str
    ragged : bool
        Whether each line may have a number of columns of its own.
    """

    delimiter: str | None = None
    comment: str | None = None
    encoding: str = "utf-8"
    ragged: bool = False

    def is_token(self, line: str) -> bool:
        """Whether a line holds a token."""
        return bool(line.strip(_BLANKS)) and not (self.comment is not None and line.startswith(self.comment))


@dataclass(frozen=True)
class ColumnFile:
    """A file as it was read: its lines, and the tokens' columns, sentence by sentence."""

    name: str
    format: Format
    lines: list[str]
    sentences: list[list[tuple[str, ...]]]

    @property
    def width(self) -> int:
        """The number of columns of the first line."""
        return len(self.sentences[0][0])

    @property
    def n_tokens(self) -> int:
        """The number of tokens."""
        return sum(map(len, self.sentences))

    def line_of(self, token: int) -> int:
        """The number, from 1, of the line of a token that is counted over the file from 0."""
        tokens = (number for number, line in enumerate(self.lines, start=1) if self.format.is_token(line))
        return next(number for i, number in enumerate(tokens) if i == token)

    def with_columns(self, added: Iterator[str]) -> Iterator[str]:
        """The file's lines as they are, those of tokens with something more at the end."""
        gap = self.format.delimiter or self._gap()
        for line in self.lines:
            if self.format.is_token(line):
                kept = line.rstrip("\r\n")
                yield kept + gap + next(added) + (line[len(kept) :] or "\n")
            else:
                yield line

    def _gap(self) -> str:
        first = next(line for line in self.lines if self.format.is_token(line))
        return "\t" if "\t" in first.strip(_BLANKS) else " "


def read_column_file(path: str, layout: Format) -> ColumnFile:
    """Read a column file.

    Parameters
    ----------
    path : str
        `-` is standard input; `.gz` and `.xz` are unpacked.
    layout : Format

    Raises
    ------
    BadInputError
        Where the file cannot be read, is not text of the encoding, holds no token, or has a line with another number of
        columns than the first.
    """
    name = "standard input" if path == STANDARD else path
    # newline="\n": a lone carriage return inside a token (tweets have them) must not end a line.
    lines = list(io.StringIO(_decoded(_content(path, name), name, layout.encoding), newline="\n"))
    try:
        sentences = read_conll(lines, separator=layout.delimiter, comment=layout.comment, ragged=layout.ragged)
    except RaggedLineError as error:
        raise BadInputError(
            f"{name}, line {error.line}: expected {error.expected} columns as in the first line, got {error.got} in "
            f"{error.text!r}; mend the line, or say what separates columns with --delimiter and what begins a comment "
            f"with --comment when the model is trained"
        ) from None
    if not sentences:
        raise BadInputError(
            f"{name} holds no tokens; expected one token a line, its columns side by side, and a blank line after each "
            f"sentence"
        )
    return ColumnFile(name, layout, lines, sentences)


def _content(path: str, name: str) -> bytes:
    try:
        if path == STANDARD:
            return sys.stdin.buffer.read()
        with open_packed(Path(path)) as file:
            return file.read()
    except (lzma.LZMAError, zlib.error, EOFError) as error:
        raise BadInputError(f"{name} could not be unpacked: {error}; pack it again, or give it unpacked") from None
    except OSError as error:
        raise BadInputError(f"{name} could not be read: {error.strerror or error}; check the path") from None


def _decoded(content: bytes, name: str, encoding: str) -> str:
    try:
        text = content.decode(encoding)
    except LookupError:
        raise BadInputError(f"--encoding {encoding} is not known; try utf-8, latin-1 or utf-16") from None
    except UnicodeError as error:
        line = content.count(b"\n", 0, getattr(error, "start", 0)) + 1
        raise BadInputError(
            f"{name}, line {line}: expected text in {encoding}, got bytes that are none; convert the file to UTF-8, or "
            f"train the model with --encoding, such as --encoding latin-1"
        ) from None
    return text.removeprefix("\ufeff")
