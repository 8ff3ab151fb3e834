"""Which outputs each feature is seen with: a bit per pair, filled in one walk over the rows; kernels."""

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from margrave.primitives import Integers, Labels, for_reading, kernel
from margrave.scores.base import Truth

Bits = NDArray[np.uint64]
_WORD = 64


def observed_pairs(features: sparse.csr_array, truth: Truth, n_outputs: int) -> tuple[Integers, Labels]:
    """For each feature, the outputs that some row shows together with it: where its run begins, and the outputs.

    Takes O(entries · outputs per row) time, and a bit of memory per feature and output beside the answer. Values are
    not looked at: an entry that is stored has been seen, also where it is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy import sparse
    >>> rows, outputs = np.array([0, 1]), np.array([2, 0])
    >>> observed_pairs(sparse.csr_array(np.array([[1.0, 1.0], [0.0, 1.0]])), Truth(rows, outputs), n_outputs=3)
    (array([0, 1, 3]), array([2, 0, 2], dtype=int32))
    """
    order = np.argsort(truth.rows, kind="stable") if (np.diff(truth.rows) < 0).any() else slice(None)
    counts = np.bincount(truth.rows, minlength=features.shape[0])
    first = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    seen = np.zeros((features.shape[1], -(-n_outputs // _WORD)), dtype=np.uint64)
    _see(
        for_reading(features.indptr, np.int64),
        for_reading(features.indices, np.int32),
        first,
        for_reading(truth.outputs[order], np.int64),
        seen,
    )
    runs = np.zeros(features.shape[1] + 1, dtype=np.int64)
    _count(seen, runs)
    outputs = np.empty(int(runs[-1]), dtype=np.int32)
    _list(seen, n_outputs, outputs)
    return runs, outputs


@kernel
def _see(pointer: Integers, columns: Labels, first: Integers, outputs: Integers, seen: Bits) -> None:
    for r in range(len(pointer) - 1):
        for j in range(first[r], first[r + 1]):
            word, bit = outputs[j] // _WORD, np.uint64(1) << np.uint64(outputs[j] % _WORD)
            for k in range(pointer[r], pointer[r + 1]):
                seen[columns[k], word] |= bit


@kernel
def _count(seen: Bits, runs: Integers) -> None:
    for c in range(len(seen)):
        n = 0
        for word in range(seen.shape[1]):
            left = seen[c, word]
            while left != np.uint64(0):
                left &= left - np.uint64(1)
                n += 1
        runs[c + 1] = runs[c] + n


@kernel
def _list(seen: Bits, n_outputs: int, outputs: Labels) -> None:
    at = 0
    for c in range(len(seen)):
        for k in range(n_outputs):
            if seen[c, k // _WORD] >> np.uint64(k % _WORD) & np.uint64(1):
                outputs[at] = k
                at += 1
