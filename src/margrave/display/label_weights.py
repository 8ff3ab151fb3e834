"""Weights between labels: what the displays of dependencies take from a model, or as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_array, check_is_fitted

from margrave.estimators.directed_inputs import JointKernelInputs
from margrave.estimators.directed_model import DirectedModel
from margrave.primitives import Floats


class LabelWeights:
    """A signed matrix with a name for each label; see the displays that inherit it.

    Parameters
    ----------
    weights : array of shape (K, K)
        Rows are children, the labels that look; columns parents, the labels that they look at. NaN where there is no
        dependency.
    label_names : K names
    directed : bool, default=True
        Whether rows and columns are children and parents, or both sides of a pair.
    """

    def __init__(self, *, weights: Floats, label_names: Sequence[str], directed: bool = True) -> None:
        self.weights = weights
        self.label_names = label_names
        self.directed = directed

    @classmethod
    def from_estimator(cls, estimator: Any, X: Any = None, *, label_names: Sequence[Any] | None = None) -> Self:
        """Take the weights of a fitted model of directed dependencies.

        Labels stand as in Y; those that never changed in training are left out. A weight w of a parent adds w to the
        child's score where the parent is on, and takes it away where it is off. Of several orders it is the mean, a
        dependency counting 0 in orders that do not have it. Cliques of more than two labels are not shown.

        Parameters
        ----------
        estimator : fitted LMSBNClassifier
        X : array or sparse matrix of shape (n_examples, n_features), default=None
            Where weights depend on the example: the mean over these. None: a clique's own weight, without what its
            features add; needed with `kernel_on="x+parents"`.
        label_names : a name for each column of Y, default=None
            None: the columns' names of the data frame that the model was fitted on, or numbers.

        Returns
        -------
        a display, which `plot` draws
        """
        check_is_fitted(estimator, "model_")
        table, changing = estimator.table_, estimator.table_.changing
        if label_names is None:
            label_names = [table.name(column) for column in range(table.n_columns)]
        elif len(label_names) != table.n_columns:
            raise ValueError(f"label_names must name the {table.n_columns} columns of Y, got {len(label_names)} names")
        if not len(changing):
            raise ValueError("estimator has no label that changed in training: there is no dependency to show")
        names = [str(label_names[column]) for column in changing]
        return cls(weights=_pair_weights(estimator.model_, X), label_names=names, directed=True)

    @classmethod
    def from_matrix(
        cls, weights: ArrayLike, label_names: Sequence[Any] | None = None, *, directed: bool = False
    ) -> Self:
        """Take a matrix as it is.

        Parameters
        ----------
        weights : array of shape (K, K)
            Symmetric unless directed; rows are children then, columns parents. NaN where there is no dependency.
        label_names : K names, default=None
            None: numbers.
        directed : bool, default=False
        """
        table = np.asarray(weights, dtype=np.float64)
        if table.ndim != 2 or table.shape[0] != table.shape[1]:
            raise ValueError(f"weights must be a square matrix, a row and a column per label, got shape {table.shape}")
        if not len(table):
            raise ValueError("weights must have at least one label, got none")
        if np.isinf(table).any():
            raise ValueError("weights must be finite, or NaN where there is no dependency; got infinity")
        if not directed and not np.allclose(table, table.T, equal_nan=True):
            raise ValueError(
                "weights must be symmetric, since directed=False; got different weights for (i, j) and (j, i)"
            )
        names = range(len(table)) if label_names is None else label_names
        if len(names) != len(table):
            raise ValueError(f"label_names must name the {len(table)} labels of weights, got {len(names)} names")
        return cls(weights=table, label_names=[str(name) for name in names], directed=directed)


def _pair_weights(model: DirectedModel, X: Any) -> Floats:
    """Mean weights [child, parent] by label, NaN where no order has the dependency."""
    total = np.zeros((model.n_labels, model.n_labels))
    there = np.zeros(total.shape, dtype=bool)
    for d, weights in zip(model.dependencies, _clique_weights(model, X), strict=True):
        cells = np.ix_(d.order, d.order)
        total[cells] += d.pairs(weights)
        there[cells] |= d.pairs(np.ones(d.n_cliques)) > 0
    return np.where(there, total / len(model.dependencies), np.nan)


def _clique_weights(model: DirectedModel, X: Any) -> list[Floats]:
    """For each order the weight of each clique, the mean over examples where it depends on them."""
    if X is not None:
        scores = model.scores(check_array(X, accept_sparse="csr", dtype=np.float64))
        return [order.cliques.mean(axis=0) if order.cliques.ndim == 2 else order.cliques for order in scores]
    if isinstance(model.inputs, JointKernelInputs):
        raise ValueError("X must be given: with kernel_on='x+parents' the weights between labels depend on the example")
    return [weights[:, 0] for weights in model.cliques]
