"""The scorers of all blocks as one function of one weight vector."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from margrave.graphs import Batch, FactorGraph
from margrave.primitives import Floats, once
from margrave.scores.base import ALL, BoundScorer, Layout, Observed, Scorer, Truth, Which
from margrave.scores.listed import Rows, stacked


@dataclass(frozen=True, eq=False)
class Term:
    """One scorer's part of the model: which block it scores, which weights are its own, how they are penalised."""

    name: str
    block: str
    penalty: str
    layout: Layout
    weights: slice


@dataclass(frozen=True, eq=False)
class ScoreModel:
    """Where all weights stand; small, and all that prediction needs besides the weights.

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> batch = mg.Sequence().build(mg.Sequences(np.zeros((3, 4)), [3]), n_states=2)
    >>> scorers = {"nodes": mg.scores.Linear(), "edges": mg.scores.Constant()}
    >>> mg.scores.ScoreModel.lay_out(batch, scorers).n_weights  # (4 features + bias) x 2 labels + 2 x 2 transitions
    14
    """

    terms: tuple[Term, ...]

    def __post_init__(self) -> None:
        at = 0
        for term in self.terms:
            if term.weights != slice(at, at + term.layout.n_weights):
                raise ValueError(f"the weights of term {term.name!r} must stand at {at}, got {term.weights}")
            at = term.weights.stop

    @classmethod
    def lay_out(
        cls,
        batch: Batch,
        scorers: Mapping[str, Scorer],
        counts: Callable[[], Floats] | None = None,
        default: Which = "all",
    ) -> "ScoreModel":
        """Decide all weights.

        Parameters
        ----------
        batch : Batch
        scorers : mapping from input name to Scorer
        counts : function of nothing that gives the training labels' counts in θ's layout, or None
            For scorers that keep observed weights only.
        default : {"observed", "all"}
        """
        terms, start = [], 0
        counted = None if counts is None else cache(counts)
        for name, given in batch.inputs.items():
            width = batch.graph.block(given.block).width
            layout = scorers[name].lay_out(given.features, width, _truth(batch.graph, given.block, counted), default)
            stop = start + layout.n_weights
            terms.append(Term(name, given.block, given.penalty, layout, slice(start, stop)))
            start = stop
        return cls(tuple(terms))

    @property
    def n_weights(self) -> int:
        """Number of weights of all terms."""
        return self.terms[-1].weights.stop if self.terms else 0

    def __getitem__(self, name: str) -> Term:
        return next(term for term in self.terms if term.name == name)

    def same_as(self, other: "ScoreModel") -> bool:
        """Whether weights of one mean the same in the other."""
        mine, theirs = ([(t.name, t.weights, *_facts(t.layout)) for t in m.terms] for m in (self, other))
        return len(mine) == len(theirs) and all(map(_equal, mine, theirs))

    def bind(self, batch: Batch, n_jobs: int = 1) -> "BoundModel":
        """Make a batch's features ready."""
        bound = tuple(term.layout.bind(batch.inputs[term.name].features, n_jobs) for term in self.terms)
        return BoundModel(self, batch.graph, bound)


def _truth(graph: FactorGraph, block: str, counts: Callable[[], Floats] | None) -> Observed | None:
    return None if counts is None else lambda: Truth(*np.nonzero(graph.view(counts(), block)))


def _facts(layout: Layout) -> list[Any]:
    """What a layout says, the layouts inside it included."""
    facts: list[Any] = [type(layout)]
    for value in vars(layout).values():
        facts.extend(fact for part in value for fact in _facts(part)) if isinstance(value, tuple) else facts.append(
            value
        )
    return facts


def _equal(mine: tuple[Any, ...], theirs: tuple[Any, ...]) -> bool:
    return len(mine) == len(theirs) and all(np.array_equal(a, b) for a, b in zip(mine, theirs, strict=True))


@dataclass(frozen=True, eq=False)
class BoundModel:
    """All terms with a batch's features at hand: weights to θ, and gradients in θ back to weights."""

    model: ScoreModel
    graph: FactorGraph
    bound: tuple[BoundScorer, ...]

    @property
    def n_weights(self) -> int:
        """Number of weights."""
        return self.model.n_weights

    def scores(self, weights: Floats, theta: Floats, examples: slice = ALL) -> None:
        """Write the scores of some examples, and all that examples share, to θ."""
        written = set()
        for term, scorer in zip(self.model.terms, self.bound, strict=True):
            rows = self.graph.rows_of(term.block, examples)
            out = self.graph.view(theta, term.block)[rows]
            scorer.scores(weights[term.weights], out, rows, add=term.block in written)
            written.add(term.block)

    @once
    def listed(self) -> Rows | None:
        """All terms as one list of rows (see `scores.listed`), or None where a term is no sum of listed features."""
        parts = [s.listed(self.graph.block(t.block).n_rows) for t, s in zip(self.model.terms, self.bound, strict=True)]
        found = [part for part in parts if part is not None]
        if len(found) < len(parts) or not parts:
            return None
        arrays, firsts = stacked(found)
        first = np.cumsum([0] + [len(part.pointer) - 1 for part in found])
        graph, terms, runs = self.graph, [], []
        for t, (term, at) in enumerate(zip(self.model.terms, first[:-1], strict=True)):
            block, adds = graph.block(term.block), term.block in {other.block for other in self.model.terms[:t]}
            terms.append([at, graph.starts[term.block], block.width, adds, block.shared, *firsts[t]])
            rows = np.array([0, block.n_rows]) if block.shared else graph.rows[term.block]
            runs.append(at + (np.tile(rows, (len(graph), 1)) if block.shared else np.stack([rows[:-1], rows[1:]], 1)))
        return *arrays, np.array(terms, dtype=np.int64), np.ascontiguousarray(np.concatenate(runs, axis=1))

    def add_pullback(self, counts: Floats, out: Floats, examples: slice = ALL, scale: float = 1.0) -> None:
        """Add `scale` times the pull-back of counts (θ's layout) to `out` (the weights' layout)."""
        for term, scorer in zip(self.model.terms, self.bound, strict=True):
            rows = self.graph.rows_of(term.block, examples)
            scorer.add_pullback(self.graph.view(counts, term.block)[rows], out[term.weights], rows, scale)
