import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import pairwise

from margrave.scores import Kernel

RNG = np.random.default_rng(0)
X, Z = RNG.random((70, 5)), RNG.random((9, 5))
SKLEARN = {
    "linear": pairwise.linear_kernel,
    "poly": lambda x, z: pairwise.polynomial_kernel(x, z, degree=2, gamma=0.7, coef0=0.3),
    "rbf": lambda x, z: pairwise.rbf_kernel(x, z, gamma=0.7),
    "laplacian": lambda x, z: pairwise.laplacian_kernel(x, z, gamma=0.7),
    "chi2": lambda x, z: pairwise.chi2_kernel(x, z, gamma=0.7),
}


def ours(name, **options):
    return Kernel(name, **{"gamma": 0.7, "degree": 2, "coef0": 0.3, "normalize": False, **options})


@pytest.mark.parametrize("name", SKLEARN)
def test_values_are_scikit_learns(name):
    for x, z in ((X, Z), (Z, X), (X, None)):
        wanted = SKLEARN[name](x, x if z is None else z)
        assert ours(name).matrix(x, z) == pytest.approx(wanted, abs=1e-12)
    assert ours(name).squares(X) == pytest.approx(np.diag(SKLEARN[name](X, X)))


@pytest.mark.parametrize("name", SKLEARN)
def test_sparse_rows_and_threads_change_nothing(name):
    x = np.where(X > 0.5, X, 0.0)
    plain = ours(name).matrix(x, Z)
    for other in (sparse.csr_array(x), sparse.csr_matrix(x)):
        assert ours(name).matrix(other, Z) == pytest.approx(plain, abs=1e-12)
        assert ours(name).matrix(other, sparse.csr_array(Z)) == pytest.approx(plain, abs=1e-12)
        assert ours(name).matrix(other) == pytest.approx(ours(name).matrix(x), abs=1e-12)
    assert np.array_equal(ours(name).matrix(x, Z, n_jobs=3), plain)


@pytest.mark.parametrize("name", ["linear", "poly", pairwise.polynomial_kernel])
def test_normalized_rows_have_length_one(name):
    kernel = Kernel(name, gamma=0.7, normalize=True)
    gram, plain = kernel.matrix(X), Kernel(name, gamma=0.7, normalize=False).matrix(X)
    norms = np.sqrt(np.diag(plain))
    assert np.diag(gram) == pytest.approx(np.ones(len(X)))
    assert gram == pytest.approx(plain / norms[:, None] / norms)
    other = Kernel(name, gamma=0.7, normalize=False)
    assert kernel.matrix(X, Z) == pytest.approx(other.matrix(X, Z) / norms[:, None] / np.sqrt(np.diag(other.matrix(Z))))


def test_a_row_of_zeros_stays_zero_where_it_cannot_be_normalized():
    gram = Kernel("linear").matrix(np.array([[0.0, 0.0], [3.0, 4.0]]))
    assert gram.tolist() == [[0.0, 0.0], [0.0, 1.0]]


def test_chi2_of_nothing_and_nothing_is_no_distance():
    x = np.array([[0.0, 0.5], [0.0, 0.0]])
    assert Kernel("chi2", gamma=2.0).matrix(x) == pytest.approx(np.array([[1.0, np.exp(-1)], [np.exp(-1), 1.0]]))


@pytest.mark.parametrize("name", ["rbf", "laplacian", "chi2"])
def test_the_diagonal_is_one_exactly(name):
    x = 1e3 * X  # where rounding would show
    assert (np.diag(Kernel(name, gamma=1.0).matrix(x)) == 1.0).all()


def test_gamma_is_settled_on_training_rows():
    assert Kernel("poly").settled(X).gamma == pytest.approx(1 / (X**2).sum(axis=1).mean())
    assert Kernel("rbf").settled(X).gamma == pytest.approx(1 / (X.shape[1] * X.var()))  # "scale" of scikit-learn
    assert Kernel("laplacian").settled(X).gamma == pytest.approx(1 / pairwise.manhattan_distances(X).mean())
    assert Kernel("chi2").settled(X).gamma == pytest.approx(1 / (-pairwise.additive_chi2_kernel(X)).mean())
    for name in ("rbf", "poly"):
        assert Kernel(name).settled(sparse.csr_array(X)).gamma == pytest.approx(Kernel(name).settled(X).gamma)
    assert Kernel("rbf", gamma=3.0).settled(X).gamma == 3.0
    assert Kernel("linear").settled(X).gamma is None
    assert Kernel("rbf").settled(np.ones((4, 2))).gamma == 1.0
    kernel = Kernel("rbf")
    kernel.settled(X)
    assert kernel.gamma is None


def test_given_products_and_functions():
    products = np.arange(6.0).reshape(2, 3)
    assert np.array_equal(Kernel("precomputed").matrix(products), products)
    assert np.array_equal(Kernel("precomputed").matrix(sparse.csr_array(products)), products)
    assert Kernel(pairwise.cosine_similarity).matrix(X, Z) == pytest.approx(pairwise.cosine_similarity(X, Z))
    with pytest.raises(ValueError, match=r"kernel must give shape \(70, 9\) for these rows, got \(9, 70\)"):
        Kernel(lambda x, z: z @ x.T, normalize=False).matrix(X, Z)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"name": "sigmoid"}, "kernel must be one of 'linear'"),
        ({"gamma": 0.0}, "gamma must be above 0"),
        ({"gamma": np.nan}, "gamma must be above 0"),
        ({"name": "poly", "degree": 0, "gamma": 1.0}, "degree must be a whole number of at least 1"),
        ({"name": "poly", "degree": 2.5, "gamma": 1.0}, "degree must be a whole number"),
        ({"name": "rbf"}, "gamma is not settled"),
    ],
)
def test_what_is_wrong_is_said(options, message):
    with pytest.raises(ValueError, match=message):
        Kernel(**options).matrix(X)


def test_chi2_refuses_what_is_below_zero():
    with pytest.raises(ValueError, match="the chi2 kernel needs features of at least 0"):
        Kernel("chi2", gamma=1.0).matrix(X - 0.5)


def test_it_is_a_parameter_object():
    assert clone(Kernel("poly", gamma=2.0, degree=4)).get_params()["degree"] == 4


def test_nothing_against_nothing():
    for name in SKLEARN:
        assert ours(name).matrix(X, Z[:0]).shape == (70, 0)
        assert ours(name).matrix(X[:0], Z).shape == (0, 9)
