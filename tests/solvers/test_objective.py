import numpy as np
import pytest
from scipy.optimize import approx_fprime

import margrave as mg
from margrave.checks import problems
from margrave.graphs import Batch
from margrave.losses import Hinge, LogLoss, SmoothedHinge, SoftmaxMargin
from margrave.scores import Linear, ScoreModel
from margrave.solvers import Objective
from margrave.solvers.objective import relative_gap
from tests.solvers.tiny_chains import TinyChains

LOSSES = [(LogLoss(), False), (Hinge(), True), (SmoothedHinge(0.2), True), (SoftmaxMargin(), True)]
S = np.array([1.0, 0.5, 0.0, 3.0])


@pytest.fixture
def chains():
    return TinyChains.random(1, n_states=3)


@pytest.fixture
def weights(chains):
    return np.random.default_rng(2).normal(size=chains.n_weights)


@pytest.mark.parametrize(("loss", "costly"), LOSSES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("s", [None, S], ids=["equal", "weighted"])
def test_value_by_enumeration(chains, weights, loss, costly, s):
    objective = chains.seen_by(Objective, loss, C=0.7, penalty={"nodes": 2.0, "edges": 0.1}, sample_weight=s)
    etas = chains.etas(2.0, 0.1)
    expected = chains.objective(weights, loss.temperature, 0.7, costly, etas, s)
    value, _ = objective.value_and_gradient(weights)
    assert value + objective.penalty(weights) == pytest.approx(expected, rel=1e-12)
    assert objective.value(weights) == pytest.approx(value, rel=1e-12)
    assert objective.penalty(weights) == pytest.approx(0.5 * np.sum(etas * weights**2), rel=1e-12)


@pytest.mark.parametrize(("loss", "costly"), LOSSES, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("s", [None, S], ids=["equal", "weighted"])
def test_gradient_by_finite_differences(chains, weights, loss, costly, s):
    objective = chains.seen_by(Objective, loss, C=0.7, penalty={"edges": 0.1}, sample_weight=s)
    gradient = np.full(objective.n_weights, np.nan)
    objective.value_and_gradient(weights, gradient)
    objective.penalty(weights, gradient)
    etas = chains.etas(1.0, 0.1)
    expected = approx_fprime(
        weights, lambda w: chains.objective(w, loss.temperature, 0.7, costly, etas, s), epsilon=1e-6
    )
    assert np.allclose(gradient, expected, atol=1e-4)


@pytest.mark.parametrize("loss", [LogLoss(), Hinge()])
@pytest.mark.parametrize("s", [None, S], ids=["equal", "weighted"])
def test_a_sum_over_examples(chains, weights, loss, s):
    """A cluster adds up parts of it."""
    objective = chains.seen_by(Objective, loss, C=0.7, sample_weight=s)
    value, gradient = objective.value_and_gradient(weights)
    parts = [objective.value_and_gradient(weights, examples=e) for e in (slice(0, 1), slice(1, 3), slice(3, None))]
    assert sum(part[0] for part in parts) == pytest.approx(value, rel=1e-12)
    assert np.allclose(sum(part[1] for part in parts), gradient, atol=1e-12)
    empty, nothing = objective.value_and_gradient(weights, examples=slice(2, 2))
    assert empty == 0.0
    assert not nothing.any()


def test_out_is_filled_and_given_back(chains, weights):
    objective = chains.seen_by(Objective, LogLoss())
    out = np.full(objective.n_weights, np.nan)
    _, gradient = objective.value_and_gradient(weights, out)
    assert gradient is out
    assert np.isfinite(out).all()


def test_node_weights(chains, weights):
    rng = np.random.default_rng(3)
    node_weights = rng.uniform(0, 2, size=len(chains.labels)) * (rng.random(len(chains.labels)) < 0.7)  # 0 is legal
    objective = chains.seen_by(Objective, Hinge(), node_weights=node_weights)
    pieces = np.split(node_weights, np.cumsum([len(y) for y in chains.y])[:-1])
    expected = sum(chains.loss(i, weights, 0.0, chains.costs(i, None, pieces[i])) for i in range(4))
    assert objective.value(weights) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("loss", [LogLoss(), Hinge()])
def test_the_inference_makes_no_difference(chains, weights, loss):
    by_forest = chains.seen_by(Objective, loss).value_and_gradient(weights)
    by_list = chains.seen_by(Objective, loss, inference=mg.inference.Exhaustive()).value_and_gradient(weights)
    assert by_forest[0] == pytest.approx(by_list[0], rel=1e-12)
    assert np.allclose(by_forest[1], by_list[1], atol=1e-11)


@pytest.mark.parametrize("loss", [LogLoss(), Hinge()])
def test_equal_to_the_bit_for_any_number_of_threads(loss):
    chains = TinyChains.random(4, lengths=tuple(range(1, 40)), n_features=6, n_states=5)
    weights = np.random.default_rng(5).normal(size=chains.n_weights)
    results = [chains.seen_by(Objective, loss, n_jobs=n).value_and_gradient(weights) for n in (1, 2, 3)]
    assert len({value for value, _ in results}) == 1
    assert len({gradient.tobytes() for _, gradient in results}) == 1


def test_distance_is_the_bound_of_strong_convexity(chains, weights):
    objective = chains.seen_by(Objective, LogLoss(), penalty={"nodes": 2.0, "edges": 0.1})
    assert objective.distance(weights) == pytest.approx(0.5 * np.sum(weights**2 / chains.etas(2.0, 0.1)))
    assert np.isnan(chains.seen_by(Objective, LogLoss(), penalty={"edges": 0.0}).distance(weights))


@pytest.mark.parametrize(
    ("penalty", "sentence"),
    [
        ({"nodse": 1.0}, r"penalty names \['nodse'\], but there are \['edges', 'nodes'\]"),
        (-1.0, "penalty of 'edges' must be a number of at least 0|penalty of 'nodes' must be a number of at least 0"),
        ({"edges": np.nan}, "penalty of 'edges' must be a number of at least 0, got nan"),
        ({"edges": np.inf}, "penalty of 'edges' must be a number of at least 0, got inf"),
        ({"edges": "1"}, "penalty of 'edges' must be a number of at least 0, got '1'"),
    ],
)
def test_bad_penalties_are_refused(chains, penalty, sentence):
    with pytest.raises(ValueError, match=sentence):
        chains.seen_by(Objective, LogLoss(), penalty=penalty)


def test_penalties_not_named_are_one(chains, weights):
    objective = chains.seen_by(Objective, LogLoss(), penalty={"edges": 4.0})
    assert objective.penalty(weights) == pytest.approx(0.5 * np.sum(chains.etas(1.0, 4.0) * weights**2))


def test_read_only_labels(chains, weights):
    labels = chains.labels
    labels.flags.writeable = False
    objective = Objective(chains.bound(), labels, LogLoss(), mg.inference.Forest())
    assert objective.value(weights) == chains.seen_by(Objective, LogLoss()).value(weights)


@pytest.mark.parametrize(
    ("primal", "excess", "expected"), [(2.0, 0.5, 0.25), (2.0, 0.0, 0.0), (0.0, 0.0, 0.0), (-1.0, 0.0, np.nan)]
)
def test_relative_gaps(primal, excess, expected):
    np.testing.assert_equal(relative_gap(primal, excess), expected)


@pytest.mark.parametrize("loss", [LogLoss(), Hinge()])
@pytest.mark.parametrize("inference", [mg.inference.Forest(), mg.inference.Exhaustive()])
def test_a_block_without_a_scorer_stays_worth_nothing(loss, inference):
    """However often it is asked: counts must not be left where scores are read."""
    whole = mg.Sequence().build(mg.Sequences(np.eye(3), [3]), 2)
    batch = Batch(whole.graph, {"nodes": whole.inputs["nodes"]})
    model = ScoreModel.lay_out(batch, {"nodes": Linear()}).bind(batch)
    objective = Objective(model, np.array([0, 1, 1], dtype=np.int32), loss, inference)
    values = [objective.value_and_gradient(np.zeros(objective.n_weights))[0] for _ in range(3)]
    np.testing.assert_allclose(values, 3 * np.log(2) if loss.temperature else 3.0)


def test_an_inference_that_cannot_serve_the_graph_is_refused():
    problem = problems.grids(np.random.default_rng(0))
    with pytest.raises(ValueError, match="Forest was given a graph with a loop"):
        Objective(problem.model, problem.labels, LogLoss(), mg.inference.Forest())


@pytest.mark.parametrize("weights", [np.ones(2), -np.ones(3), np.full(3, np.nan)])
def test_node_weights_out_of_range_are_refused(weights):
    chains = TinyChains.random(0, lengths=(3,))
    with pytest.raises(ValueError, match="node_weights must be 3 finite numbers"):
        chains.seen_by(Objective, Hinge(), node_weights=weights)
