"""What a fitted label model answers, against every labelling with losses written out from its weights."""

from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import margrave as mg
from tests.estimators.multilabel import every_labelling, label_data, losses_by_hand

X, Y = label_data(n=50, d=4, K=4)
MODELS = {
    "hinge": mg.LMSBNClassifier(C=0.3, random_state=0),
    "another order": mg.LMSBNClassifier(C=0.3, order=[2, 0, 3, 1], random_state=0),
    "triples": mg.LMSBNClassifier(C=0.3, clique_size=3, random_state=0),
    "log": mg.LMSBNClassifier(C=0.3, loss="log", random_state=0),
    "chain": mg.LMSBNClassifier(C=0.3, parents="chain", random_state=0),
}


@pytest.fixture(scope="module", params=MODELS)
def known(request):
    model = MODELS[request.param].fit(X, Y)
    return model, *losses_by_hand(model, X, smooth=request.param == "log")


def on(labellings):
    return (labellings > 0).astype(int)


def weights_of(losses, t=1.0):
    weights = np.exp(-t * (losses - losses.min(axis=1, keepdims=True)))
    return weights / weights.sum(axis=1, keepdims=True)


def f1(truth, answer):
    both = truth.sum(axis=-1) + answer.sum()
    return np.where(both > 0, 2.0 * (truth * answer).sum(axis=-1) / np.maximum(both, 1), 0.0)


def test_the_joint_answer_loses_least(known):
    model, labellings, losses = known
    certified = model.predict_certified(X)
    np.testing.assert_allclose(certified.loss, losses.min(axis=1), atol=1e-9)
    np.testing.assert_allclose(certified.bound, losses.min(axis=1), atol=1e-9)
    assert certified.certified.all() and (certified.nodes >= 8).all()
    assert (certified.labels == on(labellings)[losses.argmin(axis=1)]).all()
    assert (model.predict(X) == certified.labels).all() and (model.predict(X, decode="joint") == certified.labels).all()


def test_the_best_k_are_the_best_k(known):
    model, labellings, losses = known
    for k in (1, 3, 16, 40):
        for found, all_losses in zip(model.predict_top_k(X, k), losses, strict=True):
            best = np.argsort(all_losses, kind="stable")[:k]
            np.testing.assert_allclose([each.loss for each in found], all_losses[best], atol=1e-9)
            assert len({tuple(each.labels) for each in found}) == min(k, 16)
            for each in found:
                row = np.flatnonzero((on(labellings) == each.labels).all(axis=1))[0]
                assert each.loss == pytest.approx(all_losses[row], abs=1e-9)


def test_given_labels_stay_and_the_rest_loses_least(known):
    model, labellings, losses = known
    given = np.where(np.random.default_rng(3).random(Y.shape) < 0.4, Y, np.nan)
    answer = model.predict_certified(X, given=given)
    for labels, loss, row, all_losses in zip(answer.labels, answer.loss, given, losses, strict=True):
        fits = (np.isnan(row) | (on(labellings) == row)).all(axis=1)
        assert loss == pytest.approx(all_losses[fits].min(), abs=1e-9)
        assert (labels == row)[~np.isnan(row)].all()
    for decode in ("hamming", "f1"):
        assert (model.predict(X, decode=decode, given=given) == given)[~np.isnan(given)].all()


def test_probabilities_are_sums_over_labellings(known):
    model, labellings, losses = known
    np.testing.assert_allclose(model.predict_proba(X), weights_of(losses) @ on(labellings), atol=1e-9)
    decisions = model.decision_function(X)
    np.testing.assert_allclose(1.0 / (1.0 + np.exp(-decisions)), model.predict_proba(X), atol=1e-9)
    hamming = model.predict(X, decode="hamming")
    assert (hamming == (weights_of(losses) @ on(labellings) > 0.5)).all()
    assert (hamming == (decisions > 0)).all()


def test_the_f_answer_has_the_greatest_expected_f(known):
    model, labellings, losses = known
    answers, table = model.predict(X, decode="f1"), on(labellings)
    for answer, weights in zip(answers, weights_of(losses), strict=True):
        expected = [weights @ f1(table, candidate) for candidate in table]
        assert weights @ f1(table, answer) == pytest.approx(max(expected), abs=1e-9)


def test_weighed_labellings_say_whether_there_are_more(known):
    model, _, losses = known
    for found, all_losses in zip(model.predict_labellings(X, slack=1.0, most=5), losses, strict=True):
        near = np.sort(all_losses[all_losses < all_losses.min() + 1.0])
        np.testing.assert_allclose(found.loss, near[:5], atol=1e-9)
        assert found.capped == (len(near) > 5)
        np.testing.assert_allclose(found.probability.sum(), 1.0)
        rest = np.sort(all_losses)[len(found.loss) :]
        assert found.bound <= rest[0] + 1e-9
    for found in model.predict_labellings(X):
        assert len(found.loss) == 16 and not found.capped


