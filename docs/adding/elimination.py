"""Variable elimination: the best labelling of any graph, with loops or without, in plain NumPy.

A variable is taken out by adding up every table that reads it and keeping, for each labelling
of its neighbours, its best state. The maxima are a new table over those neighbours. When no
variable is left, the way back gives the labels.
"""

from collections.abc import Collection, Iterator, Sequence

import numpy as np

from margrave.graphs import FactorGraph, Topology, wiring
from margrave.inference import Added, Inference, Maximum
from margrave.primitives import Floats, Integers, Labels

#: The variables that a table reads, and the table, with an axis for each.
Factor = tuple[tuple[int, ...], Floats]


class Elimination(Inference):
    """Exact at T = 0 on every graph whose tables stay small.

    Parameters
    ----------
    max_cells : int, default=2**16
        Graphs that would need a larger table are refused.
    """

    positive_temperatures = False

    def __init__(self, max_cells: int = 2**16) -> None:
        self.max_cells = max_cells

    def refusal(self, graph: FactorGraph) -> str | None:
        """See `Inference.refusal`."""
        for i, topology in enumerate(graph.topologies):
            order = topology.cached(elimination_order)
            largest = max((cells for _, _, cells in order), default=1)
            if largest > self.max_cells:
                return (
                    f"Elimination would need a table of {largest} cells (topology {i}), more "
                    f"than max_cells={self.max_cells}; use Forest on forests, or raise it"
                )
        return None

    def prepare(self, graph: FactorGraph, n_jobs: int = 1) -> "EliminationOracle":
        """See `Inference.prepare`; `n_jobs` is not used."""
        return EliminationOracle(graph)


def elimination_order(topology: Topology) -> list[tuple[int, list[int], int]]:
    """Variables, the one with the smallest table next; its neighbours then, and the cells."""
    neighbours = [set[int]() for _ in range(topology.n_variables)]
    for u, v in topology.edges.tolist():
        neighbours[u].add(v)
        neighbours[v].add(u)

    def cells(variable: int) -> int:
        return int(np.prod(topology.n_states[[variable, *neighbours[variable]]], dtype=object))

    left, order = set(range(topology.n_variables)), []
    while left:
        variable = min(left, key=lambda v: (cells(v), v))
        order.append((variable, sorted(neighbours[variable]), cells(variable)))
        for other in neighbours[variable]:
            neighbours[other] |= neighbours[variable] - {other}
            neighbours[other].remove(variable)
        left.remove(variable)
    return order


class EliminationOracle:
    """Elimination made ready for one graph."""

    def __init__(self, graph: FactorGraph) -> None:
        self.graph = graph

    def maximize(
        self,
        theta: Floats,
        temperature: float = 0.0,
        added: Added | None = None,
        examples: slice = slice(None),
        out: Floats | None = None,
        weights: Floats | None = None,
        ask: Collection[str] = ("counts", "nodes"),
    ) -> Maximum:
        """See `Oracle.maximize`; `out`, `weights` and `ask` are about T > 0."""
        values, labels = self._best(theta, range(len(self.graph))[examples], added)
        return Maximum(values, bounds=values, bound_kind="exact", labels=labels)

    def answer(
        self, theta: Floats, example: int, temperature: float = 0.0, added: Added | None = None
    ) -> Maximum:
        """See `Oracle.answer`."""
        return self.maximize(theta, temperature, added, slice(example, example + 1))

    def answers(self, theta: Floats, examples: Integers, added: Added | None = None) -> Labels:
        """See `Oracle.answers`."""
        return self._best(theta, examples.tolist(), added)[1]

    def entropy(self, maximum: Maximum, examples: slice = slice(None)) -> Floats:
        """Of marginals, which this algorithm does not give."""
        raise ValueError("Elimination gives best labellings only")

    def _best(
        self, theta: Floats, examples: Sequence[int], added: Added | None
    ) -> tuple[Floats, Labels]:
        """The value of each best labelling, and the labellings one after the other."""
        extra = (added or Added()).extra(self.graph)
        values = np.empty(len(examples))
        labels = [np.empty(0, dtype=np.int32)]  # where nothing is asked there is one to join
        for i, example in enumerate(examples):
            topology = self.graph.topologies[self.graph.topology_of[example]]
            factors = list(self._factors(theta, example, topology, extra))
            values[i], best = eliminate(topology, factors)
            labels.append(best)
        return values, np.concatenate(labels)

    def _factors(
        self, theta: Floats, example: int, t: Topology, extra: wiring.Extra
    ) -> Iterator[Factor]:
        """A table per variable and per edge of an example, with costs and all that is added."""
        graph, w = self.graph, self.graph.wiring
        shape = w[wiring.TOPOLOGIES][graph.topology_of[example]]
        read = (theta, w, graph.coefficients, example)
        for v, n in enumerate(t.n_states.tolist()):
            scores, place = np.empty(n), int(graph.first_variable[example]) + v
            wiring.load_node(*read, int(shape[wiring.FIRST_OF_VARIABLES]) + v, scores)
            wiring.add_to_node(extra, place, int(graph.first_state[place]), n, scores)
            yield (v,), scores
        for e, (u, v) in enumerate(t.edges.tolist()):
            table = np.empty((int(t.n_states[u]), int(t.n_states[v])))
            which = int(w[wiring.EDGES][shape[wiring.FIRST_OF_EDGES] + e, wiring.SUM])
            wiring.load_table(*read, which, *table.shape, table)
            wiring.add_to_table(extra, int(graph.first_edge[example]) + e, table)
            yield (u, v), table


def eliminate(topology: Topology, factors: list[Factor]) -> tuple[float, Labels]:
    """The value of the best labelling, and the labelling."""
    choices = []
    for variable, others, _ in topology.cached(elimination_order):
        scope = (*others, variable)
        total = np.zeros(topology.n_states[list(scope)])
        for factor in factors:
            if variable in factor[0]:
                total += _over(scope, factor)
        choices.append((variable, others, total.argmax(axis=-1)))
        factors = [factor for factor in factors if variable not in factor[0]]
        factors.append((tuple(others), total.max(axis=-1)))
    labels = np.zeros(topology.n_variables, dtype=np.int32)
    for variable, others, choice in reversed(choices):
        labels[variable] = choice[tuple(labels[others])]
    return float(sum(scores for _, scores in factors)), labels


def _over(scope: tuple[int, ...], factor: Factor) -> Floats:
    """A table with its axes in the order of `scope`, of length 1 where it reads nothing."""
    names, scores = factor
    axes = [names.index(variable) for variable in scope if variable in names]
    missing = tuple(i for i, variable in enumerate(scope) if variable not in names)
    return np.expand_dims(scores.transpose(axes), missing)
