"""Classifiers whose labels are cut where a measure of label sets wants it, and not at zero."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils import get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from margrave.estimators.directed_answers import Certified
from margrave.estimators.joint_cuts import JointSearch, with_cuts
from margrave.estimators.label_cuts import TARGETS, svm1_cuts, tuned_cuts
from margrave.estimators.left_out import TuningData, decisions, in_parts, known_labels, looks_around, scores_of, train
from margrave.estimators.lmsbn import LMSBNClassifier
from margrave.estimators.saved import Saved
from margrave.inference import BranchAndBound
from margrave.persistence.state import missing_state
from margrave.primitives import AnyArray, Floats, effective_n_jobs

METHODS = ("svm1", "cyclic")
#: Parameters that only the usual estimator takes from here.
_OF_THE_USUAL = ("C", "kernel", "gamma")


def _answers(name: str) -> Any:
    """Whether the estimator inside has a method."""
    return lambda self: hasattr(self.__dict__.get("estimator_", LMSBNClassifier), name)


def _alone(self: Any) -> bool:
    """Whether labels are judged alone, as far as is known."""
    return not looks_around(self.__dict__.get("estimator_", self.estimator))


class ThresholdTunedClassifier(Saved, ClassifierMixin, BaseEstimator):
    """Per-label cuts by cross-validation, for exact match, micro F or macro F.

    A label is on where its score is above its cut. Classifiers are trained with one fold left out at a time, the cuts
    are chosen for the scores of the examples left out, and the classifier is trained again on everything. Where labels
    look at each other (an `LMSBNClassifier` with parents) a cut is a bias inside z_i: the joint prediction is searched
    with it, and every label answers to every cut.

    Parameters
    ----------
    estimator : classifier, default=None
        An `LMSBNClassifier`, or any classifier of 0/1 tables with a `decision_function` of shape (n_examples, K). None:
        one linear or kernel classifier per label, `LMSBNClassifier(parents="none")`.
    target : {"exact_match", "f1_micro", "f1_macro"}, default="f1_macro"
        The measure.
    method : {"svm1", "cyclic"}, default=None
        "svm1", for macro F: each label's best cut on each fold, averaged over folds. "cyclic": one label after the
        other, exactly and given the others' cuts, on all examples left out together, until none can be improved; begun
        at 0 and at each label's best F. With labels that look at each other a few cuts are tried each. None: "svm1" for
        macro F of labels on their own, else "cyclic".
    folds : int, default=5
    fbr : float, default=0.0
        Of "svm1": where a label's best F on a fold is below it, the cut there is the fold's highest score.
    C, kernel, gamma : default=None
        Of the usual estimator; see `LMSBNClassifier`, whose defaults stand for None.
    n_candidates, n_rounds : int, default=12, 2
        Where labels look at each other: cuts tried of a label at a time, and how often each label's turn comes.
    n_jobs : int, default=None
        Threads of the estimator, where it takes any; None: as it says itself.
    random_state : int or None, default=None
        Of the folds, and of an estimator that has none of its own.

    Attributes
    ----------
    thresholds_ : array of shape (K,)
        The cuts; 0 for labels that never change.
    estimator_ : classifier
        Trained on everything. An `LMSBNClassifier` has the cuts inside, so whatever it answers (`predict_top_k`,
        `predict(X, given=...)`) respects them, and can be saved; others are cut outside.
    classes_ : array, or list of arrays
        The values of each label; of the only one, where Y has one dimension.
    n_features_in_ : int

    References
    ----------
    R.-E. Fan and C.-J. Lin, A study on threshold selection for multi-label classification, National Taiwan University,
    2007.

    Examples
    --------
    >>> import margrave as mg
    >>> scene = mg.datasets.load_scene()
    >>> tuned = mg.ThresholdTunedClassifier(C=0.1, random_state=0).fit(scene.X_train, scene.Y_train)
    >>> mg.metrics.multilabel_scores(scene.Y_test, tuned.predict(scene.X_test))["f1_macro"] > 0.7
    True
    """

    def __init__(
        self,
        estimator: Any = None,
        target: str = "f1_macro",
        *,
        method: str | None = None,
        folds: int = 5,
        fbr: float = 0.0,
        C: Any = None,
        kernel: Any = None,
        gamma: float | None = None,
        n_candidates: int = 12,
        n_rounds: int = 2,
        n_jobs: int | None = None,
        random_state: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.target = target
        self.method = method
        self.folds = folds
        self.fbr = fbr
        self.C = C
        self.kernel = kernel
        self.gamma = gamma
        self.n_candidates = n_candidates
        self.n_rounds = n_rounds
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Choose the cuts, and train on everything.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features)
        y : table of shape (n_examples, K), or array of shape (n_examples,)
            Any two values per column, all of them known.
        """
        self._check()
        X, y = in_parts(X), in_parts(y)
        base = self._base()
        model = train(base, X, y)  # first of all, as it looks at the data more closely than cuts have to
        table, truth = known_labels(y)
        cuts = np.zeros(len(table.changing))
        if len(cuts):
            cuts = self._cuts(base, looks_around(model), TuningData(X, y, table, truth))
        own = isinstance(model, LMSBNClassifier)
        if own:
            model.model_ = with_cuts(model.model_, cuts)
        self.estimator_, self.thresholds_, self.table_ = model, table.widened(cuts[None], 0.0)[0], table
        self.classes_ = model.classes_ if own else (table.classes[0] if table.one_column else list(table.classes))
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(model, name):
                setattr(self, name, getattr(model, name))
        return self

    def predict(self, X: Any) -> AnyArray:
        """Labels of each example, in the types of Y."""
        check_is_fitted(self)
        if isinstance(self.estimator_, LMSBNClassifier):
            return self.estimator_.predict(X)
        return self.table_.write(np.where(self._values(X) > 0, 1, -1))

    @available_if(_alone)  # type: ignore[untyped-decorator]
    def decision_function(self, X: Any) -> Floats:
        """Scores minus cuts, shape (n_examples, K): a label is on where it is above 0.

        Shape (n_examples,) where Y has one dimension. Only where labels are judged alone: the answers of labels that
        look at each other are no cuts of numbers; `estimator_.predict_proba` gives their probabilities.
        """
        check_is_fitted(self)
        values = self.table_.widened(self._values(X), np.inf, off=-np.inf)
        return values[:, 0] if self.table_.one_column else values

    @available_if(_answers("predict_certified"))  # type: ignore[untyped-decorator]
    def predict_certified(self, X: Any, given: Any = None) -> Certified:
        """Labels with what has been proved of them; see `LMSBNClassifier.predict_certified`."""
        check_is_fitted(self)
        found: Certified = self.estimator_.predict_certified(X, given)
        return found

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of examples whose labels are all right (exact match)."""
        check_is_fitted(self)
        return float(np.average(self.table_.agreeing(self.predict(X), y), weights=sample_weight))

    # ------------------------------------------------------------------

    def _check_loaded(self) -> None:
        """See `Saved`."""
        if not isinstance(self.estimator_, LMSBNClassifier) or missing_state(self.estimator_):
            raise ValueError("estimator_ must be a fitted LMSBNClassifier")
        self.estimator_._check_loaded()
        self.table_.check(self.estimator_.model_.n_labels)
        if np.shape(self.thresholds_) != (self.table_.n_columns,) or self.table_.n_columns != (
            self.estimator_.table_.n_columns
        ):
            raise ValueError(f"{np.shape(self.thresholds_)} cuts, {self.table_.n_columns} labels")

    def _check(self) -> None:
        if self.target not in TARGETS:
            raise ValueError(f"target must be one of {', '.join(map(repr, TARGETS))}, got {self.target!r}")
        if self.method not in (None, *METHODS):
            raise ValueError(f"method must be 'svm1', 'cyclic' or None, got {self.method!r}")
        if self.method == "svm1" and self.target != "f1_macro":
            raise ValueError(f"method='svm1' tunes label by label, for 'f1_macro'; for {self.target!r} use 'cyclic'")
        for name, least in (("folds", 2), ("n_candidates", 1), ("n_rounds", 1)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
                raise ValueError(f"{name} must be a whole number of at least {least}, got {value!r}")
        if not 0 <= self.fbr <= 1:
            raise ValueError(f"fbr is compared with an F-score: it must be from 0 to 1, got {self.fbr!r}")

    def _base(self) -> Any:
        own = {name: getattr(self, name) for name in _OF_THE_USUAL if getattr(self, name) is not None}
        if self.estimator is None:
            return LMSBNClassifier(parents="none", **own, n_jobs=self.n_jobs, random_state=self.random_state)
        if own:
            raise ValueError(f"{', '.join(own)} given beside an estimator; set it on the estimator instead")
        if not hasattr(self.estimator, "decision_function"):
            raise ValueError(
                f"estimator must have a decision_function, {type(self.estimator).__name__} has none; "
                "take one per label, as sklearn.multiclass.OneVsRestClassifier does"
            )
        base = clone(self.estimator)
        known = base.get_params(deep=False)
        if self.n_jobs is not None and "n_jobs" in known:
            base.set_params(n_jobs=self.n_jobs)
        if self.random_state is not None and known.get("random_state", 0) is None:
            base.set_params(random_state=self.random_state)
        return base

    def _cuts(self, base: Any, joint: bool, data: TuningData) -> Floats:
        if joint and self.method == "svm1":
            raise ValueError("method='svm1' tunes labels alone, but this estimator's look at each other; use 'cyclic'")
        n = len(data.truth)
        if n < 2:
            raise ValueError(f"cuts are chosen on examples left out: at least 2 are needed, got n_samples = {n}")
        of = np.random.default_rng(self.random_state).permutation(n) % min(self.folds, n)
        folds = [(np.flatnonzero(of != k), np.flatnonzero(of == k)) for k in range(min(self.folds, n))]
        models = [data.train(base, rows) for rows, _ in folds]
        if joint:
            left_out = [data.joint(m, *fold) for m, fold in zip(models, folds, strict=True)]
            search = BranchAndBound() if base.inference is None else base.inference
            threads = effective_n_jobs(base.n_jobs)
            return JointSearch(left_out, self.target, search, self.n_candidates, self.n_rounds, threads).cuts()
        parts = [data.alone(m, *fold) for m, fold in zip(models, folds, strict=True)]
        if self.method == "svm1" or (self.method is None and self.target == "f1_macro"):
            return svm1_cuts(parts, self.fbr)
        values, truth = (np.concatenate([part[i] for part in parts]) for i in (0, 1))
        return tuned_cuts(values, truth, self.target)

    def _values(self, X: Any) -> Floats:
        """Scores minus cuts of the labels that change, where labels do not look at each other."""
        if isinstance(self.estimator_, LMSBNClassifier):
            return scores_of(self.estimator_, X)[0].inputs
        values = decisions(self.estimator_, X, self.table_)
        values -= self.thresholds_[self.table_.changing]
        return values

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        base = get_tags(LMSBNClassifier() if self.estimator is None else self.estimator)
        tags.input_tags.sparse = base.input_tags.sparse
        tags.input_tags.pairwise = self.kernel == "precomputed" or base.input_tags.pairwise
        tags.target_tags.multi_output = True
        tags.target_tags.single_output = True
        tags.classifier_tags.multi_label = True
        tags.classifier_tags.multi_class = False
        return tags
