"""Directed label models, as searches see them, and what a search gives back.

Labels are ±1. With the labels before place i known, z_i = y_i (s_i + Σ over its cliques c of w_c Π y over c), and a
labelling's loss is Σ_i loss(z_i), the hinge [1 − z]₊ or log(1 + e^(−z)). Predicting is minimising it. That is a sum of
losses of sums and no pairwise energy, so it is not asked of `Inference`. But a partial labelling's loss never falls
when it is completed, which is all that a search needs.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from margrave.graphs import Dependencies
from margrave.primitives import AnyArray, Booleans, Floats, Integers

#: A labelling's values -1 and +1; 0 where nothing is known.
Values = NDArray[np.int8]

#: Losses that differ by no more than this are the same.
SAME = 1e-9


@dataclass(frozen=True, eq=False)
class DirectedScores:
    """One order's scores of a batch of examples.

    Parameters
    ----------
    dependencies : Dependencies
    inputs : array of shape (n_examples, K)
        s: what the features say of each label, columns as labels.
    cliques : array of shape (n_cliques,), or (n_examples, n_cliques) where weights depend on the features
    smooth : bool
        Whether the loss is the log-loss rather than the hinge.

    Examples
    --------
    >>> from margrave.graphs import Dependencies
    >>> scores = DirectedScores(Dependencies.full([0, 1]), np.array([[2.0, 0.0]]), np.array([0.5]))
    >>> scores.losses(np.array([[1, 1]]))  # z = 2, 0.5
    array([0.5])
    """

    dependencies: Dependencies
    inputs: Floats
    cliques: Floats
    smooth: bool = False

    def __post_init__(self) -> None:
        for name in ("inputs", "cliques"):
            object.__setattr__(self, name, np.asarray(getattr(self, name), dtype=np.float64))
        d, shape = self.dependencies, self.inputs.shape
        if len(shape) != 2 or shape[1] != d.n_labels:
            raise ValueError(f"inputs must have a row per example and {d.n_labels} columns, got shape {shape}")
        if self.cliques.shape not in ((d.n_cliques,), (shape[0], d.n_cliques)):
            wanted = f"({d.n_cliques},) or ({shape[0]}, {d.n_cliques})"
            raise ValueError(f"cliques must have shape {wanted}, a weight per clique, got {self.cliques.shape}")

    def __len__(self) -> int:
        return len(self.inputs)

    @property
    def by_place(self) -> Floats:
        """The inputs with a column per place."""
        return np.ascontiguousarray(self.inputs[:, self.dependencies.order])

    def score_at(self, place: int, labels: AnyArray) -> Floats:
        """What inputs and labels before a place say of the label there, for every example: positive for +1."""
        d, run = self.dependencies, self.dependencies.run(place)
        total: Floats = self.inputs[:, d.order[place]].copy()
        if run.stop > run.start:
            weights = self.cliques[..., run]
            total += (d.signs_of(place, labels) * weights).sum(axis=1)
        return total

    def margins(self, labels: AnyArray) -> Floats:
        """Z of every label; shape (n_examples, K), columns as labels."""
        z = np.empty(self.inputs.shape)
        for place, label in enumerate(self.dependencies.order):
            z[:, label] = self.score_at(place, labels) * labels[:, label]
        return z

    def losses(self, labels: AnyArray) -> Floats:
        """Loss of a labelling of every example."""
        z = self.margins(labels)
        each = np.logaddexp(0.0, -z) if self.smooth else np.maximum(1.0 - z, 0.0)
        total: Floats = each.sum(axis=1)
        return total


class Kept(NamedTuple):
    """The best labellings of one example, best first.

    Attributes
    ----------
    labels : int8 array of shape (n_kept, K), -1 or +1
    losses : array of shape (n_kept,)
    bound : float
        No labelling that is not among them has a loss below it.
    nodes : int
    """

    labels: Values
    losses: Floats
    bound: float
    nodes: int


@dataclass(frozen=True, eq=False)
class Searched:
    """The best labelling that was found of every example, with a certificate.

    Attributes
    ----------
    labels : int8 array of shape (n_examples, K), -1 or +1
    loss : array of shape (n_examples,)
    bound : array of shape (n_examples,)
        No labelling has a loss below it.
    nodes : int array of shape (n_examples,)
        (label, value) pairs whose partial loss was formed.
    """

    labels: Values
    loss: Floats
    bound: Floats
    nodes: Integers

    @property
    def certified(self) -> Booleans:
        """Where the labelling is proved to be the best."""
        proved: Booleans = self.loss - self.bound <= SAME
        return proved
