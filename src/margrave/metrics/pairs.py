"""What all measures of sequences check first: true and predicted labels that belong together."""

from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from margrave.primitives import AnyArray

LabelSequences: TypeAlias = Iterable[Sequence[Any] | AnyArray]


def paired_labels(y_true: LabelSequences, y_pred: LabelSequences) -> list[tuple[list[Any], list[Any]]]:
    """Pair the true and the predicted labels of every sequence, refusing those that do not fit.

    Parameters
    ----------
    y_true, y_pred : n sequences of T_i labels each
        Lists or one-dimensional arrays; a sequence may be empty.

    Returns
    -------
    list of n pairs of lists
        The labels as plain Python objects.

    Raises
    ------
    TypeError, ValueError
        A sequence that is none, another number of sequences, or another length; the message names the first.

    Examples
    --------
    >>> paired_labels([["B", "I"], []], [np.array(["B", "O"]), []])
    [(['B', 'I'], ['B', 'O']), ([], [])]
    """
    true, predicted = _lists(y_true, "y_true"), _lists(y_pred, "y_pred")
    if len(true) != len(predicted):
        raise ValueError(
            f"y_pred: expected {len(true)} sequences as in y_true, got {len(predicted)}; "
            f"pass the predictions for the same sequences, in the same order"
        )
    pairs = list(zip(true, predicted, strict=True))
    for index, (labels, guesses) in enumerate(pairs):
        if len(labels) != len(guesses):
            raise ValueError(
                f"y_pred[{index}]: expected {len(labels)} labels as in y_true[{index}], got {len(guesses)}; "
                f"predict one label for every token"
            )
    return pairs


def _lists(sequences: LabelSequences, name: str) -> list[list[Any]]:
    return [_list(sequence, f"{name}[{index}]") for index, sequence in enumerate(sequences)]


def _list(sequence: Sequence[Any] | AnyArray, name: str) -> list[Any]:
    # A string is a sequence too, of characters: a flat list of labels would pass for words and be scored wrongly.
    if isinstance(sequence, str | bytes) or not isinstance(sequence, Iterable):
        raise TypeError(
            f"{name}: expected a sequence of labels, got {type(sequence).__name__} {sequence!r}; "
            f"wrap the labels of a single sequence into a list"
        )
    if isinstance(sequence, np.ndarray):
        if sequence.ndim != 1:
            raise ValueError(f"{name}: expected one dimension, got shape {sequence.shape}; flatten it with ravel()")
        labels: list[Any] = sequence.tolist()
        return labels
    return list(sequence)
