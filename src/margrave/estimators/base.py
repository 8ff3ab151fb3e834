"""The face that all structures share: graph, scores, inference, loss and solver in one object."""

import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from margrave.estimators.choices import INFERENCES, LOSSES, SCORERS, choose, choose_solver
from margrave.estimators.progress import announcing_compilation, say
from margrave.estimators.saved import Saved
from margrave.graphs import Batch
from margrave.inference import Inference, Maximum
from margrave.losses import LogLoss, Loss
from margrave.primitives import AnyArray, Floats, Labels, effective_n_jobs, one_blas_thread
from margrave.scores import ScoreModel, Scorer
from margrave.solvers import Interrupted, Record, Solution

Callback = Callable[[Record], Any]


@dataclass(frozen=True, eq=False)
class Learned:
    """What training data have taught of names: all of them that a model keeps beside its weights."""

    classes: AnyArray
    n_features: int
    encoder: Any


@dataclass(frozen=True, eq=False)
class Training:
    """Training data as the estimator of one structure has read them."""

    batch: Batch
    labels: Labels
    sparse: bool
    learned: Learned


class StructuredEstimator(Saved, BaseEstimator):
    """Fits Σ_g η_g/2 ‖w_g‖² + C Σ_i s_i loss_i and predicts the labelling that scores most.

    A subclass says how its structure reads data (`_read_training`, `_read`) and gives answers back; it has the
    parameters that are read here, or class attributes in their place.
    """

    C: float
    loss: Any
    nodes: Any
    edges: Any
    penalty: Any
    solver: Any
    inference: Any
    tol: float | None
    max_iter: int | None
    n_jobs: int | None
    random_state: int | None
    verbose: int
    warm_start: bool

    @abstractmethod
    def _read_training(self, X: Any, y: Any) -> Training:
        """Check and encode training data; learns names of features and labels, but sets nothing on self."""

    @abstractmethod
    def _read(self, X: Any) -> Batch:
        """Check and encode data for prediction."""

    # ------------------------------------------------------------------ training

    def fit(self, X: Any, y: Any, sample_weight: Any = None, callback: Callback | None = None) -> Self:
        """Fit the model.

        Parameters
        ----------
        X, y : examples and their labels; see the class for their forms
        sample_weight : array of shape (n_examples,), default=None
            Multiplies each example's loss.
        callback : function of a record of `history_`, default=None
            Called after each iteration that reports; stops the fit by returning True.

        Returns
        -------
        self

        Notes
        -----
        Interrupted by Ctrl-C, the model is that of the last complete iteration, and KeyboardInterrupt is raised on.
        Before the first is complete, and after any other error, the model is as it was before the call.
        """
        loss = choose("loss", self.loss, LOSSES, Loss)
        limits = {"tol": self.tol, "max_iter": self.max_iter, "random_state": self.random_state}
        solver, n_jobs = choose_solver(self.solver, loss, **limits), effective_n_jobs(self.n_jobs)
        data = self._read_training(X, y)
        with announcing_compilation(self.verbose), one_blas_thread():
            model = self._lay_out(data, loss)
            objective = solver.objective_type(
                model.bind(data.batch, n_jobs),
                data.labels,
                loss,
                self._inference(),
                C=_positive("C", self.C),
                penalty=self.penalty,
                sample_weight=_weights(sample_weight, len(data.batch.graph)),
                n_jobs=n_jobs,
            )
            learned = data.learned
            del data  # what scorers read of the features they hold themselves
            try:
                start = self._start(learned, model)
                solution = solver.minimize(objective, start, _callback(self.verbose, callback))
            except Interrupted as interrupted:
                if not interrupted.solution.n_iter:
                    raise KeyboardInterrupt("interrupted in the first iteration; the model is as it was") from None
                self._keep(learned, model, interrupted.solution)
                raise KeyboardInterrupt("interrupted; the model is that of the last complete iteration") from None
        self._keep(learned, model, solution)
        _warn_if_short(self, solution, solver.tol)
        return self

    def _scorers(self) -> dict[str, Scorer]:
        nodes = choose("nodes", "linear" if self.nodes is None else self.nodes, SCORERS, Scorer)
        edges = choose("edges", "constant" if self.edges is None else self.edges, SCORERS, Scorer)
        return {"nodes": nodes, "edges": edges}

    def _inference(self) -> Inference:
        return choose(
            "inference", "forest" if self.inference in (None, "auto") else self.inference, INFERENCES, Inference
        )

    def _lay_out(self, data: Training, loss: Loss) -> ScoreModel:
        """Which weights there are; by default only observed ones for sparse input under log-loss, as in CRFsuite."""
        default: Any = "observed" if data.sparse and isinstance(loss, LogLoss) else "all"
        return ScoreModel.lay_out(data.batch, self._scorers(), lambda: data.batch.graph.counts(data.labels), default)

    def _start(self, learned: Learned, model: ScoreModel) -> Floats | None:
        """The last weights, if a warm start is asked for and they mean the same as the new ones."""
        if not (self.warm_start and hasattr(self, "weights_")):
            return None
        if np.array_equal(learned.classes, self.classes_) and model.same_as(self.model_):
            return self.weights_
        warnings.warn("warm_start: features or labels differ from the last fit's, so it starts anew", stacklevel=3)
        return None

    def _keep(self, learned: Learned, model: ScoreModel, solution: Solution) -> None:
        self.__dict__.update(  # at once: no Ctrl-C leaves new weights beside old labels
            model_=model, weights_=solution.weights, encoder_=learned.encoder, classes_=learned.classes,
            n_features_in_=learned.n_features, history_=solution.history, gap_=float(solution.gap),
            n_iter_=solution.n_iter,
        )  # fmt: skip

    # ------------------------------------------------------------------ prediction

    model_: ScoreModel
    weights_: Floats
    encoder_: Any
    classes_: AnyArray
    n_features_in_: int
    history_: list[Record]
    gap_: float
    n_iter_: int

    def _maximum(self, batch: Batch, temperature: float, ask: tuple[str, ...] = ()) -> Maximum:
        """The model's best (T = 0) or average labelling of every example."""
        inference = self._inference()
        inference.check(batch.graph, temperature)
        theta = self._theta(batch)
        oracle = inference.prepare(batch.graph, effective_n_jobs(self.n_jobs))
        return oracle.maximize(theta, temperature, ask=ask)

    def _theta(self, batch: Batch) -> Floats:
        theta = np.zeros(batch.graph.n_entries)
        with one_blas_thread():
            self.model_.bind(batch, effective_n_jobs(self.n_jobs)).scores(self.weights_, theta)
        return theta

    def _temperature(self) -> float:
        """At which probabilities are meant: the loss's own temperature if it has one, else 1."""
        return choose("loss", self.loss, LOSSES, Loss).temperature or 1.0

    def _node_marginals(self, batch: Batch) -> Floats:
        """Probabilities of the states of all variables."""
        marginals = self._maximum(batch, self._temperature(), ask=("nodes",)).node_marginals
        assert marginals is not None
        return marginals

    def _check_fitted(self) -> None:
        check_is_fitted(self, "weights_")


