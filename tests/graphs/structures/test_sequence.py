import numpy as np
import pytest
from scipy import sparse

from margrave.graphs import Sequence, Sequences


def test_stacked_rows_are_cut_by_length():
    data = Sequences(np.arange(10.0).reshape(5, 2), [3, 0, 2])
    assert [part.tolist() for part in data] == [[[0, 1], [2, 3], [4, 5]], [], [[6, 7], [8, 9]]]
    assert data[-1].tolist() == data[2].tolist()
    chosen = data[np.array([2, 0])]
    assert chosen.lengths.tolist() == [2, 3]
    assert chosen.features[:, 0].tolist() == [6, 8, 0, 2, 4]
    assert data[1:].lengths.tolist() == [0, 2]


def test_sparse_rows_stay_sparse():
    data = Sequences(sparse.csr_array(np.eye(4)), [1, 3])
    assert sparse.issparse(data[1])
    np.testing.assert_array_equal(data[1].toarray(), np.eye(4)[1:])


@pytest.mark.parametrize(
    ("features", "lengths", "message"),
    [
        (np.zeros((3, 1)), [2], "lengths add up to 2, but features has 3 rows"),
        (np.zeros((3, 1)), [4, -1], "whole numbers of at least 0"),
        (np.zeros((3, 1)), [1.5, 1.5], "whole numbers of at least 0"),
        (np.zeros((3, 1)), 3, "whole numbers of at least 0"),
        (np.zeros(3), [3], "a matrix with one row per position"),
        ("abc", [3], "a matrix with one row per position"),
    ],
)
def test_what_is_no_stack_of_sequences_is_refused(features, lengths, message):
    with pytest.raises(ValueError, match=message):
        Sequences(features, lengths)


def test_one_shape_per_length_and_one_table_for_all_edges():
    graph = Sequence().build(Sequences(np.zeros((9, 1)), [3, 0, 3, 1, 2]), 4).graph
    assert len(graph.topologies) == 4
    assert graph.topology_of[0] == graph.topology_of[2]
    assert graph.topologies[graph.topology_of[0]].edges.tolist() == [[0, 1], [1, 2]]
    assert graph.n_shared == 16
    assert (graph.n_variables, graph.n_edges) == (9, 5)


def test_a_path_from_label_to_label_reads_the_table_from_row_to_column():
    graph = Sequence().build(Sequences(np.zeros((2, 0)), [2]), 3).graph
    counts = graph.view(graph.counts(np.array([2, 0], dtype=np.int32)), "edges").reshape(3, 3)
    assert np.argwhere(counts).tolist() == [[2, 0]]


def test_boundaries_mark_the_first_and_the_last_position():
    batch = Sequence(boundary=True).build(Sequences(np.zeros((6, 1)), [3, 0, 1, 2]), 2)
    ends = batch.inputs["boundary"]
    assert (ends.block, ends.penalty) == ("nodes", "edges")
    assert ends.features.toarray().tolist() == [[1, 0], [0, 0], [0, 1], [1, 1], [1, 0], [0, 1]]


def test_no_sequences_at_all():
    assert len(Sequence().build(Sequences(np.zeros((0, 1)), []), 2).graph) == 0
