"""From parameters and data to what training sees: inputs of every kind, weights of examples, dependencies."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.utils.class_weight import compute_class_weight

from margrave.estimators.directed_inputs import (
    InputScores,
    JointKernelInputs,
    KernelInputs,
    LandmarkInputs,
    LinearInputs,
    NoInputs,
    own_rows,
)
from margrave.features.label_table import LabelTable, Values
from margrave.graphs import Dependencies
from margrave.graphs.dependencies import topological_order
from margrave.primitives import AnyArray, Floats, one_blas_thread
from margrave.scores import Kernel
from margrave.scores.margins import Inputs

#: Gigabytes of inner products from which on a fit says that there is another way.
LARGE_GRAM = 4.0
#: Shares of a kernel's largest k(x, x) that rounding may put another below 0.
_ROUNDING = 1e-9


class InputData:
    """Training features in the form that the kernel asks for.

    Parameters
    ----------
    X : array, CSR matrix, or None for a model of labels alone
    n : int
        Number of examples.
    kernel : Kernel
        "linear" works on features themselves.
    joint : bool
        Whether the kernel is of features and parents together.
    n_landmarks : int or None
        Nyström's approximation by so many rows; None: the whole Gram matrix.
    random_state : int or None
        Of the landmarks.
    n_jobs : int
    """

    def __init__(
        self, X: Any, n: int, kernel: Kernel, joint: bool, n_landmarks: int | None, random_state: Any, n_jobs: int
    ) -> None:
        self._X, self._n, self._joint, self._n_jobs = X, n, joint, n_jobs
        self.kernel = kernel if X is None else kernel.settled(X)
        self._landmarks: LandmarkInputs | None = None
        self._whole = X is not None and (joint or self.kernel.name != "linear")
        if n_landmarks is not None and self._whole:
            self._landmarks = _landmarks(X, self.kernel, n_landmarks, random_state)

    def inputs(self) -> Inputs:
        """What solvers visit, the same for all labels."""
        if self._X is None:
            return Inputs.of(np.empty((self._n, 0)))
        if self._landmarks is not None:
            return Inputs.of(self._landmarks.features(self._X, self._n_jobs))
        if not self._whole:
            return Inputs.of(self._X)
        if self.kernel.name == "precomputed" and self._X.shape[0] != self._X.shape[1]:
            raise ValueError(f"a precomputed kernel needs a square X in fit, got {self._X.shape}")
        return Inputs.of_gram(self._gram())

    def _gram(self) -> Floats:
        """Inner products of all rows; what is none is refused."""
        gigabytes = 8e-9 * self._n**2
        if gigabytes > LARGE_GRAM and self.kernel.name != "precomputed":
            warnings.warn(
                f"the inner products of {self._n} rows take {gigabytes:.1f} GB; n_components=2000 approximates them by "
                "those with 2000 rows (Nyström)",
                UserWarning,
                stacklevel=7,
            )
        with one_blas_thread():
            gram = self.kernel.matrix(self._X, None, self._n_jobs)
        own = np.diag(gram)
        wrong = np.flatnonzero(~np.isfinite(gram).all(axis=1) | (own < -_ROUNDING * np.abs(own).max(initial=0.0)))
        if len(wrong):
            row = f"row {wrong[0]} has {own[wrong[0]]:.3g} with itself"
            raise ValueError(f"kernel must give finite inner products, those of rows with themselves at least 0; {row}")
        return gram

    def fitted(self, weights: Floats, values: Values) -> InputScores | JointKernelInputs:
        """What prediction needs of the trained weights; rows of a Gram matrix without weight are dropped."""
        if self._X is None:
            return NoInputs(weights[:, :, -1])
        if self._landmarks is not None:
            m = self._landmarks
            return LandmarkInputs(m.kernel, m.landmarks, m.map, LinearInputs(weights))
        if not self._whole:
            return LinearInputs(weights)
        rows = np.flatnonzero((weights[:, :, :-1] != 0).any(axis=(0, 1)))
        used = np.concatenate([weights[:, :, rows], weights[:, :, -1:]], axis=2)
        support = None if self.kernel.name == "precomputed" else own_rows(self._X, rows)
        if self._joint:
            assert support is not None
            return JointKernelInputs(self.kernel, support, values[rows], used)
        return KernelInputs(self.kernel, support, rows, used)


def _landmarks(X: Any, kernel: Kernel, n: int, random_state: Any) -> LandmarkInputs:
    """Nyström's features: random rows L of the data, mapped by k(L, L)^(-1/2)."""
    if kernel.name == "precomputed":
        raise ValueError("n_components needs features, not a precomputed kernel")
    rng, m = np.random.default_rng(random_state), min(n, X.shape[0])
    chosen = own_rows(X, np.sort(rng.permutation(X.shape[0])[:m]))
    with one_blas_thread():
        values, vectors = np.linalg.eigh(kernel.matrix(chosen))
    scale = np.where(values > 1e-12 * values[-1], 1.0 / np.sqrt(np.maximum(values, 1e-300)), 0.0)
    return LandmarkInputs(kernel, chosen, (vectors * scale) @ vectors.T, LinearInputs(np.empty((0, 0, 0))))


