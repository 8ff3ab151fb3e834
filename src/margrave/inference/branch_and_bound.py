"""Exact search for the labelling of least loss, with a certificate for every answer."""

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator

from margrave.inference.directed import DirectedScores, Kept, Searched, Values
from margrave.inference.label_trees import AverageTree, OrderTree
from margrave.primitives import even_slices, for_each, for_reading

#: A number of nodes that no search reaches.
_NO_LIMIT = 2**62
#: Nodes between two looks at the clock.
_BETWEEN_LOOKS = 200_000
_SLICES = 64


class LabelSearch(BaseEstimator, ABC):
    """Parameters of a search over labellings of directed models."""

    @abstractmethod
    def check(self, n_orders: int) -> None:
        """Raise a ValueError where the parameters are no good, or not for so many orders."""

    @abstractmethod
    def best(self, scores: Sequence[DirectedScores], given: Values | None = None, n_jobs: int = 1) -> Searched:
        """The labelling of least loss of every example; the mean loss where there are several orders.

        Parameters
        ----------
        scores : one DirectedScores per order, of the same examples
        given : int8 array of shape (n_examples, K), or (1, K) for all alike, or None
            -1 or +1 where a label is known, else 0. Known labels still pay their loss.
        n_jobs : int
        """

    @abstractmethod
    def several(
        self,
        scores: Sequence[DirectedScores],
        use: Callable[[int, Kept], None],
        most: int,
        slack: float = np.inf,
        given: Values | None = None,
        n_jobs: int = 1,
    ) -> None:
        """Hand the best labellings of every example to `use(example, kept)`, in threads.

        Parameters
        ----------
        most : int
            How many labellings of an example at the most.
        slack : float
            How much worse than the best they may be.
        """


