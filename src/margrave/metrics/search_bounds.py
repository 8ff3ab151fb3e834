"""What an expected loss says of the search for the best labelling: Theorem 9."""

import math
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from margrave.primitives import Floats

SearchedLoss: TypeAlias = Literal["hinge", "log"]

#: What a label costs at least whose value is not the one that its partial loss prefers.
_STEP = {"hinge": 1.0, "log": math.log(2)}


def solved_probability(S: ArrayLike, expected_loss: ArrayLike) -> float | Floats:
    """Theorem 9: a search that starts with the bound S finds the minimiser with probability max(0, 1 − E[L] / S).

    The search returns the minimiser wherever the least loss is below S. The least loss is at most the loss L of the
    truth, so that Pr(least loss < S) ≥ Pr(L < S) ≥ 1 − E[L] / S by Markov's inequality. That holds for any loss that is
    not negative, averaged over several orders or not; the share that is solved is often far above it.

    Parameters
    ----------
    S : float or array-like
        The initial bound of the search, above 0; infinity gives 1.
    expected_loss : float or array-like
        E[L(x, y)] of the truth, not negative.

    Returns
    -------
    float, or ndarray where an argument is an array
        A lower bound on the probability.

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010, Theorem 9.

    Examples
    --------
    >>> solved_probability(4.0, 1.0), solved_probability(1.0, 2.0)
    (0.75, 0.0)
    """
    start, loss = np.asarray(S, dtype=np.float64), np.asarray(expected_loss, dtype=np.float64)
    if not (start > 0).all():
        raise ValueError(f"S: expected numbers above 0, got {start[~(start > 0)].ravel()[0]}")
    if not ((loss >= 0) & np.isfinite(loss)).all():
        raise ValueError("expected_loss: expected finite numbers of at least 0, got another")
    bound = np.maximum(0.0, 1.0 - loss / start)
    return float(bound) if bound.ndim == 0 else bound


def search_nodes_bound(n_labels: int, S: float, loss: SearchedLoss = "hinge") -> int:
    """Theorem 9: depth-first search that starts with the bound S visits at most 2K Σ_{r < S} C(K, r) nodes.

    A node is one label with one value whose partial loss is formed. A value that its z_i speaks against costs at least
    1, so that a path with a partial loss below S holds r < S of them, and of the K depths each has at most Σ_{r < S}
    C(K, r) such paths with two children. Under the log-loss such a value costs at least log 2: S / log 2 for S. The
    paper prints the binomial upside down, and counts leaves.

    It holds for depth-first search in one order of the labels, and without labels that are given; not for a loss that
    is averaged over several orders.

    Parameters
    ----------
    n_labels : int
        K.
    S : float
        The initial bound of the search, above 0; infinity gives 2K 2^K.
    loss : {"hinge", "log"}
        The loss of a label: [1 − z]_+ or log(1 + e^(−z)).

    Returns
    -------
    int
        The bound, exactly: Python's integers do not overflow. O(min(S, K)) operations on integers of K bits.

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010, Theorem 9.

    Examples
    --------
    >>> search_nodes_bound(6, S=2), search_nodes_bound(6, S=2, loss="log"), search_nodes_bound(6, S=2.5)
    (84, 264, 264)
    """
    if n_labels < 1:
        raise ValueError(f"n_labels: expected at least 1, got {n_labels}")
    if not S > 0:
        raise ValueError(f"S: expected a number above 0, got {S}")
    if loss not in _STEP:
        raise ValueError(f"loss: expected 'hinge' or 'log', got {loss!r}")
    steps = S / _STEP[loss]
    # The integers below `steps`, of which those above K have no way to be chosen.
    n_terms = n_labels + 1 if steps > n_labels else math.ceil(steps)
    ways, total = 1, 0
    for r in range(n_terms):
        total += ways
        ways = ways * (n_labels - r) // (r + 1)
    return 2 * n_labels * total
