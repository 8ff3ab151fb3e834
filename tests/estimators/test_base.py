import copy
import pickle
import signal
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import margrave as mg
from tests.estimators.by_enumeration import ByEnumeration, sequences

X, Y = sequences()
ESTIMATORS = {
    "L-BFGS": mg.ChainCRF(C=3.0, tol=1e-6),
    "Frank-Wolfe": mg.ChainM3N(C=0.3, solver=mg.solvers.FrankWolfe(tol=1e-2, check_every=2, random_state=0)),
}


@pytest.fixture(params=ESTIMATORS)
def model(request):
    return clone(ESTIMATORS[request.param])


def learned(model):
    return {name: value for name, value in vars(model).items() if name.endswith("_")}


def without_seconds(history):
    return [{name: value for name, value in record.items() if name != "seconds"} for record in history]


# ----------------------------------------------------------------------------------------------------- what a fit keeps


def test_attributes(model):
    assert model.fit(X, Y) is model
    assert model.n_features_in_ == 3
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert model.weights_.shape == (3 * 3 + 3 + 9,)
    assert 0 <= model.gap_ <= 1e-2
    assert model.n_iter_ == model.history_[-1]["iteration"]
    assert set(model.history_[-1]) == {"iteration", "objective", "dual", "gap", "seconds"}
    assert (model.history_[-1]["dual"] is None) == isinstance(model, mg.ChainCRF)


def test_the_objective_is_that_of_the_weights(model):
    model.fit(X, Y)
    losses = []
    for x, y in zip(X, Y, strict=True):
        sure = ByEnumeration(model, x)
        numbers = np.searchsorted(model.classes_, y)
        if isinstance(model, mg.ChainCRF):
            losses.append(-sure.log_probability(numbers))
        else:
            true = sure.scores[(sure.labelings == numbers).all(axis=1)].item()
            losses.append(np.max(sure.scores + (sure.labelings != numbers).sum(axis=1)) - true)
    objective = 0.5 * np.sum(model.weights_**2) + model.C * np.sum(losses)
    assert model.history_[-1]["objective"] == pytest.approx(objective, rel=1e-9)


def test_a_fitted_model_holds_no_training_data():
    many = [np.random.default_rng(i).normal(size=(50, 3)) for i in range(200)]
    model = mg.ChainCRF(tol=1e-1).fit(many, [np.arange(50) % 3] * 200)
    assert len(pickle.dumps(model)) < 20_000 < sum(x.nbytes for x in many) / 10


def test_parameters_are_never_written(model):
    nodes, structure = mg.scores.Linear(bias=True), mg.Sequence()
    models = [
        model,
        mg.SequenceClassifier(nodes=nodes, structure=structure, penalty={"edges": 0.5}, n_jobs=2, tol=1e-1),
    ]
    for one in models:
        before = {name: (id(value), repr(value)) for name, value in vars(one).items()}
        one.fit(X, Y).predict(X)
        one.predict_marginals(X)
        assert {name: (id(vars(one)[name]), repr(vars(one)[name])) for name in before} == before


def test_data_are_never_written(model):
    data, labels, weights = copy.deepcopy(X), copy.deepcopy(Y), np.arange(5.0)
    model.fit(data, labels, sample_weight=weights).predict(data)
    assert all(map(np.array_equal, data, X)) and all(map(np.array_equal, labels, Y))
    assert weights.tolist() == [0, 1, 2, 3, 4]


# -------------------------------------------------------------------------------------------------- copies, and threads


def test_pickles_and_copies_answer_alike(model):
    model.fit(X, Y)
    for twin in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert all(map(np.array_equal, twin.predict_marginals(X), model.predict_marginals(X)))
        assert twin.get_params().keys() == model.get_params().keys()
        assert twin.history_ == model.history_


def test_clones_are_unfitted_and_fit_alike(model):
    model.fit(X, Y)
    twin = clone(model)
    assert not learned(twin)
    assert np.array_equal(twin.fit(X, Y).weights_, model.weights_)


def test_parameters_inside_parameters():
    model = mg.SequenceClassifier(loss=mg.losses.SmoothedHinge(), nodes=mg.scores.Linear(), solver=mg.solvers.LBFGS())
    model.set_params(loss__epsilon=0.5, nodes__bias=False, solver__memory=3)
    assert (model.loss.epsilon, model.nodes.bias, model.solver.memory) == (0.5, False, 3)
    assert len(model.fit(X, Y).weights_) == 9 + 9


