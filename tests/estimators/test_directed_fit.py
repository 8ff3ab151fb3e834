import numpy as np
import pytest
from scipy import sparse
from scipy.optimize import minimize_scalar

import margrave as mg
from margrave.estimators import directed_fit
from margrave.estimators.directed_fit import Fitting
from margrave.features.label_table import LabelTable
from tests.inference.directed_models import all_labellings


def table_of(seed=0, n=40, K=3, unknown=0.0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    Y = 1.0 * (X @ rng.normal(size=(3, K)) + rng.normal(size=(n, K)) > 0)
    Y[2:][rng.random((n - 2, K)) < unknown] = np.nan
    Y[0], Y[1] = 0, 1
    return X, Y


def fitting_of(X, Y, sample_weight=None, **parameters):
    classifier = mg.LMSBNClassifier(**{"random_state": 0, "tol": 1e-8, "max_iter": 100_000, **parameters})
    table, values = LabelTable.learn(Y)
    return Fitting(classifier._plan(), classifier._search(), X, values[:, table.changing], table, sample_weight, 1)


# -------------------------------------------------------------------------------------------- labels that are not known


@pytest.mark.parametrize("options", [{}, {"clique_size": 3}, {"n_orders": 2}, {"kernel": "rbf"}, {"loss": "log"}])
def test_unknown_labels_are_what_the_model_says_of_them_given_the_others(options):
    """Where rounds end by themselves, by enumeration of all that agrees with what is known."""
    X, Y = table_of(unknown=0.2)
    fitting = fitting_of(X, Y, **options)
    trained = fitting.train(None)
    values, known = fitting._examples.values, fitting._values
    assert np.array_equal(values[known != 0], known[known != 0])
    assert (fitting._examples.weights[known == 0] == 0).all()
    assert (fitting._examples.weights[known != 0] == 1).all()
    labels = all_labellings(3)
    scores = fitting.model(trained).scores(X)
    every = np.mean([[order.losses(np.tile(y, (40, 1))) for y in labels] for order in scores], axis=0).T
    for i in np.flatnonzero((known == 0).any(axis=1)):
        agree = ((known[i] == 0) | (labels == known[i])).all(axis=1)
        chosen = every[i][(labels == values[i]).all(axis=1)][0]
        assert chosen == pytest.approx(every[i][agree].min())


@pytest.mark.parametrize("rounds", [1, 2])
def test_rounds_are_bounded(monkeypatch, rounds):
    monkeypatch.setattr(directed_fit, "ROUNDS", rounds)
    X, Y = table_of(unknown=0.4)
    fitting, runs = fitting_of(X, Y), []
    run = fitting._run
    fitting._run = lambda *asked: runs.append(1) or run(*asked)
    fitting.train(None)
    assert 2 <= len(runs) <= 1 + rounds


class Restless(mg.inference.BranchAndBound):
    """Never says the same twice."""

    def best(self, scores, given=None, n_jobs=1):
        found = super().best(scores, given, n_jobs)
        self.calls_ = getattr(self, "calls_", 0) + 1
        labels = np.where(given == 0, (-1) ** self.calls_, given).astype(np.int8)
        return mg.inference.Searched(labels, found.loss, found.bound, found.nodes)


@pytest.mark.parametrize("rounds", [1, 2, 5])
def test_support_rows_keep_the_labels_that_they_were_trained_with(monkeypatch, rounds):
    """The scores of the training rows, given these labels, are the margins that the solver saw."""
    monkeypatch.setattr(directed_fit, "ROUNDS", rounds)
    X, Y = table_of(seed=3, unknown=0.5)
    inference = Restless()
    fitting, seen = fitting_of(X, Y, kernel="rbf", kernel_on="x+parents", inference=inference), []
    run = fitting._run
    fitting._run = lambda examples, *others: seen.append(examples.values) or run(examples, *others)
    trained = fitting.train(None)
    (scores,) = fitting.model(trained).scores(X)
    for place, label in enumerate(scores.dependencies.order):
        gram = fitting._examples.joint(seen[-1][:, scores.dependencies.order[:place]]).table
        weights = trained.inputs[0, label]
        assert scores.score_at(place, seen[-1]) == pytest.approx(gram @ weights[:-1] + weights[-1])


def test_a_label_that_is_always_known_costs_no_round():
    X, Y = table_of()
    fitting, runs = fitting_of(X, Y), []
    run = fitting._run
    fitting._run = lambda *asked: runs.append(1) or run(*asked)
    fitting.train(None)
    assert runs == [1]


# ---------------------------------------------------------------------------------------------------------- calibration


@pytest.mark.parametrize("true_t", [0.3, 1.0, 4.0])
def test_the_temperature_makes_the_truth_most_likely(monkeypatch, true_t):
    """Losses drawn at random, truths drawn with a known t: near that t, and no other is more likely."""
    rng = np.random.default_rng(0)
    X, Y = table_of(n=600)
    losses = rng.exponential(size=(600, 8))
    p = np.exp(-true_t * losses)
    p /= p.sum(axis=1, keepdims=True)
    chosen = np.array([rng.choice(8, p=row) for row in p])

    def hold_out(self, train, test, true, others):
        for i in test:
            true[i], others[i] = losses[i, chosen[i]], losses[i]

    monkeypatch.setattr(Fitting, "_hold_out", hold_out)
    fitting = fitting_of(X, Y, calibration=3, tol=0.1)
    t = fitting.temperature(fitting.train(None))
    assert t == pytest.approx(true_t, rel=0.25)

    def surprise(u):
        return (u * losses[np.arange(600), chosen] + np.log(np.exp(-u * losses).sum(axis=1))).sum()

    best = minimize_scalar(surprise, bounds=(0.02, 50), method="bounded", options={"xatol": 1e-9})
    assert t == pytest.approx(best.x, rel=1e-3)


def test_the_temperature_counts_examples_by_their_weights(monkeypatch):
    """A weight of 0 leaves an example out, one of 2 is an example twice."""
    rng, of_example = np.random.default_rng(0), {}
    X, Y = table_of(n=60)
    losses = rng.exponential(size=(60, 8))
    losses[:, 0] *= 0.5

    def hold_out(self, train, test, true, others):
        for i in test:
            row = of_example[self._X[i].tobytes()]
            true[i], others[i] = losses[row, 0], losses[row]

    monkeypatch.setattr(Fitting, "_hold_out", hold_out)
    of_example.update({row.tobytes(): i for i, row in enumerate(X)})
    weights = np.repeat([0.0, 1.0, 2.0], 20)
    listed = np.repeat(np.arange(60), weights.astype(int))
    found = []
    for rows, sample_weight in ((np.arange(60), weights), (listed, None)):
        fitting = fitting_of(X[rows], Y[rows], sample_weight, calibration=3, tol=0.1)
        found.append(fitting.temperature(fitting.train(None)))
    assert found[0] == pytest.approx(found[1], rel=1e-6)


@pytest.mark.parametrize(
    "options",
    [
        {}, {"n_orders": 2}, {"kernel": "rbf", "gamma": 0.5}, {"clique_features": [0, 2]}, {"loss": "log"},
        {"kernel": "rbf", "gamma": 0.5, "kernel_on": "x+parents"}, {"sparse": True},
        {"kernel": "rbf", "gamma": 0.5, "kernel_on": "x+parents", "sparse": True},
    ],
)  # fmt: skip
def test_examples_held_out_are_judged_by_a_model_of_the_others(options):
    """All labellings of each, with losses as a classifier fitted on the other examples has them."""
    X, Y = table_of()
    options = dict(options)
    X = sparse.csr_array(X) if options.pop("sparse", False) else X
    fitting = fitting_of(X, Y, calibration=4, tol=1e-10, **options)
    fitting.train(None)
    rng, true, others = np.random.default_rng(0), np.empty(40), [np.empty(0)] * 40
    test = rng.permutation(40)[:10]
    train = np.setdiff1d(np.arange(40), test)
    fitting._hold_out(train, test, true, others)
    orders = [d.order for d in fitting.dependencies]
    rival = mg.LMSBNClassifier(**{**options, "order": orders, "n_orders": 1, "tol": 1e-10, "random_state": 0})
    scores = rival.set_params(max_iter=100_000).fit(X[train], Y[train]).model_.scores(X[test])
    labels = all_labellings(3)
    every = np.mean([[order.losses(np.tile(y, (10, 1))) for y in labels] for order in scores], axis=0).T
    for k, i in enumerate(test):
        truth = every[k][(labels == np.where(Y[i] > 0, 1, -1)).all(axis=1)][0]
        assert true[i] == pytest.approx(truth, abs=1e-3)
        assert others[i] == pytest.approx(np.sort(every[k]), abs=1e-3)


def test_precomputed_products_are_held_out_in_rows_and_columns():
    X, Y = table_of()
    kernel = mg.scores.Kernel("rbf", gamma=0.5)
    results = []
    for x, options in ((X, {"kernel": kernel}), (kernel.matrix(X), {"kernel": "precomputed"})):
        fitting = fitting_of(x, Y, calibration=4, tol=1e-10, **options)
        results.append(fitting.temperature(fitting.train(None)))
    assert results[0] == pytest.approx(results[1], rel=1e-3)


def test_no_calibration_is_one():
    X, Y = table_of()
    fitting = fitting_of(X, Y)
    assert fitting.temperature(fitting.train(None)) == 1.0


# --------------------------------------------------------------------------------------------------------------- orders


def orders_of(**options):
    X, Y = table_of(K=4)
    return [d.order.tolist() for d in fitting_of(X, Y, **{"tol": 1e-3, **options}).dependencies]


def test_orders():
    assert orders_of() == [[0, 1, 2, 3]]
    assert orders_of(order=[2, 0, 3, 1]) == [[2, 0, 3, 1]]
    assert orders_of(order=[[2, 0, 3, 1], [0, 1, 2, 3]]) == [[2, 0, 3, 1], [0, 1, 2, 3]]
    several = orders_of(order=[2, 0, 3, 1], n_orders=3)
    assert several[0] == [2, 0, 3, 1]
    assert len(several) == 3
    assert several == orders_of(order=[2, 0, 3, 1], n_orders=3)
    assert orders_of(order=[[2, 0, 3, 1], [0, 1, 2, 3]], n_orders=3)[:2] == [[2, 0, 3, 1], [0, 1, 2, 3]]
    for name in ("f_score", "loss"):
        assert sorted(orders_of(order=name)[0]) == [0, 1, 2, 3]
    assert orders_of(parents={0: [3], 3: [1]}) == [[1, 2, 3, 0]]
    assert orders_of(parents={0: [3], 3: [1]}, order=[1, 3, 0, 2]) == [[1, 3, 0, 2]]


@pytest.mark.filterwarnings("ignore:.* never change")
def test_an_order_of_all_labels_is_one_of_those_that_change():
    X, Y = table_of(K=4)
    Y[:, 2] = 1
    assert fitting_of(X, Y, order=[3, 2, 0, 1]).dependencies[0].order.tolist() == [2, 0, 1]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"order": [0, 1]}, "order must be a permutation of 0 to 3, or several"),
        ({"order": [[0, 1, 2, 3], [0, 1]]}, "order must be a permutation of 0 to 3, or several"),
        ({"order": [[[0, 1, 2, 3]]]}, "order must be a permutation of 0 to 3, or several"),
        ({"order": [0, 1, 1, 2]}, "order must be a permutation"),
        ({"order": [0.0, 1.0, 2.0, 3.0]}, "order must be a permutation"),
        ({"order": "best"}, "order must be 'given', 'f_score', 'loss' or permutations, got 'best'"),
        ({"order": "loss", "parents": "chain"}, "order='loss' needs parents='full'"),
        ({"n_orders": 2, "parents": "chain"}, "n_orders needs parents='full'"),
        ({"order": [1, 0, 2, 3], "parents": {1: [0]}}, "order puts label 1 before label 0"),
        ({"parents": {0: [1], 1: [0]}}, "labels look at each other: 0 <- 1 <- 0"),
        ({"order": "loss", "parents": np.tri(4, k=-1)}, "order='loss' needs parents='full'"),
        ({"kernel_on": "x+parents", "parents": np.tri(4, k=-1)}, "takes all labels before as parents"),
        ({"parents": sparse.csr_array(np.ones((4, 4)))}, "labels look at each other"),
        ({"random_state": np.random.RandomState(0)}, "random_state must be a whole number of at least 0, or None"),
        ({"inference": mg.inference.BranchAndBound(S=0)}, "S of BranchAndBound must be above 0"),
        ({"inference": mg.inference.Beam(3), "n_orders": 2}, "Beam searches one order, got 2"),
        ({"inference": mg.inference.Beam(0)}, "width of Beam must be a whole number"),
        ({"n_orders": 0}, "n_orders must be a whole number of at least 1"),
        ({"clique_size": 1}, "clique_size must be a whole number of at least 2"),
        ({"calibration": 1}, "calibration must be a whole number of at least 2"),
        ({"n_components": 2.5}, "n_components must be a whole number of at least 1"),
        ({"kernel_on": "y"}, "kernel_on must be 'x' or 'x\\+parents'"),
        ({"kernel": "precomputed", "clique_features": [0], "calibration": 3}, "takes no clique_features"),
        ({"kernel_on": "x+parents", "parents": "none"}, "takes all labels before as parents"),
        ({"kernel_on": "x+parents", "kernel": "precomputed"}, "needs features and the whole Gram matrix"),
    ],
)
def test_what_is_wrong_is_said(options, message):
    with pytest.raises(ValueError, match=message):
        orders_of(**options)


