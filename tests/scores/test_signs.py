import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.graphs import Dependencies
from margrave.scores.signs import Signs, SignTable


def written_out(signs):
    """Base values, with the listed ones turned."""
    table = np.tile(signs.base, (len(signs), 1))
    for row in range(len(signs)):
        table[row, signs.columns[signs.pointer[row] : signs.pointer[row + 1]]] *= -1
    return table


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 4), st.integers(0, 9), st.floats(0, 1))
def test_signs_are_products_of_labels(seed, K, clique_size, n, density):
    rng = np.random.default_rng(seed)
    order = rng.permutation(K)
    parents = [[] for _ in range(K)]
    for i, label in enumerate(order):
        parents[label] = [other for other in order[:i].tolist() if rng.random() < 0.7]
    d = Dependencies.of_parents(parents, order, clique_size)
    positive = rng.random((n, K)) < density
    labels, table = np.where(positive, 1, -1), SignTable(d, positive)
    for place in range(K):
        signs = table.of(place)
        wanted = [np.prod(labels[:, order[list(members)]], axis=1) for members in d.cliques(place)]
        assert len(signs) == n
        assert written_out(signs).tolist() == np.array(wanted).reshape(len(wanted), n).T.tolist()
        assert signs.pointer.dtype == np.int64
        assert signs.columns.dtype == np.int32


def test_parents_cost_their_ones():
    """What is listed of single parents are the labels that are on, not their number."""
    rng = np.random.default_rng(0)
    positive = rng.random((200, 300)) < 0.01
    d = Dependencies.full(rng.permutation(300))
    table, on = SignTable(d, positive), positive[:, d.order]
    for place in range(0, 300, 7):
        assert len(table.of(place).columns) == on[:, :place].sum()


def test_no_cliques():
    none = Signs.none(3)
    assert len(none) == 3
    assert written_out(none).shape == (3, 0)


@pytest.mark.data
def test_neighbours_of_delicious_cost_their_ones():
    """983 labels, 19 of them on: a pass over all problems lists each label that is on once per label after it."""
    from margrave.datasets import fetch_multilabel

    positive = fetch_multilabel("delicious").Y_train > 0
    n, K = positive.shape
    order = np.random.default_rng(0).permutation(K)
    table = SignTable(Dependencies.full(order), positive)
    listed = np.array([len(table.of(place).columns) for place in range(K)])
    ones_before = np.cumsum(np.concatenate([[0], positive[:, order].sum(axis=0)]))[:-1]
    assert (listed == ones_before).all()
    assert listed.sum() < 0.03 * n * K * (K - 1) / 2  # of all neighbours