class BranchAndBound(LabelSearch):
    """Depth-first branch and bound: exact where no limit stops it, and certified by what it has proved where one does.

    Values are tried in the order of the model, the preferred one first; a labelling's loss grows with every label, so
    what has reached the best known loss is given up. The better a model fits, the sooner that is: on examples of loss
    below S at most 2K Σ_{r<S} C(K, r) nodes are visited (one order, hinge).

    Parameters
    ----------
    S : float or None, default=None
        Only labellings of a loss below S are looked for; where there is none, the preferred values are returned, and
        the bound is S. None: no such limit.
    max_nodes : int or None, default=None
        (label, value) pairs tried for an example, at the most; one labelling is completed in any case. None: no limit
        for one order, 100,000 for several.
    time_limit : float or None, default=None
        Seconds spent on one example at the most, within a fraction of a second.

    References
    ----------
    X. Miao and R. Rao, Large margin Boltzmann machines and large margin sigmoid belief networks, Algorithm 2.

    Examples
    --------
    >>> from margrave.graphs import Dependencies
    >>> from margrave.inference import BranchAndBound, DirectedScores
    >>> scores = DirectedScores(Dependencies.full([0, 1]), np.array([[0.4, 0.0]]), np.array([-2.0]))
    >>> found = BranchAndBound().best([scores])
    >>> found.labels, found.loss, found.certified
    (array([[ 1, -1]], dtype=int8), array([0.6]), array([ True]))
    """

    def __init__(self, S: float | None = None, max_nodes: int | None = None, time_limit: float | None = None) -> None:
        self.S = S
        self.max_nodes = max_nodes
        self.time_limit = time_limit

    def check(self, n_orders: int) -> None:
        """See `LabelSearch.check`."""
        self._limits(n_orders)

    def best(self, scores: Sequence[DirectedScores], given: Values | None = None, n_jobs: int = 1) -> Searched:
        """See `LabelSearch.best`."""
        n, K = _shape(scores)
        out = Searched(np.empty((n, K), dtype=np.int8), np.empty(n), np.empty(n), np.empty(n, dtype=np.int64))
        ceiling, most = self._limits(len(scores))
        known = known_labels(given, n, K)
        make = self._maker(scores, known, 1, self._starts(scores, known, n_jobs))

        def work(run: tuple[int, int]) -> None:
            tree = make()
            if self.time_limit is None:
                tree.best(*run, ceiling, most, out)
                return
            for example in range(*run):
                self._go(tree, example, ceiling, np.inf, most)
                out.labels[example], out.loss[example], out.bound[example], out.nodes[example] = tree.first()

        for_each(work, even_slices(np.arange(1, n + 1), _SLICES), n_jobs)
        return out

    def several(
        self,
        scores: Sequence[DirectedScores],
        use: Callable[[int, Kept], None],
        most: int,
        slack: float = np.inf,
        given: Values | None = None,
        n_jobs: int = 1,
    ) -> None:
        """See `LabelSearch.several`."""
        n, K = _shape(scores)
        ceiling, most_nodes = self._limits(len(scores))
        make = self._maker(scores, known_labels(given, n, K), most, [])

        def work(run: tuple[int, int]) -> None:
            tree = make()
            for example in range(*run):
                self._go(tree, example, ceiling, slack, most_nodes)
                use(example, tree.kept(slack))

        for_each(work, even_slices(np.arange(1, n + 1), _SLICES), n_jobs)

    # ------------------------------------------------------------------

    def _maker(
        self, scores: Sequence[DirectedScores], given: Values, most: int, starts: Sequence[Values]
    ) -> Callable[[], Any]:
        if len(scores) == 1 or not given.shape[1]:  # orders of no labels are all alike
            return OrderTree.maker(scores[0], given, most)
        return AverageTree.maker(scores, given, most, starts)

    def _starts(self, scores: Sequence[DirectedScores], given: Values, n_jobs: int) -> list[Values]:
        """What a short search of each order alone finds, where there are several: something to begin with."""
        if len(scores) == 1:
            return []
        short = BranchAndBound(max_nodes=self._limits(len(scores))[1])
        return [short.best([order], given, n_jobs).labels for order in scores]

    def _go(self, tree: Any, example: int, ceiling: float, slack: float, most: int) -> None:
        tree.begin(example)
        if self.time_limit is None:
            tree.go(ceiling, slack, most)
            return
        end, reached = time.perf_counter() + self.time_limit, 0
        while not tree.done and reached < most and (reached == 0 or time.perf_counter() < end):
            reached = min(reached + _BETWEEN_LOOKS, most)
            tree.go(ceiling, slack, reached)

    def _limits(self, n_orders: int) -> tuple[float, int]:
        for name, value in (("S", self.S), ("max_nodes", self.max_nodes), ("time_limit", self.time_limit)):
            if value is not None and (isinstance(value, bool) or not isinstance(value, int | float | np.number)):
                raise ValueError(f"{name} of BranchAndBound must be a number above 0 or None, got {value!r}")
            if value is not None and not value > 0:
                raise ValueError(f"{name} of BranchAndBound must be above 0, got {value}; None sets no limit")
        most = self.max_nodes if self.max_nodes is not None else (_NO_LIMIT if n_orders == 1 else 100_000)
        return np.inf if self.S is None else float(self.S), int(min(most, _NO_LIMIT))


def _shape(scores: Sequence[DirectedScores]) -> tuple[int, int]:
    """Examples and labels, which all orders have in common."""
    shapes = {(*order.inputs.shape, bool(order.smooth)) for order in scores}
    if len(shapes) != 1:
        raise ValueError(f"scores must be of the same examples, labels and loss in all orders, got {sorted(shapes)}")
    n, K, _ = shapes.pop()
    return n, K


def known_labels(given: Values | None, n: int, K: int) -> Values:
    """Given labels with a row per example, or one row of zeros for all."""
    if given is None:
        return np.zeros((1, K), dtype=np.int8)
    if given.shape not in ((n, K), (1, K)):
        raise ValueError(f"given must have shape ({n}, {K}), a row per example, got {given.shape}")
    if not np.isin(given, (-1, 0, 1)).all():
        raise ValueError("given must hold -1, +1, and 0 where a label is not known")
    known: Values = for_reading(given, np.int8)
    return known
