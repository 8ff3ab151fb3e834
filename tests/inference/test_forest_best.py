import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.inference import Added, Forest
from tests.inference.graphs import fill, path, path_best


@given(st.integers(0, 10**6), st.integers(1, 40), st.integers(2, 8), st.sampled_from([1.0, 1e6]))
def test_long_paths(seed, length, n_states, scale):
    random = np.random.default_rng(seed)
    graph = path(length, n_states)
    nodes, table = scale * random.normal(size=(length, n_states)), scale * random.normal(size=(n_states, n_states))
    theta = fill(graph, nodes, table)
    answer = Forest().maximize(graph, theta)
    assert answer.values[0] == pytest.approx(path_best(nodes, table), rel=1e-12)
    assert graph.values(theta, answer.labels)[0] == pytest.approx(answer.values[0], rel=1e-12)


def test_forbidden_pairs_and_a_forced_last_state():
    """Up one state a step or stay: 200 steps to state 7 of 8, whatever other states promise."""
    graph = path(200, 8)
    table = np.where(np.isin(np.arange(8)[None, :] - np.arange(8)[:, None], [0, 1]), 0.0, -np.inf)
    nodes = np.zeros((200, 8))
    nodes[0, 1:] = nodes[-1, :7] = -np.inf
    nodes[:-1, 0] = 1.0
    answer = Forest().maximize(graph, fill(graph, nodes, table))
    assert answer.values.tolist() == [193.0]
    assert answer.labels.tolist() == [0] * 193 + [1, 2, 3, 4, 5, 6, 7]


def test_all_labellings_forbidden():
    graph = path(3, 2, n_examples=2)
    forbidden = np.zeros(12)
    forbidden[2:4] = -np.inf
    answer = Forest().maximize(graph, np.ones(graph.n_entries), added=Added(nodes=forbidden))
    assert answer.values.tolist() == [-np.inf, 5.0]
    assert ((answer.labels >= 0) & (answer.labels < 2)).all()
