from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.graphs import Dependencies
from margrave.graphs.dependencies import topological_order


@st.composite
def acyclic(draw):
    """Parents of each label, and an order in which they come first."""
    K = draw(st.integers(0, 7))
    order = draw(st.permutations(range(K)))
    parents = [[] for _ in range(K)]
    for i, label in enumerate(order):
        parents[label] = draw(st.lists(st.sampled_from(order[:i]), unique=True)) if i else []
    return parents, order


def cliques_in_labels(d):
    """(label, set of others), of all cliques."""
    return [(int(d.order[i]), frozenset(int(d.order[m]) for m in c)) for i in range(d.n_labels) for c in d.cliques(i)]


@given(acyclic(), st.integers(1, 4))
def test_cliques_are_all_sets_of_parents_up_to_a_size(graph, clique_size):
    parents, order = graph
    d = Dependencies.of_parents(parents, order, clique_size)
    wanted = {
        (label, frozenset(others))
        for label, found in enumerate(parents)
        for size in range(1, clique_size)
        for others in combinations(found, size)
    }
    found = cliques_in_labels(d)
    assert set(found) == wanted
    assert len(found) == len(wanted) == d.n_cliques
    assert d.order.tolist() == list(order)
    assert d.n_labels == len(order)


@given(acyclic(), st.integers(2, 4), st.integers(0, 2**32 - 1))
def test_signs_are_products(graph, clique_size, seed):
    parents, order = graph
    d = Dependencies.of_parents(parents, order, clique_size)
    labels = np.random.default_rng(seed).choice([-1, 1], size=(3, d.n_labels))
    signs = d.signs(labels)
    assert signs.shape == (3, d.n_cliques)
    for c, (_, others) in enumerate(cliques_in_labels(d)):
        for row, sign in zip(labels, signs[:, c], strict=True):
            product = 1
            for other in others:
                product *= row[other]
            assert sign == product
    for place in range(d.n_labels):
        assert np.array_equal(d.signs_of(place, labels), signs[:, d.run(place)])


@given(acyclic())
def test_an_order_is_found_that_has_parents_first(graph):
    parents, _ = graph
    order = topological_order(parents).tolist()
    assert sorted(order) == list(range(len(parents)))
    assert all(order.index(p) < order.index(label) for label, found in enumerate(parents) for p in found)
    allowed = [
        list(o)
        for o in permutations(range(min(len(parents), 5)))
        if len(parents) <= 5 and all(o.index(p) < o.index(label) for label, f in enumerate(parents) for p in f)
    ]
    assert not allowed or order == min(allowed)  # lower labels first
    assert Dependencies.of_parents(parents).order.tolist() == order


def test_full_is_all_before():
    order = [2, 0, 3, 1]
    d = Dependencies.full(order, 3)
    before = {label: order[:i] for i, label in enumerate(order)}
    wanted = [(k, frozenset(c)) for k in order for n in (1, 2) for c in combinations(before[k], n)]
    assert sorted(cliques_in_labels(d), key=str) == sorted(wanted, key=str)
    assert d.child.tolist() == [i for i in range(4) for _ in d.cliques(i)]
    assert d.sizes.tolist() == [len(c) for i in range(4) for c in d.cliques(i)]


def test_pairs_are_tables_of_the_cliques_with_one_member():
    d = Dependencies.full([1, 2, 0], 3)
    weights = np.random.default_rng(0).normal(size=(2, d.n_cliques))
    tables = d.pairs(weights)
    assert tables.shape == (2, 3, 3)
    wanted = np.zeros((2, 3, 3))
    for place in range(3):
        for c, members in enumerate(d.cliques(place), start=d.run(place).start):
            if len(members) == 1:
                wanted[:, place, members[0]] = weights[:, c]
    assert np.array_equal(tables, wanted)
    assert np.array_equal(d.pairs(weights[0]), wanted[0])


def test_a_parent_named_twice_is_one():
    assert Dependencies.of_parents([[], [0, 0]], clique_size=3).cliques(1) == [(0,)]


@pytest.mark.parametrize(
    ("parents", "cycle"),
    [([[0]], "0 <- 0"), ([[1], [0], []], "0 <- 1 <- 0"), ([[], [2], [3, 0], [1]], "1 <- 2 <- 3 <- 1")],
)
def test_a_cycle_is_named(parents, cycle):
    with pytest.raises(ValueError, match=f"labels look at each other: {cycle}"):
        topological_order(parents)


def test_what_is_wrong_is_said():
    with pytest.raises(ValueError, match="order puts label 0 before label 1, which it looks at"):
        Dependencies.of_parents([[1], []], [0, 1])
    for order in ([0, 0, 1], [0, 1], [1, 2, 3]):
        with pytest.raises(ValueError, match="order must be a permutation of 0 to 2"):
            Dependencies.of_parents([[], [], []], order)
    with pytest.raises(ValueError, match="order must be a permutation of 0 to 2"):
        Dependencies.full([0, 0, 1])
    for parent in (-1, 2):
        with pytest.raises(ValueError, match=rf"parents\[1\] names label {parent}, but labels are 0 to 1"):
            Dependencies.of_parents([[], [parent]])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"order": [0, 2, 2]}, "order must be a permutation"),
        ({"pointer": [0, 0, 1]}, "pointer must rise from 0 and have 4 numbers"),
        ({"pointer": [0, 2, 1, 3]}, "pointer must rise"),
        ({"first_member": [0, 1, 2]}, "first_member must rise"),
        ({"first_member": [0, 1, 1, 4]}, "at least one member"),
        ({"first_member": [0, 1, 2, 3]}, "first_member must end with the number of members, 4"),
        ({"members": [0, 0, 0, 2]}, "members must be places before the clique's own"),
        ({"members": [-1, 0, 0, 1]}, "members must be places before"),
        ({"members": [0, 0, 1, 0]}, "members must rise within a clique"),
        ({"pointer": [0, 0, 0, 3]}, "must not have the same clique twice"),
    ],
)
def test_dependencies_from_a_file_are_checked(changed, message):
    right = {"order": [0, 1, 2], "pointer": [0, 0, 1, 3], "first_member": [0, 1, 2, 4], "members": [0, 0, 0, 1]}
    Dependencies(**{name: np.array(value) for name, value in right.items()})
    with pytest.raises(ValueError, match=message):
        Dependencies(**{name: np.array(value) for name, value in {**right, **changed}.items()})
