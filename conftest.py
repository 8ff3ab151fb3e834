"""What tests and doctests need: where compiled kernels lie, before anything imports Numba, and no picture on screen."""

import os
import sys

import pytest

from tools.kernel_cache import kernel_cache

os.environ.setdefault("NUMBA_CACHE_DIR", str(kernel_cache()))
os.environ["MPLBACKEND"] = "Agg"


@pytest.fixture(autouse=True)
def no_picture_stays_open():
    """Matplotlib keeps every figure until it is closed, and warns where they become many."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")
