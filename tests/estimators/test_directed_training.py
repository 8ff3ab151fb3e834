from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from margrave.estimators.directed_training import Examples, Training, signed
from margrave.graphs import Dependencies
from margrave.losses import Hinge, LogLoss
from margrave.scores.margins import Inputs
from margrave.scores.signs import SignTable
from margrave.solvers import DualCoordinateDescent

SOLVER = DualCoordinateDescent(tol=1e-11, max_iter=1_000_000, random_state=0)
FORMS = ("dense", "sparse", "gram")


def examples(seed=0, n=50, K=4, d=3, form="dense", C=1.0, clique_features=None):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, d)) * (rng.random((n, d)) < (0.6 if form == "sparse" else 1.0))
    values = np.where(x @ rng.normal(size=(d, K)) + rng.normal(size=(n, K)) > 0.3, 1, -1).astype(np.int8)
    inputs = {"dense": lambda: Inputs.of(x), "sparse": lambda: Inputs.of(sparse.csr_array(x))}.get(
        form, lambda: Inputs.of_gram(x @ x.T)
    )()
    table = None if clique_features is None else rng.normal(size=(n, clique_features))
    return x, Examples(inputs, values, C * rng.uniform(0.3, 1.5, size=(n, K)), table)


def by_liblinear(data, x, label, cliques):
    """Weights of [x, 1, signs, clique features · signs]; cliques are sets of labels."""
    signs = np.array([np.prod(data.values[:, list(c)], axis=1) for c in cliques]).reshape(len(cliques), len(x)).T
    parts = [x, np.ones((len(x), 1)), signs]
    if data.clique_table is not None and len(cliques):
        parts.append((signs[:, :, None] * data.clique_table[:, None, :]).reshape(len(x), -1))
    svc = LinearSVC(loss="hinge", C=1.0, fit_intercept=False, tol=1e-11, max_iter=5_000_000, random_state=0)
    svc.fit(np.concatenate(parts, axis=1), data.values[:, label], sample_weight=data.weights[:, label])
    return svc.coef_[0]


