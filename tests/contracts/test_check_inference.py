"""The check passes what is right, on any random graphs, and names what is broken in what is not."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from margrave.checks import check_inference, problems
from margrave.inference import Exhaustive, Forest


@pytest.mark.parametrize("inference", [Forest(), Exhaustive()], ids=lambda inference: type(inference).__name__)
def test_every_kind_of_graph(inference):
    check_inference(inference)


@settings(max_examples=10)
@given(
    st.integers(0, 10**6),
    st.sampled_from([problems.chains, problems.trees, problems.basis_edges, problems.summed_edges]),
)
def test_forests_of_any_shape(seed, kind):
    check_inference(Forest(), [kind(np.random.default_rng(seed)).graph], random_state=seed)


def test_more_states_than_fit_one_row_of_eight():
    check_inference(Forest(), [problems.chains(np.random.default_rng(0), 9, [3, 1, 2]).graph])


def test_batches_that_are_cut_into_slices():
    lengths = np.random.default_rng(1).integers(0, 4, size=40).tolist()
    check_inference(Forest(), [problems.chains(np.random.default_rng(0), 2, lengths).graph], random_state=1)


# ---------------------------------------------------------------------------------------------------- broken algorithms


class Broken(Exhaustive):
    """Exhaustive whose answers are spoiled by `spoil(maximum, asked)`, an attribute of the subclass."""

    def prepare(self, graph, n_jobs=1):
        oracle = super().prepare(graph, n_jobs)
        maximize = oracle.maximize

        def spoiled(theta, temperature=0.0, added=None, examples=slice(None), *rest, **options):
            answer = maximize(theta, temperature, added, examples, *rest, **options)
            return type(self).spoil(answer, graph=graph, examples=examples, n_jobs=n_jobs, added=added)

        oracle.maximize = spoiled
        return oracle


def spoiler(name, message):
    def keep(function):
        return pytest.param(type(name, (Broken,), {"spoil": staticmethod(function)}), message, id=name)

    return keep


@spoiler("HighValues", "values are not those of enumeration")
def high_values(answer, **_):
    return replace(answer, values=answer.values + 1e-6)


@spoiler("LowBounds", "a bound is below")
def low_bounds(answer, **_):
    return replace(answer, bound_kind="upper", bounds=answer.values - 1e-3)


@spoiler("OtherLabels", "the labelling is not worth the value")
def other_labels(answer, graph, examples, **_):
    if answer.labels is not None and len(answer.labels) == graph.n_variables:
        answer.labels[0] = (answer.labels[0] + 1) % graph.topologies[graph.topology_of[0]].n_states[0]
    return answer


@spoiler("DoubleCounts", "counts are not the tied sums")
def double_counts(answer, **_):
    if answer.counts is not None:
        answer.counts *= 2
    return answer


@spoiler("FlatMarginals", "do not sum to one")
def flat_marginals(answer, **_):
    return answer if answer.node_marginals is None else replace(answer, node_marginals=0.9 * answer.node_marginals)


@spoiler("OtherBits", "values change with n_jobs")
def other_bits(answer, n_jobs, **_):
    return replace(answer, values=answer.values * (1 + 1e-15 * (n_jobs - 1)))


@spoiler("Intruder", "left alone elsewhere")
def intruder(answer, **_):
    if answer.counts is not None:
        answer.counts[np.isnan(answer.counts)] = 0.0
    return answer


@spoiler("NoNumber", "a value is NaN")
def no_number(answer, **_):
    return replace(answer, values=answer.values * np.nan)


@spoiler("Unequal", "differ from the whole batch's")
def unequal(answer, examples, **_):
    return replace(answer, values=answer.values + (0.1 if examples == slice(0, 1) else 0.0))


class ForgetsTheCost(Exhaustive):
    def prepare(self, graph, n_jobs=1):
        oracle = super().prepare(graph, n_jobs)
        maximize = oracle.maximize
        oracle.maximize = lambda theta, temperature=0.0, added=None, *a, **o: maximize(
            theta, temperature, None, *a, **o
        )
        return oracle


class Stale(Forest):
    """Its tables are prepared once, as if scores never changed."""

    def prepare(self, graph, n_jobs=1):
        oracle = super().prepare(graph, n_jobs)
        answer, first = oracle.answer, []

        def stale(theta, *args):
            first.append(theta.copy())
            return answer(first[0], *args)

        oracle.answer = stale
        return oracle


class Curt(Exhaustive):
    def refusal(self, graph):
        return "no"


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        high_values,
        low_bounds,
        other_labels,
        double_counts,
        flat_marginals,
        other_bits,
        intruder,
        no_number,
        unequal,
        (ForgetsTheCost, "costs added: values are not those of enumeration"),
        (Stale, "another value than maximize"),
        (Curt, "must be a sentence"),
    ],
)
def test_what_is_broken_is_named(broken, message):
    graphs = [problem.graph for problem in problems.all_problems()[:2]]
    with pytest.raises(AssertionError, match=message):
        check_inference(broken(), graphs)


def test_who_refuses_all_graphs_is_not_passed():
    loops = problems.signed_labels(np.random.default_rng(0)).graph
    with pytest.raises(AssertionError, match="refuses every graph"):
        check_inference(Forest(), [loops])
