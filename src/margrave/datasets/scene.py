"""Photographs with several labels each: 2407 scenes, 294 colour features, 6 labels."""

import numpy as np
from sklearn.utils import Bunch

from margrave.datasets.embedded import embedded_arrays
from margrave.datasets.subset import Subset, parts_of

_MICRO = 1e6  # the features have six decimals and are kept as whole millionths
_DESCR = """Scene: photographs with several labels each
===========================================

1211 training and 1196 test photographs; 294 features in [0, 1] (colour moments of a grid of blocks); 6 labels, of
which a photograph has one to three: beach, sunset, fall foliage, field, mountain, urban. About one value in a hundred
differs from the ARFF files of the Mulan project by one in the last of six decimals.

:data: array (n, 294), float64
:target: array (n, 6), 0 or 1
:n_train: how many rows, the first, belong to the training part

Reference
---------
M. Boutell, J. Luo, X. Shen, C. Brown, Learning multi-label scene classification, Pattern Recognition 37, 2004.
"""


def load_scene(subset: Subset = "all") -> Bunch:
    """Load the Scene photographs of Boutell et al. (2004), a multi-label set.

    Parameters
    ----------
    subset : {"train", "test", "all"}
        Which of the published parts; "all" is the training part followed by the test part.

    Returns
    -------
    Bunch
        - data : ndarray (n, 294), float64, in [0, 1]
        - target : ndarray (n, 6), int64, 0 or 1
        - n_train : int, rows of the training part in `data`; they come first
        - target_names : ndarray (6,), the labels
        - X_train, Y_train, X_test, Y_test : the rows of `data` and `target` by part, as views; a part outside of the
          subset has no rows
        - label_names : the labels, as `target_names`
        - feature_names : list of 294 str, the names of the published file
        - DESCR : str

    References
    ----------
    .. [1] M. Boutell, J. Luo, X. Shen, C. Brown, "Learning multi-label scene classification", Pattern Recognition 37,
       2004.

    Examples
    --------
    >>> scene = load_scene(subset="train")
    >>> scene.data.shape, scene.target.shape
    ((1211, 294), (1211, 6))
    >>> scene.target_names[scene.target[0] == 1].tolist()
    ['beach', 'mountain']
    """
    parts = parts_of(subset)
    arrays = embedded_arrays("scene")
    # Dividing (not multiplying by 1e-6) gives the double nearest to the decimal number.
    data = np.vstack([arrays[f"X_{part}_micro"] for part in parts]) / _MICRO
    target = np.vstack([arrays[f"Y_{part}"] for part in parts]).astype(np.int64)
    n_train = len(arrays["Y_train"]) if "train" in parts else 0
    return Bunch(
        data=data,
        target=target,
        n_train=n_train,
        target_names=arrays["label_names"],
        X_train=data[:n_train],
        Y_train=target[:n_train],
        X_test=data[n_train:],
        Y_test=target[n_train:],
        label_names=arrays["label_names"],
        feature_names=[f"Att{column}" for column in range(1, data.shape[1] + 1)],
        DESCR=_DESCR,
    )
