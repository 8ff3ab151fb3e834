import numpy as np
import pytest

import margrave as mg
from margrave.checks import check_estimator


@pytest.mark.parametrize(
    "estimator",
    [
        mg.ChainCRF(),
        mg.ChainCRF(boundary=True, penalty={"edges": 0.1}),
        mg.ChainM3N(max_iter=30),
        mg.SequenceClassifier(loss="softmax_margin", inference="exhaustive"),
        mg.SequenceClassifier(loss=mg.losses.SmoothedHinge(0.1), solver=mg.solvers.LBFGS()),
        mg.SequenceClassifier(loss="hinge", solver=mg.solvers.FrankWolfe(max_iter=20)),
    ],
    ids=repr,
)
def test_estimators(estimator):
    check_estimator(estimator)


class WritesToParameters(mg.ChainCRF):
    def fit(self, X, y, **options):
        self.n_jobs = 1
        return super().fit(X, y, **options)


class Random(mg.ChainCRF):
    def fit(self, X, y, **options):
        super().fit(X, y, **options)
        self.weights_ = self.weights_ + 1e-12 * np.random.default_rng().normal(size=self.weights_.shape)
        return self


class Forgetful(mg.ChainCRF):
    def fit(self, X, y, **options):
        self.__dict__.pop("weights_", None)
        return super().fit(X, y, **options)


class NoCopy(mg.ChainCRF):
    def __getstate__(self):
        state = super().__getstate__()
        return {**state, "weights_": 0 * state["weights_"]} if "weights_" in state else state


class Threaded(mg.ChainCRF):
    def fit(self, X, y, **options):
        super().fit(X, y, **options)
        self.weights_ = self.weights_ * (1 + 1e-15 * (self.n_jobs or 1))
        return self


class Flatterer(mg.ChainCRF):
    def score(self, X, y):
        return 1.0 + super().score(X, y)


@pytest.mark.parametrize(
    ("broken", "message"),
    [
        (WritesToParameters, "fit wrote to the parameter 'n_jobs'"),
        (Random, "two fits: weights differ"),
        (Forgetful, "a fit that fails over NaN changes the model"),
        (NoCopy, "pickled: weights differ"),
        (Threaded, "n_jobs=[23]: weights differ"),
        (Flatterer, "score is not the share"),
    ],
)
def test_what_is_broken_is_named(broken, message):
    with pytest.raises(AssertionError, match=message):
        check_estimator(broken())
