"""Sequences: taggers of words, readers of handwriting."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse

from margrave.estimators.base import Learned, StructuredEstimator, Training
from margrave.features import SequenceEncoder
from margrave.features.label_encoder import flat_labels, known_labels, learn_classes
from margrave.graphs import Batch, Sequence, Sequences
from margrave.metrics import token_accuracy
from margrave.persistence import ModelFileError
from margrave.persistence.state import missing_state
from margrave.primitives import AnyArray, Floats
from margrave.scores import Linear, ScoreModel, Scorer
from margrave.scores.linear import LinearLayout


class SequenceClassifier(StructuredEstimator):
    """Labels each position of a sequence, with a score for each pair of neighbouring labels.

    Minimises Σ_g η_g/2 ‖w_g‖² + C Σ_i s_i loss_i. X is a list of sequences: arrays or sparse matrices of shape
    (positions, features), lists of feature dicts or of lists of strings (with sklearn-crfsuite's meaning), or
    `Sequences`. y is a list of label sequences.

    Parameters
    ----------
    loss : {"log", "hinge", "softmax_margin"} or object of mg.losses, default="log"
    C : float, default=1.0
        Weight of the losses; CRFsuite's c2 is 1/(2C).
    penalty : float or mapping from {"nodes", "edges"} to float, default=None
        η of all weights, or of each group; None: 1.
    nodes : scorer or {"linear", "constant", "zero"}, default=None
        Scores of single labels; None: linear in the features.
    edges : scorer or {"constant", "zero"}, default=None
        Scores of neighbouring labels; None: one table for all.
    structure : Sequence, default=None
        `Sequence(boundary=True)` adds scores of the first and the last label.
    solver : {"lbfgs", "frank_wolfe"} or object of mg.solvers, default=None
        None: L-BFGS for smooth losses, Frank-Wolfe for the hinge.
    inference : {"auto", "forest", "exhaustive"} or object of mg.inference, default=None
    tol, max_iter, random_state : default=None
        Of the solver, where it is given by name; None: the solver's own.
    n_jobs : int, default=None
        Threads; the result is the same to the bit for any number.
    verbose : int, default=0
        Whether to print a line per iteration.
    warm_start : bool, default=False
        Whether a fit starts from the weights of the last.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    weights_ : array, all weights in one vector
    history_ : list of dicts with iteration, objective, dual, gap, seconds
    gap_ : float
        How far the objective is above its minimum at the most, as a share of it: a certificate for `weights_`.
    n_iter_, n_features_in_ : int

    Examples
    --------
    >>> import numpy as np
    >>> import margrave as mg
    >>> X = [np.array([[0.0], [1.0], [0.0]]), np.array([[1.0], [1.0]])]
    >>> y = [["low", "high", "low"], ["high", "high"]]
    >>> tagger = mg.SequenceClassifier(loss=mg.losses.SmoothedHinge(0.1), C=10.0).fit(X, y)
    >>> tagger.predict([np.array([[1.0], [0.0]])])
    [array(['high', 'low'], dtype='<U4')]
    """

    def __init__(
        self,
        loss: Any = "log",
        C: float = 1.0,
        *,
        penalty: float | Mapping[str, float] | None = None,
        nodes: Any = None,
        edges: Any = None,
        structure: Sequence | None = None,
        solver: Any = None,
        inference: Any = None,
        tol: float | None = None,
        max_iter: int | None = None,
        n_jobs: int | None = None,
        random_state: int | None = None,
        verbose: int = 0,
        warm_start: bool = False,
    ) -> None:
        self.loss = loss
        self.C = C
        self.penalty = penalty
        self.nodes = nodes
        self.edges = edges
        self.structure = structure
        self.solver = solver
        self.inference = inference
        self.tol = tol
        self.max_iter = max_iter
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.warm_start = warm_start

    # ------------------------------------------------------------------ data

    def encode(self, X: Any) -> Sequences:
        """X as one matrix with a row per position, which `fit` and `predict` take as it is: encode once, use often.

        Before a fit the features' names are learned from X, after it they are those of the fit.
        """
        encoded: Sequences = (
            self.encoder_.transform(X) if hasattr(self, "encoder_") else SequenceEncoder().fit_transform(X)
        )
        return encoded

    def _structure(self) -> Sequence:
        structure = Sequence() if self.structure is None else self.structure
        if not isinstance(structure, Sequence):
            raise ValueError(f"structure must be mg.Sequence(...), got {structure!r}")
        return structure

    def _scorers(self) -> dict[str, Scorer]:
        return {**super()._scorers(), "boundary": Linear(bias=False)}

    def _read_training(self, X: Any, y: Any) -> Training:
        encoder = SequenceEncoder()
        data = encoder.fit_transform(X)
        classes, labels = learn_classes(flat_labels(y, data))
        batch = self._structure().build(data, len(classes))
        learned = Learned(classes, encoder.n_features_in_, encoder)
        return Training(batch, labels, encoder.kind_ != "dense", learned)

    def _read(self, X: Any) -> Batch:
        self._check_fitted()
        return self._structure().build(self.encoder_.transform(X), len(self.classes_))

    # ------------------------------------------------------------------ answers

    def predict(self, X: Any, decode: str | None = None) -> list[AnyArray]:
        """Labels of each sequence.

        Parameters
        ----------
        X : sequences
        decode : {"joint", "marginal"} or None, default=None
            The most probable labelling (None too), or each position's most probable label.
        """
        if decode not in (None, "joint", "marginal"):
            raise ValueError(f"decode must be 'joint' or 'marginal', got {decode!r}")
        batch = self._read(X)
        if decode == "marginal":
            best = self._node_marginals(batch).reshape(-1, len(self.classes_)).argmax(axis=1)
        else:
            best = self._maximum(batch, 0.0).labels
        return _split(self.classes_[best], batch)

    def predict_marginals(self, X: Any) -> list[Floats]:
        """Probability of each label at each position: arrays of shape (positions, n_classes), columns as in `classes_`.

        For losses without a temperature of their own they are taken at T = 1 and not calibrated.
        """
        batch = self._read(X)
        return _split(self._node_marginals(batch).reshape(-1, len(self.classes_)), batch)

    def log_proba(self, X: Any, y: Any) -> Floats:
        """Log p(y | x) of each sequence; minus infinity where a label was not seen in fit.

        At the same temperature as `predict_marginals`: that of the loss, where it has one, else 1.
        """
        self._check_fitted()
        data = self.encoder_.transform(X)
        labels = known_labels(flat_labels(y, data), self.classes_)
        batch = self._structure().build(data, len(self.classes_))
        score = batch.graph.values(self._theta(batch), np.maximum(labels, 0))
        unseen = np.array([part.min(initial=0) < 0 for part in _split(labels, batch)], dtype=bool)
        temperature = self._temperature()
        excess = score - self._maximum(batch, temperature).values
        result: Floats = np.where(unseen, -np.inf, excess / temperature)
        return result

    def score(self, X: Any, y: Any) -> float:
        """Share of positions labelled right; labels not seen in fit count as wrong."""
        self._check_fitted()
        data = self.encoder_.transform(X)
        true = known_labels(flat_labels(y, data), self.classes_)
        best = self._maximum(self._structure().build(data, len(self.classes_)), 0.0).labels
        assert best is not None
        return float(token_accuracy([true], [best]))

    # ------------------------------------------------------------------ views of the weights

    @property
    def coef_(self) -> Floats:
        """Weights of the nodes' features, shape (n_classes, n_features); zero where there is no weight."""
        return self._linear_table()[: self.n_features_in_].T

    @property
    def intercept_(self) -> Floats:
        """Biases of the labels, shape (n_classes,)."""
        table = self._linear_table()
        return table[self.n_features_in_] if len(table) > self.n_features_in_ else np.zeros(len(self.classes_))

    @property
    def transitions_(self) -> Floats:
        """Scores of neighbouring labels, shape (n_classes, n_classes), from row to column."""
        return self._table("edges").reshape(len(self.classes_), len(self.classes_))

    @property
    def boundary_(self) -> Floats:
        """Scores of the first and of the last label, shape (2, n_classes); zero without `boundary`."""
        named = any(term.name == "boundary" for term in self.model_.terms)
        return self._table("boundary") if named else np.zeros((2, len(self.classes_)))

    @property
    def transition_features_(self) -> dict[tuple[Any, Any], float]:
        """(from, to) -> weight, for the transitions that have one."""
        table, names = self.transitions_, self.classes_.tolist()
        return {(names[a], names[b]): float(table[a, b]) for a, b in zip(*np.nonzero(table), strict=True)}

    @property
    def state_features_(self) -> dict[tuple[Any, Any], float]:
        """(attribute, label) -> weight, for the pairs that have one; attributes without names are column numbers."""
        names = self.encoder_.names_
        attributes = range(self.n_features_in_) if names is None else names.feature_names_
        table, labels = self._linear_table()[: self.n_features_in_], self.classes_.tolist()
        return {(attributes[d], labels[k]): float(table[d, k]) for d, k in zip(*np.nonzero(table), strict=True)}

    def _linear_table(self) -> Floats:
        self._check_fitted()
        if not isinstance(self.model_["nodes"].layout, LinearLayout):
            scorer = "nodes='linear' or mg.scores.Linear(...)"
            raise AttributeError(f"coef_, intercept_ and state_features_ exist with {scorer}, not {self.nodes!r}")
        return self._table("nodes")

    def _table(self, name: str) -> Floats:
        self._check_fitted()
        term = self.model_[name]
        return term.layout.matrix(self.weights_[term.weights])

    # ------------------------------------------------------------------ files

    def _check_loaded(self) -> None:
        """See `Saved`."""
        model: Any = self.model_
        weights: Any = self.weights_
        classes: Any = self.classes_
        encoder: Any = self.encoder_
        if not isinstance(model, ScoreModel) or not isinstance(encoder, SequenceEncoder):
            raise ModelFileError("holds no fitted model")
        if not isinstance(weights, np.ndarray) or weights.dtype != np.float64:
            raise ModelFileError("holds weights that are no numbers of double precision")
        if weights.shape != (self.model_.n_weights,):
            raise ModelFileError("holds a model without the weights that it describes")
        if not isinstance(classes, np.ndarray) or classes.ndim != 1 or not len(classes):
            raise ModelFileError("holds no labels")
        for part in (encoder, encoder.names_):
            for name in missing_state(part):
                raise ModelFileError(f"holds a {type(part).__name__} without {name}")
        n_features, names = encoder.n_features_in_, encoder.names_
        if type(n_features) is not int or not 0 <= n_features < 2**31:
            raise ModelFileError("holds a number of features that is none")
        columns = None if names is None else list(names.vocabulary_.values())
        if columns is not None and (len(columns) != n_features or columns != list(range(n_features))):
            raise ModelFileError("holds names of features that are not numbered from 0")
        empty = np.zeros((0, n_features))
        rows = empty if encoder.kind_ == "dense" else sparse.csr_array(empty)
        batch = self._structure().build(Sequences(rows, np.zeros(0, dtype=np.int64)), len(classes))
        for term in self.model_.terms:
            if term.name not in batch.inputs or batch.inputs[term.name].block != term.block:
                raise ModelFileError(f"holds scores of {term.name!r}, which this structure does not have")
            given = batch.inputs[term.name].features
            term.layout.check(None if given is None else given.shape[1], batch.graph.block(term.block).width)


def _split(rows: AnyArray, batch: Batch) -> list[AnyArray]:
    return np.split(rows, batch.graph.first_variable[1:-1]) if len(batch.graph) else []
