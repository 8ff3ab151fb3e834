"""Precision, recall and F1 of chunks: spans of tokens that tags such as B-NP, I-NP, O spell out.

Agrees with seqeval's default mode, and so with the script of the CoNLL shared tasks, on every input: tags may be BIO,
IOB or IOBES, well-formed or not ("I-NP" after "O" begins a chunk).
"""

from collections import Counter
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np

from margrave.metrics.pairs import LabelSequences, paired_labels
from margrave.primitives import Floats

Average: TypeAlias = Literal["micro", "macro", "weighted"]

_AVERAGES: tuple[Average, ...] = ("micro", "macro", "weighted")
_OUTSIDE = "O"
_NO_TYPE = "_"  # the type of chunks where tags have none: plain B, I, O
_ENDS = {"BB", "BS", "BO", "IB", "IS", "IO"}  # previous and present prefix between which a chunk of one type ends
_STARTS = {"EE", "EI", "SE", "SI", "OE", "OI"}  # ... or begins, beside every B and S


class ChunkScore(NamedTuple):
    """Scores of the chunks of one type; 0/0 is 0.

    Attributes
    ----------
    precision, recall : float
        Share of the predicted chunks that are true; share of the true ones that are predicted. First and last token
        and type must all agree.
    f1 : float
        2 precision recall / (precision + recall).
    support : int
        The number of true chunks.

    Examples
    --------
    >>> ChunkScore(precision=1.0, recall=0.5, f1=2 / 3, support=4).support
    4
    """

    precision: float
    recall: float
    f1: float
    support: int


@overload
def chunk_f1(y_true: LabelSequences, y_pred: LabelSequences, average: Average = "micro") -> float: ...
@overload
def chunk_f1(y_true: LabelSequences, y_pred: LabelSequences, average: None) -> Floats: ...
def chunk_f1(y_true: LabelSequences, y_pred: LabelSequences, average: Average | None = "micro") -> float | Floats:
    """F1 of chunks: 2 P R / (P + R), P and R the shares of predicted and true chunks that agree exactly.

    Parameters
    ----------
    y_true, y_pred : n sequences of T_i tags each
        Tags are str: O, or a prefix out of B, I, E, S with a type, as "B-NP".
    average : {"micro", "macro", "weighted"} or None
        Over all chunks at once; the mean over types; that mean weighted by the true chunks of each type; or None, one
        score per type, in the sorted order of the types (those of `chunk_scores`).

    Returns
    -------
    float, or ndarray (n_types,) where `average` is None
        0 where there is no chunk at all.

    References
    ----------
    .. [1] E. Tjong Kim Sang, S. Buchholz, "Introduction to the CoNLL-2000 shared task: chunking", CoNLL 2000.

    Examples
    --------
    >>> y_true = [["B-NP", "I-NP", "B-VP"], ["B-NP", "O"]]
    >>> y_pred = [["B-NP", "I-NP", "B-VP"], ["B-NP", "I-NP"]]
    >>> round(chunk_f1(y_true, y_pred), 3)
    0.667
    >>> chunk_f1(y_true, y_pred, average=None)
    array([0.5, 1. ])
    """
    if average is not None and average not in _AVERAGES:
        raise ValueError(f"average: expected 'micro', 'macro', 'weighted' or None, got {average!r}")
    counts = _counts(y_true, y_pred)
    if average is None:
        return np.array([_score(*each).f1 for each in counts.values()], dtype=np.float64)
    return _averaged(counts, average).f1


def chunk_scores(y_true: LabelSequences, y_pred: LabelSequences) -> dict[str, ChunkScore]:
    """Precision, recall, F1 and support of the chunks of each type.

    Parameters
    ----------
    y_true, y_pred : n sequences of T_i tags each
        Tags are str: O, or a prefix out of B, I, E, S with a type, as "B-NP".

    Returns
    -------
    dict from str to ChunkScore
        By type, sorted; types that occur in either. The type of tags without one is "_".

    Examples
    --------
    >>> chunk_scores([["B-NP", "I-NP"], ["B-NP", "O"]], [["B-NP", "I-NP"], ["O", "O"]])
    {'NP': ChunkScore(precision=1.0, recall=0.5, f1=0.6666666666666666, support=2)}
    """
    return {kind: _score(*each) for kind, each in _counts(y_true, y_pred).items()}


