"""A header and arrays in one file that cannot execute anything.

    8 bytes     length of the header, little-endian
    header      JSON: {"sha256": ..., "format": 1, "arrays": {name: {"dtype", "shape", "at"}}, ...}
    arrays      each at a multiple of 64 bytes, little-endian, row by row

The checksum is that of the whole file with the checksum's own digits as zeros; it is looked at before anything else is.
"""

import hashlib
import json
import math
import os
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from margrave.persistence.errors import ModelFileError
from margrave.primitives import AnyArray

FORMAT = 1
_ALIGNMENT = 64
_DTYPES = {
    name: np.dtype(name) for name in ("<f8", "<f4", "<i8", "<i4", "<i2", "|i1", "<u8", "<u4", "<u2", "|u1", "|b1")
}
_START = b'{"sha256": "'
_NO_DIGITS = b"0" * 64
_DIGITS = slice(8 + len(_START), 8 + len(_START) + 64)


def write_file(path: str | os.PathLike[str], header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> None:
    """Write a file, all of it or nothing: a file of that name stays as it was until the new one is whole on disk.

    Parameters
    ----------
    path : path
    header : JSON values by name
    arrays : arrays of numbers or booleans by name
    """
    arrays = {name: _storable(name, array) for name, array in arrays.items()}
    head, places = _header(header, arrays)
    digest = hashlib.sha256()
    for chunk in _chunks(head, arrays, places):
        digest.update(chunk)
    signed = head.replace(_START + _NO_DIGITS, _START + digest.hexdigest().encode(), 1)
    _write_atomically(Path(path), _chunks(signed, arrays, places))


def read_file(path: str | os.PathLike[str]) -> tuple[dict[str, Any], dict[str, AnyArray]]:
    """Read a file that `write_file` has written; the arrays are views of one buffer.

    Raises
    ------
    ModelFileError
        If the file is anything else, or not as it was written.
    """
    content = _content(Path(path))
    stop = 8 + int.from_bytes(content[:8], "little")
    if stop > len(content) or content[8 : 8 + len(_START)] != _START:
        raise ModelFileError(f"{path} is not a margrave model file")
    digits = bytes(content[_DIGITS])
    content[_DIGITS] = _NO_DIGITS
    if hashlib.sha256(content).hexdigest().encode() != digits:
        raise ModelFileError(f"{path} is damaged: its checksum is not that of its content")
    header = _parsed(bytes(content[8:stop]), path)
    header.pop("sha256", None)  # checked, and not part of what was written
    try:
        arrays = _views(content, header.pop("arrays"))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise ModelFileError(f"{path} describes its arrays wrongly: {error}") from None
    return header, arrays


# ---------------------------------------------------------------------- writing


def _storable(name: str, array: AnyArray) -> AnyArray:
    array = np.asarray(array, order="C")
    little = array.dtype.newbyteorder("<") if array.dtype.byteorder == ">" else array.dtype
    if little.str not in _DTYPES:
        raise TypeError(f"array {name!r} of dtype {array.dtype} cannot be saved; only numbers and booleans can")
    return array.astype(little, copy=False)


def _header(header: Mapping[str, Any], arrays: Mapping[str, AnyArray]) -> tuple[bytes, list[int]]:
    """The first bytes of the file, without the digits of the checksum, and where each array begins behind them."""
    at, places, described = 0, [], {}
    for name, array in arrays.items():
        places.append(at)
        described[name] = {"dtype": array.dtype.str, "shape": list(array.shape), "at": at}
        at += _aligned(array.nbytes)
    values = {"sha256": _NO_DIGITS.decode(), "format": FORMAT, **header, "arrays": described}
    text = json.dumps(values, allow_nan=False, ensure_ascii=False).encode("utf-8", "surrogatepass")
    text += b" " * (_aligned(8 + len(text)) - 8 - len(text))
    return len(text).to_bytes(8, "little") + text, places


def _aligned(size: int) -> int:
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def _chunks(head: bytes, arrays: Mapping[str, AnyArray], places: list[int]) -> list[Any]:
    """The file, piece by piece, without a copy of any array."""
    pieces: list[Any] = [head]
    for array in arrays.values():
        pieces.append(array.reshape(-1).view(np.uint8).data)
        pieces.append(bytes(_aligned(array.nbytes) - array.nbytes))
    return pieces


def _write_atomically(path: Path, pieces: list[Any]) -> None:
    unfinished = path.with_name(f".{path.name}.{secrets.token_hex(6)}.tmp")
    try:
        with open(unfinished, "xb") as file:
            for piece in pieces:
                file.write(piece)
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise OSError(
            error.errno, f"could not save to {path}: {error.strerror}; what was there before is as it was"
        ) from error
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise
    _settle(path.parent)


def _settle(folder: Path) -> None:
    """Make the new name survive a power cut, where folders can be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


# ---------------------------------------------------------------------- reading


def _content(path: Path) -> bytearray:
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        content = bytearray(size)
        if file.readinto(content) != size or size < _DIGITS.stop:
            raise ModelFileError(f"{path} is not a margrave model file")
    return content


def _parsed(text: bytes, path: object) -> dict[str, Any]:
    try:
        header = json.loads(text)
        number = header["format"]
    except (ValueError, KeyError, TypeError, RecursionError):
        raise ModelFileError(f"{path} has a header that cannot be read") from None
    if number != FORMAT:
        written = header.get("library", "?")
        raise ModelFileError(
            f"{path} has format {number}, written by margrave {written}; this one reads {FORMAT}: upgrade margrave"
        )
    return dict(header)


def _views(content: bytearray, places: Mapping[str, Mapping[str, Any]]) -> dict[str, AnyArray]:
    """All arrays; each begins behind the one before it, so that together they are no larger than the file."""
    arrays, end = dict[str, AnyArray](), 0
    for name, place in places.items():
        arrays[name] = _view(content, place)
        if place["at"] < end:
            raise ValueError(f"array {name!r} begins inside the one before it")
        end = place["at"] + arrays[name].nbytes
    return arrays


def _view(content: bytearray, place: Mapping[str, Any]) -> AnyArray:
    """One array as a view of the content, every number of its description checked."""
    start = 8 + int.from_bytes(content[:8], "little")
    dtype, shape, at = _DTYPES[place["dtype"]], place["shape"], place["at"]
    if not all(type(n) is int and n >= 0 for n in (at, *shape)) or at % _ALIGNMENT or len(shape) > 8:
        raise ValueError("a shape or a place is no whole number of at least 0")
    size = math.prod(shape)
    if start + at + size * dtype.itemsize > len(content):
        raise ValueError("an array goes beyond the end of the file")
    return np.frombuffer(content, dtype, size, start + at).reshape(shape)
