"""Chain models under the names that people look for."""

from collections.abc import Mapping
from typing import Any

from margrave.estimators.sequence import SequenceClassifier
from margrave.graphs import Sequence


class _Chain(SequenceClassifier):
    """A SequenceClassifier whose loss is settled and whose structure is one switch."""

    structure = None
    inference = None

    def __init__(
        self,
        C: float = 1.0,
        *,
        penalty: float | Mapping[str, float] | None = None,
        nodes: Any = None,
        edges: Any = None,
        boundary: bool = False,
        solver: Any = None,
        tol: float | None = None,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.C = C
        self.penalty = penalty
        self.nodes = nodes
        self.edges = edges
        self.boundary = boundary
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    def _structure(self) -> Sequence:
        return Sequence(boundary=self.boundary)


class ChainCRF(_Chain):
    """Linear-chain conditional random field: SequenceClassifier with log-loss.

    Parameters are those of `SequenceClassifier`, and

    boundary : bool, default=False
        Whether the first and the last label have scores of their own.

    Examples
    --------
    >>> import margrave as mg
    >>> feats = [[{"bias": 1.0, "word": "the", "upper": False}, {"bias": 1.0, "word": "cat"}]]
    >>> tagger = mg.ChainCRF(C=0.5).fit(feats, [["B-NP", "I-NP"]])
    >>> tagger.predict(feats)
    [array(['B-NP', 'I-NP'], dtype='<U4')]
    """

    loss = "log"


class ChainM3N(_Chain):
    """Max-margin Markov network on chains, the structural support vector machine: SequenceClassifier with the hinge.

    Parameters are those of `SequenceClassifier`, and

    boundary : bool, default=False
        Whether the first and the last label have scores of their own.

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> X, y = [np.array([[0.0], [1.0], [0.0]])], [["a", "b", "a"]]
    >>> mg.ChainM3N(C=10.0, random_state=0).fit(X, y).gap_ <= 1e-3
    True
    """

    loss = "hinge"
