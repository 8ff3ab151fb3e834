"""What a fitted directed label model answers."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from scipy.special import expit, logit
from sklearn.utils.validation import check_is_fitted

from margrave.estimators.directed_model import DirectedModel
from margrave.features.label_table import LabelTable, Values
from margrave.inference import DirectedScores, Kept, LabelSearch, Searched
from margrave.metrics.decoding import best_for_f1, best_for_hamming, marginals
from margrave.primitives import AnyArray, Booleans, Floats, Integers, effective_n_jobs

#: How many labellings are weighed for a measure at the most, and how much worse than the best they may be (in nats).
MOST_LABELLINGS, SLACK = 4096, 12.0
DECODINGS = ("joint", "hamming", "f1")
_ROUNDING = 1e-15


class Certified(NamedTuple):
    """Labellings with what has been proved of them; one entry per example.

    Attributes
    ----------
    labels : array like Y
    loss, bound : array
        Of the labelling, and of every labelling there is.
    nodes : int array
        (label, value) pairs that the search has tried.
    certified : bool array
        Whether the labelling is proved to be the best.
    """

    labels: AnyArray
    loss: Floats
    bound: Floats
    nodes: Integers
    certified: Booleans


class Labelling(NamedTuple):
    """One of the best labellings of an example."""

    labels: AnyArray
    loss: float


class Labellings(NamedTuple):
    """The best labellings of one example, best first.

    Attributes
    ----------
    labels : array of shape (n, K), like Y
    loss : array of shape (n,)
    probability : array of shape (n,)
        e^(−t · loss), scaled to sum to 1.
    bound : float
        No other labelling has a loss below it.
    capped : bool
        Whether there are more within the slack than were kept.
    """

    labels: AnyArray
    loss: Floats
    probability: Floats
    bound: float
    capped: bool


class DirectedAnswers(ABC):
    """Predictions of an estimator that holds a DirectedModel; see `LMSBNClassifier`."""

    model_: DirectedModel
    table_: LabelTable
    temperature_: float
    n_jobs: int | None
    random_state: Any

    @abstractmethod
    def _search(self) -> LabelSearch:
        """The search that the estimator's parameters ask for."""

    @abstractmethod
    def _read(self, X: Any, given: Any) -> tuple[Any, int]:
        """X as scores are made of it, and how many examples there are."""

    # ------------------------------------------------------------------ labellings

    def predict(self, X: Any, decode: str | None = None, given: Any = None) -> AnyArray:
        """Labels of each example, in the types of Y.

        Parameters
        ----------
        X : array or sparse matrix of shape (n_examples, n_features); None for a model of labels alone
        decode : {"joint", "hamming", "f1"} or None, default=None
            The labelling of least loss (None too); or, of labellings weighted by e^(−t · loss), the answer of least
            expected Hamming loss or of greatest expected F of the example's labels.
        given : table like Y or None
            Labels that are known, the others NaN, None or masked (-1 among integers); they are fixed, others inferred.
        """
        if decode not in (None, *DECODINGS):
            raise ValueError(f"decode must be one of {', '.join(map(repr, DECODINGS))} or None, got {decode!r}")
        scores, known = self._asked(X, given)
        if decode in (None, "joint"):
            return self.table_.write(self._found(scores, known).labels)
        on = np.empty((len(scores[0]), self.model_.n_labels), dtype=bool)

        def use(example: int, kept: Kept) -> None:
            weights = self._weights(kept.losses)
            on[example] = (
                best_for_f1(kept.labels, weights)[0] if decode == "f1" else best_for_hamming(kept.labels, weights)
            )

        self._weigh(scores, known, use)
        return self.table_.write(np.where(self._fixed(on, known), 1, -1))

    def predict_certified(self, X: Any, given: Any = None) -> Certified:
        """The labelling of least loss that was found, with what the search has proved; X and given as in `predict`."""
        found = self._found(*self._asked(X, given))
        return Certified(self.table_.write(found.labels), found.loss, found.bound, found.nodes, found.certified)

    def predict_top_k(self, X: Any, k: Any, given: Any = None) -> list[list[Labelling]]:
        """For each example the k labellings of least loss with their losses, best first; all where there are fewer."""
        _whole_number("k", k)
        scores, known = self._asked(X, given)
        found: list[list[Labelling]] = [[] for _ in range(len(scores[0]))]

        def use(example: int, kept: Kept) -> None:
            labels = self.table_.write(kept.labels)
            found[example] = [Labelling(*pair) for pair in zip(labels, kept.losses.tolist(), strict=True)]

        most = int(min(k, 2.0 ** min(self.model_.n_labels, 62)))
        self._search().several(scores, use, most, given=known, n_jobs=self._threads())
        return found

    def predict_labellings(
        self, X: Any, slack: float | None = None, most: int = MOST_LABELLINGS, given: Any = None
    ) -> list[Labellings]:
        """For each example all labellings of a loss within `slack` of the best, at most `most`, with probabilities.

        This is what `predict_proba` and decoding for a measure weigh. `slack` None: 12/t, beyond which a labelling is
        a hundred thousand times less probable than the best; all labellings where there are at most `most`.
        """
        _whole_number("most", most)
        if slack is not None and not slack >= 0:
            raise ValueError(f"slack must be a number of at least 0, or None, got {slack!r}")
        scores, known = self._asked(X, given)
        found: list[Any] = [None] * len(scores[0])

        def use(example: int, kept: Kept) -> None:
            losses, more = kept.losses[:most], kept.losses[most:].tolist()
            weights, labels = self._weights(losses), self.table_.write(kept.labels[:most])
            bound = min(kept.bound, *more, np.inf)
            found[example] = Labellings(labels, losses, weights / weights.sum(), bound, len(more) > 0)

        self._weigh(scores, known, use, self._slack(slack, most), most + 1)  # one more says whether there is one
        return found

    # ------------------------------------------------------------------ numbers

    def predict_proba(self, X: Any, given: Any = None) -> Floats:
        """Probability that each label is the positive one, shape (n_examples, K); where Y has one dimension, of both.

        Labellings are weighted by e^(−t · loss), with t = 1 unless it was calibrated. A label that never changed in
        training has 1, or 0 where its only value is the other one of the two that all labels share.
        """
        scores, known = self._asked(X, given)
        p = np.empty((len(scores[0]), self.model_.n_labels))

        def use(example: int, kept: Kept) -> None:
            p[example] = marginals(kept.labels, self._weights(kept.losses))

        self._weigh(scores, known, use)
        p = self.table_.widened(np.clip(p, 0.0, 1.0), 1.0, off=0.0)
        return np.column_stack([1.0 - p, p])[:, -len(self.table_.classes[0]) :] if self.table_.one_column else p

    def decision_function(self, X: Any) -> Floats:
        """Log-odds of each label, of `predict_proba`; above 0 where `predict(X, decode="hamming")` says yes.

        Shape (n_examples, K), or (n_examples,) where Y has one dimension.
        """
        p = self.predict_proba(X)
        odds: Floats = logit(np.clip(p[:, -1] if self.table_.one_column else p, _ROUNDING, 1.0 - _ROUNDING))
        return odds

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Share of examples whose labels are all right (exact match)."""
        return float(np.average(self.table_.agreeing(self.predict(X), y), weights=sample_weight))

    def log_likelihood(self, X: Any, Y: Any) -> Floats:
        """Log of the probability of each example's labels, Π_i 1/(1 + e^(−z_i)); the mean over orders before the log.

        For models trained with the hinge it is the likelihood of the same weights, not calibrated.
        """
        scores, values = self._asked(X, Y)
        if values is None or (values == 0).any():
            raise ValueError("log_likelihood needs all labels of Y; predict_proba(X, given=Y) takes some")
        each = np.stack([-np.logaddexp(0.0, -order.margins(values)).sum(axis=1) for order in scores])
        result: Floats = np.logaddexp.reduce(each, axis=0) - np.log(len(scores))
        return result

    def sample(self, X: Any, n: int = 1, random_state: Any = None) -> AnyArray:
        """Draw labels from the model, parents before children.

        Parameters
        ----------
        X : as in `predict`; None for a model of labels alone
        n : int
        random_state : int, generator or None
            None: that of the estimator.

        Returns
        -------
        array of shape (n, n_examples, K), or (n, K) where X is None, in the types of Y
        """
        _whole_number("n", n)
        rng = np.random.default_rng(self.random_state if random_state is None else random_state)
        scores, _ = self._asked(X, np.full((1, self.table_.n_columns), np.nan) if X is None else None)
        draws = [_ancestral(scores[int(rng.integers(len(scores)))], rng) for _ in range(n)]
        labels = np.stack([self.table_.write(draw) for draw in draws])
        return labels[:, 0] if X is None else labels

    # ------------------------------------------------------------------

    def _asked(self, X: Any, given: Any) -> tuple[list[DirectedScores], Values | None]:
        check_is_fitted(self, "model_")
        data, n = self._read(X, given)
        scores = self.model_.scores(data, self._threads())
        if given is None:
            return scores, None
        known = self.table_.read(given, "given")[:, self.table_.changing]
        if len(known) != n:
            raise ValueError(f"X has {n} examples, the labels {len(known)}")
        return scores, known

    def _found(self, scores: list[DirectedScores], given: Values | None) -> Searched:
        return self._search().best(scores, given, self._threads())

    def _weigh(
        self,
        scores: list[DirectedScores],
        given: Values | None,
        use: Callable[[int, Kept], None],
        slack: float | None = None,
        most: int = MOST_LABELLINGS,
    ) -> None:
        """Hand each example's likely labellings to `use`."""
        self._search().several(scores, use, most, self._slack(slack, most), given, self._threads())

    def _slack(self, slack: float | None, most: int) -> float:
        if slack is not None:
            return float(slack)
        return np.inf if 2.0**self.model_.n_labels <= most else SLACK / self.temperature_

    def _weights(self, losses: Floats) -> Floats:
        result: Floats = np.exp(-self.temperature_ * (losses - losses[0]))
        return result

    def _fixed(self, on: Booleans, given: Values | None) -> Booleans:
        return on if given is None else np.where(given == 0, on, given > 0)

    def _threads(self) -> int:
        return effective_n_jobs(self.n_jobs)


def _whole_number(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < 1:
        raise ValueError(f"{name} must be a whole number of at least 1, got {value!r}")


def _ancestral(scores: DirectedScores, rng: np.random.Generator) -> Values:
    """One draw of every example's labels."""
    d = scores.dependencies
    labels = np.ones((len(scores), d.n_labels), dtype=np.int8)
    for place, label in enumerate(d.order):
        z = scores.score_at(place, labels)
        labels[:, label] = np.where(rng.random(len(labels)) < expit(z), 1, -1)
    return labels
