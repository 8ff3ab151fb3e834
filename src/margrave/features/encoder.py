"""From feature dictionaries to one sparse matrix: attributes get columns, tokens get rows."""

from array import array
from collections.abc import Iterable, Mapping
from typing import Any, Self, TypeAlias

import numpy as np
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from margrave.features.entries import MAPPINGS, Entries, GrowingVocabulary, KnownVocabulary, brief
from margrave.primitives import AnyArray, Integers

Token: TypeAlias = Mapping[str, Any] | list[str] | set[str] | frozenset[str]
Sequences: TypeAlias = Iterable[Iterable[Token]]


class TokenEncoder(BaseEstimator):
    """Turns sequences of tokens, given as named attributes, into one sparse matrix with a row per token.

    A token is a dict of attributes, or a list or set of str. Attributes mean what they mean to sklearn-crfsuite:

    =========================  =====================================================
    in a token                 attribute and weight
    =========================  =====================================================
    `"key": "value"`           `key:value`, 1
    `"key": True` or `False`   `key`, 1 or 0
    `"key": 2.5`               `key`, 2.5
    `"key": ["a", "b"]`        `key:a`, 1 and `key:b`, 1 (also a tuple or a set)
    `"key": {...}`             `key:` before each attribute of the inner dict
    a list or set of str       each item, 1
    =========================  =====================================================

    The weights of an attribute that a token has twice are added. A weight of zero is stored: it changes no score, but
    where only observed weights are learned, the attribute has been seen with its label. Attributes that `fit` has not
    seen are ignored by `transform`. Time is proportional to the number of attributes given; memory to that of
    the matrix (12 bytes per stored weight, about twice that while it is built) and of the vocabulary.

    Attributes
    ----------
    vocabulary_ : dict from str to int
        The column of each attribute, in the order of first appearance: frequent attributes come early, so that their
        weights lie close together in memory. The items of a set are taken sorted, hence the order depends on the data
        alone.

    References
    ----------
    .. [1] M. Korobov, "python-crfsuite": the items of `pycrfsuite.ItemSequence`.

    Examples
    --------
    >>> encoder = TokenEncoder()
    >>> rows, lengths = encoder.fit_transform(
    ...     [[{"word": "the", "bias": 1.0}, {"word": "cat", "bias": 0.5}], [["bias"]]]
    ... )
    >>> rows.toarray()
    array([[1. , 1. , 0. ],
           [0. , 0.5, 1. ],
           [0. , 1. , 0. ]])
    >>> lengths
    array([2, 1])
    >>> encoder.vocabulary_
    {'word:the': 0, 'bias': 1, 'word:cat': 2}
    """

    def fit(self, sequences: Sequences, y: object = None) -> Self:
        """Learn the columns of the attributes.

        Parameters
        ----------
        sequences : iterable of iterables of tokens
            The training sequences; a sequence may be empty.
        y : None
            Ignored.

        Returns
        -------
        self
        """
        self.fit_transform(sequences)
        return self

    def fit_transform(self, sequences: Sequences, y: object = None) -> tuple[csr_array, Integers]:
        """Learn the columns of the attributes and encode the sequences, in one pass.

        Parameters
        ----------
        sequences : iterable of iterables of tokens
            The training sequences; a sequence may be empty.
        y : None
            Ignored.

        Returns
        -------
        rows : csr_array (n_tokens, n_attributes), float64
            One row per token, the sequences one after another; columns sorted within a row, no duplicates.
        lengths : ndarray (n_sequences,), int64
            The number of tokens of each sequence.

        Raises
        ------
        TypeError, ValueError
            A token or a value that means nothing; the message names the sequence and the token.
        """
        vocabulary = GrowingVocabulary()
        entries, lengths = _encode(sequences, vocabulary)
        rows = entries.matrix(len(vocabulary))
        self.vocabulary_ = dict(vocabulary)  # only now: a failed fit leaves nothing behind
        return rows, lengths

    def transform(self, sequences: Sequences) -> tuple[csr_array, Integers]:
        """Encode sequences in the columns that `fit` has learned; attributes unknown to it are ignored.

        Parameters
        ----------
        sequences : iterable of iterables of tokens
            A sequence may be empty.

        Returns
        -------
        rows : csr_array (n_tokens, n_attributes), float64
            As `fit_transform` returns them.
        lengths : ndarray (n_sequences,), int64
            The number of tokens of each sequence.

        Raises
        ------
        TypeError, ValueError
            A token or a value that means nothing; the message names the sequence and the token.
        """
        check_is_fitted(self, "vocabulary_")
        entries, lengths = _encode(sequences, KnownVocabulary(self.vocabulary_))
        return entries.matrix(len(self.vocabulary_)), lengths

    @property
    def feature_names_(self) -> AnyArray:
        """The attributes in the order of their columns: ndarray (n_attributes,) of objects (str)."""
        check_is_fitted(self, "vocabulary_")
        names = np.empty(len(self.vocabulary_), dtype=object)
        names[:] = list(self.vocabulary_)
        return names


def _encode(sequences: Sequences, vocabulary: GrowingVocabulary | KnownVocabulary) -> tuple[Entries, Integers]:
    entries = Entries(vocabulary)
    lengths = array("q")
    for index, sequence in enumerate(sequences):
        if isinstance(sequence, (str, bytes, *MAPPINGS)) or not isinstance(sequence, Iterable):
            raise TypeError(
                f"X[{index}]: expected a sequence of tokens, got {brief(sequence)}; "
                f"X is a list of sequences, a sequence is a list of tokens, a token is a dict or a list of str"
            )
        n_before, tokens = len(entries.row_ends), sequence if isinstance(sequence, list) else list(sequence)
        try:
            if not entries.add_quickly(tokens):
                for token in tokens:
                    entries.add(token)
        except (TypeError, ValueError, OverflowError) as error:
            kind = TypeError if isinstance(error, TypeError) else ValueError
            raise kind(f"X[{index}], token {len(entries.row_ends) - n_before}: {error}") from error
        lengths.append(len(entries.row_ends) - n_before)
    return entries, np.array(lengths, dtype=np.int64)
