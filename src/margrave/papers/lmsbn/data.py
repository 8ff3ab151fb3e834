"""The sets of the table, ready for models."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from margrave.datasets import fetch_multilabel, load_scene
from margrave.primitives import AnyArray

#: Features of these sets have scales of their own and are standardised, on the training part.
_STANDARDISED = ("emotions",)


class Split(NamedTuple):
    """A published split."""

    X_train: Any
    Y_train: AnyArray
    X_test: Any
    Y_test: AnyArray


def split_of(name: str, n_examples: int | None = None) -> Split:
    """A set by name; `n_examples` takes so many of each part, for a trial."""
    bunch = load_scene() if name == "scene" else fetch_multilabel(name)
    parts = [bunch.X_train, bunch.Y_train, bunch.X_test, bunch.Y_test]
    if n_examples is not None:  # some sets are sorted by label
        rng = np.random.default_rng(0)
        chosen = [np.sort(rng.permutation(len(labels))[:n_examples]) for labels in (parts[1], parts[3])]
        parts = [part[chosen[k // 2]] for k, part in enumerate(parts)]
    if name in _STANDARDISED:
        mean, scale = parts[0].mean(axis=0), parts[0].std(axis=0)
        parts[0], parts[2] = ((part - mean) / np.where(scale > 0, scale, 1.0) for part in (parts[0], parts[2]))
    return Split(*parts)
