"""The one thing to do before anything imports Numba, for tests and doctests alike: say where compiled kernels lie."""

import os

from tools.kernel_cache import kernel_cache

os.environ.setdefault("NUMBA_CACHE_DIR", str(kernel_cache()))
