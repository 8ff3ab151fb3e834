import numpy as np
import pytest
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.base import clone
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, MaxAbsScaler, OneHotEncoder, StandardScaler

from margrave.features import PerRow

LENGTHS = [3, 1, 4, 2]


@pytest.fixture
def X():
    random = np.random.default_rng(0)
    return [random.normal(size=(length, 5)) for length in LENGTHS]


def test_equals_the_transformer_on_the_stacked_rows(X):
    expected = StandardScaler().fit(np.vstack(X))
    step = PerRow(StandardScaler()).fit(X)
    assert np.array_equal(step.transformer_.mean_, expected.mean_)
    for result in (step.transform(X), PerRow(StandardScaler()).fit_transform(X)):
        assert [x.shape for x in result] == [(length, 5) for length in LENGTHS]
        assert np.array_equal(np.vstack(result), expected.transform(np.vstack(X)))


def test_columns_may_change(X):
    result = PerRow(PCA(2, svd_solver="full")).fit_transform(X)
    assert [x.shape for x in result] == [(length, 2) for length in LENGTHS]


@pytest.mark.parametrize("kind", [csr_array, csr_matrix])
def test_sparse_stays_sparse(X, kind):
    result = PerRow(MaxAbsScaler()).fit_transform([kind(x) for x in X])
    assert {(type(x), x.format) for x in result} == {(kind, "csr")}
    assert [x.shape for x in result] == [(length, 5) for length in LENGTHS]
    expected = MaxAbsScaler().fit_transform(np.vstack(X))
    assert np.allclose(np.vstack([x.toarray() for x in result]), expected, rtol=1e-15)


def test_sparse_and_dense_answers_are_those_of_the_transformer(X):
    dense = PerRow(TruncatedSVD(2, random_state=0)).fit_transform([csr_array(x) for x in X])
    assert not any(map(issparse, dense))
    sparse = PerRow(OneHotEncoder()).fit_transform([np.array([[0], [1]]), np.array([[2]])])
    assert [x.toarray().tolist() for x in sparse] == [[[1, 0, 0], [0, 1, 0]], [[0, 0, 1]]]


def test_parameter_is_never_written_to(X):
    scaler = StandardScaler()
    step = PerRow(scaler).fit(X)
    step.fit_transform(X)
    assert step.transformer is scaler
    assert not hasattr(scaler, "mean_")


def test_clone_and_parameters(X):
    step = PerRow(StandardScaler()).fit(X)
    assert step.get_params()["transformer__with_mean"] is True
    copy = clone(step).set_params(transformer__with_mean=False)
    assert not hasattr(copy, "transformer_")
    assert step.transformer.with_mean is True
    assert np.allclose(np.vstack(copy.fit_transform(X)), np.vstack(X) / np.vstack(X).std(axis=0))


def test_in_a_pipeline(X):
    pipeline = make_pipeline(PerRow(StandardScaler()))
    pipeline.set_params(perrow__transformer__with_mean=False)
    assert pipeline.get_params()["perrow__transformer__with_mean"] is False
    y = [np.zeros(length) for length in LENGTHS]
    result = pipeline.fit(X, y).transform(X[:2])
    assert np.allclose(np.vstack(result), np.vstack(X[:2]) / np.vstack(X).std(axis=0))


def test_one_after_another(X):
    rows = StandardScaler().fit_transform(np.vstack(X))
    expected = PCA(2, svd_solver="full").fit_transform(rows)
    result = make_pipeline(PerRow(StandardScaler()), PerRow(PCA(2, svd_solver="full"))).fit_transform(X)
    assert np.array_equal(np.vstack(result), expected)


def test_empty_sequences(X):
    step = PerRow(StandardScaler())
    result = step.fit_transform([np.empty((0, 5)), X[0], [], X[1]])
    assert [x.shape for x in result] == [(0, 5), (3, 5), (0, 5), (1, 5)]
    assert np.array_equal(step.transformer_.mean_, np.vstack(X[:2]).mean(axis=0))
    assert [x.shape for x in step.transform([[], np.empty((0, 5))])] == [(0, 5), (0, 5)]
    assert step.transform([]) == []
    assert [x.shape for x in PerRow(PCA(2)).fit(X).transform([[]])] == [(0, 2)]


def test_read_only_arrays(X):
    for x in X:
        x.flags.writeable = False
    assert np.allclose(np.vstack(PerRow(StandardScaler()).fit_transform(X)).mean(axis=0), 0)


def test_lists_of_rows():
    assert [x.tolist() for x in PerRow(MaxAbsScaler()).fit_transform([[[1.0], [2.0]], [[4.0]]])] == [
        [[0.25], [0.5]],
        [[1]],
    ]


def test_wrong_columns_are_refused_by_place(X):
    message = r"X\[1\]: expected 5 columns as in X\[0\], got 4; give every sequence the same columns"
    with pytest.raises(ValueError, match=message):
        PerRow(StandardScaler()).fit([X[0], X[1][:, :4]])
    step = PerRow(StandardScaler()).fit(X)
    with pytest.raises(ValueError, match=r"X\[0\]: expected 5 columns as in fit, got 4"):
        step.transform([X[1][:, :4]])


def test_a_single_matrix_is_refused(X):
    with pytest.raises(ValueError, match=r"X\[0\]: expected a matrix \(n_rows, n_columns\), got shape \(5,\); .* wrap"):
        PerRow(StandardScaler()).fit(X[0])
    with pytest.raises(TypeError, match=r"X: expected a list of matrices, got one csr_array; wrap it into a list"):
        PerRow(StandardScaler()).fit(csr_array(X[0]))


def test_sparse_among_dense_is_refused(X):
    with pytest.raises(TypeError, match=r"expected all sequences dense or all sparse, got 1 sparse of 4; convert"):
        PerRow(MaxAbsScaler()).fit([csr_array(X[0]), *X[1:]])


def test_no_rows_to_fit_to():
    with pytest.raises(ValueError, match=r"X: expected at least one row"):
        PerRow(StandardScaler()).fit([np.empty((0, 5))])


def test_transformers_that_drop_rows_are_refused(X):
    with pytest.raises(ValueError, match=r"transformer: expected one row for each of 10 rows, got 9; PerRow takes"):
        PerRow(FunctionTransformer(lambda rows: rows[1:])).fit_transform(X)


def test_failed_fit_leaves_nothing_behind(X):
    step = PerRow(StandardScaler())
    with pytest.raises(ValueError, match="could not convert"):
        step.fit([np.array([["a"]])])
    with pytest.raises(NotFittedError):
        step.transform(X)