def _positive(name: str, value: Any) -> float:
    if not isinstance(value, int | float | np.number) or isinstance(value, bool) or not 0 < value < np.inf:
        raise ValueError(f"{name} must be a number above 0, got {value!r}")
    return float(value)


def _weights(sample_weight: Any, n_examples: int) -> Floats | None:
    if sample_weight is None:
        return None
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_examples,):
        raise ValueError(f"sample_weight must have shape ({n_examples},), a number per example, got {weights.shape}")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight must be finite, at least 0, and not all 0")
    return weights


def _callback(verbose: int, user: Callback | None) -> Callback | None:
    if not verbose:
        return user

    def report(record: Record) -> Any:
        say(record)
        return user(record) if user is not None else None

    return report


def _warn_if_short(estimator: StructuredEstimator, solution: Solution, tol: float) -> None:
    """A ConvergenceWarning where the fit ended by itself without reaching its tolerance."""
    ways = {"max_iter": "raise max_iter or tol", "precision": "rounding hides further progress; raise tol"}
    if solution.stopped_by in ways:
        warnings.warn(
            f"{type(estimator).__name__} stopped after {estimator.n_iter_} iterations with a gap of "
            f"{estimator.gap_:.2g} (tol={tol:g}): {ways[solution.stopped_by]}",
            ConvergenceWarning,
            stacklevel=3,
        )
