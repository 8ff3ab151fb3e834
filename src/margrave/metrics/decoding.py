"""The answer that a measure wants, of weighted labellings."""

import numpy as np

from margrave.primitives import AnyArray, Booleans, Floats


def marginals(labels: AnyArray, weights: Floats) -> Floats:
    """Probability that each label is on.

    Parameters
    ----------
    labels : array of shape (n_labellings, K)
        On where above 0.
    weights : array of shape (n_labellings,)
        Any multiple of the labellings' probabilities.

    Examples
    --------
    >>> marginals(np.array([[1, 0], [1, 1]]), np.array([3.0, 1.0]))
    array([1.  , 0.25])
    """
    share = weights / weights.sum()
    result: Floats = share @ (np.asarray(labels) > 0)
    return result


def best_for_hamming(labels: AnyArray, weights: Floats) -> Booleans:
    """The labelling of least expected Hamming loss: each label that is on with a probability above one half.

    Parameters and shapes are those of `marginals`.

    Examples
    --------
    >>> best_for_hamming(np.array([[1, 0, 0], [0, 1, 0], [1, 0, 1]]), np.array([3.0, 4.0, 2.0]))
    array([ True, False, False])
    """
    return marginals(labels, weights) > 0.5


def best_for_f1(labels: AnyArray, weights: Floats) -> tuple[Booleans, float]:
    """The labelling of greatest expected F, 2 |y ∩ h| / (|y| + |h|) with 0/0 = 0, and that expectation.

    With P_is the probability that label i is on in a labelling of s labels, a labelling h of k labels has the expected
    F Σ over i in h of Σ_s 2 P_is / (s + k): the best of k labels are those with the greatest inner sums, and k is tried
    out. O(n_labellings K + K³). Where all weight is on the labelling without labels, that is the answer.

    Parameters and shapes are those of `marginals`.

    References
    ----------
    Dembczyński, Waegeman, Cheng and Hüllermeier, An exact algorithm for F-measure maximization, NeurIPS 2011.

    Examples
    --------
    >>> best_for_f1(np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1]]), np.array([1.0, 1.0, 1.0]))[0]
    array([ True,  True,  True])
    """
    on, share = np.asarray(labels) > 0, weights / weights.sum()
    K = on.shape[1]
    sizes = on.sum(axis=1)
    joint = np.zeros((K, K + 1))  # P_is
    np.add.at(joint.T, sizes, share[:, None] * on)
    s, k = np.arange(1, K + 1), np.arange(1, K + 1)
    gains = joint[:, 1:] @ (2.0 / (s[:, None] + k))  # (K, k)
    order = np.argsort(-gains, axis=0, kind="stable")
    expected = np.array([gains[order[: size + 1, size], size].sum() for size in range(K)])
    best, answer = int(np.argmax(expected)) if K else 0, np.zeros(K, dtype=bool)
    if K and expected[best] > 0:
        answer[order[: best + 1, best]] = True
        return answer, float(expected[best])
    return answer, 0.0
