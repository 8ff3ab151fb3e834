"""Whole objects in files."""

import os
from collections.abc import Mapping
from typing import Any

from margrave._version import __version__
from margrave.persistence.container import read_file, write_file
from margrave.persistence.errors import ModelFileError
from margrave.persistence.state import Packer, Unpacker

#: All that building objects from doubtful values may raise.
_DOUBTS = (TypeError, ValueError, KeyError, IndexError, AttributeError, OverflowError, RecursionError)


def save_object(value: Any, path: str | os.PathLike[str], notes: Mapping[str, Any] | None = None) -> None:
    """Save an object of a registered class; atomic, and readable without executing anything.

    Parameters
    ----------
    value : object
    path : path
    notes : mapping of JSON values, or None
        More entries for the file's header, for programs that know of them (`read_file` gives the header).

    Raises
    ------
    TypeError
        Where something in it has no form in a file; nothing is written then.
    OSError
        Where the folder or the disk refuses; a file that was there before stays as it was.
    """
    packer = Packer()
    packed = packer.pack(value, type(value).__name__)
    header = {"library": __version__, "class": type(value).__name__, "state": packed}
    write_file(path, {**(notes or {}), **header}, packer.arrays)


def load_object(path: str | os.PathLike[str], expected: type | None = None, asked: str | None = None) -> Any:
    """Load an object that `save_object` has saved.

    Parameters
    ----------
    path : path
    expected : type or None
        What the object must be an instance of.
    asked : str or None
        What that is called, with its article, where a file holds something else.

    Raises
    ------
    ModelFileError
        If the file is anything else than such an object, whole and of a version that can be read.
    """
    header, arrays = read_file(path)
    try:
        value = Unpacker(arrays).unpack(header["state"])
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None
    except _DOUBTS as error:
        raise ModelFileError(f"{path} does not describe an object: {type(error).__name__}: {error}") from None
    if expected is not None and not isinstance(value, expected):
        raise ModelFileError(
            f"{path} holds a {type(value).__name__}, {asked or f'a {expected.__name__}'} was asked for"
        )
    return value
