"""Where results go: files that are looked at before any work begins, and written whole or not at all."""

import codecs
import json
import math
import os
import secrets
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from margrave.cli.column_file import STANDARD
from margrave.cli.errors import BadInputError, UnmetError


def standard_output() -> Console:
    """Where tables go; words of the data are printed as they are, whatever they look like."""
    return Console(markup=False, emoji=False, highlight=False)


def print_json(values: dict[str, Any]) -> None:
    """Print one JSON object to standard output; what is no number there (NaN, infinities) is null."""
    typer.echo(json.dumps(_finite(values), allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def checked_target(path: str | os.PathLike[str], replaced: bool = True) -> Path:
    """The file to write, where its folder takes new files: found out before an hour of training, not after.

    Parameters
    ----------
    path : path
    replaced : bool
        Whether a finished file will take its place, as a device or a pipe could not bear.

    Raises
    ------
    BadInputError
        Where nothing could be written there.
    """
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise BadInputError(
            f"{path} is a folder; expected the name of a file to write, such as {Path(path) / 'model.mg'}"
        )
    if _is_special(target):
        if replaced:
            raise BadInputError(f"{path} is a device or a pipe, which no model can take the place of; name a file")
        return target
    if not target.parent.is_dir():
        raise BadInputError(f"there is no folder {target.parent} to write {target.name} to; make it, or name another")
    try:
        with tempfile.TemporaryFile(dir=target.parent):  # permissions alone do not tell: root, read-only disks
            pass
    except OSError as error:
        raise BadInputError(
            f"the folder {target.parent} takes no new file ({error.strerror}); name another, or change its permissions"
        ) from None
    return target


def _is_special(target: Path) -> bool:
    return target.exists() and not stat.S_ISREG(target.stat().st_mode)


def write_lines(lines: Iterable[str], path: str, encoding: str) -> None:
    """Write text to standard output, or to a file that appears whole or not at all."""
    encode = codecs.getincrementalencoder(encoding)().encode  # a byte-order mark, if any, once
    if path == STANDARD:
        for line in lines:
            sys.stdout.buffer.write(encode(line))
        sys.stdout.buffer.flush()
        return
    target = Path(os.path.realpath(path))
    special = _is_special(target)
    written = target if special else target.with_name(f".{target.name}.{secrets.token_hex(6)}.tmp")
    try:
        with open(written, "wb" if special else "xb") as file:
            file.writelines(map(encode, lines))
        if not special:
            os.replace(written, target)
    except BaseException as error:
        if not special:
            written.unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UnmetError(f"could not write {path}: {error.strerror}; what was there before is as it was") from None
        raise
