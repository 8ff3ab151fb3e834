"""One binary label's problem, small, in every form of inputs, and what liblinear says of it."""

from dataclasses import dataclass

import numpy as np
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC

from margrave.losses import Hinge, LogLoss
from margrave.scores.margins import Inputs, MarginRows
from margrave.scores.signs import Signs
from margrave.solvers import BinaryObjective

FORMS = ("dense", "sparse", "Gram matrix")
LOSSES = {"hinge": Hinge(), "log": LogLoss()}


@dataclass
class LoneLabel:
    """Rows of two inputs and three signs, ±1 labels, weights of which one is 0."""

    x: np.ndarray
    signs: np.ndarray
    y: np.ndarray
    weights: np.ndarray

    @classmethod
    def random(cls, seed, n=40, C=1.0):
        random = np.random.default_rng(seed)
        x, signs = random.normal(size=(n, 2)), np.where(random.random((n, 3)) < 0.3, 1.0, -1.0)
        y = np.where(x[:, 0] + signs[:, 0] + 0.7 * random.normal(size=n) > -0.5, 1.0, -1.0)
        weights = C * random.uniform(0.2, 2.0, size=n)
        weights[3:4] = 0.0
        return cls(x, signs, y, weights)

    def objective(self, loss, form="dense"):
        gram = self.x @ self.x.T
        inputs = {
            "dense": lambda: Inputs.of(self.x),
            "sparse": lambda: Inputs.of(sparse.csr_array(self.x)),
            "Gram matrix": lambda: Inputs.of_gram(gram),
        }[form]()
        on = sparse.csr_array(self.signs > 0)
        signs = Signs(-np.ones(3), on.indptr.astype(np.int64), on.indices.astype(np.int32))
        return BinaryObjective(MarginRows(inputs, signs), self.y, self.weights, LOSSES[loss])

    @property
    def rows(self):
        """[x, 1, signs], explicitly."""
        return np.concatenate([self.x, np.ones((len(self.x), 1)), self.signs], axis=1)

    def primal(self, w, loss):
        """½‖w‖² + Σ U loss, from the definition."""
        z = self.y * (self.rows @ w)
        return 0.5 * w @ w + self.weights @ (np.maximum(1 - z, 0) if loss == "hinge" else np.log1p(np.exp(-z)))

    def dual(self, multipliers, loss):
        """From the definition; the multipliers are inside their bounds."""
        a, room, w = multipliers, self.weights, self.rows.T @ (multipliers * self.y)
        if loss == "hinge":
            return a.sum() - 0.5 * w @ w
        some = (a > 0) & (a < room)
        a, room = a[some], room[some]
        return -(a * np.log(a / room) + (room - a) * np.log(1 - a / room)).sum() - 0.5 * w @ w

    def liblinear(self, loss):
        """The least primal."""
        options = {"C": 1.0, "fit_intercept": False, "tol": 1e-8, "max_iter": 10**6}
        hinge = LinearSVC(loss="hinge", dual=True, random_state=0, **options)
        model = hinge if loss == "hinge" else LogisticRegression(solver="liblinear", **options)
        on = self.weights > 0
        model.fit(self.rows[on], self.y[on], sample_weight=self.weights[on])
        return self.primal(model.coef_[0], loss)
