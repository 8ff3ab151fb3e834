"""Measures of predicted label sets: by example, by label, over all entries."""

from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from margrave.primitives import AnyArray, Floats, Integers


def multilabel_scores(Y_true: Any, Y_pred: Any) -> dict[str, float]:
    """Every measure of multi-label classification of the papers, from one pass over the labels.

    With t_i and p_i the numbers of true and of predicted labels of example i, b_i the number of those that are both,
    and t_k, p_k, b_k the same of label k:

    ==================== ============================================================================
    exact_match          (1/n) Σ_i [Y_i = Z_i], eq. 9 of [1]_
    hamming_loss         (1/nK) Σ_ik [Y_ik ≠ Z_ik], eq. 10
    f1_samples           (1/n) Σ_i 2 b_i / (t_i + p_i), eq. 11
    f1_macro             (1/K) Σ_k 2 b_k / (t_k + p_k), eq. 12
    f1_micro             2 Σ_i b_i / Σ_i (t_i + p_i), eq. 13
    accuracy             (1/n) Σ_i b_i / (t_i + p_i − b_i), eq. 3 of [2]_
    precision            (1/n) Σ_i b_i / p_i
    recall               (1/n) Σ_i b_i / t_i, eq. 3 of [2]_
    precision_nonempty   the mean of b_i / p_i over the examples with p_i > 0, eq. 3 of [2]_
    f1_of_means          2PR / (P + R) of P = precision_nonempty and R = recall, eq. 3 of [2]_
    ==================== ============================================================================

    0/0 is 0 throughout, as in scikit-learn with `zero_division=0`: an example without labels that is predicted to have
    none counts as an exact match, and 0 in its F. The reports of [2]_ leave out empty predictions in the precision,
    which gives the last two. O(nK) for arrays; for sparse matrices, in proportion to the labels that are there.

    Parameters
    ----------
    Y_true, Y_pred : array-like or sparse matrix (n, K), or array-like (n,)
        True and predicted labels, 0 or 1.

    Returns
    -------
    dict from str to float
        Between 0 and 1; keys in the order above.

    Raises
    ------
    ValueError
        The shapes differ, there is no entry, or one is neither 0 nor 1.

    References
    ----------
    .. [1] X. Miao, R. Rao, "Large margin Boltzmann machines and large margin sigmoid belief networks", 2010.
    .. [2] X. Miao, R. Rao, "Large margin Boltzmann machines", IJCAI 2009.

    Examples
    --------
    >>> scores = multilabel_scores([[1, 0, 1], [0, 1, 0]], [[1, 0, 1], [0, 0, 0]])
    >>> scores["exact_match"], scores["recall"], scores["precision"], scores["precision_nonempty"]
    (0.5, 0.5, 0.5, 1.0)
    """
    truth, guess = _indicator(Y_true, "Y_true"), _indicator(Y_pred, "Y_pred")
    if truth.shape != guess.shape:
        raise ValueError(f"Y_true, Y_pred: expected the same shape, got {truth.shape} and {guess.shape}")
    if 0 in truth.shape:
        raise ValueError(f"Y_true, Y_pred: expected at least one example and one label, got the shape {truth.shape}")
    if issparse(truth) or issparse(guess):
        truth, guess = csr_array(truth), csr_array(guess)
        both = truth.multiply(guess)
    else:
        both = truth * guess
    t, p, b = (_totals(Y, axis=1) for Y in (truth, guess, both))
    t_label, p_label, b_label = (_totals(Y, axis=0) for Y in (truth, guess, both))
    precision, recall = _ratio(b, p), _ratio(b, t)
    nonempty, mean_recall = float(precision.sum() / max(np.count_nonzero(p), 1)), float(recall.mean())
    scores = {
        "exact_match": np.mean((t == b) & (p == b)),
        "hamming_loss": (t + p - 2 * b).sum() / (truth.shape[0] * truth.shape[1]),
        "f1_samples": _ratio(2 * b, t + p).mean(),
        "f1_macro": _ratio(2 * b_label, t_label + p_label).mean(),
        "f1_micro": _ratio(2 * b.sum(keepdims=True), (t + p).sum(keepdims=True))[0],
        "accuracy": _ratio(b, t + p - b).mean(),
        "precision": precision.mean(),
        "recall": mean_recall,
        "precision_nonempty": nonempty,
        "f1_of_means": 2 * nonempty * mean_recall / (nonempty + mean_recall) if mean_recall else 0.0,
    }
    return {name: float(score) for name, score in scores.items()}


def _indicator(Y: Any, name: str) -> Any:
    """The labels as an array or a sparse array (n, K), int64, all of them 0 or 1."""
    if issparse(Y):
        values = csr_array(Y, copy=True)
        values.sum_duplicates()
        if (place := _first_wrong(values.data, name)) is not None:
            row = int(np.searchsorted(values.indptr, place[0], side="right")) - 1
            raise _not_an_indicator(name, values.data[place], row)
        return values.astype(np.int64)
    array: AnyArray = np.asarray(Y)
    array = array[:, None] if array.ndim == 1 else array
    if array.ndim != 2:
        raise ValueError(f"{name}: expected labels of shape (n, K), got an array of {array.ndim} dimensions")
    if (place := _first_wrong(array, name)) is not None:
        raise _not_an_indicator(name, array[place], place[0])
    return array.astype(np.int64)


def _first_wrong(entries: AnyArray, name: str) -> tuple[int, ...] | None:
    """Where the first entry stands that is neither 0 nor 1."""
    if entries.dtype.kind not in "biuf":
        raise ValueError(f"{name}: expected the numbers 0 and 1, got entries of type {entries.dtype}")
    wrong = np.argwhere((entries != 0) & (entries != 1))
    return tuple(int(index) for index in wrong[0]) if len(wrong) else None


def _not_an_indicator(name: str, value: float, row: int) -> ValueError:
    return ValueError(f"{name}: expected 0 or 1, got {value} in row {row}; map labels of -1 and +1 by (Y + 1) // 2")


def _totals(Y: Any, axis: int) -> Integers:
    totals: AnyArray = np.asarray(Y.sum(axis=axis)).ravel()
    return totals


def _ratio(numerator: Integers, denominator: Integers) -> Floats:
    """Entry by entry, 0/0 = 0; a denominator of 0 has a numerator of 0 here."""
    return numerator / np.maximum(denominator, 1)
