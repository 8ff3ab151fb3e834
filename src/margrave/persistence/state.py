"""Objects as JSON values and arrays, and back; only of classes that have registered.

A class registers under a name, with the attributes that make up its state besides its parameters. What may be in a
state: None, numbers, text, lists, tuples, dicts with text keys, slices, arrays of numbers or text, registered objects.
"""

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np

from margrave.persistence.errors import ModelFileError
from margrave.primitives import AnyArray

C = TypeVar("C", bound=type)

#: Lists of more texts than this are kept as arrays.
_LONG = 32


@dataclass(frozen=True)
class Entry:
    """A class that may stand in a model file."""

    name: str
    kind: type
    fitted: tuple[str, ...]


_by_name: dict[str, Entry] = {}
_by_kind: dict[type, Entry] = {}


def register(kind: C, *fitted: str, name: str | None = None) -> C:
    """Let objects of a class into model files.

    Parameters
    ----------
    kind : a dataclass, or a scikit-learn estimator
        Its fields, or its parameters, are its state.
    *fitted : str
        Attributes that belong to the state as well; those that an object lacks are left out.
    name : str or None
        What it is called in files, for ever; None: the name of the class.
    """
    entry = Entry(name or kind.__name__, kind, fitted)
    if _by_name.setdefault(entry.name, entry).kind is not kind:
        raise ValueError(f"{entry.name!r} is registered already, for {_by_name[entry.name].kind}")
    _by_kind[kind] = entry
    return kind


def registered(name: str) -> type | None:
    """The class that has registered under a name, or None."""
    return _by_name[name].kind if name in _by_name else None


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
        if isinstance(value, list | tuple | dict | slice):
            return self._container(value, where)
        return self._object(value, where)

    def _container(self, value: Any, where: str) -> Any:
        if isinstance(value, slice):
            return {"slice": [value.start, value.stop, value.step]}
        if isinstance(value, dict):
            if not all(isinstance(key, str) for key in value):
                raise TypeError(f"{where} cannot be saved: the keys of a dict must be text")
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
        if value.dtype.kind == "U":
            texts = self._texts(value.ravel().tolist())
            return {"text_array": texts, "shape": list(value.shape), "width": value.dtype.itemsize // 4}
        if value.dtype.kind == "S":
            content = np.frombuffer(np.ascontiguousarray(value).tobytes(), dtype=np.uint8)
            return {"bytes_array": self._put(content), "shape": list(value.shape), "width": value.dtype.itemsize}
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
    return state | {name: getattr(value, name) for name in entry.fitted if hasattr(value, name)}


class Unpacker:
    """The way back; every step of it doubts what it reads."""

    def __init__(self, arrays: Mapping[str, AnyArray]) -> None:
        self._arrays = arrays

    def unpack(self, packed: Any) -> Any:
        """One value."""
        if packed is None or isinstance(packed, bool | int | float | str):
            return packed
        for form, read in self._FORMS.items():
            if form in packed:
                return read(self, packed)
        raise ModelFileError("a value in the file has no form that is known")

    def _object(self, packed: Any) -> Any:
        entry = _by_name.get(packed["object"])
        if entry is None:
            raise ModelFileError(f"the file names a class that is not known here: {packed['object']!r}")
        state = {str(name): self.unpack(value) for name, value in packed["state"].items()}
        fitted = {name: state.pop(name) for name in entry.fitted if name in state}
        made = entry.kind(**state)
        for name, value in fitted.items():
            setattr(made, name, value)
        return made

    def _dict(self, packed: Any) -> Any:
        return dict(zip(self.unpack(packed["keys"]), self.unpack(packed["values"]), strict=True))

    def _texts(self, names: Any) -> list[str]:
        content, ends = (self._arrays[name] for name in names)
        text, first, texts = content.tobytes(), 0, []
        for stop in ends.tolist():
            if not first <= stop <= len(text):
                raise ModelFileError("the ends of texts do not rise")
            texts.append(text[first:stop].decode("utf-8", "surrogatepass"))
            first = stop
        return texts

    def _text_array(self, packed: Any) -> AnyArray:
        texts = self._texts(packed["text_array"])
        width = packed["width"]
        needed = width <= max(map(len, texts), default=0) + 1 or width * len(texts) <= 2**22
        if type(width) is not int or width < 0 or not needed:  # else a small file could ask for all memory
            raise ModelFileError("a text array has a width out of reason")
        return np.array(texts, dtype=f"<U{packed['width']}").reshape(packed["shape"])

    def _bytes_array(self, packed: Any) -> AnyArray:
        if not 1 <= packed["width"] <= 2**20:
            raise ModelFileError("a bytes array has a width out of reason")
        content = self._arrays[packed["bytes_array"]].astype(np.uint8, casting="no")
        return np.frombuffer(content.tobytes(), dtype=f"S{packed['width']}").reshape(packed["shape"])

    _FORMS: ClassVar[dict[str, Callable[["Unpacker", Any], Any]]] = {
        "object": _object,
        "keys": _dict,
        "array": lambda self, p: self._arrays[p["array"]],
        "text_array": _text_array,
        "bytes_array": _bytes_array,
        "texts": lambda self, p: self._texts(p["texts"]),
        "numbers": lambda self, p: self._arrays[p["numbers"]].tolist(),
        "scalar": lambda self, p: self._arrays[p["scalar"]][()],
        "float": lambda self, p: float(p["float"]),
        "slice": lambda self, p: slice(*p["slice"]),
        "list": lambda self, p: [self.unpack(item) for item in p["list"]],
        "tuple": lambda self, p: tuple(self.unpack(item) for item in p["tuple"]),
    }
