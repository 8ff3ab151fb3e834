import os
import subprocess
import sys
import textwrap

import numba
import numpy as np
import pytest

from margrave.primitives import exact_kernel, kernel, on_first_compilation

jit_only = pytest.mark.skipif(numba.config.DISABLE_JIT, reason="nothing is compiled")


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code)],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
        timeout=300,
    ).stdout


def test_kernels_run_where_no_folder_can_be_written():
    printed = run(
        """
        import numba.core.caching as caching

        def refuse(self):
            raise PermissionError("nothing may be written here")

        for name in dir(caching):
            if name.endswith("Locator") and hasattr(getattr(caching, name), "ensure_cache_path"):
                getattr(caching, name).ensure_cache_path = refuse

        import numba
        try:
            numba.njit(cache=True)(lambda x: x)
        except RuntimeError:
            print("numba refuses")

        import numpy as np
        import margrave as mg
        from margrave.scores.dense import few_squares
        print(few_squares(np.eye(2), np.ones((2, 3))))
        """
    )
    jit = not numba.config.DISABLE_JIT
    assert printed == ("numba refuses\n" if jit else "") + "6.0\n"


@jit_only
@pytest.mark.parametrize("decorate", [kernel, exact_kernel])
def test_kernels_keep_their_code_and_release_the_lock(decorate):
    def twice(x):
        return 2 * x

    compiled = decorate(twice)
    assert compiled(3.0) == 6.0
    assert compiled.targetoptions["nogil"]
    assert compiled._cache.cache_path  # numba's own object: only a cache has a folder


@pytest.mark.parametrize("decorate", [kernel, exact_kernel])
def test_infinities_and_nan_keep_their_meaning(decorate):
    @decorate
    def seen(x):
        return np.isnan(x[0]), x[1] == -np.inf, max(x[1], x[2])

    assert seen(np.array([np.nan, -np.inf, -3.0])) == (True, True, -3.0)


@pytest.mark.parametrize("decorate", [kernel, exact_kernel])
def test_a_division_by_zero_is_an_infinity(decorate):
    @decorate
    def quotient(x):
        return x[0] / x[1]

    with np.errstate(divide="ignore"):
        assert quotient(np.array([1.0, 0.0])) == np.inf


@jit_only
def test_compilations_are_seen_and_calls_are_not():
    @numba.njit
    def thrice(x):
        return 3 * x

    calls = []
    with on_first_compilation(lambda: calls.append("compiled")):
        thrice(1.0)
        n_calls = len(calls)
        thrice(2.0)
    assert n_calls >= 1
    assert len(calls) == n_calls
    thrice(1)  # outside of the block
    assert len(calls) == n_calls
