"""What a structure makes of data: a graph, and the features that score its blocks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from scipy import sparse

from margrave.graphs.factor_graph import FactorGraph
from margrave.primitives import AnyArray

#: A dense matrix, a CSR matrix, or None for rows without features (one constant each).
Features: TypeAlias = AnyArray | sparse.csr_array | None


@dataclass(frozen=True, eq=False)
class Input:
    """Features of one block's rows, and the name under which their weights are penalised."""

    block: str
    features: Features
    penalty: str


@dataclass(frozen=True, eq=False)
class Batch:
    """A graph with its inputs; several inputs may feed one block, their scores are added."""

    graph: FactorGraph
    inputs: Mapping[str, Input]


def rows_from_lengths(lengths: AnyArray) -> AnyArray:
    """Where each example's rows begin, and where the last one's end."""
    return np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
