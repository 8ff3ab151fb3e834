"""Small random models of labels, whose losses are known for every labelling: the truth that bounds are held against."""

from itertools import combinations, product

import numpy as np


def every_labelling(n_labels):
    """All labellings, (2^K, K), -1 and +1."""
    return np.array(list(product([-1, 1], repeat=n_labels)))


def directed_margins(rng, n_labels, order=None, scale=1.5):
    """z_i of every labelling under a random sigmoid belief network with all parents, singly and in pairs, (2^K, K)."""
    Y = every_labelling(n_labels)
    z = np.empty(Y.shape)
    order = range(n_labels) if order is None else order
    for place, i in enumerate(order):
        parents = list(order[:place])
        cliques = [(), *combinations(parents, 1), *combinations(parents, 2)]
        z[:, i] = sum(rng.normal(0, scale) * Y[:, [i, *clique]].prod(axis=1) for clique in cliques)
    return z


def undirected_margins(weights, cliques, n_labels):
    """z_i of every labelling, summed over the cliques that hold i, (2^K, K)."""
    Y = every_labelling(n_labels)
    z = np.zeros(Y.shape)
    for weight, clique in zip(weights, cliques, strict=True):
        z[:, list(clique)] += weight * Y[:, list(clique)].prod(axis=1, keepdims=True)
    return z


def hinge(z):
    return np.maximum(0, 1 - z)


def log_loss(z):
    return np.logaddexp(0, -z)
