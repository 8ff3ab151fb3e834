"""Where data sets that do not ship with the library are found: a folder, then the cache, then the public origin.

A data set is a `Registry` entry: files, their checksums, where each was published, and the licence note. The order is

1. the folder named by the environment variable `MARGRAVE_DATA`,
2. the cache (`data_home`, by default the user's cache folder),
3. the public origin, for files that have one (unpacked, at a fixed commit).

Checksums are of the *unpacked* bytes, so that a copy compressed with xz or gzip is as good as the plain file.

Errors
------
- DatasetNotFoundError (a FileNotFoundError): the file is nowhere; says where to put it.
- DatasetChecksumError (a ValueError): a file is there, and is another one.
"""

import hashlib
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from margrave.datasets.packed import PACKED_SUFFIXES, open_packed

DATA_FOLDER_VARIABLE = "MARGRAVE_DATA"
_DIGEST_CHUNK = 1 << 20
_noted: set[str] = set()  # names of the data sets whose licence note this process has printed


class DatasetNotFoundError(FileNotFoundError):
    """A data set's file lies in none of the places where it is looked for."""


class DatasetChecksumError(ValueError):
    """A file has the right name and other contents than the published one."""


@dataclass(frozen=True)
class Origin:
    """One file of a public repository at one commit.

    Parameters
    ----------
    repository : str
        `owner/name`.
    commit : str
        The full hash: a branch's contents may change.
    path : str
        The file inside the repository.
    host : str
        Where raw files are served.

    Examples
    --------
    >>> Origin("owner/name", "0" * 8, "data/train.txt", host="https://raw.example.org").url
    'https://raw.example.org/owner/name/00000000/data/train.txt'
    """

    repository: str
    commit: str
    path: str
    host: str = "https://raw.githubusercontent.com"

    @property
    def url(self) -> str:
        """The address of the file."""
        return f"{self.host}/{self.repository}/{self.commit}/{self.path}"


@dataclass(frozen=True)
class DataFile:
    """One file of a data set.

    Parameters
    ----------
    path : str
        Where it lies below the data folder and below the cache, with forward slashes.
    sha256 : str
        Checksum of the unpacked contents.
    origin : Origin or None
        Where it was published; None where no public origin is known.

    Examples
    --------
    >>> DataFile("toy/train.txt", sha256="0" * 64).origin is None
    True
    """

    path: str
    sha256: str
    origin: Origin | None = None


@dataclass(frozen=True)
class Registry:
    """What is known of one data set.

    Parameters
    ----------
    name : str
        The name used in messages.
    files : mapping from part to DataFile
        For example `{"train": ..., "test": ...}`.
    licence : str
        The note that is printed (to standard error) once per process.

    Examples
    --------
    >>> import hashlib, os, pathlib, tempfile
    >>> digest = hashlib.sha256(b"the DT B-NP").hexdigest()
    >>> toy = Registry("toy", {"train": DataFile("toy/train.txt", digest)}, licence="toy: in the public domain")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     os.mkdir(os.path.join(folder, "toy"))
    ...     _ = pathlib.Path(folder, "toy", "train.txt").write_text("the DT B-NP")
    ...     toy.locate("train", data_home=folder).name
    'train.txt'
    """

    name: str
    files: Mapping[str, DataFile]
    licence: str

    def locate(
        self, part: str, data_home: str | os.PathLike[str] | None = None, download_if_missing: bool = True
    ) -> Path:
        """Find one file of the data set, fetching it from its origin if it has one and lies nowhere else.

        Parameters
        ----------
        part : str
            A key of `files`.
        data_home : path-like, optional
            The cache folder; None is the user's cache folder for this library.
        download_if_missing : bool
            False: never ask the origin.

        Returns
        -------
        Path
            A file whose unpacked contents have the registered checksum; perhaps packed (`.xz`, `.gz`).

        Raises
        ------
        DatasetNotFoundError
            The file is nowhere, or the origin could not be reached.
        DatasetChecksumError
            A file of that name is there but is not the registered one.
        """
        file = self.files[part]
        for folder in _places(data_home):
            for candidate in _candidates(folder, file.path):
                if candidate.is_file():
                    self._verify(candidate, file)
                    self._note_licence()
                    return candidate
        cache = _cache_folder(data_home)
        if file.origin is None or not download_if_missing:
            why = "it has no public origin to download from" if file.origin is None else "download_if_missing=False"
            raise DatasetNotFoundError(self._where_to_put(file, cache, why))
        path = self._download(file, file.origin, cache)
        self._note_licence()
        return path

    def _download(self, file: DataFile, origin: Origin, cache: Path) -> Path:
        import pooch  # noqa: PLC0415 -- lazily: a network library is no part of `import margrave`

        target = cache / file.path
        try:
            pooch.retrieve(origin.url, known_hash=file.sha256, fname=target.name, path=target.parent)
        except OSError as error:  # no connection, no such host, 404 (requests' errors are OSErrors), no right to write
            if (response := getattr(error, "response", None)) is not None:
                response.close()  # an answer such as 404 is left unread, and its socket open
            why = f"fetching it from {origin.url} failed ({type(error).__name__})"
            raise DatasetNotFoundError(self._where_to_put(file, cache, why)) from error
        except ValueError as error:  # pooch's word for another checksum; it has kept nothing
            raise DatasetChecksumError(
                f"{origin.url} does not serve the published file of {self.name}: expected SHA-256 {file.sha256}. "
                f"Put the unmodified file at {target}."
            ) from error
        return target

    def _verify(self, path: Path, file: DataFile) -> None:
        got = _digest(path)
        if got != file.sha256:
            raise DatasetChecksumError(
                f"{path} is not the published file of {self.name}: expected SHA-256 {file.sha256}, got {got}"
                f"{' (of the unpacked contents)' if path.suffix in PACKED_SUFFIXES else ''}. "
                f"Delete it or put the unmodified file in its place."
            )

    def _where_to_put(self, file: DataFile, cache: Path, why: str) -> str:
        looked = " or ".join(str(folder / file.path) for folder in (*_data_folder(), cache))
        every = ", ".join(each.path for each in self.files.values())
        return (
            f"{self.name}: {looked} was not found, and {why}. Put the unmodified files ({every}) below a folder and "
            f"set the environment variable {DATA_FOLDER_VARIABLE} to that folder, or put this file at "
            f"{cache / file.path}. Its SHA-256 must be {file.sha256}."
        )

    def _note_licence(self) -> None:
        if self.name not in _noted:
            _noted.add(self.name)
            print(self.licence, file=sys.stderr)


def _data_folder() -> list[Path]:
    """The folder of `MARGRAVE_DATA` as a list of one, or of none where the variable is unset or empty."""
    folder = os.environ.get(DATA_FOLDER_VARIABLE)
    return [Path(folder)] if folder else []


def _places(data_home: str | os.PathLike[str] | None) -> Iterator[Path]:
    """Where files are looked for, in order; lazily, so that a file in the data folder asks nothing of the cache."""
    yield from _data_folder()
    yield _cache_folder(data_home)


def _cache_folder(data_home: str | os.PathLike[str] | None) -> Path:
    if data_home is not None:
        return Path(data_home).expanduser()
    import pooch  # noqa: PLC0415 -- lazily, see above

    return Path(pooch.os_cache("margrave"))


def _candidates(folder: Path, path: str) -> Iterator[Path]:
    for suffix in ("", *PACKED_SUFFIXES):
        yield folder / f"{path}{suffix}"


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open_packed(path) as file:
        while chunk := file.read(_DIGEST_CHUNK):
            digest.update(chunk)
    return digest.hexdigest()
