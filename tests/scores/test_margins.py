import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from margrave.scores.margins import BINARY, DENSE, GRAM, VALUED, Inputs, MarginRows, add_rows
from margrave.scores.signs import Signs

KINDS = {"dense": DENSE, "binary": BINARY, "valued": VALUED, "gram": GRAM}


def inputs_of(kind, x):
    """Inputs of a kind, and the rows that they stand for."""
    if kind == "binary":
        x = 1.0 * (x > 0)
    if kind == "valued":
        x = np.where(np.abs(x) > 0.5, x, 0.0)
        x[0, 0] = 0.25
    if kind == "gram":
        return Inputs.of_gram(x @ x.T), x
    return Inputs.of(x if kind == "dense" else sparse.csr_array(x)), x


def problem(seed, kind, n=6, d=4, m=5):
    rng = np.random.default_rng(seed)
    inputs, x = inputs_of(kind, rng.normal(size=(n, d)))
    base, turned = rng.choice([-1.0, 1.0], size=m), rng.random((n, m)) < 0.3
    listed = sparse.csr_array(1.0 * turned)
    signs = Signs(base, listed.indptr.astype(np.int64), listed.indices.astype(np.int32))
    return MarginRows(inputs, signs), x, np.where(turned, -base, base), rng


def explicit(rows, kind, x, signs, weights):
    """Weights as a vector over [x, 1, signs]."""
    n = rows.inputs.n_columns
    of_x = x.T @ weights[:n] if kind == "gram" else weights[:n]
    return np.concatenate([of_x, weights[n:]]), np.concatenate([x, np.ones((len(x), 1)), signs], axis=1)


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(KINDS)), st.integers(1, 7), st.integers(0, 6))
def test_margins_are_inner_products(seed, kind, n, m):
    rows, x, signs, rng = problem(seed, kind, n=n, m=m)
    assert rows.inputs.kind == KINDS[kind]
    weights = rng.normal(size=rows.n_weights)
    w, features = explicit(rows, kind, x, signs, weights)
    assert rows.margins(weights) == pytest.approx(features @ w)
    assert rows.square(weights) == pytest.approx(w @ w)
    assert rows.squares == pytest.approx((features**2).sum(axis=1))
    assert len(rows) == n


@given(st.integers(0, 2**32 - 1), st.sampled_from(sorted(KINDS)), st.integers(1, 7), st.integers(0, 6))
def test_sums_of_rows(seed, kind, n, m):
    rows, x, signs, rng = problem(seed, kind, n=n, m=m)
    multipliers = np.where(rng.random(n) < 0.3, 0.0, rng.normal(size=n))
    state = rows.state_of(multipliers)
    add_rows(rows.visited, multipliers, state)  # on top of what is there
    weights = rows.weights_of(state)
    w, features = explicit(rows, kind, x, signs, weights)
    assert w == pytest.approx(2 * features.T @ multipliers)
    assert rows.margins_of(state) == pytest.approx(features @ w)
    assert rows.square(weights, state) == pytest.approx(w @ w)
    assert rows.margins(weights) == pytest.approx(rows.margins_of(state))


@pytest.mark.parametrize("kind", KINDS)
def test_some_of_the_rows(kind):
    rng = np.random.default_rng(1)
    inputs, x = inputs_of(kind, rng.normal(size=(8, 3)))
    kept, others = np.array([6, 1, 3]), np.array([0, 7])
    part = inputs.take(kept)
    assert len(part) == 3
    assert part.squares == pytest.approx((x[kept] ** 2).sum(axis=1) + 1)
    weights = rng.normal(size=part.n_columns + 1)
    w = x[kept].T @ weights[:-1] if kind == "gram" else weights[:-1]
    assert inputs.scores(weights, others, kept) == pytest.approx(x[others] @ w + weights[-1])


@pytest.mark.parametrize("kind", KINDS)
def test_more_columns_beside(kind):
    rng = np.random.default_rng(2)
    inputs, x = inputs_of(kind, rng.normal(size=(5, 3)))
    columns = rng.normal(size=(5, 2))
    both = inputs.beside(columns)
    wide = np.concatenate([x, columns], axis=1)
    assert both.squares == pytest.approx((wide**2).sum(axis=1) + 1)
    rows = MarginRows(both, Signs.none(5))
    weights = rng.normal(size=rows.n_weights)
    w, features = explicit(rows, kind, wide, np.empty((5, 0)), weights)
    assert rows.margins(weights) == pytest.approx(features @ w)


def test_sparse_inputs_are_not_copied():
    x = sparse.csr_array(np.diag([2.0, 3.0, 4.0]))
    rows = Inputs.of(x).rows
    assert np.shares_memory(rows.values, x.data)
    dense = np.ones((3, 2))
    assert np.shares_memory(Inputs.of(dense).table, dense)


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_types_of_indices_do_not_matter(index):
    x = sparse.random(6, 5, 0.5, random_state=0, format="csr")
    wide = sparse.csr_array((x.data, x.indices.astype(index), x.indptr.astype(index)), x.shape)
    rows = MarginRows(Inputs.of(wide), Signs.none(6))
    weights = np.arange(6.0)
    assert rows.margins(weights) == pytest.approx(x.toarray() @ weights[:5] + 5.0)


def test_entries_may_stand_twice_and_in_any_order():
    """CSR as it is built by hand: what stands twice is a sum."""
    x = sparse.csr_array((np.ones(5), np.array([2, 0, 2, 1, 1]), np.array([0, 3, 5])), (2, 3))
    rows = MarginRows(Inputs.of(x), Signs.none(2))
    written_out = np.array([[1.0, 0.0, 2.0], [0.0, 2.0, 0.0]])
    assert rows.squares.tolist() == ((written_out**2).sum(axis=1) + 1).tolist()
    weights = np.array([1.0, 10.0, 100.0, 1000.0])
    assert rows.margins(weights).tolist() == (written_out @ weights[:3] + 1000.0).tolist()
