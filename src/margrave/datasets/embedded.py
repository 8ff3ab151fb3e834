"""The three small sets that lie in the wheel, as arrays by name."""

from importlib.resources import as_file, files

import numpy as np

from margrave.primitives import AnyArray


def embedded_arrays(name: str) -> dict[str, AnyArray]:
    """Read every array of one of the library's own `.npz` files.

    Parameters
    ----------
    name : str
        "ocr_letters", "scene" or "snakes".

    Returns
    -------
    dict from str to ndarray
        In the file's order.

    Examples
    --------
    >>> embedded_arrays("scene")["label_names"].shape
    (6,)
    """
    with as_file(files("margrave.datasets") / "data" / f"{name}.npz") as path, np.load(path) as archive:
        return {key: archive[key] for key in archive.files}
