"""Handwritten words, letter by letter: 6877 words of 52,152 binary images."""

import string

import numpy as np
from sklearn.utils import Bunch

from margrave.datasets.embedded import embedded_arrays

_HEIGHT, _WIDTH = 16, 8
_DESCR = """Handwritten words (OCR letters)
===============================

6877 words, 52,152 lower-case letters; a letter is a picture of 16 x 8 pixels, ink (1) or paper (0).
The first letter of each word is left out (it would be a capital). 55 distinct words, by many writers.
Ten folds of words; the usual protocols train on one fold and test on nine, or the other way round.

:data: list of 6877 arrays (T, 128), uint8, pixels row by row (16 rows of 8)
:target: list of 6877 arrays (T,) of single letters
:fold: array (6877,), 0 to 9

References
----------
R. Kassel, A comparison of approaches to on-line handwritten character recognition, PhD thesis, MIT, 1995.
B. Taskar, C. Guestrin, D. Koller, Max-margin Markov networks, NIPS 2003 (the cut into words and folds).
"""


def load_ocr_letters() -> Bunch:
    """Load the handwritten words of Kassel (1995) as cut by Taskar et al. (2003).

    A word is a sequence of T letters; each is to be recognised from its 16 x 8 pixels and its neighbours.

    Returns
    -------
    Bunch
        - data : list of 6877 ndarrays (T, 128), uint8, 0 or 1; pixels row by row
        - target : list of 6877 ndarrays (T,), single letters, dtype `<U1`
        - fold : ndarray (6877,), int64, 0 to 9
        - target_names : ndarray (26,), the letters
        - feature_names : list of 128 str, `pixel_<row>_<column>`
        - DESCR : str

    References
    ----------
    .. [1] B. Taskar, C. Guestrin, D. Koller, "Max-margin Markov networks", NIPS 2003.

    Examples
    --------
    >>> ocr = load_ocr_letters()
    >>> len(ocr.data), ocr.data[0].shape
    (6877, (9, 128))
    >>> "".join(ocr.target[0])
    'ommanding'
    """
    arrays = embedded_arrays("ocr_letters")
    pixels = np.unpackbits(arrays["pixels"], axis=1)
    alphabet = np.array(list(string.ascii_lowercase))
    letters = alphabet[arrays["labels"]]
    # A cumulative sum in the file's uint8 would wrap at 256.
    ends = np.cumsum(arrays["lengths"], dtype=np.int64)[:-1]
    return Bunch(
        data=np.split(pixels, ends),
        target=np.split(letters, ends),
        fold=arrays["fold"].astype(np.int64),
        target_names=alphabet,
        feature_names=[f"pixel_{row}_{column}" for row in range(_HEIGHT) for column in range(_WIDTH)],
        DESCR=_DESCR,
    )