def test_likelihood_and_draws_are_the_belief_networks(known):
    model, labellings, _ = known
    z = model.model_.scores(X)[0].margins
    by_hand = np.stack([-np.logaddexp(0, -z(np.tile(y, (len(X), 1)))).sum(axis=1) for y in labellings], axis=1)
    np.testing.assert_allclose(np.exp(by_hand).sum(axis=1), 1.0)  # a distribution over labellings
    column = [int(np.flatnonzero((on(labellings) == row).all(axis=1))[0]) for row in Y]
    np.testing.assert_allclose(model.log_likelihood(X, Y), by_hand[np.arange(len(Y)), column], atol=1e-9)
    draws = model.sample(X[:2], 4000, random_state=0)
    assert draws.shape == (4000, 2, 4)
    for example in range(2):
        share = np.array([(draws[:, example] == y).all(axis=1).mean() for y in on(labellings)])
        assert np.abs(share - np.exp(by_hand[example])).max() < 0.04


def test_draws_of_labels_that_are_certain_overflow_nowhere():
    model = mg.LMSBNClassifier(C=0.3).fit(X, Y)
    assert np.array_equal(model.sample(1e6 * X, 2, random_state=0), np.stack([model.sample(1e6 * X)[0]] * 2))


def test_the_log_models_losses_are_its_surprise():
    model = MODELS["log"].fit(X, Y)
    found = model.predict_labellings(X)
    np.testing.assert_allclose([np.exp(-each.loss).sum() for each in found], 1.0)


# -------------------- several orders


def test_several_orders_minimise_the_mean_loss():
    model = mg.LMSBNClassifier(C=0.3, n_orders=3, random_state=0).fit(X, Y)
    scores, labellings = model.model_.scores(X), every_labelling(4)
    losses = np.stack([sum(s.losses(np.tile(y, (len(X), 1))) for s in scores) / 3 for y in labellings], axis=1)
    certified = model.predict_certified(X)
    np.testing.assert_allclose(certified.loss, losses.min(axis=1), atol=1e-9)
    assert certified.certified.all()
    np.testing.assert_allclose(model.predict_proba(X), weights_of(losses) @ on(labellings), atol=1e-9)
    likelihoods = [mg.LMSBNClassifier(C=0.3, order=o, random_state=0) for o in model.orders_]
    assert len(likelihoods) == 3
    assert np.exp(model.log_likelihood(X, Y)).max() <= 1.0


# -------------------- limits, calibration, types


def test_limits_are_honest_about_what_they_prove():
    exact = mg.LMSBNClassifier(C=0.3, random_state=0).fit(X, Y)
    best = exact.predict_certified(X)
    for limited in (mg.inference.BranchAndBound(S=0.3), mg.inference.BranchAndBound(max_nodes=1)):
        found = exact.set_params(inference=limited).predict_certified(X)
        assert (found.bound <= best.loss + 1e-9).all() and (found.loss >= best.loss - 1e-9).all()
        assert (found.certified == (found.loss - found.bound <= 1e-9)).all()
    assert not found.certified.all()


def test_calibration_finds_the_temperature_of_likelihood():
    sure = mg.LMSBNClassifier(C=0.3, calibration=3, random_state=0).fit(X, Y)
    assert 0.02 < sure.temperature_ < 50
    plain = mg.LMSBNClassifier(C=0.3, random_state=0).fit(X, Y)
    _, losses = losses_by_hand(plain, X)
    expected = weights_of(losses, sure.temperature_) @ on(every_labelling(4))
    np.testing.assert_allclose(sure.predict_proba(X), expected, atol=1e-9)


def test_answers_have_the_types_of_the_labels():
    frame = pd.DataFrame({"wet": np.where(Y[:, 0], "yes", "no"), "cold": Y[:, 1].astype(bool), "late": 2 * Y[:, 2]})
    model = mg.LMSBNClassifier(random_state=0).fit(pd.DataFrame(X, columns=list("abcd")), frame)
    answer = model.predict(pd.DataFrame(X, columns=list("abcd")))
    assert set(answer[:, 0]) <= {"yes", "no"} and set(answer[:, 1]) <= {True, False} and set(answer[:, 2]) <= {0, 2}
    given = frame.astype(object).copy()
    given.loc[:, ["cold", "late"]] = None
    assert (model.predict(pd.DataFrame(X, columns=list("abcd")), given=given)[:, 0] == frame["wet"]).all()
    one = mg.LMSBNClassifier().fit(X, np.where(Y[:, 0], "up", "down"))
    assert (
        one.predict(X).ndim == 1 and one.predict_proba(X).shape == (50, 2) and one.classes_.tolist() == ["down", "up"]
    )
    assert one.decision_function(X).shape == (50,) and one.predict(X, decode="f1").shape == (50,)
    assert one.sample(X, 3).shape == (3, 50) and one.predict_top_k(X, 2)[0][0].labels in ("up", "down")