@pytest.mark.filterwarnings("ignore:.* never change")
@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parents": {2: [3], 3: [2]}}, "labels look at each other: 2 <- 3 <- 2"),
        ({"parents": {0: [1], 1: [0]}}, "labels look at each other: 0 <- 1 <- 0"),
        ({"parents": {2: [3]}, "order": [0, 1, 2, 3]}, "order puts label 2 before label 3"),
    ],
)
def test_labels_that_never_change_shift_no_number_in_a_message(options, message):
    X, Y = table_of(K=4)
    Y[:, 0] = 1
    with pytest.raises(ValueError, match=message):
        fitting_of(X, Y, **options)


def test_a_joint_kernel_has_a_limit_and_needs_features():
    X, Y = table_of(K=13)
    with pytest.raises(ValueError, match=r"kernel_on='x\+parents' takes at most 12 labels, got 13"):
        fitting_of(X, Y, kernel_on="x+parents")
    with pytest.raises(ValueError, match="X is None: a model of labels alone"):
        fitting_of(None, Y[:, :3], clique_features=[0])


def test_the_truth_counts_among_what_is_weighed_however_unlikely(monkeypatch):
    """With the best three labellings weighed beside the truth, t is that of a choice among these."""
    from tests.estimators.multilabel import label_data, losses_by_hand

    monkeypatch.setattr("margrave.estimators.directed_fit._WEIGHED", 3)
    X, Y = label_data(n=160, seed=3)
    found = mg.LMSBNClassifier(C=0.1, calibration=2, random_state=0).fit(X, Y).temperature_
    of, pairs = np.random.default_rng(0).permutation(160) % 2, []
    for k in range(2):
        model = mg.LMSBNClassifier(C=0.1, random_state=0, tol=1e-10).fit(X[of != k], Y[of != k])
        labellings, losses = losses_by_hand(model, X[of == k])
        for truth, row in zip(Y[of == k], losses, strict=True):
            true = row[np.flatnonzero(((labellings > 0) == truth).all(axis=1))[0]]
            pairs.append((true, {*np.sort(row)[:3], true}))
    assert sum(len(weighed) == 4 for _, weighed in pairs) > 3  # truths that are not among the best

    def surprise(log_t):
        t = np.exp(log_t)
        return sum(t * true + np.log(sum(np.exp(-t * loss) for loss in weighed)) for true, weighed in pairs)

    best = np.exp(minimize_scalar(surprise, bounds=(-4, 4), method="bounded").x)
    assert 0.05 < best < 20 and found == pytest.approx(best, rel=1e-3)
