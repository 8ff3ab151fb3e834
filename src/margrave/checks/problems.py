"""Small random problems of every kind that a graph can be; small enough for all labellings to be enumerated."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from margrave.graphs import (
    Batch,
    Block,
    EdgeTables,
    FactorGraph,
    Input,
    Places,
    Topology,
    potts,
    scaled,
    sign,
    symmetric,
)
from margrave.primitives import Integers, Labels, once
from margrave.scores import BoundModel, Constant, Linear, ScoreModel, Scorer

Random = np.random.Generator
Table = tuple[int, int, int, bool]


@dataclass(frozen=True, eq=False)
class Problem:
    """A batch with features, and a true labelling.

    Examples
    --------
    >>> import numpy as np
    >>> from margrave.checks.problems import chains
    >>> problem = chains(np.random.default_rng(0))
    >>> len(problem.graph), problem.labels.shape == (problem.graph.n_variables,)
    (5, True)
    """

    name: str
    batch: Batch
    labels: Labels

    @property
    def graph(self) -> FactorGraph:
        """The graph of all examples."""
        return self.batch.graph

    @once
    def model(self) -> BoundModel:
        """Linear scores where there are features, a weight per entry where there are none."""
        scorers: dict[str, Scorer] = {
            name: Constant() if given.features is None else Linear(bias=False)
            for name, given in self.batch.inputs.items()
        }
        return ScoreModel.lay_out(self.batch, scorers).bind(self.batch)


def problem_of(name: str, graph: FactorGraph, random: Random) -> Problem:
    """Random features and random labels for a graph; tables are penalised as "edges", all other blocks as "nodes"."""
    nodes = {b for t in graph.topologies for b in t.variables.block.tolist()}
    inputs = {}
    for b, block in enumerate(graph.blocks):
        features = None if block.shared else random.normal(size=(block.n_rows, 2))
        inputs[block.name] = Input(block.name, features, "nodes" if b in nodes else "edges")
    return Problem(name, Batch(graph, inputs), random_labels(graph, random))


def random_labels(graph: FactorGraph, random: Random) -> Labels:
    """A labelling of all variables."""
    return random.integers(0, np.diff(graph.first_state), dtype=np.int32)


def random_tree(n_variables: int, random: Random) -> Integers:
    """Edges of a tree, written parent first or child first."""
    edges = [(int(random.integers(v)), v) for v in range(1, n_variables)]
    turned = [edge if random.random() < 0.5 else edge[::-1] for edge in edges]
    return np.array(turned, dtype=np.int64).reshape(-1, 2)


def _ends(sizes: Sequence[int]) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _one_table_each(edges: Integers, block: int, rows: Integers | int = 0, slots: Integers | int = 0) -> EdgeTables:
    return EdgeTables.one_each(Places.of(np.full(len(edges), block), rows, slots))


def chains(random: Random, n_states: int = 3, lengths: Sequence[int] = (4, 0, 1, 3, 4)) -> Problem:
    """Chains with one table for all edges; two share a shape, one is empty, one has no edge."""
    kinds, topology_of = np.unique(lengths, return_inverse=True)
    shapes = []
    for n in kinds.tolist():
        edges = np.stack([np.arange(n)[:-1], np.arange(n)[1:]], axis=1)
        shapes.append(Topology(np.full(n, n_states), edges, Places.of(0, np.arange(n), 0), _one_table_each(edges, 1)))
    nodes = Block("nodes", int(sum(lengths)), 1, n_states)
    table = Block("table", 1, 1, n_states**2, shared=True)
    return problem_of("chains", FactorGraph([nodes, table], shapes, topology_of, {"nodes": _ends(lengths)}), random)


def trees(random: Random) -> Problem:
    """Trees, one of them in two parts, whose edges pick one of two shared tables."""
    n_states, sizes, shapes = 3, (5, 4, 5, 5), []
    for i, n in enumerate(sizes[:3]):
        edges = random_tree(n, random)[: n - 1 - (i == 1)]
        tables = _one_table_each(edges, 0, 0, np.arange(len(edges)) % 2)
        shapes.append(Topology(np.full(n, n_states), edges, Places.of(1, np.arange(n), 0), tables))
    blocks = [Block("tables", 1, 2, n_states**2, shared=True), Block("nodes", sum(sizes), 1, n_states)]
    graph = FactorGraph(blocks, shapes, [0, 1, 2, 0], {"nodes": _ends(sizes)})
    return problem_of("trees", graph, random)


def label_graphs(random: Random, n_labels: int = 4) -> Problem:
    """Binary labels of one row each, with as many slots as labels; every edge has its own tied table."""
    edges = random_tree(n_labels, random)
    tables = _one_table_each(edges, 1, 0, np.arange(len(edges)))
    shape = Topology(np.full(n_labels, 2), edges, Places.of(0, 0, np.arange(n_labels)), tables)
    blocks = [Block("nodes", 3, n_labels, 2), Block("tables", 1, n_labels - 1, 4, shared=True)]
    return problem_of("label graphs", FactorGraph(blocks, [shape], [0, 0, 0], {"nodes": np.arange(4)}), random)


def signed_labels(random: Random, n_labels: int = 4) -> Problem:
    """Binary labels with one number each, ±½ on the two states, and a fully connected graph of signed Potts edges."""
    u, v = np.triu_indices(n_labels, 1)
    edges = np.stack([u, v], axis=1)
    tables = _one_table_each(edges, 1, 0, np.arange(len(edges)))
    shape = Topology(np.full(n_labels, 2), edges, Places.of(0, 0, np.arange(n_labels)), tables)
    blocks = [
        Block("nodes", 3, n_labels, 1, sign()),
        Block("pairs", 1, len(edges), 1, scaled(np.array([[0.5, -0.5], [-0.5, 0.5]])), shared=True),
    ]
    return problem_of("signed labels", FactorGraph(blocks, [shape], [0] * 3, {"nodes": np.arange(4)}), random)


def signed_trees(random: Random) -> Problem:
    """Binary variables with one signed number each, on a tree."""
    edges = random_tree(4, random)
    shape = Topology(np.full(4, 2), edges, Places.of(0, 0, np.arange(4)), _one_table_each(edges, 1))
    blocks = [Block("nodes", 2, 4, 1, sign()), Block("table", 1, 1, 1, potts(2), shared=True)]
    return problem_of("signed trees", FactorGraph(blocks, [shape], [0, 0], {"nodes": np.arange(3)}), random)


def grids(random: Random) -> Problem:
    """Two 3 x 3 grids with one directed table for edges to the right and one for edges down."""
    cell = np.arange(9).reshape(3, 3)
    right = np.stack([cell[:, :-1].ravel(), cell[:, 1:].ravel()], axis=1)
    down = np.stack([cell[:-1].ravel(), cell[1:].ravel()], axis=1)
    tables = _one_table_each(np.concatenate([right, down]), 1, 0, np.repeat([0, 1], 6))
    shape = Topology(np.full(9, 2), np.concatenate([right, down]), Places.of(0, np.arange(9), 0), tables)
    blocks = [Block("nodes", 18, 1, 2), Block("tables", 1, 2, 4, shared=True)]
    return problem_of("grids", FactorGraph(blocks, [shape], [0, 0], {"nodes": [0, 9, 18]}), random)


def basis_edges(random: Random) -> Problem:
    """Trees whose edges have few numbers of their own: Potts, symmetric, a scaled table; one each, or summed."""
    n_states, n = 3, 4
    blocks = [
        Block("nodes", 2 * n, 1, n_states),
        Block("potts", 2, 1, 1, potts(n_states)),
        Block("symmetric", 2, 1, 6, symmetric(n_states)),
        Block("scaled", 1, 1, 1, scaled(random.normal(size=(n_states, n_states))), shared=True),
    ]
    shapes = []
    for _ in range(2):
        tables: list[list[Table]] = [[(1, 0, 0, False)], [(2, 0, 0, False)], [(3, 0, 0, True), (1, 0, 0, False)]]
        places = Places.of(0, np.arange(n), 0)
        shapes.append(Topology(np.full(n, n_states), random_tree(n, random), places, EdgeTables.sums(tables)))
    rows = {"nodes": [0, n, 2 * n], "potts": [0, 1, 2], "symmetric": [0, 1, 2]}
    return problem_of("basis edges", FactorGraph(blocks, shapes, [0, 1], rows), random)


def summed_edges(random: Random) -> Problem:
    """Edges that sum shared tables, as they are and transposed, with tables of the example's own, or have none."""
    n_states, n = 2, 4
    tables: list[list[Table]] = [
        [(1, 0, 0, False), (1, 0, 1, True)],
        [(1, 0, 0, True), (2, 1, 0, False)],
        [(2, 0, 0, True), (2, 1, 0, False), (1, 0, 1, False)],
    ]
    shapes = []
    for few in (tables, [tables[2], [], tables[0]]):
        places = Places.of(0, np.arange(n), 0)
        shapes.append(Topology(np.full(n, n_states), random_tree(n, random), places, EdgeTables.sums(few)))
    blocks = [Block("nodes", 3 * n, 1, 2), Block("shared", 1, 2, 4, shared=True), Block("own", 6, 1, 4)]
    rows = {"nodes": [0, n, 2 * n, 3 * n], "own": [0, 2, 4, 6]}
    return problem_of("summed edges", FactorGraph(blocks, shapes, [0, 1, 0], rows), random)


