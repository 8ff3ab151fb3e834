"""Files that may lie packed (`.gz`, `.xz`): read as if they were not."""

import gzip
import lzma
import os
from pathlib import Path
from typing import BinaryIO, cast

PACKED_SUFFIXES = (".xz", ".gz")


def open_packed(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a file for reading bytes, unpacking it if its name ends in `.gz` or `.xz`.

    Parameters
    ----------
    path : str or path-like
        The file.

    Returns
    -------
    binary file
        The unpacked contents; the caller closes it.

    Examples
    --------
    >>> import gzip, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "words.txt.gz")
    ...     _ = path.write_bytes(gzip.compress(b"the cat"))
    ...     with open_packed(path) as file:
    ...         file.read()
    b'the cat'
    """
    path = Path(path)
    if path.suffix == ".gz":
        return cast(BinaryIO, gzip.open(path, "rb"))
    if path.suffix == ".xz":
        return cast(BinaryIO, lzma.open(path, "rb"))
    return path.open("rb")