@pytest.mark.parametrize("kind", ["dense", "sparse"])
@pytest.mark.parametrize("name", ESTIMATORS)
def test_equal_to_the_bit_for_any_number_of_threads(kind, name):
    """More rows than one chunk has, more columns than one block, more entries than make blocks of a sparse matrix."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 30, size=320)
    n_rows = int(lengths.sum())
    if kind == "dense":
        features = rng.normal(size=(n_rows, 270))
    else:
        features = sparse.random_array((n_rows, 2000), density=0.013, rng=rng, format="csr")
    assert n_rows > 4096
    assert kind == "dense" or features.nnz > 100_000
    data, labels = mg.Sequences(features, lengths), rng.integers(0, 4, size=n_rows)
    solver = mg.solvers.LBFGS(max_iter=4) if name == "L-BFGS" else mg.solvers.FrankWolfe(max_iter=2, random_state=0)
    fits = []
    for n_jobs in (1, 2, 3):
        model = clone(ESTIMATORS[name]).set_params(C=0.1, n_jobs=n_jobs, solver=solver)
        if name == "L-BFGS":
            model.set_params(tol=None)
        with pytest.warns(ConvergenceWarning):
            model.fit(data, labels)
        fits.append((model.weights_, np.concatenate(model.predict_marginals(data)), without_seconds(model.history_)))
    for weights, marginals, history in fits[1:]:
        assert np.array_equal(weights, fits[0][0])
        assert np.array_equal(marginals, fits[0][1])
        assert history == fits[0][2]


def test_two_threads_with_one_model():
    rng = np.random.default_rng(1)
    batches = [[rng.normal(size=(int(length), 3)) for length in rng.integers(0, 40, size=60)] for _ in range(24)]
    model = mg.ChainCRF(C=3.0, n_jobs=2).fit(X, Y)
    expected = [(model.predict(batch), model.predict_marginals(batch)) for batch in batches]
    start = threading.Barrier(4, timeout=60)

    def answers(first):
        start.wait()
        return [(i, model.predict(batches[i]), model.predict_marginals(batches[i])) for i in range(first, 24, 4)]

    with ThreadPoolExecutor(4) as threads:
        for found in threads.map(answers, range(4)):
            for i, labels, marginals in found:
                assert all(map(np.array_equal, labels, expected[i][0]))
                assert all(map(np.array_equal, marginals, expected[i][1]))


def test_fits_in_two_threads():
    with ThreadPoolExecutor(2) as threads:
        models = list(threads.map(lambda C: mg.ChainCRF(C=C, n_jobs=2).fit(X, Y), [1.0, 2.0, 1.0, 2.0]))
    for model in models:
        assert np.array_equal(model.weights_, mg.ChainCRF(C=model.C).fit(X, Y).weights_)


# ------------------------------------------------------------------------------------------------------ sample weights


def test_weights_repeat_examples():
    s = [2, 1, 0, 3, 1]
    again, labels = ([part for part, n in zip(whole, s, strict=True) for _ in range(n)] for whole in (X, Y))
    one = mg.ChainCRF(tol=1e-12).fit(X, Y, sample_weight=s)
    other = mg.ChainCRF(tol=1e-12).fit(again, labels)
    assert np.allclose(one.weights_, other.weights_, atol=1e-5)
    assert one.history_[-1]["objective"] == pytest.approx(other.history_[-1]["objective"], rel=1e-10)
    m3n = mg.ChainM3N(C=0.3, tol=1e-3, max_iter=20_000, random_state=0)
    one, other = (clone(m3n).fit(*args) for args in ((X, Y, s), (again, labels)))
    assert one.history_[-1]["objective"] == pytest.approx(other.history_[-1]["objective"], rel=2e-3)


def test_equal_weights_are_another_C(model):
    one, other = clone(model), clone(model).set_params(C=model.C * 2)
    assert np.allclose(one.fit(X, Y, sample_weight=[2.0] * 5).weights_, other.fit(X, Y).weights_, atol=1e-8)


# ---------------------------------------------------------------------------------------------------------- warm starts


def test_a_warm_start_begins_where_the_last_fit_ended():
    model = mg.ChainCRF(C=3.0, tol=1e-8, warm_start=True).fit(X, Y)
    first, weights = model.n_iter_, model.weights_
    model.fit(X, Y)
    assert model.n_iter_ == 1 < first
    assert np.allclose(model.weights_, weights, atol=1e-3)
    cold = mg.ChainCRF(C=3.5, tol=1e-8).fit(X, Y)
    warm = model.set_params(C=3.5).fit(X, Y)
    assert warm.n_iter_ < cold.n_iter_
    assert np.allclose(warm.weights_, cold.weights_, atol=1e-3)


def test_without_a_warm_start_a_second_fit_knows_nothing_of_the_first(model):
    first = model.fit(X, Y).weights_.copy()
    model.fit([x + 1 for x in X], Y)
    assert np.array_equal(model.fit(X, Y).weights_, first)


@pytest.mark.parametrize("other", ["features", "labels", "weights"])
def test_a_warm_start_from_something_else_is_announced_and_starts_anew(other):
    model = mg.ChainCRF(warm_start=True).fit(X, Y)
    data, labels = X, Y
    if other == "features":
        data = [x[:, :2] for x in X]
    elif other == "labels":
        labels = [np.char.upper(y) for y in Y]
    else:
        model.set_params(nodes=mg.scores.Linear(bias=False))
    with pytest.warns(UserWarning, match="warm_start: features or labels differ from the last fit's, so it starts ane"):
        model.fit(data, labels)
    assert np.array_equal(model.weights_, clone(model).fit(data, labels).weights_)


# ------------------------------------------------------------------------------------------------ callbacks, interrupts


def test_callbacks_see_each_record_and_may_stop(model):
    seen = []

    def callback(record):
        seen.append(record)
        return record["iteration"] >= 4

    with warnings.catch_warnings():
        warnings.simplefilter("error")  # stopped on purpose: nobody is warned
        model.fit(X, Y, callback=callback)
    assert seen == model.history_
    assert model.n_iter_ == 4
    assert all(map(len, model.predict(X)))


def at_iteration(number, error):
    def callback(record):
        if record["iteration"] >= number:
            raise error

    return callback


@pytest.mark.parametrize("fitted_before", [False, True])
def test_ctrl_c_keeps_the_last_complete_iteration(model, fitted_before):
    if fitted_before:
        model.fit([x + 1 for x in X], [np.char.upper(y) for y in Y])
    stopped = clone(model).fit(X, Y, callback=lambda record: record["iteration"] >= 6)
    with pytest.raises(KeyboardInterrupt, match="interrupted; the model is that of the last complete iteration"):
        model.fit(X, Y, callback=at_iteration(6, KeyboardInterrupt()))
    assert model.n_iter_ == 6
    assert np.array_equal(model.weights_, stopped.weights_)
    assert without_seconds(model.history_) == without_seconds(stopped.history_)
    assert model.gap_ == stopped.gap_
    assert model.classes_.tolist() == ["a", "b", "c"]
    assert all(map(np.array_equal, model.predict(X), stopped.predict(X)))


class Interrupting(mg.inference.Forest):
    """Presses Ctrl-C at the question of a given number."""

    def __init__(self, at):
        self.at = at

    def prepare(self, graph, n_jobs=1):
        oracle, asked = super().prepare(graph, n_jobs), []

        def counted(method):
            def question(*args, **options):
                asked.append(method)
                if len(asked) == self.at:
                    raise KeyboardInterrupt
                return method(*args, **options)

            return question

        oracle.maximize, oracle.answers = counted(oracle.maximize), counted(oracle.answers)
        return oracle


@pytest.mark.parametrize("fitted_before", [False, True])
@pytest.mark.parametrize("loss", ["log", "hinge"])
def test_ctrl_c_in_the_first_iteration_leaves_the_model_as_it_was(loss, fitted_before):
    model = mg.SequenceClassifier(loss, C=0.3, tol=1e-2)
    if fitted_before:
        model.fit([x + 1 for x in X], [np.char.upper(y) for y in Y])
    before = learned(model.set_params(inference=Interrupting(2)))
    with pytest.raises(KeyboardInterrupt, match="interrupted in the first iteration; the model is as it was"):
        model.fit(X, Y)
    assert learned(model).keys() == before.keys()
    assert all(learned(model)[name] is value for name, value in before.items())


def test_ctrl_c_between_two_reports_counts_the_iterations():
    """Frank-Wolfe reports every second pass here, and asks once per sequence: the fourth pass is not complete."""
    solver = mg.solvers.FrankWolfe(tol=0.0, check_every=2, together=1, average=False, random_state=0)
    model = mg.SequenceClassifier("hinge", C=0.3, solver=solver, inference=Interrupting(3 * len(X) + 1 + 2))
    with pytest.raises(KeyboardInterrupt, match="the last complete iteration"):
        model.fit(X, Y)
    assert (model.n_iter_, model.history_[-1]["iteration"]) == (3, 2)
    assert 0 < model.gap_ < 1


def test_a_real_signal():
    fired = []

    def callback(record):
        if record["iteration"] == 3 and not fired:
            fired.append(True)
            signal.raise_signal(signal.SIGINT)

    model = mg.ChainCRF(C=3.0, tol=1e-12)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y, callback=callback)
    assert model.n_iter_ == 3


@pytest.mark.parametrize("fitted_before", [False, True])
@pytest.mark.parametrize("error", [ValueError("mine"), MemoryError(), SystemExit(1)], ids=repr)
def test_any_other_error_leaves_the_model_as_it_was(model, fitted_before, error):
    if fitted_before:
        model.fit([x + 1 for x in X], [np.char.upper(y) for y in Y])
    before = copy.deepcopy(vars(model))
    answers = model.predict(X) if fitted_before else []
    with pytest.raises(type(error)) as caught:
        model.fit(X, Y, callback=at_iteration(2, error))
    assert caught.value is error
    assert vars(model).keys() == before.keys()
    if fitted_before:
        assert np.array_equal(model.weights_, before["weights_"])
        assert model.history_ == before["history_"]
        assert all(map(np.array_equal, model.predict(X), answers))


def test_bad_data_leave_the_model_as_it_was(model):
    model.fit(X, Y)
    weights, history = model.weights_.copy(), list(model.history_)
    for bad in ((X, Y[:3]), ([x * np.nan for x in X], Y), (X, Y, [1, 2])):
        with pytest.raises(ValueError, match=r"\d"):
            model.fit(*bad)
    assert np.array_equal(model.weights_, weights)
    assert model.history_ == history
    assert all(map(len, model.predict(X)))


# ---------------------------------------------------------------------------------------------------------- convergence


@pytest.mark.parametrize("kind", [mg.ChainCRF, mg.ChainM3N])
def test_a_fit_that_ends_too_early_says_so(kind):
    with pytest.warns(
        ConvergenceWarning, match=rf"{kind.__name__} stopped after 2 iterations .*: raise max_iter or tol"
    ):
        model = kind(C=3.0, tol=1e-9, max_iter=2).fit(X, Y)
    assert model.n_iter_ == 2
    assert model.gap_ > 1e-9
    assert all(map(len, model.predict(X)))


class Stuck(mg.solvers.LBFGS):
    """Ends where rounding ends it."""

    def minimize(self, objective, start=None, callback=None):
        solution = super().minimize(objective, start, callback)
        solution.stopped_by = "precision"
        return solution


def test_a_fit_that_cannot_tell_anything_lower_apart_says_so():
    with pytest.warns(
        ConvergenceWarning, match=r"ChainCRF stopped after .* rounding hides further progress; raise tol"
    ):
        mg.ChainCRF(solver=Stuck()).fit(X, Y)


def test_tol_decides():
    for tol in (1e-1, 1e-4, 1e-8):
        assert mg.ChainCRF(C=3.0, tol=tol).fit(X, Y).gap_ <= tol


def test_without_a_penalty_on_edges_there_is_no_certificate():
    model = mg.ChainCRF(penalty={"edges": 0.0}).fit(X, Y)
    assert np.isnan(model.gap_)
    with pytest.raises(ValueError, match="FrankWolfe needs a penalty above 0"):
        mg.ChainM3N(penalty={"edges": 0.0}).fit(X, Y)


@pytest.mark.parametrize("kind", [mg.ChainCRF, mg.ChainM3N])
def test_no_edges_need_no_penalty(kind):
    model = kind(edges="zero", penalty={"nodes": 1.0, "edges": 0.0}, tol=1e-2).fit(X, Y)
    assert 0 <= model.gap_ <= 1e-2
