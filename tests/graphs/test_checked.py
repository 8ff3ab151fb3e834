"""Every sentence with which a factor graph refuses to be made."""

import numpy as np
import pytest

from margrave.graphs import Block, EdgeTables, FactorGraph, Places, Topology, potts

NODES = Block("nodes", 4, 1, 2)
TABLE = Block("table", 1, 1, 4, shared=True)


def pair(block=0, row=(0, 1), slot=0, table=(1, 0, 0), n_states=(2, 2)):
    tables = EdgeTables.one_each(Places.of(*table))
    return Topology(n_states, [(0, 1)], Places.of(np.full(2, block), row, slot), tables)


def graph(blocks=(NODES, TABLE), topologies=None, topology_of=(0, 0), rows=None):
    topologies = [pair()] if topologies is None else topologies
    return FactorGraph(blocks, topologies, topology_of, {"nodes": [0, 2, 4]} if rows is None else rows)


def test_the_graph_that_the_others_spoil_is_fine():
    assert len(graph()) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"blocks": (NODES, NODES)}, r"different names, got \['nodes', 'nodes'\]"),
        ({"topology_of": (0, 1)}, "must count the 1 topologies from 0"),
        ({"topology_of": (0, -1)}, "must count the 1 topologies from 0"),
        ({"rows": {}}, r"rows\['nodes'\] must have 3 numbers"),
        ({"rows": {"nodes": [0, 2]}}, r"rows\['nodes'\] must have 3 numbers"),
        ({"rows": {"nodes": [0, 2, 5]}}, r"rows\['nodes'\] must increase from 0 or more to at most 4"),
        ({"rows": {"nodes": [2, 0, 4]}}, r"rows\['nodes'\] must increase"),
        ({"rows": {"nodes": [-1, 2, 4]}}, r"rows\['nodes'\] must increase"),
        ({"rows": {"nodes": [0, 3, 4]}}, "reads row 1 of block 'nodes', but an example has 1 rows"),
        ({"topologies": [pair(block=1)]}, "variables cannot read the shared block 'table'"),
        ({"topologies": [pair(n_states=(3, 3))]}, "block 'nodes' scores 2 states of a variable"),
        ({"topologies": [pair(row=0)]}, "two variables read the same slot of block 'nodes'"),
        ({"topologies": [pair(slot=(0, 1))]}, "block 'nodes' has only 1 slots"),
        ({"topologies": [pair(block=2)]}, "a variable stands in block 2, but there are 2"),
        ({"topologies": [pair(block=-1)]}, "the place of a variable has a number below 0"),
        ({"topologies": [pair(row=(0, -1))]}, "the place of a variable has a number below 0"),
        ({"topologies": [pair(slot=-1)]}, "the place of a variable has a number below 0"),
        ({"topologies": [pair(table=(2, 0, 0))]}, "a table stands in block 2, but there are 2"),
        ({"topologies": [pair(table=(1, -1, 0))]}, "the place of a table has a number below 0"),
        ({"topologies": [pair(table=(1, 0, 1))]}, "a table stands outside of block 'table'"),
        ({"topologies": [pair(table=(1, 1, 0))]}, "a table stands outside of block 'table'"),
        ({"topologies": [pair(table=(0, 0, 0))]}, "edge 0 has 4 pairs of states, block 'nodes' scores 2"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        graph(**options)


def test_a_basis_counts_with_the_pairs_that_it_expands_to():
    assert graph(blocks=(NODES, Block("table", 1, 1, 1, potts(2), shared=True))).n_entries == 9
    with pytest.raises(ValueError, match="4 pairs of states, block 'table' scores 9"):
        graph(blocks=(NODES, Block("table", 1, 1, 1, potts(3), shared=True)))


def test_tables_of_the_examples_own_need_rows_too():
    own = Block("table", 2, 1, 4)
    assert len(graph(blocks=(NODES, own), rows={"nodes": [0, 2, 4], "table": [0, 1, 2]})) == 2
    with pytest.raises(ValueError, match="reads row 0 of block 'table', but an example has 0 rows"):
        graph(blocks=(NODES, own), rows={"nodes": [0, 2, 4], "table": [0, 2, 2]})
