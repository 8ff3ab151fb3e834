"""Base-phrase chunking of newspaper text: the shared task of CoNLL-2000."""

import os

import numpy as np
from sklearn.utils import Bunch

from margrave.datasets.conll import read_conll
from margrave.datasets.origin import DataFile, Registry
from margrave.datasets.subset import Subset, parts_of

_REGISTRY = Registry(
    name="CoNLL-2000",
    files={
        # No public origin is recorded for these files at a fixed commit, so there is none to download from.
        "train": DataFile("conll2000/train.txt", "82033cd7a72b209923a98007793e8f9de3abc1c8b79d646c50648eb949b87cea"),
        "test": DataFile("conll2000/test.txt", "73b7b1e565fa75a1e22fe52ecdf41b6624d6f59dacb591d44252bf4d692b1628"),
    },
    licence="CoNLL-2000: text of the Wall Street Journal, (C) LDC; distributed by the shared task for research.",
)
_DESCR = """CoNLL-2000: base-phrase chunking
================================

Text of the Wall Street Journal: 8936 training sentences (211,727 tokens), 2012 test sentences (47,377 tokens).
Each token has a word, a part-of-speech tag and a chunk tag in BIO ("B-NP" begins a noun phrase, "I-NP" goes on).

:data: list of sentences, each a list of (word, part of speech)
:target: list of sentences, each a list of chunk tags
:n_train: how many sentences, the first, belong to the training part

Reference
---------
E. Tjong Kim Sang, S. Buchholz, Introduction to the CoNLL-2000 shared task: chunking, CoNLL 2000.
"""


def fetch_conll2000(
    subset: Subset = "train",
    data_home: str | os.PathLike[str] | None = None,
    download_if_missing: bool = True,
) -> Bunch:
    """Read the chunking corpus of CoNLL-2000 from the data folder or the cache.

    The files have no public origin at a fixed commit, so nothing is downloaded: `conll2000/train.txt` and
    `conll2000/test.txt` must lie below the folder that the environment variable `MARGRAVE_DATA` names, or below
    `data_home`. Files with other contents than the published ones are refused.

    Parameters
    ----------
    subset : {"train", "test", "all"}
        Which of the published parts; "all" is the training part followed by the test part.
    data_home : path-like, optional
        The cache folder, looked into after `MARGRAVE_DATA`; None is the user's cache folder for this library.
    download_if_missing : bool
        Here for uniformity: no origin is known.

    Returns
    -------
    Bunch
        - data : list of lists of (word, part of speech)
        - target : list of lists of str, chunk tags in BIO
        - n_train : int, sentences of the training part in `data`; they come first
        - target_names : ndarray of str, the tags that occur, sorted
        - feature_names : list of str, what the columns of a token are
        - DESCR : str

    Raises
    ------
    DatasetNotFoundError
        A file is in neither place; the message says what to put where.
    DatasetChecksumError
        A file is there, with other contents than the published one.

    References
    ----------
    .. [1] E. Tjong Kim Sang, S. Buchholz, "Introduction to the CoNLL-2000 shared task: chunking", CoNLL 2000.

    Examples
    --------
    With the files in their place, `fetch_conll2000("test").data[0][0]` is `("Rockwell", "NNP")`.

    >>> fetch_conll2000("dev")
    Traceback (most recent call last):
    ...
    ValueError: subset: expected 'train', 'test' or 'all', got 'dev'
    """
    parts = parts_of(subset)
    sentences = {part: read_conll(_REGISTRY.locate(part, data_home, download_if_missing)) for part in parts}
    rows = [sentence for part in parts for sentence in sentences[part]]
    target = [[tag for _, _, tag in sentence] for sentence in rows]
    return Bunch(
        data=[[(word, tag) for word, tag, _ in sentence] for sentence in rows],
        target=target,
        n_train=len(sentences.get("train", ())),
        target_names=np.array(sorted({tag for tags in target for tag in tags})),
        feature_names=["word", "part of speech"],
        DESCR=_DESCR,
    )
