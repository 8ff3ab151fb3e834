"""Small problems of one binary label, and the graphs of lone variables that mean the same."""

from collections.abc import Iterator

import numpy as np
from scipy import sparse

from margrave.checks.problems import Problem, Random
from margrave.graphs import Batch, Block, Dependencies, EdgeTables, FactorGraph, Input, Places, Topology, sign
from margrave.inference import Exhaustive
from margrave.losses import Loss
from margrave.primitives import AnyArray, Floats, Labels
from margrave.scores.margins import Inputs, MarginRows
from margrave.scores.signs import SignTable
from margrave.solvers import BinaryObjective, Objective

_ROWS, _LABELS, _FEATURES = 12, 4, 3


def lone_labels(features: Floats, labels: Labels) -> Problem:
    """Binary variables without edges, one row of features and one number ±z/2 each: what one label's problem is.

    Examples
    --------
    >>> import numpy as np
    >>> from margrave.checks.binary import lone_labels
    >>> lone_labels(np.eye(3), np.array([0, 1, 1], dtype=np.int32)).graph.n_edges
    0
    """
    n = len(features)
    shape = Topology([2], np.empty((0, 2)), Places.of(0, 0, [0]), EdgeTables.sums([]))  # type: ignore[arg-type]
    graph = FactorGraph([Block("nodes", n, 1, 1, sign())], [shape], np.zeros(n), {"nodes": np.arange(n + 1)})
    return Problem("lone labels", Batch(graph, {"nodes": Input("nodes", features, "nodes")}), labels)


def binary_problems(random: Random, loss: Loss) -> Iterator[tuple[str, BinaryObjective, Objective]]:
    """A label that looks at three others, alone and in pairs: its objective, and the general one that it equals.

    Inputs are dense, sparse, sparse and all 1, and known by their inner products; the last row has no weight.
    """
    values = np.where(random.random((_ROWS, _LABELS)) < 0.5, 1, -1)
    dense = random.normal(size=(_ROWS, _FEATURES))
    some = np.where(random.random(dense.shape) < 0.5, dense, 0.0)
    forms: dict[str, tuple[AnyArray, Inputs]] = {
        "dense": (dense, Inputs.of(dense)),
        "sparse": (some, Inputs.of(sparse.csr_array(some))),
        "binary": (1.0 * (some != 0), Inputs.of(sparse.csr_array(1.0 * (some != 0)))),
        "Gram matrix": (dense, Inputs.of_gram(dense @ dense.T)),
    }
    dependencies = Dependencies.full(np.arange(_LABELS), clique_size=3)
    signs = SignTable(dependencies, values > 0).of(_LABELS - 1)
    cliques = dependencies.signs_of(_LABELS - 1, values)
    weights = np.append(random.uniform(0.3, 1.5, size=_ROWS - 1), 0.0)
    for name, (features, inputs) in forms.items():
        objective = BinaryObjective(MarginRows(inputs, signs), values[:, -1].astype(np.float64), weights, loss)
        rows = np.concatenate([features, np.ones((_ROWS, 1)), cliques], axis=1)
        same = lone_labels(rows, (values[:, -1] > 0).astype(np.int32))
        yield name, objective, Objective(same.model, same.labels, loss, Exhaustive(), sample_weight=weights)
