import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

import margrave as mg
from margrave.scores import Linear
from tests.scores.explicit import Explicit, check, check_adjoint, truth_of

KINDS = ["dense", "valued", "binary"]
K = 3


def features_of(kind, rng, n_rows=9, n_features=5):
    """Not all features are used, and one row has none."""
    present = rng.random((n_rows, n_features)) < 0.5
    present[:, -1] = False
    present[n_rows // 2] = False
    values = present * (1.0 if kind == "binary" else rng.normal(size=present.shape))
    return values if kind == "dense" else sparse.csr_array(values)


def pairs_of(rng, n_rows, n_outputs=K):
    return {(row, int(rng.integers(n_outputs))) for row in range(n_rows)}


def laid_out(features, bias, pairs=None, n_outputs=K, **options):
    which = "all" if pairs is None else "observed"
    truth = None if pairs is None else truth_of(pairs)
    return Linear(features=which, bias=bias, **options).lay_out(features, n_outputs, truth)


# ------------------------------------------------------------------------------------------------------- the formulas


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", ["all", "observed"])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("rows", [slice(None), slice(2, 7), slice(4, 5), slice(3, 3)], ids=str)
def test_scores_pullback_and_quadratic(kind, which, bias, rows):
    rng = np.random.default_rng(1)
    features = features_of(kind, rng)
    pairs = pairs_of(rng, 9) if which == "observed" else None
    explicit = Explicit.of(features, K, bias, pairs)
    layout = laid_out(features, bias, pairs)
    assert layout.n_weights == explicit.n_weights
    check(layout.bind(features), explicit, K, rng, rows)


@given(
    seed=st.integers(0, 10_000),
    kind=st.sampled_from(KINDS),
    which=st.sampled_from(["all", "observed"]),
    bias=st.booleans(),
    shape=st.tuples(st.integers(0, 6), st.integers(0, 5)),
)
def test_pullback_is_adjoint_to_scores(seed, kind, which, bias, shape):
    rng = np.random.default_rng(seed)
    features = rng.integers(-1, 2, size=shape).astype(float) if kind != "binary" else rng.integers(0, 2, shape) * 1.0
    features = features if kind == "dense" else sparse.csr_array(features)
    pairs = pairs_of(rng, shape[0]) if which == "observed" else None
    layout = laid_out(features, bias, pairs)
    assert layout.n_weights == Explicit.of(features, K, bias, pairs).n_weights
    check_adjoint(layout.bind(features), layout.n_weights, (shape[0], K), rng)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("which", ["all", "observed"])
def test_matrix_writes_the_weights_out(kind, which):
    rng = np.random.default_rng(2)
    features = features_of(kind, rng)
    pairs = pairs_of(rng, 9) if which == "observed" else None
    layout, explicit = laid_out(features, True, pairs), Explicit.of(features, K, True, pairs)
    weights = rng.normal(size=layout.n_weights)
    assert np.array_equal(layout.matrix(weights), explicit.table(weights))


def test_several_outputs_of_one_row_are_observed():
    features = sparse.csr_array(np.array([[1.0, 0, 2], [0, 3, 0]]))
    pairs = [(0, 0), (0, 2), (1, 1)]  # row 0 shows two outputs: two slots, or a sum of tables
    layout = laid_out(features, False, pairs)
    assert (layout.matrix(np.ones(layout.n_weights)) != 0).tolist() == [
        [True, False, True],
        [False, True, False],
        [True, False, True],
    ]


# --------------------------------------------------------------------------------------------------------- the choices


@pytest.mark.parametrize(
    ("kind", "bias", "expected"),
    [("dense", None, True), ("valued", None, False), ("dense", False, False), ("binary", True, True)],
)
def test_bias_is_on_for_dense_features_unless_told(kind, bias, expected):
    features = features_of(kind, np.random.default_rng(0))
    assert Linear(bias=bias).lay_out(features, K).n_weights == (5 + expected) * K


@pytest.mark.parametrize(
    ("own", "default", "kind", "observed"),
    [
        (None, "all", "valued", False),
        (None, "observed", "valued", True),
        (None, "observed", "dense", False),  # the default is for sparse features only
        ("all", "observed", "valued", False),
        ("observed", "all", "dense", True),
    ],
)
def test_which_weights_exist(own, default, kind, observed):
    rng = np.random.default_rng(3)
    features, pairs = features_of(kind, rng), {(0, 0), (1, 2)}
    layout = Linear(own, bias=False).lay_out(features, K, truth_of(pairs), default)
    assert layout.n_weights == Explicit.of(features, K, False, pairs if observed else None).n_weights


def test_observed_weights_need_labels():
    with pytest.raises(
        ValueError, match=r"Linear\(features='observed'\) needs the training labels; use features='all'"
    ):
        Linear("observed").lay_out(np.eye(2), K)


def test_features_are_needed():
    with pytest.raises(ValueError, match="Linear needs features; use Constant"):
        Linear().lay_out(None, K)


@pytest.mark.parametrize("kind", KINDS)
def test_other_columns_are_refused(kind):
    features = features_of(kind, np.random.default_rng(0))
    layout = Linear().lay_out(features, K)
    with pytest.raises(ValueError, match="features must have 5 columns as in fit, got 4"):
        layout.bind(features[:, :4])
    with pytest.raises(ValueError, match="features must have 5 columns as in fit, got none"):
        layout.bind(None)


def test_fitted_on_one_kind_bound_to_another():
    """A model of sparse features reads dense ones, and the other way round."""
    rng = np.random.default_rng(4)
    sparse_features = features_of("valued", rng)
    dense = sparse_features.toarray()
    for pairs in (None, pairs_of(rng, 9)):
        explicit = Explicit.of(dense, K, True, pairs)
        check(laid_out(sparse_features, True, pairs).bind(dense), explicit, K, rng)
        check(laid_out(dense, True, pairs).bind(sparse_features), explicit, K, rng)


# -------------------------------------------------------------------------------------------------------- what is given


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.bool_, np.int64])
@pytest.mark.parametrize("which", ["all", "observed"])
@pytest.mark.parametrize("is_sparse", [False, True])
def test_other_number_types(dtype, which, is_sparse):
    rng = np.random.default_rng(5)
    values = rng.integers(0, 2 if dtype == np.bool_ else 4, size=(8, 4)).astype(dtype)
    features = sparse.csr_array(values) if is_sparse else values
    pairs = pairs_of(rng, 8) if which == "observed" else None
    explicit = Explicit.of(features, K, True, pairs)
    check(laid_out(features, True, pairs).bind(features), explicit, K, rng)