def check(data, x, d, trained, m, form):
    """Every weight of order m against liblinear's, sets of labels telling which is which."""
    for place, label in enumerate(d.order.tolist()):
        cliques = [tuple(d.order[list(members)].tolist()) for members in d.cliques(place)]
        wanted = by_liblinear(data, x, label, cliques)
        inputs = trained.inputs[m, label]
        of_x = x.T @ inputs[:-1] if form == "gram" else inputs[:-1]
        weights = trained.cliques[m][d.run(place)]
        found = np.concatenate([of_x, inputs[-1:], weights[:, 0], weights[:, 1:].ravel()])
        assert found == pytest.approx(wanted, abs=2e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("K", [1, 4])
def test_without_parents_each_label_is_liblinears(form, K):
    """The box of each example is its own: weights of examples and classes are in it."""
    x, data = examples(K=K, form=form)
    d = Dependencies.of_parents([[] for _ in range(K)])
    trained = Training(data, [d], Hinge(), SOLVER).run(1)
    check(data, x, d, trained, 0, form)
    assert abs(trained.gap) < 1e-10
    assert not trained.unconverged


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("clique_size", [2, 3])
@pytest.mark.parametrize("clique_features", [None, 2])
def test_parents_are_features_at_their_true_values(form, clique_size, clique_features):
    x, data = examples(form=form, C=0.1, clique_features=clique_features)
    orders = [Dependencies.full([2, 0, 3, 1], clique_size), Dependencies.full([0, 1, 2, 3], clique_size)]
    trained = Training(data, orders, Hinge(), SOLVER).run(2)
    for m, d in enumerate(orders):
        check(data, x, d, trained, m, form)


def test_without_features_biases_and_links_are_left():
    _, data = examples()
    data = Examples(Inputs.of(np.empty((50, 0))), data.values, data.weights)
    d = Dependencies.full([3, 1, 2, 0])
    trained = Training(data, [d], Hinge(), SOLVER).run(1)
    check(data, np.empty((50, 0)), d, trained, 0, "dense")
    assert trained.inputs.shape == (1, 4, 1)


def test_a_joint_kernel_gets_its_parents():
    x, data = examples()
    asked = []

    def joint(parents):
        asked.append(parents.copy())
        rows = np.concatenate([x, parents > 0], axis=1)
        return Inputs.of_gram(rows @ rows.T)

    data = Examples(Inputs.of_gram(x @ x.T), data.values, data.weights, None, joint)
    d = Dependencies.full([2, 0, 3, 1], 4)
    trained = Training(data, [d], Hinge(), SOLVER).run(1)
    assert [p.tolist() for p in asked] == [data.values[:, d.order[:i]].tolist() for i in range(4)]
    assert not trained.cliques[0].any()
    for place, label in enumerate(d.order):
        rows = np.concatenate([x, data.values[:, d.order[:place]] > 0, np.ones((50, 1))], axis=1)
        svc = LinearSVC(loss="hinge", C=1.0, fit_intercept=False, tol=1e-11, max_iter=5_000_000, random_state=0)
        svc.fit(rows, data.values[:, label], sample_weight=data.weights[:, label])
        coefficients = trained.inputs[0, label]
        assert np.append(rows[:, :-1].T @ coefficients[:-1], coefficients[-1]) == pytest.approx(svc.coef_[0], abs=2e-6)


@pytest.mark.parametrize("loss", [Hinge(), LogLoss()], ids=repr)
def test_threads_change_nothing(loss):
    _, data = examples(K=6)
    orders = [Dependencies.full(np.random.default_rng(m).permutation(6)) for m in range(3)]
    solver = DualCoordinateDescent(random_state=0)
    one = Training(data, orders, loss, solver).run(1)
    for n_jobs in (2, 3):
        other = Training(data, orders, loss, solver).run(n_jobs)
        assert np.array_equal(one.inputs, other.inputs)
        assert all(np.array_equal(a, b) for a, b in zip(one.cliques, other.cliques, strict=True))
        keys = [[(r["order"], r["label"], r["iteration"], r["objective"], r["gap"]) for r in t.history] for t in
                (one, other)]  # fmt: skip
        assert keys[0] == keys[1]
        assert (one.gap, one.n_iter) == (other.gap, other.n_iter)


def test_the_record_is_of_each_label_and_the_gap_of_all():
    _, data = examples()
    orders = [Dependencies.full([2, 0, 3, 1]), Dependencies.full([0, 1, 2, 3])]
    told = []
    trained = Training(data, orders, Hinge(), DualCoordinateDescent(tol=1e-3, random_state=0)).run(1, told.append)
    assert len(told) == 8
    last = {(r["order"], r["label"]): r for r in trained.history}
    assert set(last) == {(m, k) for m in range(2) for k in range(4)}
    primal, dual = sum(r["objective"] for r in last.values()), sum(r["dual"] for r in last.values())
    assert trained.gap == pytest.approx((primal - dual) / primal)
    assert trained.n_iter == max(r["iteration"] for r in trained.history)
    assert 0 <= trained.gap <= 1e-3


def test_labels_that_are_not_done_are_named():
    _, data = examples(C=100.0)
    trained = Training(
        data, [Dependencies.full([2, 0, 3, 1])], Hinge(), DualCoordinateDescent(tol=0.0, max_iter=1, random_state=0)
    ).run(1)
    assert sorted(trained.unconverged) == [0, 1, 2, 3]


def test_a_callback_stops_and_what_was_not_done_is_zero():
    _, data = examples()
    trained = Training(data, [Dependencies.full([2, 0, 3, 1])], Hinge(), SOLVER).run(1, lambda record: True)
    assert trained.inputs[0, 2].any()
    assert not trained.inputs[0, [0, 3, 1]].any()
    assert np.isnan(trained.gap)
    assert not trained.interrupted


def test_an_interrupt_keeps_what_is_done():
    _, data = examples()
    seen = []

    def interrupt(record):
        seen.append(record["label"])
        if len(seen) == 2:
            raise KeyboardInterrupt

    trained = Training(data, [Dependencies.full([2, 0, 3, 1])], Hinge(), SOLVER).run(1, interrupt)
    assert trained.interrupted
    assert seen == [2, 0]
    assert trained.inputs[0, 2].any()
    assert not trained.inputs[0, 1].any()


def test_some_of_the_examples():
    x, data = examples(clique_features=2)
    rows = np.array([4, 9, 1])
    part = data.take(rows)
    assert part.values.tolist() == data.values[rows].tolist()
    assert part.weights.tolist() == data.weights[rows].tolist()
    assert part.clique_table.tolist() == data.clique_table[rows].tolist()
    assert part.inputs.table.tolist() == x[rows].tolist()


@settings(max_examples=30)
@given(st.integers(0, 2**32 - 1), st.integers(2, 5), st.integers(2, 3))
def test_signs_times_features(seed, K, clique_size):
    rng = np.random.default_rng(seed)
    d, values = Dependencies.full(rng.permutation(K), clique_size), rng.choice([-1, 1], size=(6, K))
    features = rng.normal(size=(6, 2))
    found = signed(SignTable(d, values > 0).of(K - 1), features)
    before = d.order[:-1].tolist()
    cliques = [c for size in range(1, clique_size) for c in combinations(before, size)]
    assert found.shape == (6, 2 * len(cliques))
    for c, members in enumerate(cliques):
        product = np.prod(values[:, list(members)], axis=1)
        assert found[:, 2 * c : 2 * c + 2] == pytest.approx(product[:, None] * features)


def test_full_parents_cost_their_ones():
    """A thousand labels, each with all before it: what a pass over the rows of all problems touches is the ones."""
    rng, n, K = np.random.default_rng(0), 200, 983
    positive = rng.random((n, K)) < 19.0 / K  # as many labels, and ones in a row, as Delicious
    values = np.where(positive, 1, -1).astype(np.int8)
    data = Examples(Inputs.of(np.empty((n, 0))), values, np.ones((n, K)))
    training = Training(data, [Dependencies.full(rng.permutation(K))], Hinge(), SOLVER)
    listed = sum(len(training.objective(0, place).rows.signs.columns) for place in range(0, K, 10))
    ones = sum(positive[:, training._dependencies[0].order[:place]].sum() for place in range(0, K, 10))
    written_out = sum(n * place for place in range(0, K, 10))
    assert listed == ones
    assert listed < written_out / 40
