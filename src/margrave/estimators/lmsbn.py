"""Large margin sigmoid belief networks: many labels, any dependencies, exact prediction."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted, validate_data

from margrave.estimators.choices import BINARY_LOSSES, BINARY_SOLVERS, choose
from margrave.estimators.directed_answers import DirectedAnswers
from margrave.estimators.directed_fit import Fitting
from margrave.estimators.directed_plan import Plan
from margrave.estimators.directed_training import LabelRecord, Trained
from margrave.estimators.progress import announcing_compilation, say
from margrave.estimators.saved import Saved
from margrave.features.label_table import LabelTable, Values
from margrave.inference import BranchAndBound, LabelSearch
from margrave.losses import Loss
from margrave.primitives import one_blas_thread
from margrave.scores import Kernel
from margrave.solvers import BinarySolver


class LMSBNClassifier(DirectedAnswers, Saved, ClassifierMixin, BaseEstimator):
    """Large margin sigmoid belief network: labels one after the other, each given the features and labels before it.

    With labels y in {-1, +1}, z_i = y_i (⟨w_i, [x, 1]⟩ + Σ over cliques of labels before i of w Π y), and

        fit:      min Σ_i ½‖w_i‖² + C Σ over examples Σ_i [1 − z_i]₊,  K separate problems;
        predict:  argmin over y of Σ_i [1 − z_i]₊, by branch and bound, exact and certified.

    Parameters
    ----------
    C : float or array of shape (K,), default=1.0
        Weight of the losses, as in liblinear; one for all labels or one for each.
    parents : {"full", "none", "chain"}, mapping or matrix, default="full"
        Which labels a label looks at: all before it, none, the one before it in Y, those of a mapping {label: parents}
        (numbers, or names of a data frame's columns), or those of a row of a 0/1 matrix of shape (K, K).
    order : {"given", "f_score", "loss"}, permutation, or several permutations, default="given"
        As the columns of Y stand (parents first where `parents` says so); the label first whose own classifier has the
        highest cross-validated F; the order of least cross-validated loss, each label looking at single ones before it
        (see `label_orders.least_loss_order`); or as they are given.
    n_orders : int, default=1
        How many orders are trained, `order` and random ones: their losses are averaged, and predictions minimise that.
    clique_size : int, default=2
        Labels in a clique, at the most; from 3 on, products of several labels before have weights of their own.
    clique_features : columns of X or function of X, default=None
        Values that multiply the signs of cliques: weights between labels that depend on the example.
    kernel : {"linear", "rbf", "poly", "chi2", "laplacian", "precomputed"}, callable or Kernel, default="linear"
        Of the features; one Gram matrix serves all labels and orders.
    gamma, degree, coef0 : default=None, 3, 1.0
        Of a kernel given by name; see `mg.scores.Kernel`. The linear one has none of them.
    kernel_on : {"x", "x+parents"}, default="x"
        Whether parents stand beside the kernel, each with a weight, or inside it (full parents of at most 12 labels).
    n_components : int or None, default=None
        Nyström's approximation of the kernel by so many rows, for data whose Gram matrix is too large; None: all of it.
    loss : {"hinge", "log"} or object, default="hinge"
        The hinge, or log(1 + e^(−z)): the plain sigmoid belief network.
    solver : {"dual_coordinate_descent", "pegasos", "exponentiated_gradient"} or object, default=None
        None: dual coordinate descent.
    inference : LabelSearch, default=None
        None: `BranchAndBound()`, exact; or one with limits, or `Beam(width)`.
    calibration : int or None, default=None
        Folds on which the t of e^(−t · loss) is fitted, by likelihood; None: t = 1.
    class_weight : "balanced", mapping or list of mappings, default=None
        Multiplies C by label value.
    tol, max_iter : default=None
        Of a solver given by name: the duality gap, relative, at which a label is done (1e-3); passes over the data.
    n_jobs : int, default=None
        Threads; the result is the same for any number.
    random_state : int or None, default=None
    verbose : int, default=0
        Whether to print a line per label.

    Attributes
    ----------
    classes_ : array, or list of arrays
        The two values that all labels have; a list of each label's own where they differ.
    orders_ : list of arrays
    model_ : DirectedModel
    history_ : list of dicts with label, order, iteration, objective, dual, gap, seconds
    gap_ : float
        Duality gap of all problems together: how far the objective is above its minimum at the most, as a share.
    n_iter_, n_features_in_ : int
    temperature_ : float
        t.

    References
    ----------
    X. Miao and R. Rao, Large margin Boltzmann machines and large margin sigmoid belief networks.

    Examples
    --------
    >>> import margrave as mg
    >>> scene = mg.datasets.load_scene()
    >>> clf = mg.LMSBNClassifier(C=0.1, order="f_score", random_state=0).fit(scene.X_train, scene.Y_train)
    >>> certified = clf.predict_certified(scene.X_test)
    >>> bool(certified.certified.all())
    True
    """

    def __init__(
        self,
        C: Any = 1.0,
        *,
        parents: Any = "full",
        order: Any = "given",
        n_orders: int = 1,
        clique_size: int = 2,
        clique_features: Any = None,
        kernel: Any = "linear",
        gamma: float | None = None,
        degree: int = 3,
        coef0: float = 1.0,
        kernel_on: str = "x",
        n_components: int | None = None,
        loss: Any = "hinge",
        solver: Any = None,
        inference: LabelSearch | None = None,
        calibration: int | None = None,
        class_weight: Any = None,
        tol: float | None = None,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.parents = parents
        self.order = order
        self.n_orders = n_orders
        self.clique_size = clique_size
        self.clique_features = clique_features
        self.kernel = kernel
        self.gamma = gamma
        self.degree = degree
        self.coef0 = coef0
        self.kernel_on = kernel_on
        self.n_components = n_components
        self.loss = loss
        self.solver = solver
        self.inference = inference
        self.calibration = calibration
        self.class_weight = class_weight
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # ------------------------------------------------------------------ training

    def fit(
        self, X: Any, y: Any, sample_weight: Any = None, callback: Callable[[LabelRecord], Any] | None = None
    ) -> Self:
        """Fit the model.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features), or None
            None: a model of the labels alone, which completes labels known in part and draws new ones.
        y : table of shape (n_examples, K), or array of shape (n_examples,)
            Any two values per column. NaN, None and masked entries are unknown (-1 too, among integers that are 0
            elsewhere): such a label has no loss of its own there, and is predicted where others look at it.
        sample_weight : array of shape (n_examples,), default=None
            Multiplies C.
        callback : function of a record of `history_`, default=None
            Called when a label is done; stops the fit by returning True, which leaves other labels at zero weights.
        """
        before = dict(self.__dict__)
        try:
            trained, table = self._fit(X, y, sample_weight, callback)
        except BaseException:  # Ctrl-C too, before there are weights
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        if trained.interrupted:
            raise KeyboardInterrupt("interrupted; labels that were not done have zero weights")
        if trained.unconverged:
            some = ", ".join(table.name(int(table.changing[k])) for k in sorted(set(trained.unconverged))[:5])
            warnings.warn(
                f"{type(self).__name__} stopped at max_iter with a gap of {self.gap_:.2g} (labels {some}); "
                "raise max_iter or tol, or scale the features",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _fit(
        self, X: Any, y: Any, sample_weight: Any, callback: Callable[[LabelRecord], Any] | None
    ) -> tuple[Trained, LabelTable]:
        plan = self._plan()
        X, table, values = self._read_training(X, y)
        with announcing_compilation(self.verbose), one_blas_thread():
            fitting = Fitting(plan, self._search(), X, values, table, sample_weight, self._threads())
            trained = fitting.train(self._report(callback))
            model, temperature = fitting.model(trained), fitting.temperature(trained)
        self._keep(model, table, trained, temperature, 0 if X is None else X.shape[1])
        return trained, table

    def _plan(self) -> Plan:
        loss: Loss = choose("loss", self.loss, BINARY_LOSSES, Loss)
        solver = "dual_coordinate_descent" if self.solver is None else self.solver
        chosen: BinarySolver = choose("solver", solver, BINARY_SOLVERS, BinarySolver)
        limits = {"tol": self.tol, "max_iter": self.max_iter, "random_state": self.random_state}
        limits = {name: value for name, value in limits.items() if value is not None}
        if not isinstance(solver, str):
            named = [name for name in limits if name != "random_state"]
            if named:
                raise ValueError(f"{', '.join(named)} given beside a solver object; set it on the solver instead")
        else:
            chosen.set_params(**limits)
        if isinstance(self.kernel, Kernel) and self.gamma is not None:
            raise ValueError("gamma given beside a Kernel object; set it on the kernel instead")
        kernel = self.kernel if isinstance(self.kernel, Kernel) else Kernel(
            self.kernel, gamma=self.gamma, degree=self.degree, coef0=self.coef0, normalize=self.kernel != "linear"
        )  # fmt: skip
        asked = {field.name: getattr(self, field.name) for field in fields(Plan)}
        return Plan(**{**asked, "loss": loss, "solver": chosen, "kernel": kernel})

    def _read_training(self, X: Any, Y: Any) -> tuple[Any, LabelTable, Values]:
        if Y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        if X is not None:
            X = validate_data(self, X, accept_sparse="csr", dtype=np.float64)
        else:
            self.__dict__.pop("n_features_in_", None)
        table, values = LabelTable.learn(Y)
        n = len(values) if X is None else X.shape[0]
        if len(values) != n:
            raise ValueError(f"X has {n} examples, Y has {len(values)}")
        return X, table, np.ascontiguousarray(values[:, table.changing])

    def _keep(self, model: Any, table: LabelTable, trained: Trained, temperature: float, n_features: int) -> None:
        self.__dict__.update(
            model_=model, table_=table, classes_=table.shared_classes, history_=trained.history, gap_=trained.gap,
            n_iter_=max(trained.n_iter, 1), n_features_in_=n_features, temperature_=temperature,
            orders_=[table.changing[d.order] for d in model.dependencies],
        )  # fmt: skip

    def _report(self, callback: Callable[[LabelRecord], Any] | None) -> Callable[[LabelRecord], Any] | None:
        if not self.verbose:
            return callback

        def report(record: LabelRecord) -> Any:
            say(record)
            return callback(record) if callback is not None else None

        return report

    def _check_loaded(self) -> None:
        """See `Saved`."""
        self.model_.check(self.n_features_in_)
        self.table_.check(self.model_.n_labels)

    # ------------------------------------------------------------------ what answers need

    def _search(self) -> LabelSearch:
        if self.inference is None:
            return BranchAndBound()
        if not isinstance(self.inference, LabelSearch):
            raise ValueError(f"inference must be a BranchAndBound(...) or Beam(...), got {self.inference!r}")
        return self.inference

    def _read(self, X: Any, given: Any) -> tuple[Any, int]:
        check_is_fitted(self, "model_")
        if self.n_features_in_ == 0 and X is None:
            n = 1 if given is None else np.shape(given)[0]
            return n, n
        if X is None:
            raise ValueError(f"X is None, but the model was fitted on {self.n_features_in_} features")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        return X, X.shape[0]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.pairwise = self.kernel == "precomputed"
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags
