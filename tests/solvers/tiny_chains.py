"""Chains so small that all labellings can be written down; losses, gradients and costs from their definitions.

Weights stand as the library lays them out: (n_features, n_states) slopes row by row, biases, a table of transitions.
The score of a labelling is their product with its joint features, so nothing here needs an inference.
"""

from dataclasses import dataclass
from itertools import pairwise, product

import numpy as np
from scipy.special import logsumexp, softmax

import margrave as mg
from margrave.scores import Constant, Linear, ScoreModel


@dataclass
class TinyChains:
    X: list
    y: list
    n_states: int

    @classmethod
    def random(cls, seed, lengths=(3, 1, 2, 3), n_features=2, n_states=2):
        rng = np.random.default_rng(seed)
        X = [rng.normal(size=(length, n_features)) for length in lengths]
        y = [rng.integers(n_states, size=length).astype(np.int32) for length in lengths]
        return cls(X, y, n_states)

    # ------------------------------------------------------------------ definitions

    def joint_features(self, i, labels):
        onehot = np.eye(self.n_states)[list(labels)].reshape(-1, self.n_states)
        table = np.zeros((self.n_states, self.n_states))
        for a, b in pairwise(labels):
            table[a, b] += 1
        return np.concatenate([(self.X[i].T @ onehot).ravel(), onehot.sum(axis=0), table.ravel()])

    def labelings(self, i):
        return list(product(range(self.n_states), repeat=len(self.X[i])))

    def all_features(self, i):
        """Joint features of every labelling, shape (n_labelings, n_weights)."""
        return np.array([self.joint_features(i, labels) for labels in self.labelings(i)])

    def costs(self, i, cost=None, node_weights=None):
        """Δ of every labelling; Hamming if `cost` is None."""
        cost = 1.0 - np.eye(self.n_states) if cost is None else np.asarray(cost, dtype=float)
        weights = np.ones(len(self.y[i])) if node_weights is None else node_weights
        return np.array(
            [sum(w * cost[t, o] for w, t, o in zip(weights, self.y[i], z, strict=True)) for z in self.labelings(i)]
        )

    def loss(self, i, weights, temperature, costs):
        scores = self.all_features(i) @ weights + costs
        best = scores.max() if temperature == 0 else temperature * logsumexp(scores / temperature)
        return best - weights @ self.joint_features(i, self.y[i])

    @property
    def n_weights(self):
        return (self.X[0].shape[1] + 1) * self.n_states + self.n_states**2

    def etas(self, nodes=1.0, edges=1.0):
        """η of each weight."""
        n_edges = self.n_states**2
        return np.repeat([nodes, edges], [self.n_weights - n_edges, n_edges])

    def costs_or_none(self, i, costly, cost=None):
        return self.costs(i, cost) if costly else np.zeros(self.n_states ** len(self.X[i]))

    def objective(self, weights, temperature, C, costly=False, etas=1.0, s=None, cost=None):
        s = np.ones(len(self.X)) if s is None else s
        losses = [self.loss(i, weights, temperature, self.costs_or_none(i, costly, cost)) for i in range(len(self.X))]
        return 0.5 * np.sum(etas * weights**2) + C * np.dot(s, losses)

    def derivatives(self, weights, temperature, C, costly=False, etas=1.0, s=None):
        """Gradient and Hessian of `objective`, for temperatures above 0."""
        s = np.ones(len(self.X)) if s is None else s
        gradient, hessian = etas * weights, np.diag(np.broadcast_to(etas, weights.shape)).astype(float)
        for i in range(len(self.X)):
            features = self.all_features(i)
            p = softmax((features @ weights + self.costs_or_none(i, costly)) / temperature)
            mean = p @ features
            gradient = gradient + C * s[i] * (mean - self.joint_features(i, self.y[i]))
            hessian += C * s[i] / temperature * ((features.T * p) @ features - np.outer(mean, mean))
        return gradient, hessian

    # ------------------------------------------------------------------ the same as the library sees it

    def batch(self, **structure):
        data = mg.Sequences(np.concatenate(self.X), [len(x) for x in self.X])
        return mg.Sequence(**structure).build(data, self.n_states)

    @property
    def labels(self):
        return np.concatenate(self.y)

    def bound(self, n_jobs=1):
        batch = self.batch()
        return ScoreModel.lay_out(batch, {"nodes": Linear(), "edges": Constant()}).bind(batch, n_jobs)

    def seen_by(self, kind, loss, n_jobs=1, inference=None, **options):
        """An Objective or DualObjective of these chains."""
        inference = mg.inference.Forest() if inference is None else inference
        return kind(self.bound(n_jobs), self.labels, loss, inference, n_jobs=n_jobs, **options)
