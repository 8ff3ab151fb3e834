"""Small multi-label data, and what a directed model says of them, written out once more."""

from itertools import product

import numpy as np


def label_data(n=60, d=5, K=3, seed=0):
    """Features and 0/1 labels that depend on them and on each other."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    Y = np.zeros((n, K), dtype=int)
    for k in range(K):
        Y[:, k] = X[:, k % d] + (Y[:, k - 1] - 0.5 if k else 0.0) + 0.5 * rng.normal(size=n) > 0
    return X, Y


def every_labelling(K):
    return np.array(list(product((-1, 1), repeat=K)))


def losses_by_hand(model, X, smooth=False):
    """Loss of every labelling of every example of a linear LMSBN with pairs, straight from its weights."""
    inputs, (d,), (cliques,) = model.model_.inputs.weights[0], model.model_.dependencies, model.model_.cliques
    K = d.n_labels
    labellings = every_labelling(K)
    losses = np.zeros((len(X), len(labellings)))
    for place, label in enumerate(d.order):
        score = X @ inputs[label, :-1] + inputs[label, -1]
        for v, y in enumerate(labellings):
            z = score.copy()
            for weight, clique in zip(cliques[d.run(place), 0], d.cliques(place), strict=True):
                z += weight * np.prod([y[d.order[p]] for p in clique])
            z *= y[label]
            losses[:, v] += np.logaddexp(0.0, -z) if smooth else np.maximum(1.0 - z, 0.0)
    return labellings, losses
