import numpy as np
import pytest
from scipy import sparse

import margrave as mg
from margrave.cli.tiny_problems import FORMS, KERNELS, problems, run_all, tiny_sequences, widths


def dense(x):
    if sparse.issparse(x):
        return x.toarray()
    return np.asarray([list(token.values()) for token in x] if isinstance(x, list) else x, dtype=float).reshape(-1, 4)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_says_the_same(form):
    X, y = tiny_sequences(5, form, seed=3)
    plain, labels = tiny_sequences(5, seed=3)
    assert y == labels
    scale = 0.5 if form.startswith("valued") else 1.0
    for x, other in zip(X, plain, strict=True):
        assert np.array_equal(dense(x), scale * other)


def test_lengths_none_and_one_and_every_label_are_there():
    X, y = tiny_sequences(9)
    assert {0, 1} <= set(map(len, y))
    assert {label for labels in y for label in labels} == set(map(str, range(9)))
    assert [len(x) for x in X] == [len(labels) for labels in y]


def test_forms_are_what_they_are_called():
    assert tiny_sequences(2, "dense by columns")[0][0].flags.f_contiguous
    assert tiny_sequences(2, "float32")[0][0].dtype == np.float32
    for form, index in (("binary", np.int32), ("binary, 64-bit", np.int64), ("valued, 64-bit", np.int64)):
        matrix = tiny_sequences(2, form)[0][0]
        assert matrix.indices.dtype == matrix.indptr.dtype == index


def test_widths():
    assert [widths(n) for n in (1, 8, 9, 40)] == [[8], [8], [8, 16], [8, 16, 24, 32, 40]]


def test_every_problem_runs_and_is_told(recwarn):
    told = []
    run_all(8, told.append)
    assert told == [f"8 labels: {name}" for name, _ in problems(8)]
    assert len(told) == len(set(told)) == (3 + 2 * 5 + 3) + 7 + len(KERNELS)
    assert not recwarn.list


def test_the_tiny_sequences_can_be_learned():
    X, y = tiny_sequences(3, "names")
    assert mg.ChainCRF(C=1e3, max_iter=500, tol=1e-2).fit(X, y).score(X, y) > 0