def test_labels_alone():
    rng = np.random.default_rng(0)
    first = rng.integers(0, 2, 400)
    labels = np.column_stack([first, first ^ (rng.random(400) < 0.1), rng.integers(0, 2, 400)])
    model = mg.LMSBNClassifier(C=1.0, loss="log", random_state=0).fit(None, labels)
    completed = model.predict(None, given=[[1, np.nan, np.nan], [0, np.nan, 1]])
    assert completed[:, 0].tolist() == [1, 0] and completed[:, 1].tolist() == [1, 0] and completed[1, 2] == 1
    draws = model.sample(None, 4000, random_state=0)
    assert draws.shape == (4000, 3)
    for a, b in combinations(range(3), 2):
        assert np.corrcoef(draws.T)[a, b] == pytest.approx(np.corrcoef(labels.T)[a, b], abs=0.08)
    assert model.predict(None).shape == (1, 3)


def test_parents_inside_the_kernel_are_searched_exactly():
    small, labels = X[:30], Y[:30, :3]
    model = mg.LMSBNClassifier(kernel="rbf", gamma=0.2, kernel_on="x+parents", order=[1, 2, 0], random_state=0)
    model.fit(small, labels)
    inputs = model.model_.inputs
    labellings, losses = every_labelling(3), np.zeros((30, 8))
    for place, label in enumerate([1, 2, 0]):
        before = [1, 2, 0][:place]
        support = np.hstack([inputs.support, (inputs.values[:, before] > 0)])
        for v, y in enumerate(labellings):
            rows = np.hstack([small, np.tile(y[before] > 0, (30, 1))])
            k = np.exp(-0.2 * ((rows[:, None] - support[None]) ** 2).sum(axis=-1))
            z = y[label] * (k @ inputs.coefficients[0, label, :-1] + inputs.coefficients[0, label, -1])
            losses[:, v] += np.maximum(1.0 - z, 0.0)
    np.testing.assert_allclose(model.predict_certified(small).loss, losses.min(axis=1), atol=1e-8)


def test_clique_features_weigh_neighbours_by_example():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(300, 2))
    first = rng.integers(0, 2, 300)
    second = np.where(x[:, 0] > 0, first, 1 - first)  # agrees or not as x says
    labels = np.column_stack([first, second])
    given = np.column_stack([first.astype(float), np.full(300, np.nan)])
    plain = mg.LMSBNClassifier(C=1.0, random_state=0).fit(x, labels)
    for chosen in ([0], lambda X: X[:, :1]):
        weighed = mg.LMSBNClassifier(C=1.0, clique_features=chosen, random_state=0).fit(x, labels)
        assert (weighed.predict(x, given=given) == labels)[:, 1].mean() > 0.95
    assert (plain.predict(x, given=given) == labels)[:, 1].mean() < 0.75


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda m: m.predict(X, decode="best"), "decode must be one of 'joint', 'hamming', 'f1'"),
        (lambda m: m.predict_top_k(X, 0), "k must be a whole number of at least 1, got 0"),
        (lambda m: m.predict_labellings(X, slack=-1.0), "slack must be a number of at least 0, or None, got -1.0"),
        (lambda m: m.predict_labellings(X, slack=np.nan), "slack must be a number of at least 0, or None, got nan"),
        (lambda m: m.predict_labellings(X, most=0), "most must be a whole number of at least 1, got 0"),
        (lambda m: m.sample(X, 0), "n must be a whole number of at least 1, got 0"),
        (lambda m: m.score(X, Y[:, :1]), r"Y must have shape \(50, 4\), a row per example .* got \(50, 1\)"),
        (lambda m: m.score(X, Y[:5]), r"Y must have shape \(50, 4\), a row per example .* got \(5, 4\)"),
        (lambda m: m.predict(X, given=Y[:, :2]), "given must have 4 columns as in fit, got 2"),
        (lambda m: m.predict(X, given=Y[:5]), "X has 50 examples, the labels 5"),
        (lambda m: m.predict(X, given=Y + 5), r"given\[0\] has \d as label 0, which was 0 or 1 in training"),
        (lambda m: m.log_likelihood(X, np.where(Y, np.nan, Y)), "log_likelihood needs all labels of Y"),
    ],
)
def test_bad_questions_are_refused_in_a_sentence(call, message):
    with pytest.raises(ValueError, match=message):
        call(mg.LMSBNClassifier(C=0.3).fit(X, Y))
