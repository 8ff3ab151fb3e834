"""Work cut into chunks by the data, done by threads.

Kernels release the interpreter's lock, so threads are enough. Which thread takes which chunk never changes a result:
each chunk writes to a place of its own, and what must be added is added in chunk order afterwards.
"""

import itertools
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TypeVar

import joblib
import numpy as np
from threadpoolctl import OpenBLASController, ThreadpoolController

from margrave.primitives.types import Integers

T = TypeVar("T")


def effective_n_jobs(n_jobs: int | None) -> int:
    """How many threads `n_jobs` asks for: None is 1 unless joblib's context says otherwise, -1 is every core.

    No more than the environment variable NUMBA_NUM_THREADS allows. joblib sets it in the processes that share a search,
    so that all of them together take each core once.
    """
    asked, limit = int(joblib.effective_n_jobs(n_jobs)), os.environ.get("NUMBA_NUM_THREADS", "")
    return min(asked, max(int(limit), 1)) if limit.isdecimal() else asked


def for_each(work: Callable[[T], None], chunks: Sequence[T], n_jobs: int = 1) -> None:
    """Call `work(chunk)` for every chunk, in `n_jobs` threads; the first exception is raised here."""
    n_threads = min(n_jobs, len(chunks))
    if n_threads <= 1:
        for chunk in chunks:
            work(chunk)
        return
    remaining = iter(chunks)
    guard = threading.Lock()

    def drain() -> None:
        while True:
            with guard:
                chunk = next(remaining, _END)
            if chunk is _END:
                return
            work(chunk)  # type: ignore[arg-type]

    futures = [_threads(n_threads - 1).submit(drain) for _ in range(n_threads - 1)]
    try:
        drain()
    finally:
        for future in futures:
            if not future.cancel():  # not begun: whoever has drained the chunks has done its work
                future.result()


def even_slices(weights_end: Integers, n_slices: int) -> list[tuple[int, int]]:
    """Cut items into at most `n_slices` runs of about equal weight; `weights_end` are running sums of the weights."""
    ends = np.asarray(weights_end)
    if not len(ends):
        return []
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, n_slices) / n_slices, side="left") + 1
    bounds = np.unique(np.concatenate([[0], np.minimum(cuts, len(ends)), [len(ends)]]))
    return [(int(a), int(b)) for a, b in itertools.pairwise(bounds)]


_END = object()
_pool: ThreadPoolExecutor | None = None
_pool_size = 0
_lock = threading.Lock()


def _threads(n_threads: int) -> ThreadPoolExecutor:
    """One pool a process, kept because starting threads costs as much as a small pass over the data."""
    global _pool, _pool_size
    with _lock:
        if _pool is None or _pool_size < n_threads:
            _pool, _pool_size = ThreadPoolExecutor(n_threads, thread_name_prefix="margrave"), n_threads
        return _pool


_blas: ThreadpoolController | None = None
_blas_users = 0
_blas_limit: object = None


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Hold BLAS to one thread, so that a product has the same bits for any `n_jobs` and threads do not multiply.

    The setting belongs to the process, so users are counted: the first to come sets it, the last to go restores it.
    """
    global _blas, _blas_users, _blas_limit  # noqa: PLW0603
    with _lock:
        if _blas_users == 0:
            _blas = _blas or ThreadpoolController()
            _blas_limit = _blas.limit(limits=1, user_api="blas")
        _blas_users += 1
    try:
        yield
    finally:
        with _lock:
            _blas_users -= 1
            if _blas_users == 0:
                _give_blas_back()


def _give_blas_back() -> None:
    """Restore the setting, from whichever thread comes last: threadpoolctl 3.8 heeds the one that made it, or none."""
    release = getattr(OpenBLASController, "clear_controlling_thread", lambda force=False: None)
    release(force=True)
    _blas_limit.restore_original_limits()  # type: ignore[attr-defined]
    release()


def _forget_threads() -> None:
    """A forked child has none of its parent's threads, nor its locks' owners."""
    global _pool, _pool_size, _lock, _blas_users
    _pool, _pool_size, _lock, _blas_users = None, 0, threading.Lock(), 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_threads)
