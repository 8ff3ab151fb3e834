"""What tests/contracts does not say about enumeration, which is judged there."""

import numpy as np
import pytest

from margrave.checks.problems import basis_edges, chains
from margrave.inference import Exhaustive, exhaustive
from tests.contracts.definition import Enumerated
from tests.inference.graphs import path


def test_too_many_labellings_are_refused():
    with pytest.raises(ValueError, match=r"2.1e\+06 labellings, more than max_labelings=1048576; use Forest"):
        Exhaustive().maximize(path(21, 2), np.zeros(46))
    with pytest.raises(ValueError, match=r"8 labellings, more than max_labelings=7"):
        Exhaustive(max_labelings=7).maximize(path(3, 2), np.zeros(10))
    assert Exhaustive(max_labelings=8).maximize(path(3, 2), np.zeros(10)).values.tolist() == [0.0]


def test_labelings_too_many_for_integers_are_counted_as_well():
    assert "labellings" in Exhaustive().refusal(path(5000, 3))


def test_its_entropy_is_refused():
    graph = path(2, 2)
    oracle = Exhaustive().prepare(graph)
    with pytest.raises(ValueError, match="no function of its marginals; use Forest"):
        oracle.entropy(oracle.maximize(np.zeros(8), 1.0))


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_examples_in_turns_get_the_same_answers(monkeypatch, temperature):
    random = np.random.default_rng(0)
    graph = chains(random, 2, [3, 3, 2, 3, 3]).graph
    theta = random.normal(size=graph.n_entries)
    whole = Exhaustive().maximize(graph, theta, temperature=temperature)
    monkeypatch.setattr(exhaustive, "_MOST_AT_ONCE", 17)
    turns = Exhaustive().maximize(graph, theta, temperature=temperature)
    for name in ("values", "labels") if temperature == 0 else ("values", "counts", "node_marginals"):
        np.testing.assert_allclose(getattr(whole, name), getattr(turns, name), rtol=1e-14)


@pytest.mark.parametrize("temperature", [0.0, 1.0])
def test_an_entry_of_minus_infinity_forbids_only_the_cells_that_it_feeds(temperature):
    """Two neighbours that must differ: a Potts edge worth minus infinity."""
    random = np.random.default_rng(0)
    graph = basis_edges(random).graph
    theta = random.normal(size=graph.n_entries)
    theta[graph.starts["potts"]] = -np.inf
    scales = {"scaled": graph.block("scaled").basis.coefficients.reshape(3, 3)}
    true = Enumerated(graph, theta, 0, temperature, scales=scales)
    assert np.isfinite(true.value)
    assert Exhaustive().maximize(graph, theta, temperature=temperature).values[0] == pytest.approx(true.value)


def test_nothing_allowed_is_worth_minus_infinity_and_not_nan():
    graph = path(2, 2)
    answer = Exhaustive().maximize(graph, np.full(8, -np.inf), temperature=1.0)
    assert answer.values.tolist() == [-np.inf]
    assert not answer.counts.any()
