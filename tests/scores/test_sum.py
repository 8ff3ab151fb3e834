import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from margrave.scores import Constant, Linear, Sum, Zero
from tests.scores.explicit import Explicit, check_adjoint, truth_of

K = 3


def explicit_parts(features, pairs):
    ones = np.ones((features.shape[0], 1))
    return [
        Explicit.of(features, K, bias=False, pairs=pairs),
        Explicit.of(ones, K, bias=False),
        Explicit.of(features, K, bias=True),
    ]


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("rows", [slice(None), slice(1, 4), slice(2, 3)], ids=str)
def test_scores_are_added_and_weights_stand_one_after_the_other(is_sparse, rows):
    rng = np.random.default_rng(1)
    x, pairs = rng.integers(0, 2, size=(6, 4)) * 1.0, {(row, row % 2) for row in range(6)}
    features = sparse.csr_array(x) if is_sparse else x
    scorer = Sum([Linear("observed", bias=False), Constant("all"), Zero(), Linear("all", bias=True)])
    layout = scorer.lay_out(features, K, truth_of(pairs))
    bound, parts = layout.bind(features), explicit_parts(x, pairs)
    assert layout.n_weights == sum(part.n_weights for part in parts)

    weights = rng.normal(size=layout.n_weights)
    pieces = np.split(weights, np.cumsum([part.n_weights for part in parts])[:-1])
    expected = sum(part.scores(w, rows) for part, w in zip(parts, pieces, strict=True))
    start = rng.normal(size=expected.shape)
    for add in (False, True):
        out = start.copy()
        bound.scores(weights, out, rows, add)
        assert np.allclose(out, expected + add * start)

    gradient = rng.normal(size=expected.shape)
    pulled = np.concatenate([part.pullback(gradient, rows) for part in parts])
    before = rng.normal(size=len(pulled))
    out = before.copy()
    bound.add_pullback(gradient, out, rows, -0.5)
    assert np.allclose(out, before - 0.5 * pulled)
    assert np.isclose(bound.quadratic(gradient, rows), pulled @ pulled)


def test_matrix_stacks_the_tables():
    scorer = Sum([Linear(bias=False), Constant()])
    layout = scorer.lay_out(np.eye(2), K)
    weights = np.arange(9.0)
    assert layout.matrix(weights).tolist() == [[0, 1, 2], [3, 4, 5], [6, 7, 8]]


def test_a_sum_in_a_sum():
    rng = np.random.default_rng(2)
    x = rng.normal(size=(5, 2))
    layout = Sum([Sum([Linear(bias=False), Constant()]), Constant()]).lay_out(x, K)
    assert layout.n_weights == 2 * K + K + K
    check_adjoint(layout.bind(x), layout.n_weights, (5, K), rng)


def test_a_sum_of_nothing_is_zero():
    layout = Sum().lay_out(np.eye(2), K)
    out = np.ones((2, K))
    layout.bind(np.eye(2)).scores(np.empty(0), out)
    assert not out.any()
    assert layout.matrix(np.empty(0)).shape == (0, K)


def test_clones():
    copy = clone(Sum([Linear(bias=True), Constant("observed")]))
    assert [repr(part) for part in copy.parts] == ["Linear(bias=True)", "Constant(features='observed')"]
