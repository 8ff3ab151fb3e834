import numpy as np
import pytest
from scipy import sparse

import margrave.scores.sparse as sparse_scores
from margrave.scores import Linear
from tests.scores.explicit import Explicit, check, truth_of

K = 3


def random_features(rng, n_rows=40, n_features=13, binary=False):
    matrix = sparse.random_array((n_rows, n_features), density=0.2, rng=rng, format="csr")
    if binary:
        matrix.data[:] = 1.0
    return matrix


@pytest.fixture
def small_blocks(monkeypatch):
    """Blocks of columns, as large matrices have them."""
    monkeypatch.setattr(sparse_scores, "_LARGE", 10)


def bound_and_explicit(features, observed, bias=True, n_jobs=1):
    pairs = [(row, row % K) for row in range(0, features.shape[0], 2)] if observed else None
    scorer = Linear("observed" if observed else "all", bias=bias)
    layout = scorer.lay_out(features, K, None if pairs is None else truth_of(pairs))
    return layout.bind(features, n_jobs), Explicit.of(features, K, bias, pairs)


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_blocks_of_columns(small_blocks, binary, observed, n_jobs):
    rng = np.random.default_rng(1)
    features = random_features(rng, binary=binary)
    bound, explicit = bound_and_explicit(features, observed, n_jobs=n_jobs)
    n_blocks = len(bound._parts.blocks if observed else bound._column_blocks)
    assert n_blocks > 2 if n_jobs > 1 else n_blocks == 1 + observed  # one thread needs no cuts
    assert len(bound._parts.slices if observed else bound._row_slices) > 1
    check(bound, explicit, K, rng)
    check(bound, explicit, K, rng, slice(3, 17))  # a part of the rows goes without blocks


@pytest.mark.parametrize("binary", [False, True])
@pytest.mark.parametrize("observed", [False, True])
def test_equal_to_the_bit_for_any_number_of_threads(small_blocks, binary, observed):
    rng = np.random.default_rng(2)
    features = random_features(rng, 60, 30, binary)
    weights, gradient = rng.normal(size=31 * K), rng.normal(size=(60, K))
    results = []
    for n_jobs in (1, 2, 3):
        bound, explicit = bound_and_explicit(features, observed, n_jobs=n_jobs)
        out, pulled = np.empty((60, K)), np.zeros(explicit.n_weights)
        bound.scores(weights[: explicit.n_weights], out)
        bound.add_pullback(gradient, pulled, scale=0.3)
        results.append((out, pulled))
    for out, pulled in results:
        assert np.array_equal(out, results[0][0])
        assert np.array_equal(pulled, results[0][1])


def test_blocks_hold_every_entry_once(small_blocks):
    features = random_features(np.random.default_rng(3))
    bound, _ = bound_and_explicit(features, observed=False)
    together = np.zeros(features.shape)
    for block in bound._column_blocks:
        together += sparse.csr_array((block.values, block.columns, block.pointer), shape=features.shape).toarray()
    assert np.array_equal(together, features.toarray())


@pytest.mark.parametrize("observed", [False, True])
@pytest.mark.parametrize("shape", [(0, 4), (3, 0), (3, 4)])
def test_nothing_stored(observed, shape):
    features = sparse.csr_array(shape, dtype=np.float64)
    bound, explicit = bound_and_explicit(features, observed)
    check(bound, explicit, K, np.random.default_rng(0))


def test_a_stored_zero_is_no_one():
    features = sparse.csr_array((np.array([0.0, 1.0]), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
    bound, explicit = bound_and_explicit(features, observed=False)
    check(bound, explicit, K, np.random.default_rng(0))
