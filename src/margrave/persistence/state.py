"""Objects as JSON values and arrays, and back; only of classes that have registered.

A class registers under a name, with the attributes that make up its state besides its parameters. What may be in a
state: None, numbers, text, lists, tuples, dicts with keys of text or numbers, slices, arrays of numbers or text,
sparse matrices (they come back as csr_array), registered objects.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
from scipy import sparse

from margrave.persistence.errors import ModelFileError
from margrave.primitives import AnyArray

C = TypeVar("C", bound=type)

#: Lists of more texts than this are kept as arrays.
_LONG = 32
_LAST_CHARACTER = 0x10FFFF


@dataclass(frozen=True)
class Entry:
    """A class that may stand in a model file."""

    name: str
    kind: type
    fitted: tuple[str, ...]
    optional: tuple[str, ...] = ()


_by_name: dict[str, Entry] = {}
_by_kind: dict[type, Entry] = {}


def register(kind: C, *fitted: str, optional: tuple[str, ...] = (), name: str | None = None) -> C:
    """Let objects of a class into model files.

    Parameters
    ----------
    kind : a dataclass, or a scikit-learn estimator
        Its fields, or its parameters, are its state.
    *fitted : str
        Attributes that belong to the state as well; those that an object lacks are left out.
    optional : tuple of str
        Attributes that not every fit leaves.
    name : str or None
        What it is called in files, for ever; None: the name of the class.
    """
    entry = Entry(name or kind.__name__, kind, fitted, optional)
    if _by_name.setdefault(entry.name, entry).kind is not kind:
        raise ValueError(f"{entry.name!r} is registered already, for {_by_name[entry.name].kind}")
    _by_kind[kind] = entry
    return kind


def registered(name: str) -> type | None:
    """The class that has registered under a name, or None."""
    return _by_name[name].kind if name in _by_name else None


def missing_state(value: Any) -> list[str]:
    """Attributes that the class of an object has registered and the object lacks."""
    entry = _by_kind.get(type(value))
    return [] if entry is None else [name for name in entry.fitted if not hasattr(value, name)]


class Packer:
    """Turns objects into JSON values, and puts arrays aside."""

    def __init__(self) -> None:
        self.arrays: dict[str, AnyArray] = {}

    def pack(self, value: Any, where: str) -> Any:
        """One value; `where` says what it is, for the message that refuses it."""
        if value is None or isinstance(value, bool | str):
            return value
        if isinstance(value, int | float) and type(value) in (int, float):
            return value if np.isfinite(value) else {"float": repr(value)}
        if isinstance(value, np.generic):
            return {"scalar": self._put(np.asarray(value))}
        if isinstance(value, np.ndarray):
            return self._array(value, where)
        if sparse.issparse(value):
            rows = sparse.csr_array(value)
            parts = [self._put(part) for part in (rows.data, rows.indices, rows.indptr)]
            return {"csr": parts, "shape": [int(length) for length in rows.shape]}
        if isinstance(value, list | tuple | dict | slice):
            return self._container(value, where)
        return self._object(value, where)

    def _container(self, value: Any, where: str) -> Any:
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if isinstance(value, dict):
            if not all(isinstance(key, str | int | float | np.generic) for key in value):
                raise TypeError(f"{where} cannot be saved: the keys of a dict must be text or numbers")
            return {"keys": self.pack(list(value), where), "values": self.pack(list(value.values()), where)}
        if len(value) > _LONG and isinstance(value, list):
            if all(isinstance(item, str) for item in value):
                return {"texts": self._texts(value)}
            if all(type(item) is int and abs(item) < 2**62 for item in value):
                return {"numbers": self._put(np.array(value, dtype=np.int64))}
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [self.pack(item, f"{where}[{i}]") for i, item in enumerate(value)]}

    def _object(self, value: Any, where: str) -> Any:
        entry = _by_kind.get(type(value))
        if entry is None:
            raise TypeError(
                f"{where} cannot be saved: {type(value).__name__} has not registered; see margrave.persistence.register"
            )
        state = {name: self.pack(item, f"{where}.{name}") for name, item in _state_of(value, entry).items()}
        return {"object": entry.name, "state": state}

    def _array(self, value: AnyArray, where: str) -> Any:
        if value.dtype.kind in "US":
            little = np.ascontiguousarray(value, dtype=value.dtype.newbyteorder("<"))
            content = np.frombuffer(little.tobytes(), dtype=np.uint8)
            return {"characters": self._put(content), "dtype": little.dtype.str, "shape": list(value.shape)}
        if value.dtype.kind == "O" and all(isinstance(item, str) for item in value.ravel()):
            return {"text_objects": self._texts(value.ravel().tolist()), "shape": list(value.shape)}
        if value.dtype.kind not in "biuf":
            raise TypeError(f"{where} cannot be saved: it is an array of dtype {value.dtype}")
        return {"array": self._put(value)}

    def _texts(self, texts: list[str]) -> list[str]:
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        ends = np.cumsum([len(part) for part in encoded], dtype=np.int64)
        return [self._put(np.frombuffer(b"".join(encoded), dtype=np.uint8)), self._put(ends)]

    def _put(self, array: AnyArray) -> str:
        name = f"a{len(self.arrays)}"
        self.arrays[name] = array
        return name


def _state_of(value: Any, entry: Entry) -> dict[str, Any]:
    if dataclasses.is_dataclass(value):
        state = {field.name: getattr(value, field.name) for field in dataclasses.fields(value) if field.init}
    else:
        state = dict(value.get_params(deep=False))
    return state | {name: getattr(value, name) for name in (*entry.fitted, *entry.optional) if hasattr(value, name)}


class Unpacker:
    """The way back; every step of it doubts what it reads.

    Each array serves once, as it was put aside for one value: a short file cannot ask for the same numbers a thousand
    times over.
    """

    def __init__(self, arrays: Mapping[str, AnyArray]) -> None:
        self._arrays = dict(arrays)

    def unpack(self, packed: Any) -> Any:
        """One value."""
        if packed is None or isinstance(packed, bool | int | float | str):
            return packed
        for form, read in self._FORMS.items():
            if form in packed:
                return read(self, packed)
        raise ModelFileError("a value in the file has no form that is known")

    def _take(self, name: str, dtype: type | None = None) -> AnyArray:
        """An array, for the only time; of `dtype`, where a few bytes of another would make many objects."""
        array = self._arrays.pop(name)
        if dtype is not None and array.dtype != dtype:
            raise ModelFileError(f"an array in the file has dtype {array.dtype}, which its use does not")
        return array

    def _object(self, packed: Any) -> Any:
        entry = _by_name.get(packed["object"])
        if entry is None:
            raise ModelFileError(f"the file names a class that is not known here: {packed['object']!r}")
        state = {str(name): self.unpack(value) for name, value in packed["state"].items()}
        fitted = {name: state.pop(name) for name in (*entry.fitted, *entry.optional) if name in state}
        made = entry.kind(**state)
        for name, value in fitted.items():
            setattr(made, name, value)
        return made

    def _dict(self, packed: Any) -> Any:
        return dict(zip(self.unpack(packed["keys"]), self.unpack(packed["values"]), strict=True))

    def _texts(self, names: Any) -> list[str]:
        content, ends = (self._take(name, dtype) for name, dtype in zip(names, (np.uint8, np.int64), strict=True))
        text, first, texts = content.tobytes(), 0, []
        for stop in ends.tolist():
            if not first <= stop <= len(text):
                raise ModelFileError("the ends of texts do not rise")
            texts.append(text[first:stop].decode("utf-8", "surrogatepass"))
            first = stop
        return texts

    def _characters(self, packed: Any) -> AnyArray:
        content, dtype = self._take(packed["characters"], np.uint8), np.dtype(packed["dtype"])
        if dtype.kind not in "US" or dtype.byteorder == ">":
            raise ModelFileError("a text array in the file is of another dtype")
        if dtype.kind == "U" and (content.view("<u4") > _LAST_CHARACTER).any():
            raise ModelFileError("a text array in the file holds what is no character")
        texts: AnyArray = content.view(dtype).reshape(packed["shape"])
        return texts

    def _text_objects(self, packed: Any) -> AnyArray:
        texts: AnyArray = np.array(self._texts(packed["text_objects"]), dtype=object).reshape(packed["shape"])
        return texts

    def _csr(self, packed: Any) -> Any:
        data, indices, pointer = (self._take(name) for name in packed["csr"])
        n_rows, n_columns = packed["shape"]
        if data.dtype.kind not in "biuf" or indices.dtype.kind != "i" or pointer.dtype.kind != "i":
            raise ModelFileError("a sparse matrix in the file has numbers of the wrong kind")
        if len(pointer) != n_rows + 1 or pointer[-1] != len(data) or len(indices) != len(data):
            raise ModelFileError("a sparse matrix in the file has arrays of the wrong length")
        rows: Any = sparse.csr_array((data, indices, pointer), shape=(n_rows, n_columns))
        rows.check_format(full_check=True)
        return rows

    _FORMS: ClassVar[dict[str, Callable[["Unpacker", Any], Any]]] = {
        "object": _object,
        "keys": _dict,
        "array": lambda self, p: self._take(p["array"]),
        "csr": _csr,
        "characters": _characters,
        "text_objects": _text_objects,
        "texts": lambda self, p: self._texts(p["texts"]),
        "numbers": lambda self, p: self._take(p["numbers"], np.int64).tolist(),
        "scalar": lambda self, p: self._take(p["scalar"])[()],
        "float": lambda self, p: float(p["float"]),
        "slice": lambda self, p: slice(*p["slice"]),
        "list": lambda self, p: [self.unpack(item) for item in p["list"]],
        "tuple": lambda self, p: tuple(self.unpack(item) for item in p["tuple"]),
    }