def chunk_report(y_true: LabelSequences, y_pred: LabelSequences, digits: int = 2) -> str:
    """Lay out `chunk_scores` and their averages as a table for reading.

    Parameters
    ----------
    y_true, y_pred : n sequences of T_i tags each
        Tags are str: O, or a prefix out of B, I, E, S with a type, as "B-NP".
    digits : int
        Decimals shown.

    Returns
    -------
    str
        The lines, in the layout of seqeval's `classification_report`.

    Examples
    --------
    >>> print(chunk_report([["B-NP", "I-NP"], ["B-NP", "O"]], [["B-NP", "I-NP"], ["O", "O"]]))
                  precision    recall  f1-score   support
    <BLANKLINE>
              NP       1.00      0.50      0.67         2
    <BLANKLINE>
       micro avg       1.00      0.50      0.67         2
       macro avg       1.00      0.50      0.67         2
    weighted avg       1.00      0.50      0.67         2
    <BLANKLINE>
    """
    counts = _counts(y_true, y_pred)
    width = max(digits, len("weighted avg"), *map(len, counts)) if counts else len("weighted avg")

    def line(name: str, score: ChunkScore) -> str:
        shares = "".join(f" {share:>9.{digits}f}" for share in score[:3])
        return f"{name:>{width}} {shares} {score.support:>9}"

    head = f"{'':>{width}} " + "".join(f" {title:>9}" for title in ("precision", "recall", "f1-score", "support"))
    kinds = [line(kind, _score(*each)) for kind, each in counts.items()]
    averages = [line(f"{average} avg", _averaged(counts, average)) for average in _AVERAGES]
    return "\n".join([head, "", *kinds, "", *averages, ""])


Counts: TypeAlias = dict[str, tuple[int, int, int]]  # by type: chunks in both, predicted chunks, true chunks


def _counts(y_true: LabelSequences, y_pred: LabelSequences) -> Counts:
    pairs = paired_labels(y_true, y_pred)
    true = _chunks(_laid_out([tags for tags, _ in pairs], "y_true"))
    predicted = _chunks(_laid_out([tags for _, tags in pairs], "y_pred"))
    both = Counter(kind for kind, _, _ in true & predicted)
    of_true, of_predicted = Counter(kind for kind, _, _ in true), Counter(kind for kind, _, _ in predicted)
    return {kind: (both[kind], of_predicted[kind], of_true[kind]) for kind in sorted(of_true | of_predicted)}


def _laid_out(sequences: list[list[Any]], name: str) -> list[str]:
    """All tags one after another, an O after each sequence, so that no chunk crosses its end."""
    row: list[str] = []
    for index, tags in enumerate(sequences):
        for position, tag in enumerate(tags):
            if not isinstance(tag, str) or not tag:
                raise TypeError(
                    f"{name}[{index}], token {position}: expected a tag such as 'B-NP' or 'O', got {tag!r}; "
                    f"map the labels to tags first, or use token_accuracy"
                )
        row += tags
        row.append(_OUTSIDE)
    return row


def _chunks(tags: list[str]) -> set[tuple[str, int, int]]:
    """All chunks (type, first token, last token)."""
    chunks = set()
    last_prefix, last_kind, first = _OUTSIDE, "", 0
    for position, tag in enumerate(tags):
        prefix, kind = tag[0], tag[1:].split("-", maxsplit=1)[-1] or _NO_TYPE
        step, changes = last_prefix + prefix, last_kind != kind
        if last_prefix in "ES" or step in _ENDS or (changes and last_prefix not in "O."):
            chunks.add((last_kind, first, position - 1))
        if prefix in "BS" or step in _STARTS or (changes and prefix not in "O."):
            first = position
        last_prefix, last_kind = prefix, kind
    return chunks


def _score(n_both: int, n_predicted: int, n_true: int) -> ChunkScore:
    precision = n_both / n_predicted if n_predicted else 0.0
    recall = n_both / n_true if n_true else 0.0
    f1 = 2.0 * precision * recall / (precision + recall) if precision + recall else 0.0
    return ChunkScore(precision, recall, f1, n_true)


def _averaged(counts: Counts, average: Average) -> ChunkScore:
    n_both, n_predicted, n_true = (sum(each[i] for each in counts.values()) for i in range(3))
    if average == "micro":
        return _score(n_both, n_predicted, n_true)
    weights = [each[2] if average == "weighted" else 1 for each in counts.values()]
    if not sum(weights):
        return ChunkScore(0.0, 0.0, 0.0, n_true)
    scores = np.array([_score(*each)[:3] for each in counts.values()])
    precision, recall, f1 = (float(np.average(column, weights=weights)) for column in scores.T)
    return ChunkScore(precision, recall, f1, n_true)
