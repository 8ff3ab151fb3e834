"""Counts and scores of labellings, against plain Python."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.checks.problems import KINDS, basis_edges, chains, random_labels
from tests.contracts.definition import entries_of
from tests.contracts.test_exhaustive_from_definition import scales_of


def counts_by_hand(problem, labels, weights, examples):
    graph, counts = problem.graph, np.zeros(problem.graph.n_entries)
    for i in examples:
        mine = labels[graph.first_variable[i] : graph.first_variable[i + 1]].tolist()
        for entry, factor in entries_of(graph, i, mine, scales_of(problem)):
            counts[entry] += weights[i] * factor
    return counts


@given(st.integers(0, 10**6), st.sampled_from(KINDS))
def test_counts_and_scores(seed, kind):
    random = np.random.default_rng(seed)
    problem = kind(random)
    graph, weights = problem.graph, random.uniform(size=len(problem.graph))
    labels, theta = random_labels(graph, random), random.normal(size=graph.n_entries)
    everyone = range(len(graph))
    np.testing.assert_allclose(
        graph.counts(labels, weights=weights), counts_by_hand(problem, labels, weights, everyone), atol=1e-12
    )
    ones = np.ones(len(graph))
    wanted = [theta @ counts_by_hand(problem, labels, ones, [i]) for i in everyone]
    np.testing.assert_allclose(graph.values(theta, labels), wanted, atol=1e-12)


@pytest.mark.parametrize("kind", [chains, basis_edges], ids=lambda kind: kind.__name__)
def test_runs_of_examples_are_given_their_own_labels_only(kind):
    random = np.random.default_rng(0)
    problem = kind(random)
    graph, labels = problem.graph, random_labels(problem.graph, random)
    theta, ones = random.normal(size=graph.n_entries), np.ones(len(graph))
    part = labels[graph.first_variable[1] :]
    examples = range(1, len(graph))
    counts = graph.counts(part, examples=slice(1, None))
    np.testing.assert_allclose(counts, counts_by_hand(problem, labels, ones, examples))
    np.testing.assert_allclose(graph.values(theta, part, slice(1, None)), graph.values(theta, labels)[1:])


def test_counts_are_added_to_what_is_there():
    problem = chains(np.random.default_rng(0))
    once = problem.graph.counts(problem.labels)
    out = once.copy()
    assert problem.graph.counts(problem.labels, out) is out
    np.testing.assert_array_equal(out, 2 * once)


def test_forbidden_entries_that_are_not_picked_do_not_matter():
    problem = chains(np.random.default_rng(0), 2, [2])
    theta = np.full(problem.graph.n_entries, -np.inf)
    theta[problem.graph.counts(np.array([0, 1], dtype=np.int32)) > 0] = 1.0
    assert problem.graph.values(theta, np.array([0, 1], dtype=np.int32)).tolist() == [3.0]
    assert problem.graph.values(theta, np.array([0, 0], dtype=np.int32)).tolist() == [-np.inf]
