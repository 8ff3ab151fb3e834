from itertools import permutations

import numpy as np
import pytest
from sklearn.metrics import f1_score
from sklearn.svm import LinearSVC

from margrave.estimators.directed_training import Examples
from margrave.estimators.label_orders import CrossValidation, f_score_order, least_loss_order, random_orders
from margrave.losses import Hinge, LogLoss
from margrave.scores.margins import Inputs
from margrave.solvers import DualCoordinateDescent

SOLVER = DualCoordinateDescent(tol=1e-9, random_state=0, max_iter=100_000)


def examples(seed=0, n=40, K=4, gram=False):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    values = np.where(x @ rng.normal(size=(3, K)) + rng.normal(size=(n, K)) > 0.3, 1, -1).astype(np.int8)
    inputs = Inputs.of_gram(x @ x.T) if gram else Inputs.of(x)
    return x, Examples(inputs, values, rng.uniform(0.2, 1.0, size=(n, K)))


def by_liblinear(x, part, folds, label, neighbours):
    """Margins of examples left out, with intercept and neighbours as features."""
    features = np.concatenate([x, np.ones((len(x), 1)), part.values[:, list(neighbours)]], axis=1)
    margins = np.empty(len(x))
    for train, test in folds:
        svc = LinearSVC(loss="hinge", C=1.0, fit_intercept=False, tol=1e-9, max_iter=1_000_000, random_state=0)
        svc.fit(features[train], part.values[train, label], sample_weight=part.weights[train, label])
        margins[test] = features[test] @ svc.coef_[0]
    return margins


@pytest.mark.parametrize("gram", [False, True], ids=["features", "gram"])
def test_margins_are_of_models_that_have_not_seen_the_example(gram):
    x, data = examples(gram=gram)
    folds = CrossValidation(data, Hinge(), SOLVER, np.random.default_rng(0))
    tests = np.concatenate([test for _, test in folds._folds])
    assert sorted(tests.tolist()) == list(range(40))
    assert all(not set(train.tolist()) & set(test.tolist()) for train, test in folds._folds)
    for label, neighbours in ((0, ()), (2, (0,)), (1, (3, 0))):
        wanted = by_liblinear(x, data, folds._folds, label, neighbours)
        assert folds.margins(label, neighbours) == pytest.approx(wanted, abs=1e-4)
        losses = np.maximum(0, 1 - data.values[:, label] * wanted)
        assert folds.cost(label, neighbours) == pytest.approx(data.weights[:, label] @ losses, rel=1e-4)


def test_the_cost_of_the_log_loss():
    _, data = examples()
    folds = CrossValidation(data, LogLoss(), SOLVER, np.random.default_rng(0))
    z = data.values[:, 1] * folds.margins(1, (0,))
    assert folds.cost(1, (0,)) == pytest.approx(data.weights[:, 1] @ np.log1p(np.exp(-z)))


def test_f_scores_rank_labels():
    x, data = examples(K=5)
    folds = CrossValidation(data, Hinge(), SOLVER, np.random.default_rng(0))
    scores = [
        f1_score(data.values[:, k], np.where(by_liblinear(x, data, folds._folds, k, ()) > 0, 1, -1)) for k in range(5)
    ]
    assert f_score_order(folds, data.values, 1).tolist() == np.argsort(-np.array(scores), kind="stable").tolist()
    assert f_score_order(folds, data.values, 3).tolist() == f_score_order(folds, data.values, 1).tolist()


def test_examples_whose_label_is_not_known_do_not_count_in_f():
    """Neither as right nor as wrong: with them gone the scores are those of the others."""
    _, data = examples(seed=3, n=60, K=3)
    data.weights[:30, 0] = 0.0  # label 0: not known there, and -1 in the table
    data.values[:30, 0] = -1
    folds = CrossValidation(data, Hinge(), SOLVER, np.random.default_rng(0))
    known = np.arange(60) >= 30
    predicted = np.where(folds.margins(0) > 0, 1, -1)
    assert folds.f_score(0) == pytest.approx(f1_score(data.values[known, 0], predicted[known]))
    assert folds.f_score(0) != pytest.approx(f1_score(data.values[:, 0], predicted))
    assert folds.f_score(1) == pytest.approx(f1_score(data.values[:, 1], np.where(folds.margins(1) > 0, 1, -1)))


class Table:
    """Costs drawn at random for each label and set before it, in place of cross-validation."""

    def __init__(self, K, seed):
        self.rng, self.known, self.values = np.random.default_rng(seed), {}, np.ones((1, K))

    def cost(self, label, before):
        return self.known.setdefault((label, frozenset(before)), float(self.rng.exponential()))

    def margins(self, label, neighbours=()):
        return np.array([1.0])

    def total(self, order):
        return sum(self.cost(label, order[:i]) for i, label in enumerate(order))


@pytest.mark.parametrize("seed", range(5))
def test_over_all_subsets_the_best_order_is_found(seed):
    table = Table(5, seed)
    order, cost = least_loss_order(table, table.values, 8, 1)
    best = min(permutations(range(5)), key=table.total)
    assert cost == pytest.approx(table.total(tuple(order.tolist())))
    assert cost == pytest.approx(table.total(best))


@pytest.mark.parametrize("seed", range(5))
def test_insertion_puts_each_label_where_the_total_grows_least(monkeypatch, seed):
    table = Table(6, seed)
    monkeypatch.setattr("margrave.estimators.label_orders.f_score_order", lambda *_: np.array([3, 1, 5, 0, 2, 4]))
    order, cost = least_loss_order(table, table.values, 3, 1)
    wanted = ()
    for label in (3, 1, 5, 0, 2, 4):
        options = [(*wanted[:at], label, *wanted[at:]) for at in range(len(wanted) + 1)]
        wanted = min(options, key=table.total)
    assert tuple(order.tolist()) == wanted
    assert cost == pytest.approx(table.total(wanted))


def test_random_orders_begin_with_the_given_ones():
    given = [np.array([5, 4, 3, 2, 1, 0]), np.array([1, 0, 2, 3, 4, 5])]
    orders = random_orders(4, 6, given, np.random.default_rng(0))
    assert [order.tolist() for order in orders[:2]] == [order.tolist() for order in given]
    assert len(orders) == 4
    assert all(sorted(order.tolist()) == list(range(6)) for order in orders)


def test_fewer_examples_than_folds():
    _, data = examples(n=3)
    folds = CrossValidation(data, Hinge(), SOLVER, np.random.default_rng(0))
    assert np.isfinite(folds.margins(0, (1,))).all()
    assert len(folds._folds) == 3
    _, data = examples(n=1)
    assert CrossValidation(data, Hinge(), SOLVER, np.random.default_rng(0)).margins(0).tolist() == [0.0]
