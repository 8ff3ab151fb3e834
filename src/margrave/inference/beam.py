"""Beam search for a labelling of small loss: fast whatever the scores are, and honest about what it left out."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from margrave.inference.branch_and_bound import LabelSearch, known_labels
from margrave.inference.branching import Wiring
from margrave.inference.directed import DirectedScores, Kept, Searched, Values
from margrave.inference.label_trees import wiring_of
from margrave.inference.narrowing import narrow, narrow_all
from margrave.primitives import Floats, even_slices, for_each

_SLICES = 64


class Beam(LabelSearch):
    """Keeps a number of partial labellings at each place of one order: those of least loss so far.

    A partial loss never falls when the labelling is completed. So the least partial loss that was dropped bounds all
    that was dropped, and

        bound = min(loss of the answer, least partial loss dropped at any place):

    an answer is certified where nothing that was dropped could have been better. With `width` 1 it is the path of
    preferred values, with `width` of at least 2^K every labelling, and certified. Takes K² · width steps an example
    however hard it is, and visits at most 2K · width nodes; `BranchAndBound` is exact and, where a model fits, faster.

    Parameters
    ----------
    width : int, default=10
        How many partial labellings are kept.

    References
    ----------
    B. Lowerre, The Harpy speech recognition system, Carnegie Mellon University, 1976.

    Examples
    --------
    >>> from margrave.graphs import Dependencies
    >>> from margrave.inference import Beam, DirectedScores
    >>> scores = DirectedScores(Dependencies.full([0, 1]), np.array([[0.4, 1.0]]), np.array([-1.0]))
    >>> found = Beam(width=1).best([scores])  # +1 costs 0.6 and -1 1.4, but then the second label costs 1 or nothing
    >>> found.labels, found.loss, found.bound, found.certified
    (array([[ 1, -1]], dtype=int8), array([1.6]), array([1.4]), array([False]))
    >>> Beam(width=2).best([scores]).certified
    array([ True])
    """

    def __init__(self, width: int = 10) -> None:
        self.width = width

    def check(self, n_orders: int) -> None:
        """See `LabelSearch.check`."""
        width: Any = self.width
        if isinstance(width, bool) or not isinstance(width, int | np.integer) or width < 1:
            raise ValueError(f"width of Beam must be a whole number of at least 1, got {width!r}")
        if n_orders > 1:
            raise ValueError(f"Beam searches one order, got {n_orders}; use BranchAndBound, which takes several")

    def best(self, scores: Sequence[DirectedScores], given: Values | None = None, n_jobs: int = 1) -> Searched:
        """See `LabelSearch.best`; of one order."""
        n, K = scores[0].inputs.shape
        out = Searched(np.empty((n, K), dtype=np.int8), np.empty(n), np.empty(n), np.empty(n, dtype=np.int64))
        make = self._maker(scores, given)

        def work(run: tuple[int, int]) -> None:
            make().best(*run, out)

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
        """See `LabelSearch.several`; the best of those that are kept at the last place, so no more than `width`."""
        make = self._maker(scores, given)

        def work(run: tuple[int, int]) -> None:
            rows = make()
            for example in range(*run):
                use(example, rows.kept(example, most, slack))

        for_each(work, even_slices(np.arange(1, len(scores[0]) + 1), _SLICES), n_jobs)

    # ------------------------------------------------------------------

    def _maker(self, scores: Sequence[DirectedScores], given: Values | None) -> Callable[[], "_Rows"]:
        self.check(len(scores))
        n, K = scores[0].inputs.shape
        order, kept = scores[0].dependencies.order, min(int(self.width), 2 ** min(K, 62))
        shared = scores[0].by_place, wiring_of(scores[0]), known_labels(given, n, K)[:, order].copy()
        return lambda: _Rows(scores[0], *shared, kept)


class _Rows:
    """Partial labellings of one example, for one thread."""

    def __init__(self, scores: DirectedScores, inputs: Floats, wiring: Wiring, given: Values, width: int) -> None:
        K = inputs.shape[1]
        self._inputs, self._fixed = inputs, (wiring, given, scores.smooth)
        self._rows = np.empty((2, width, K)), np.empty((2, width, K)), np.empty((2, width))
        self._following, self._counts = (np.empty(width), np.empty(width, np.int64)), np.empty(3, np.int64)
        self._back = np.argsort(scores.dependencies.order)

    def best(self, first: int, stop: int, out: Searched) -> None:
        """The best labelling of each of a run of examples."""
        values = np.empty((stop - first, len(self._back)), dtype=np.int8)
        moving = self._rows, self._following, self._counts
        narrow_all(
            first, stop, self._inputs, *self._fixed, *moving, values, out.loss, out.bound, out.nodes
        )  # fmt: skip
        out.labels[first:stop] = values[:, self._back]

    def kept(self, example: int, most: int, slack: float) -> Kept:
        """The best of one example's; what is known of all others: what was dropped, and the next best one's loss."""
        wiring, given, smooth = self._fixed
        known = given[example if len(given) > 1 else 0]
        moving = self._rows, self._following, self._counts
        dropped = float(narrow(example, self._inputs[example], wiring, known, smooth, *moving))
        n, side, nodes = self._counts.tolist()
        losses = self._rows[2][side, :n]
        order = np.argsort(losses, kind="stable")
        n_used = min(most, int((losses <= losses[order[0]] + slack).sum()))
        used, rest = order[:n_used], order[n_used:]
        values = self._rows[0][side, used][:, self._back].astype(np.int8)
        return Kept(values, losses[used], min(dropped, losses[rest].min(initial=np.inf)), nodes)
