"""Multi-label sets from elsewhere: ten of the Mulan project's, and RCV1-v2."""

import os
from io import BytesIO

import numpy as np
from scipy.sparse import csr_array
from sklearn.utils import Bunch

from margrave.datasets.mulan import read_mulan
from margrave.datasets.multilabel_files import MULTILABEL_FILES
from margrave.datasets.origin import Registry
from margrave.datasets.packed import open_packed

_MICRO = 1e6  # the weights of RCV1-v2 have six decimals and are kept as whole millionths
_DESCRIPTIONS = {
    "scene": "Photographs; colour moments of a grid of blocks (Boutell et al., Pattern Recognition 37, 2004).",
    "yeast": "Genes of yeast; micro-array expressions and phylogenetic profiles (Elisseeff & Weston, NIPS 14, 2002).",
    "emotions": "Songs; rhythm and timbre (Trohidis et al., ISMIR 2008). The scales of the features differ widely.",
    "enron": "E-mail messages; words that occur (UC Berkeley Enron Email Analysis Project).",
    "medical": "Radiology reports; words that occur (Pestian et al., BioNLP 2007).",
    "bibtex": "Bookmarked publications; words that occur (Katakis et al., ECML PKDD Discovery Challenge 2008).",
    "delicious": "Bookmarked web pages; words that occur (Tsoumakas et al., MMD 2008).",
    "corel5k": "Photographs; clusters of image segments that occur (Duygulu et al., ECCV 2002).",
    "tmc2007-500": "Aviation safety reports; 500 words that occur (Srivastava & Zane-Ulman, IEEE Aerospace 2005).",
    "mediamill-subset": "Video shots; visual features (Snoek et al., ACM Multimedia 2006). 2000 of the 43,907 shots of "
    "Mediamill: figures on them are not comparable with published ones.",
    "rcv1v2": "Newswire stories; tf-idf weights, rows of length 1 (Lewis et al., JMLR 5, 2004). Mulan's first subset "
    "of RCV1-v2, repaired: its labels were shifted by one column in the test part, and its first label, absent there, "
    "is left out. A label's name is its column, from 0, in the published training part. The last feature is 1 in 92 "
    "rows of the test part, which have length √2: it seems to hold the label that was shifted out.",
}


def fetch_multilabel(
    name: str, data_home: str | os.PathLike[str] | None = None, download_if_missing: bool = True
) -> Bunch:
    """Read a multi-label set from the data folder, the cache, or its public origin.

    ================ ============== ======== ====== ================= =====================
    name             train + test   features labels X                 licence
    ================ ============== ======== ====== ================= =====================
    scene            1211 + 1196    294      6      dense             none stated
    yeast            1500 + 917     103      14     dense             none stated
    emotions         391 + 202      72       6      dense             none stated
    enron            1123 + 579     1001     53     sparse, 0 and 1   none stated
    medical          333 + 645      1449     45     sparse, 0 and 1   none stated
    bibtex           4880 + 2515    1836     159    sparse, 0 and 1   none stated
    delicious        12920 + 3185   500      983    sparse, 0 and 1   none stated
    corel5k          4500 + 500     499      374    sparse, 0 and 1   none stated
    tmc2007-500      21519 + 7077   500      22     sparse, 0 and 1   none stated
    mediamill-subset 1500 + 500     120      101    dense             none stated
    rcv1v2           3000 + 3000    47236    100    sparse, tf-idf    for research use
    ================ ============== ======== ====== ================= =====================

    All but rcv1v2 are tables of the Mulan project in its own training and test parts. For mediamill-subset and rcv1v2
    no public origin is known: their files (`mediamill.xml`, `mediamill-train.arff` and `mediamill-test.arff` in
    `multilabel/mediamill-subset`, `rcv1v2.npz` in `multilabel/rcv1v2`) must lie below the folder that the environment
    variable `MARGRAVE_DATA` names, or below `data_home`. Files with other contents than the published ones are refused.

    Parameters
    ----------
    name : str
        One of the names above.
    data_home : path-like, optional
        The cache folder, looked into after `MARGRAVE_DATA`; None is the user's cache folder for this library.
    download_if_missing : bool
        False: never ask the origin.

    Returns
    -------
    Bunch
        - X_train, X_test : ndarray (n, p), float64, or csr_array (n, p), float64; the file's features in its order
        - Y_train, Y_test : ndarray (n, K), int64, 0 or 1
        - label_names : ndarray (K,) of str; for the sets of Mulan in the order of its XML file
        - feature_names : list of p str, or None where the file has no names (rcv1v2)
        - DESCR : str

    Raises
    ------
    ValueError
        Another name.
    DatasetNotFoundError
        A file is nowhere, or its origin could not be reached; the message says what to put where.
    DatasetChecksumError
        A file is there, with other contents than the published one.

    References
    ----------
    .. [1] G. Tsoumakas, E. Spyromitros-Xioufis, J. Vilcek, I. Vlahavas, "Mulan: a Java library for multi-label
       learning", JMLR 12, 2011.
    .. [2] D. Lewis, Y. Yang, T. Rose, F. Li, "RCV1: a new benchmark collection for text categorization research",
       JMLR 5, 2004.

    Examples
    --------
    With the files in their place, `fetch_multilabel("yeast").Y_train.shape` is `(1500, 14)`.

    >>> fetch_multilabel("flags")
    Traceback (most recent call last):
    ...
    ValueError: name: expected one of scene, yeast, emotions, enron, medical, bibtex, delicious, corel5k, tmc2007-500, \
mediamill-subset, rcv1v2, got 'flags'
    """
    if name not in MULTILABEL_FILES:
        raise ValueError(f"name: expected one of {', '.join(MULTILABEL_FILES)}, got {name!r}")
    registry = MULTILABEL_FILES[name]
    read = _read_rcv1 if name == "rcv1v2" else _read_mulan
    data = read(registry, data_home, download_if_missing)
    (n_train, n_features), (n_test, n_labels) = data.X_train.shape, data.Y_test.shape
    title = f"{name}: {n_train} training and {n_test} test rows, {n_features} features, {n_labels} labels"
    data.DESCR = f"{title}\n{'=' * len(title)}\n\n{_DESCRIPTIONS[name]}\n"
    return data


def _read_mulan(registry: Registry, data_home: str | os.PathLike[str] | None, download: bool) -> Bunch:
    # The labels first: they are small, and where they are missing nothing large is downloaded in vain.
    path = {part: registry.locate(part, data_home, download) for part in ("labels", "train", "test")}
    train, test = (read_mulan(path[part], path["labels"]) for part in ("train", "test"))
    return Bunch(
        X_train=train.X,
        Y_train=train.Y,
        X_test=test.X,
        Y_test=test.Y,
        label_names=train.label_names,
        feature_names=train.feature_names,
    )


def _read_rcv1(registry: Registry, data_home: str | os.PathLike[str] | None, download: bool) -> Bunch:
    with open_packed(registry.locate("all", data_home, download)) as file:
        arrays = np.load(BytesIO(file.read()))
    # Dividing (not multiplying by 1e-6) gives the double nearest to the decimal number.
    values = arrays["X_data_micro"] / _MICRO
    X = csr_array((values, arrays["X_indices"], arrays["X_indptr"]), shape=tuple(arrays["X_shape"].tolist()))
    Y, n = arrays["Y"].astype(np.int64), int(arrays["n_train"])
    return Bunch(
        X_train=X[:n],
        Y_train=Y[:n],
        X_test=X[n:],
        Y_test=Y[n:],
        label_names=np.array([str(label) for label in range(1, Y.shape[1] + 1)]),
        feature_names=None,
    )
