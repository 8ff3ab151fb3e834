"""Kinds of data, as graphs: what a sequence, a grid or a set of labels looks like to the rest of the house."""

from margrave.graphs.structures.sequence import Sequence, Sequences

__all__ = ["Sequence", "Sequences"]
