"""One fit of a directed label model, from checked data to weights."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import logsumexp

from margrave.estimators.directed_data import (
    InputData,
    dependencies_of,
    example_weights,
    parents_of,
)
from margrave.estimators.directed_inputs import MOST_JOINT, beside, positive
from margrave.estimators.directed_model import DirectedModel, clique_table, total_losses
from margrave.estimators.directed_plan import Plan
from margrave.estimators.directed_training import Examples, LabelRecord, Trained, Training
from margrave.estimators.label_orders import (
    MOST_EXACT,
    MOST_EXACT_KERNEL,
    CrossValidation,
    f_score_order,
    least_loss_order,
    random_orders,
)
from margrave.features.label_table import LabelTable, Values
from margrave.graphs import Dependencies
from margrave.inference import Kept, LabelSearch
from margrave.primitives import AnyArray, Floats, Integers
from margrave.scores import Kernel
from margrave.scores.margins import Inputs

#: How often labels that are not known are predicted and the model trained again, at the most.
ROUNDS = 5
#: Labellings that a calibration weighs of each example.
_WEIGHED = 1024


class Fitting:
    """Data of one fit, and what has been worked out on them.

    Parameters
    ----------
    plan : Plan
    search : LabelSearch
        For labels that are not known, and for calibration.
    X : array, CSR matrix or None
    values : int8 array of shape (n_examples, K), 0 where a label is not known
    table : LabelTable
    sample_weight : array of shape (n_examples,) or None
    n_jobs : int
    """

    def __init__(
        self,
        plan: Plan,
        search: LabelSearch,
        X: Any,
        values: Values,
        table: LabelTable,
        sample_weight: Any,
        n_jobs: int,
    ) -> None:
        self._plan, self._search, self._X, self._values, self._n_jobs = plan, search, X, values, n_jobs
        if plan.joint and values.shape[1] > MOST_JOINT:
            raise ValueError(f"kernel_on='x+parents' takes at most {MOST_JOINT} labels, got {values.shape[1]}")
        if X is None and (plan.joint or plan.clique_features is not None):
            raise ValueError("X is None: a model of labels alone has no clique_features and no kernel")
        self._data = InputData(X, len(values), plan.kernel, plan.joint, plan.n_components, plan.random_state, n_jobs)
        self._shares = np.ones(len(values)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        weights = example_weights(values, table, plan.C, sample_weight, plan.class_weight)
        extra = None if plan.clique_features is None else clique_table(plan.clique_features, X)
        joint = self._joint_gram if plan.joint else None
        self._examples = Examples(self._data.inputs(), np.where(values == 0, -1, values), weights, extra, joint)
        self._table = table
        search.check(1)  # before orders take their time
        self.dependencies = self._choose_dependencies()
        search.check(len(self.dependencies))

    def train(self, report: Callable[[LabelRecord], Any] | None) -> Trained:
        """Weights of all labels; labels that are not known are predicted between rounds."""
        unknown = self._values == 0
        if not unknown.any():
            return self._run(self._examples, self.dependencies, report)
        alone = tuple(Dependencies.of_parents([[] for _ in d.order], d.order) for d in self.dependencies[:1])
        self._impute(_complete(self._run(self._examples, alone, None)), alone)
        for left in reversed(range(ROUNDS)):
            before = self._examples.values
            trained = self._run(self._examples, self.dependencies, report)
            if trained.interrupted or not left:  # the labels stay those that were trained on
                break
            self._impute(trained, self.dependencies)
            if np.array_equal(before, self._examples.values):
                break
        return trained

    def model(self, trained: Trained, dependencies: tuple[Dependencies, ...] | None = None) -> DirectedModel:
        """What the estimator keeps."""
        inputs = self._data.fitted(trained.inputs, self._examples.values)
        d = self.dependencies if dependencies is None else dependencies
        smooth = self._plan.loss.temperature > 0
        return DirectedModel(d, inputs, tuple(trained.cliques), smooth, self._plan.clique_features)

    def temperature(self, trained: Trained) -> float:
        """The t that makes the labels of examples left out most likely; 1 without calibration.

        p(y) = e^(−t loss(y)) / Σ over likely labellings of e^(−t loss): log-likelihood, examples weighted, is
        concave in t. Ctrl-C leaves 1.
        """
        folds = self._plan.calibration
        if folds is None or trained.interrupted or not self._values.shape[1]:
            return 1.0
        n = len(self._values)
        of = np.random.default_rng(self._plan.random_state).permutation(n) % min(folds, n)
        true, others = np.empty(n), [np.empty(0)] * n
        try:
            for k in range(min(folds, n)):
                self._hold_out(np.flatnonzero(of != k), np.flatnonzero(of == k), true, others)
        except KeyboardInterrupt:
            trained.interrupted = True
            return 1.0

        def surprise(log_t: float) -> float:
            t = np.exp(log_t)
            each = [t * loss + logsumexp(-t * rest) for loss, rest in zip(true, others, strict=True)]
            return float(self._shares @ each)

        found: Any = minimize_scalar(surprise, bounds=(-4.0, 4.0), method="bounded")
        return float(np.exp(found.x))

    # ------------------------------------------------------------------

    def _run(
        self, examples: Examples, d: tuple[Dependencies, ...], report: Callable[[LabelRecord], Any] | None
    ) -> Trained:
        return Training(examples, d, self._plan.loss, self._plan.solver).run(self._n_jobs, report)

    def _impute(self, trained: Trained, d: tuple[Dependencies, ...]) -> None:
        """Labels that are not known become what the model says of them, given those that are."""
        scores = self.model(trained, d).scores(len(self._values) if self._X is None else self._X, self._n_jobs)
        found = self._search.best(scores, self._values, self._n_jobs).labels
        values = np.where(self._values == 0, found, self._values)
        old = self._examples
        self._examples = Examples(old.inputs, values, old.weights, old.clique_table, old.joint)

    def _hold_out(self, train: Integers, test: Integers, true: Floats, others: list[Floats]) -> None:
        """Losses of the truth and of likely labellings of examples, by a model that has not seen them."""
        part = self._examples.take(train)
        plan, X = self._plan, self._X
        data = InputData(
            None if X is None else _rows(X, train, plan.kernel), len(train), self._data.kernel, plan.joint,
            plan.n_components, plan.random_state, self._n_jobs,
        )  # fmt: skip
        if plan.joint:

            def joint(parents: AnyArray) -> Inputs:
                return _joint(X[train], parents, data.kernel)

            part = Examples(data.inputs(), part.values, part.weights, None, joint)
        elif plan.n_components is not None:
            part = Examples(data.inputs(), part.values, part.weights, part.clique_table)
        trained = _complete(self._run(part, self.dependencies, None))
        inputs = data.fitted(trained.inputs, part.values)
        smooth = plan.loss.temperature > 0
        model = DirectedModel(self.dependencies, inputs, tuple(trained.cliques), smooth, plan.clique_features)
        held = len(test) if X is None else _columns(X[test], train, plan.kernel)
        scores = model.scores(held, self._n_jobs)
        true[test] = total_losses(scores, self._examples.values[test])

        def use(example: int, kept: Kept) -> None:
            loss = true[test[example]]
            seen = (np.abs(kept.losses - loss) < 1e-12).any()
            others[test[example]] = kept.losses if seen else np.append(kept.losses, loss)

        most = int(min(_WEIGHED, 2.0 ** self._values.shape[1]))
        self._search.several(scores, use, most, n_jobs=self._n_jobs)

    def _joint_gram(self, parents: AnyArray) -> Inputs:
        return _joint(self._X, parents, self._data.kernel)

    # ------------------------------------------------------------------ orders

    def _choose_dependencies(self) -> tuple[Dependencies, ...]:
        plan, K = self._plan, self._values.shape[1]
        parents, size = parents_of(plan.parents, self._table), K if plan.joint else plan.clique_size
        names = [self._table.name(j) for j in self._table.changing.tolist()]
        if isinstance(plan.order, str) and plan.order == "given" and plan.n_orders == 1:
            return dependencies_of(parents, [np.arange(K)] if parents is None else [], max(size, 2), names)
        if plan.n_orders > 1 and parents is not None:
            raise ValueError("n_orders needs parents='full': given parents fix which labels come first")
        orders = self._orders(parents)
        if plan.n_orders > len(orders):
            rng = np.random.default_rng(plan.random_state)
            orders = random_orders(plan.n_orders, K, orders, rng)
        return dependencies_of(parents, orders, max(size, 2), names)

    def _orders(self, parents: list[list[int]] | None) -> list[Integers]:
        plan, K = self._plan, self._values.shape[1]
        if not isinstance(plan.order, str):
            return _permutations(plan.order, self._table)
        if plan.order == "given":
            return [np.arange(K)]
        if parents is not None and plan.named_parents != "none":
            raise ValueError(f"order={plan.order!r} needs parents='full': given parents fix which labels come first")
        folds = CrossValidation(self._examples, plan.loss, plan.solver, np.random.default_rng(plan.random_state))
        if plan.order == "f_score":
            return [f_score_order(folds, self._examples.values, self._n_jobs)]
        if plan.order == "loss":
            exact = MOST_EXACT if plan.kernel.name == "linear" else MOST_EXACT_KERNEL
            return [least_loss_order(folds, self._examples.values, exact, self._n_jobs)[0]]
        raise ValueError(f"order must be 'given', 'f_score', 'loss' or permutations, got {plan.order!r}")


def _complete(trained: Trained) -> Trained:
    """What further steps may build on: a training that was interrupted ends the fit."""
    if trained.interrupted:
        raise KeyboardInterrupt("interrupted")
    return trained


def _permutations(order: Any, table: LabelTable) -> list[Integers]:
    """Given orders of all labels, or of those that change, as orders of the latter."""
    try:
        given = np.atleast_2d(np.asarray(order))
    except ValueError:  # of several lengths
        given = np.empty((0, 0))
    wanted = table.changing if given.shape[-1] < table.n_columns else np.arange(table.n_columns)
    sorted_rows = np.sort(given, axis=-1)
    if given.dtype.kind not in "iu" or not np.array_equal(sorted_rows, np.tile(wanted, (len(given), 1))):
        raise ValueError(f"order must be a permutation of 0 to {table.n_columns - 1}, or several, got {order!r}")
    place = np.full(table.n_columns, -1)
    place[table.changing] = np.arange(len(table.changing))
    return [place[row][place[row] >= 0] for row in given]


def _joint(X: Any, parents: AnyArray, kernel: Kernel) -> Inputs:
    """The Gram matrix of features and parents side by side."""
    return Inputs.of_gram(kernel.matrix(beside(X, positive(parents))))


def _rows(X: Any, rows: Integers, kernel: Kernel) -> Any:
    return X[np.ix_(rows, rows)] if kernel.name == "precomputed" else X[rows]


def _columns(X: Any, columns: Integers, kernel: Kernel) -> Any:
    return X[:, columns] if kernel.name == "precomputed" else X
