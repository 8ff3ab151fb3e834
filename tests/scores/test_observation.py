"""Which pairs have been seen, against sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from margrave.scores import Truth
from margrave.scores.observation import observed_pairs


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 64, 65, 200]))
def test_pairs_are_those_of_a_loop(seed, n_outputs):
    rng = np.random.default_rng(seed)
    n_rows, n_features = int(rng.integers(1, 8)), int(rng.integers(1, 6))
    features = sparse.random_array((n_rows, n_features), density=0.4, rng=rng, format="csr")
    rows = rng.integers(n_rows, size=int(rng.integers(0, 12)))
    outputs = rng.integers(n_outputs, size=len(rows))
    runs, found = observed_pairs(features, Truth(rows, outputs), n_outputs)
    seen = {(int(c), int(k)) for r, k in zip(rows, outputs, strict=True) for c in features[[r]].indices}
    listed = [(c, int(k)) for c in range(n_features) for k in found[runs[c] : runs[c + 1]]]
    assert listed == sorted(seen)


@pytest.mark.parametrize("value", [0.0, -1.0, 2.5])
def test_what_is_stored_has_been_seen(value):
    features = sparse.csr_array((np.array([value]), np.array([1]), np.array([0, 1])), shape=(1, 3))
    runs, outputs = observed_pairs(features, Truth(np.array([0]), np.array([2])), 3)
    assert runs.tolist() == [0, 0, 1, 1] and outputs.tolist() == [2]
