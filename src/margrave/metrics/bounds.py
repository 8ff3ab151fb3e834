"""What an expected loss says of the error (thresholds, Theorem 4), and the hinge loss of the log-loss."""

import math
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from margrave.primitives import Floats

ThresholdedLoss: TypeAlias = Literal["log", "exponential", "structured_hinge", "lmsbn"]
Slack: TypeAlias = Literal["sufficient", "printed"]

_THRESHOLDS = {"log": math.log(2), "exponential": 1.0, "structured_hinge": 1.0, "lmsbn": 1.0}
_SLACKS = {"sufficient": math.log(1 + math.exp(-1)), "printed": math.log(math.e + math.exp(-1))}


def loss_threshold(loss: ThresholdedLoss) -> float:
    """T of Theorem 4: what a loss is at least where the prediction ŷ, its minimiser, is not the truth y.

    - "log": −log Pr(y | x), T = log 2, for any number of outputs: of two labellings one has at most probability ½.
    - "exponential": e^(−z) of one binary output with margin z, T = 1.
    - "structured_hinge": max over y' of [cost(y, y') + s(y') − s(y)]_+ with costs of at least 1 for y' ≠ y, T = 1. The
      paper prints [1 − max over y' ≠ y of (s(y) − s(y'))]_+; with the max no T above 0 holds, a min is meant.
    - "lmsbn": Σ_i [1 − z_i]_+ in any order of the labels, T = 1 (Remark 6); also of its mean over several orders, as
      the losses of two labellings sum to at least 2 in each.

    The threshold of the LMBM depends on its weights: `lmbm_threshold`.

    Parameters
    ----------
    loss : {"log", "exponential", "structured_hinge", "lmsbn"}
        The loss.

    Returns
    -------
    float
        T. The paper writes L > T; L ≥ T holds, and suffices.

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010,
       section 2.1.

    Examples
    --------
    >>> round(loss_threshold("log"), 4), loss_threshold("lmsbn")
    (0.6931, 1.0)
    """
    if loss not in _THRESHOLDS:
        raise ValueError(f"loss: expected one of {', '.join(_THRESHOLDS)}, got {loss!r}")
    return _THRESHOLDS[loss]


def lmbm_threshold(
    weights: ArrayLike,
    cliques: Sequence[Sequence[int]],
    n_labels: int,
    *,
    margin: float = 1.0,
    feature_bounds: ArrayLike = 1.0,
) -> float:
    """T of Theorem 4 for a large margin Boltzmann machine: min over i of [γ − Σ_{j ∈ S_i} abs(w_j) g_j]_+.

    S_i are the cliques that hold label i and another one, g_j bounds abs(f_j), and the loss is Σ_i [γ − z_i]_+ with
    z_i = Σ_{j: i ∈ C_j} w_j f_j. A threshold of 0 says nothing: the weights between labels are too large.

    This is Remark 4.2 of [1]_, which holds (with ≥ for its >). Remark 5 of [2]_ has g Σ_j w_j² for the sum, with a
    constant g that it does not give; none makes that a bound in general. With every clique of 4 among m labels, each
    with the weight 1 / C(m − 1, 3), all labels on and all labels off both have loss 0, while w² sums to .057 for m = 8
    and to as little as one likes for larger m.

    Parameters
    ----------
    weights : array-like (J,)
        The weight of each clique.
    cliques : J sequences of int
        The labels, from 0, of each clique; its inputs do not matter.
    n_labels : int
        K.
    margin : float
        γ.
    feature_bounds : float or array-like (J,)
        g_j, a bound on abs(f_j) over all inputs; 1 for products of labels alone.

    Returns
    -------
    float
        T, at least 0. In time proportional to the sizes of the cliques.

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines", IJCAI 2009.
    .. [2] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010.

    Examples
    --------
    >>> lmbm_threshold([5.0, 0.25, -0.5], [[0], [0, 1], [1, 2]], n_labels=3)
    0.25
    """
    absolute = np.abs(np.asarray(weights, dtype=np.float64)) * np.asarray(feature_bounds, dtype=np.float64)
    if absolute.ndim != 1 or len(absolute) != len(cliques):
        raise ValueError(
            f"weights: expected one for each of the {len(cliques)} cliques (and feature_bounds as many, or one), got "
            f"the shape {absolute.shape}"
        )
    coupling = np.zeros(n_labels)
    for place, (clique, size) in enumerate(zip(cliques, absolute, strict=True)):
        members = sorted(set(clique))
        if members and not 0 <= members[0] <= members[-1] < n_labels:
            raise ValueError(f"cliques: expected labels from 0 to {n_labels - 1}, got {list(clique)} in clique {place}")
        if len(members) > 1:
            coupling[members] += size
    return max(0.0, margin - float(coupling.max(initial=0.0)))