@pytest.mark.parametrize("which", ["all", "observed"])
def test_indices_of_64_bits(which):
    rng = np.random.default_rng(6)
    features = features_of("valued", rng)
    features.indices, features.indptr = features.indices.astype(np.int64), features.indptr.astype(np.int64)
    assert features.indices.dtype == np.int64
    pairs = pairs_of(rng, 9) if which == "observed" else None
    check(laid_out(features, False, pairs).bind(features), Explicit.of(features, K, False, pairs), K, rng)


@pytest.mark.parametrize("make", [sparse.csr_matrix, sparse.csc_array, sparse.coo_array, sparse.lil_array])
@pytest.mark.parametrize("which", ["all", "observed"])
def test_other_sparse_forms(make, which):
    rng = np.random.default_rng(7)
    features = make(features_of("valued", rng))
    pairs = pairs_of(rng, 9) if which == "observed" else None
    check(laid_out(features, True, pairs).bind(features), Explicit.of(features, K, True, pairs), K, rng)


@pytest.mark.parametrize("which", ["all", "observed"])
def test_an_entry_that_stands_twice_counts_twice(which):
    rng = np.random.default_rng(8)
    parts = np.array([1.0, 1, 0.5, 1]), np.array([2, 2, 0, 1]), np.array([0, 3, 4])
    features = sparse.csr_array(parts, shape=(2, 3))
    assert not features.has_canonical_format
    pairs = {(0, 1), (1, 0)} if which == "observed" else None
    check(laid_out(features, True, pairs).bind(features), Explicit.of(features, K, True, pairs), K, rng)
    ones = sparse.csr_array((np.ones(4), *parts[1:]), shape=(2, 3))  # binary as stored, not as meant
    check(laid_out(ones, True, pairs).bind(ones), Explicit.of(ones, K, True, pairs), K, rng)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("order", ["read-only", "Fortran"])
def test_read_only_and_fortran_arrays(kind, order):
    rng = np.random.default_rng(9)
    features = features_of(kind, rng)
    if kind == "dense":
        features = np.asfortranarray(features) if order == "Fortran" else features
        features.flags.writeable = False
    else:
        for array in (features.data, features.indices, features.indptr):
            array.flags.writeable = False
    before = features.copy()
    check(laid_out(features, True).bind(features), Explicit.of(features, K, True), K, rng)
    assert (features != before).sum() == 0


def test_layouts_and_scorers_do_not_change():
    scorer = mg.scores.Linear()
    features = features_of("valued", np.random.default_rng(0))
    scorer.lay_out(features, K, truth_of({(0, 0)}), "observed").bind(features)
    assert scorer.get_params() == {"features": None, "bias": None}