def mixed_states(random: Random) -> Problem:
    """Variables of two, three and one states side by side, their tables read from either end."""
    n_states = np.array([2, 3, 2, 1, 3])
    blocks = [Block(f"nodes {k}", 2 * int((n_states == k).sum()), 1, k) for k in (1, 2, 3)]
    blocks += [Block("two by three", 1, 1, 6, shared=True), Block("one by three", 2, 1, 3)]
    row = np.array([int((n_states[:v] == k).sum()) for v, k in enumerate(n_states)])
    edges = np.array([(0, 1), (1, 2), (3, 1), (4, 2)])
    tables: list[list[Table]] = [[(3, 0, 0, False)], [(3, 0, 0, True)], [(4, 0, 0, False)], [(3, 0, 0, True)]]
    shape = Topology(n_states, edges, Places.of(n_states - 1, row, 0), EdgeTables.sums(tables))
    rows = {f"nodes {k}": np.arange(3) * int((n_states == k).sum()) for k in (1, 2, 3)}
    return problem_of("mixed states", FactorGraph(blocks, [shape], [0, 0], {**rows, "one by three": [0, 1, 2]}), random)


#: Every kind of problem.
KINDS: tuple[Callable[[Random], Problem], ...] = (
    chains,
    trees,
    label_graphs,
    signed_labels,
    signed_trees,
    grids,
    basis_edges,
    summed_edges,
    mixed_states,
)


def all_problems(random_state: int = 0) -> tuple[Problem, ...]:
    """One problem of every kind.

    Examples
    --------
    >>> from margrave.checks.problems import all_problems
    >>> [problem.name for problem in all_problems()][:3]
    ['chains', 'trees', 'label graphs']
    """
    random = np.random.default_rng(random_state)
    return tuple(kind(random) for kind in KINDS)