def error_bound(expected_loss: ArrayLike, threshold: ArrayLike) -> float | Floats:
    """Theorem 4: the probability that the prediction is wrong anywhere is at most min(1, E[L] / T).

    By Markov's inequality, for a loss that is at least T wherever its minimiser ŷ is not the truth y:
    Pr(ŷ ≠ y) ≤ Pr(L ≥ T) ≤ E[L] / T. On a test set, with the mean loss for E[L], it bounds 1 − exact match.

    Parameters
    ----------
    expected_loss : float or array-like
        E[L(x, y)], not negative; of the loss that the threshold belongs to.
    threshold : float or array-like
        T; of 0 it gives 1.

    Returns
    -------
    float, or ndarray where an argument is an array
        The bound.

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010, Theorem 4.

    Examples
    --------
    >>> error_bound(0.25, loss_threshold("lmsbn")), error_bound(2.0, 1.0), error_bound(0.5, 0.0)
    (0.25, 1.0, 1.0)
    """
    loss, least = _not_negative(expected_loss, "expected_loss"), _not_negative(threshold, "threshold")
    loss, least = np.broadcast_arrays(loss, least)
    # Where the loss is not below T the bound is 1, with T = 0 as well.
    bound = np.divide(loss, least, out=np.ones(loss.shape), where=loss < least)
    return _number_or_array(bound)


def log_loss_bound(hinge_loss: ArrayLike, n_labels: int, slack: Slack = "sufficient") -> float | Floats:
    """Remark 3: the log-loss of a sigmoid belief network is at most its hinge loss plus K b.

    log(1 + e^(−z)) ≤ [1 − z]_+ + b for every z, summed over the K labels. The paper prints b = log(e + 1/e) = 1.127.
    The log-loss is above the hinge by most at z = 1, so that b = log(1 + 1/e) = .313 suffices, and no smaller one does.

    Parameters
    ----------
    hinge_loss : float or array-like
        Σ_i [1 − z_i]_+, or its mean over examples or orders.
    n_labels : int
        K.
    slack : {"sufficient", "printed"}
        Which b.

    Returns
    -------
    float, or ndarray where `hinge_loss` is an array
        An upper bound on Σ_i log(1 + e^(−z_i)) for the same z.

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010, Remark 3.

    Examples
    --------
    >>> round(log_loss_bound(0.0, 1), 4), round(log_loss_bound(0.0, 1, slack="printed"), 4)
    (0.3133, 1.1269)
    """
    if slack not in _SLACKS:
        raise ValueError(f"slack: expected 'sufficient' or 'printed', got {slack!r}")
    if n_labels < 1:
        raise ValueError(f"n_labels: expected at least 1, got {n_labels}")
    return _number_or_array(_not_negative(hinge_loss, "hinge_loss") + n_labels * _SLACKS[slack])


def _not_negative(value: ArrayLike, name: str) -> Floats:
    array = np.asarray(value, dtype=np.float64)
    if not (array >= 0).all():
        raise ValueError(f"{name}: expected numbers of at least 0, got {array[~(array >= 0)].ravel()[0]}")
    return array


def _number_or_array(value: Floats) -> float | Floats:
    return float(value) if np.ndim(value) == 0 else value
