"""Which variables meet."""

from margrave.graphs.basis import Basis, from_matrix, potts, scaled, sign, symmetric
from margrave.graphs.batch import Batch, Features, Input
from margrave.graphs.block import Block
from margrave.graphs.dependencies import Dependencies
from margrave.graphs.factor_graph import FactorGraph, Local
from margrave.graphs.structures import Sequence, Sequences
from margrave.graphs.topology import EdgeTables, Places, Topology

__all__ = [
    "Basis",
    "Batch",
    "Block",
    "Dependencies",
    "EdgeTables",
    "FactorGraph",
    "Features",
    "Input",
    "Local",
    "Places",
    "Sequence",
    "Sequences",
    "Topology",
    "from_matrix",
    "potts",
    "scaled",
    "sign",
    "symmetric",
]