def example_weights(values: Values, table: LabelTable, C: Any, sample_weight: Any, class_weight: Any) -> Floats:
    """U of every label of every example: C times weights of examples and classes, 0 where a label is not known."""
    n, K = values.shape
    _check_class_weight(class_weight, table)
    boxes = np.broadcast_to(_penalties(C, table), (n, K)) * (values != 0)
    if sample_weight is not None:
        weights = np.asarray(sample_weight, dtype=np.float64)
        if weights.shape != (n,):
            raise ValueError(f"sample_weight must have shape ({n},), a number per example, got {weights.shape}")
        if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise ValueError("sample_weight must be finite, at least 0, and not all zero")
        boxes = boxes * weights[:, None]
    for k, j in enumerate(table.changing.tolist()):
        off, on = _class_weights(class_weight, table, j, values[:, k])
        boxes[:, k] *= np.where(values[:, k] > 0, on, off)
    return np.ascontiguousarray(boxes)


def _penalties(C: Any, table: LabelTable) -> Floats:
    given = np.asarray(C)
    if given.dtype.kind not in "iuf" or given.ndim > 1:
        raise ValueError(f"C must be a number above 0, or one per label, got {C!r}")
    given = given.astype(np.float64)
    if given.ndim == 1 and len(given) != table.n_columns:
        raise ValueError(f"C must be a number or {table.n_columns} numbers, one per label, got {len(given)}")
    if not (np.isfinite(given).all() and (given > 0).all()):
        raise ValueError(f"C must be above 0, got {C!r}")
    return given[table.changing] if given.ndim == 1 else given


def _check_class_weight(class_weight: Any, table: LabelTable) -> None:
    """Whether weights are of values that labels have; some values may be missing from a fold of a search."""
    seen = {value for values in table.classes for value in values.tolist()}
    listed = class_weight if isinstance(class_weight, list | tuple) else [class_weight]
    for chosen in listed:
        if isinstance(chosen, Mapping) and chosen and seen.isdisjoint(chosen):
            known = ", ".join(sorted(map(repr, seen)))
            raise ValueError(f"class_weight has weights for {', '.join(map(repr, chosen))}, but labels are {known}")


def _class_weights(class_weight: Any, table: LabelTable, column: int, values: AnyArray) -> tuple[float, float]:
    """Weights of a label's two values."""
    if class_weight is None:
        return 1.0, 1.0
    if isinstance(class_weight, str) and class_weight == "balanced":
        weights = compute_class_weight("balanced", classes=np.array([-1, 1]), y=values[values != 0])
        return float(weights[0]), float(weights[1])
    per_label = isinstance(class_weight, list | tuple)
    if per_label and len(class_weight) != table.n_columns:
        raise ValueError(f"class_weight must have {table.n_columns} mappings, one per label, got {len(class_weight)}")
    chosen = class_weight[column] if per_label else class_weight
    if not isinstance(chosen, Mapping):
        raise ValueError(f"class_weight must be 'balanced', a dict, a dict per label, or None, got {class_weight!r}")
    off, on = (float(chosen.get(value, 1.0)) for value in table.classes[column].tolist())
    if not (np.isfinite([off, on]).all() and min(off, on) >= 0):
        raise ValueError(f"class_weight must be finite and at least 0, got {chosen!r}")
    return off, on


def parents_of(parents: Any, table: LabelTable) -> list[list[int]] | None:
    """Parents of each label that changes, by number; None where every label before is one."""
    K, changing = table.n_columns, table.changing.tolist()
    if isinstance(parents, str):
        if parents == "full":
            return None
        if parents == "none":
            return [[] for _ in changing]
        if parents == "chain":
            return [[k - 1] if k else [] for k in range(len(changing))]
        raise ValueError(f"parents must be 'full', 'none', 'chain', a mapping or a matrix, got {parents!r}")
    by_label = _mapping(parents, table) if isinstance(parents, Mapping) else _matrix(parents, K)
    topological_order(by_label, [table.name(j) for j in range(K)])  # a cycle may lead over labels that never change
    place = {label: k for k, label in enumerate(changing)}
    return [[place[p] for p in by_label[label] if p in place] for label in changing]


def _matrix(parents: Any, K: int) -> list[list[int]]:
    matrix: AnyArray = parents.toarray() if sparse.issparse(parents) else np.asarray(parents)
    if matrix.shape != (K, K):
        raise ValueError(f"parents must be a matrix of shape ({K}, {K}), row the label and column its parent")
    return [np.flatnonzero(row).tolist() for row in matrix]


def _mapping(parents: Mapping[Any, Any], table: LabelTable) -> list[list[int]]:
    names = {table.name(j): j for j in range(table.n_columns)}

    def number(label: Any) -> int:
        found = names.get(str(label)) if not isinstance(label, int | np.integer) else int(label)
        if found is None or not 0 <= found < table.n_columns:
            raise ValueError(f"parents names label {label!r}, but the labels are {', '.join(list(names)[:8])}")
        return found

    found: list[list[int]] = [[] for _ in range(table.n_columns)]
    for label, of_label in parents.items():
        found[number(label)] = sorted({number(parent) for parent in of_label})
    return found


def dependencies_of(
    parents: list[list[int]] | None, orders: list[AnyArray], clique_size: int, names: list[str]
) -> tuple[Dependencies, ...]:
    """Dependencies of each order; of the parents' own order where `orders` is empty. Messages use the labels' names."""
    if parents is None:
        return tuple(Dependencies.full(order, clique_size) for order in orders)
    if not orders:
        return (Dependencies.of_parents(parents, None, clique_size, names),)
    return tuple(Dependencies.of_parents(parents, order, clique_size, names) for order in orders)
