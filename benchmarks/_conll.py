"""Chunking (CoNLL-2000) as the runners take it: sentences as attributes and tags, and as a matrix."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import margrave as mg
from benchmarks._chain_objective import penalised_log_loss
from margrave.datasets import fetch_conll2000
from margrave.features import conll_template
from margrave.primitives import Floats, Labels

#: What CRFsuite makes of the whole training set, and so do observed weights.
N_STATE_WEIGHTS, N_TRANSITIONS = 452_632, 145
#: CRFsuite's c2 = 1, whose objective is twice ours.
C = 0.5


@dataclass(frozen=True)
class Chunks:
    """Sentences as attributes and tags."""

    rows: list[list[list[str]]]
    tags: list[list[str]]

    @classmethod
    def fetch(cls, subset: Any, sentences: int | None = None) -> "Chunks":
        conll = fetch_conll2000(subset=subset)
        return cls([conll_template(s) for s in conll.data[:sentences]], conll.target[:sentences])

    @cached_property
    def encoded(self) -> mg.Sequences:
        return mg.ChainCRF().encode(self.rows)

    @cached_property
    def classes(self) -> list[str]:
        return sorted({tag for tags in self.tags for tag in tags})

    @cached_property
    def states(self) -> dict[str, int]:
        """The number of each tag."""
        return {tag: k for k, tag in enumerate(self.classes)}

    @cached_property
    def columns(self) -> dict[str, int]:
        """The column of each attribute."""
        return {str(name): d for d, name in enumerate(self.encoded.encoder.names_.feature_names_)}

    @cached_property
    def labels(self) -> Labels:
        return np.array([self.states[tag] for tags in self.tags for tag in tags], dtype=np.int32)

    def objective(self, weights: Any, transitions: Floats) -> float:
        """‖w‖² + log-loss, by the neutral function; weights are (n_features, n_states)."""
        dense = np.ascontiguousarray(weights)
        return penalised_log_loss(self.encoded.features, self.encoded.lengths, self.labels, dense, transitions)
