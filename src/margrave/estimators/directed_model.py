"""What a directed label model has learned: scores of inputs and weights of cliques, for one order or several."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from margrave.estimators.directed_inputs import InputScores, JointKernelInputs, dense, shaped
from margrave.graphs import Dependencies
from margrave.inference import DirectedScores
from margrave.primitives import AnyArray, Floats

#: Columns of X, or a function of X, that multiply the signs of cliques.
CliqueFeatures = Any


@dataclass(frozen=True, eq=False)
class DirectedModel:
    """A fitted model of one order or several.

    Parameters
    ----------
    dependencies : one Dependencies per order
    inputs : InputScores
    cliques : for each order an array of shape (n_cliques, 1 + number of clique features)
        Column 0 is a clique's own weight, the others multiply the features' values.
    smooth : bool
        Whether the loss is the log-loss.
    clique_features : columns of X, a function of X, or None
    """

    dependencies: tuple[Dependencies, ...]
    inputs: InputScores | JointKernelInputs
    cliques: tuple[Floats, ...]
    smooth: bool
    clique_features: CliqueFeatures = None

    @property
    def n_labels(self) -> int:
        """K."""
        return self.dependencies[0].n_labels

    def check(self, n_features: int) -> None:
        """Raise a ValueError where the parts do not fit, as those of a file may not."""
        n_orders, K = len(self.dependencies), self.n_labels
        if not n_orders or len(self.cliques) != n_orders or any(d.n_labels != K for d in self.dependencies):
            raise ValueError("orders must be of the same labels, each with weights of its cliques")
        self.inputs.check(n_orders, K, n_features)
        for d, weights in zip(self.dependencies, self.cliques, strict=True):
            shaped("weights of cliques", weights, (d.n_cliques, max(1, weights.shape[-1])))

    def scores(self, X: Any, n_jobs: int = 1) -> list[DirectedScores]:
        """What searches ask for, a DirectedScores for each order."""
        if isinstance(self.inputs, JointKernelInputs):
            made = [self.inputs.tables(m, d, X, n_jobs) for m, d in enumerate(self.dependencies)]
            return [DirectedScores(d, *pair, self.smooth) for d, pair in zip(self.dependencies, made, strict=True)]
        inputs = self.inputs.scores(X, n_jobs)
        extra = clique_table(self.clique_features, X)
        found = []
        for d, scores, weights in zip(self.dependencies, inputs, self.cliques, strict=True):
            cliques = weights[:, 0] if extra is None else weights[:, 0] + extra @ weights[:, 1:].T
            found.append(DirectedScores(d, scores, np.ascontiguousarray(cliques), self.smooth))
        return found


def clique_table(chosen: CliqueFeatures, X: Any) -> Floats | None:
    """The values that multiply the signs of cliques, shape (n_examples, n_clique_features); None if there are none."""
    if chosen is None:
        return None
    if isinstance(chosen, Callable):  # type: ignore[arg-type]
        table: AnyArray = np.asarray(chosen(X), dtype=np.float64)
    else:
        try:
            table = dense(X[:, chosen if isinstance(chosen, slice) else np.atleast_1d(np.asarray(chosen))])
        except IndexError:
            some = f"numbers of columns of X, 0 to {X.shape[1] - 1}, or a function of X"
            raise ValueError(f"clique_features must be {some}, got {chosen!r}") from None
    if table.ndim != 2 or len(table) != X.shape[0]:
        raise ValueError(f"clique_features must give a row for each of the {X.shape[0]} examples, got {table.shape}")
    if not np.isfinite(table).all():
        raise ValueError("clique_features gives NaN or infinity; give finite numbers")
    return table


def total_losses(scores: Sequence[DirectedScores], labels: AnyArray) -> Floats:
    """Loss of a labelling of every example, the mean over orders."""
    return np.asarray(sum(order.losses(labels) for order in scores), dtype=np.float64) / len(scores)
