"""Problems of one label, written out in full, and their minimum by solvers that share no line with the library."""

import numpy as np
from scipy import sparse
from scipy.optimize import Bounds, minimize

from margrave.losses import Hinge, LogLoss
from margrave.scores.margins import Inputs, MarginRows
from margrave.scores.signs import Signs
from margrave.solvers import BinaryObjective

LOSSES = {"hinge": Hinge(), "log": LogLoss()}
KINDS = ("dense", "sparse", "binary", "gram")


class Problem:
    """Rows [x, 1, signs], labels, boxes; `objective` is the same to solvers."""

    def __init__(self, seed, kind="dense", loss="hinge", n=25, d=4, m=3, C=1.0, separable=False):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(n, d))
        if kind == "sparse":
            x = np.where(rng.random((n, d)) < 0.5, x, 0.0)
        if kind == "binary":
            x = 1.0 * (x > 0.3)
        base, turned = rng.choice([-1.0, 1.0], size=m), rng.random((n, m)) < 0.3
        listed = sparse.csr_array(1.0 * turned)
        signs = Signs(base, listed.indptr.astype(np.int64), listed.indices.astype(np.int32))
        self.features = np.concatenate([x, np.ones((n, 1)), np.where(turned, -base, base)], axis=1)
        scores = self.features @ rng.normal(size=d + 1 + m)
        self.labels = np.where(scores + (0.0 if separable else rng.normal(size=n)) > 0, 1.0, -1.0)
        self.boxes = C * rng.uniform(0.2, 2.0, size=n)
        self.loss, self.kind = loss, kind
        inputs = Inputs.of_gram(x @ x.T) if kind == "gram" else Inputs.of(x if kind == "dense" else sparse.csr_array(x))
        self.inputs, self.signs, self.x = inputs, signs, x
        self.objective = BinaryObjective(MarginRows(inputs, signs), self.labels, self.boxes, LOSSES[loss])

    def explicit(self, weights):
        """Weights over [x, 1, signs]."""
        if self.kind != "gram":
            return weights
        n = len(self.labels)
        return np.concatenate([self.x.T @ weights[:n], weights[n:]])

    def primal(self, w):
        z = self.labels * (self.features @ w)
        losses = np.log1p(np.exp(-z)) if self.loss == "log" else np.where(z < 1, 1 - z, 0)
        return 0.5 * w @ w + self.boxes @ losses

    def minimum(self):
        """By a general solver: of the log-loss on the primal, of the hinge on the dual, whose value it is."""
        y = self.labels[:, None] * self.features
        if self.loss == "log":
            found = minimize(
                lambda w: (self.primal(w), w - y.T @ (self.boxes / (1 + np.exp(y @ w)))), np.zeros(y.shape[1]),
                jac=True, method="BFGS", options={"gtol": 1e-9},
            )  # fmt: skip
            return found.fun
        q = y @ y.T
        found = minimize(
            lambda a: (0.5 * a @ q @ a - a.sum(), q @ a - 1), np.zeros(len(y)), jac=True, method="L-BFGS-B",
            bounds=Bounds(0, self.boxes), options={"ftol": 1e-15, "gtol": 1e-10, "maxiter": 20000, "maxfun": 10**6},
        )  # fmt: skip
        return -found.fun
