"""The `subset="train" | "test" | "all"` argument that the loaders share."""

from typing import Literal, TypeAlias

Subset: TypeAlias = Literal["train", "test", "all"]

_PARTS: dict[str, tuple[str, ...]] = {"train": ("train",), "test": ("test",), "all": ("train", "test")}


def parts_of(subset: str) -> tuple[str, ...]:
    """Which parts a subset consists of, training part first.

    Parameters
    ----------
    subset : {"train", "test", "all"}
        The loaders' argument.

    Returns
    -------
    tuple of str
        "train", "test" or both.

    Raises
    ------
    ValueError
        Another name.

    Examples
    --------
    >>> parts_of("all")
    ('train', 'test')
    """
    if subset not in _PARTS:
        raise ValueError(f"subset: expected 'train', 'test' or 'all', got {subset!r}")
    return _PARTS[subset]
