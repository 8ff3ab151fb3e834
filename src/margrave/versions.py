"""Which versions are at work: the first question that a report of a fault has to answer."""

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from margrave._version import __version__

REQUIRED = ("numpy", "scipy", "numba", "llvmlite", "scikit-learn", "highspy", "joblib", "threadpoolctl")
#: What the extras bring; `pyproject.toml` has the same names, which a test proves.
OPTIONAL = (
    "matplotlib",
    "plotly",
    "scikit-image",
    "PyMaxflow",
    "lightgbm",
    "torch",
    "safetensors",
    "dask",
    "distributed",
)


def versions() -> dict[str, str | None]:
    """Versions of margrave, of Python, of the platform, and of what the library needs or can use.

    Nothing is imported to find them.

    Returns
    -------
    dict from str to str or None
        None for what is not installed.
    """
    found: dict[str, str | None] = {
        "margrave": __version__,
        "python": f"{platform.python_version()} ({sys.executable})",
        "platform": platform.platform(),
    }
    for package in (*REQUIRED, *OPTIONAL):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = None
    return found


def show_versions() -> None:
    """Print `versions()`, one to a line, for reports of faults.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.show_versions()
    margrave ...
    python ...
    platform ...
    """
    found = versions()
    width = max(map(len, found))
    for name, number in found.items():
        absent = "not installed (optional)" if name in OPTIONAL else "not installed"
        print(f"{name:<{width}}  {number or absent}")
