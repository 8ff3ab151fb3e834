"""Directed label models from their definition: every labelling, one by one."""

import itertools

import numpy as np

from margrave.graphs import Dependencies
from margrave.inference import DirectedScores


def random_scores(seed, K, n=6, clique_size=2, smooth=False, per_example=False, sparse_parents=False):
    """A random order, random parents and random numbers; the first label of the second example has no score at all."""
    random = np.random.default_rng(seed)
    order = random.permutation(K)
    if sparse_parents:
        place = np.argsort(order)
        parents = [[j for j in range(K) if place[j] < place[i] and random.random() < 0.5] for i in range(K)]
        dependencies = Dependencies.of_parents(parents, order, clique_size)
    else:
        dependencies = Dependencies.full(order, clique_size)
    inputs = random.normal(size=(n, K))
    inputs[1 % n, 0] = 0.0
    shape = (n, dependencies.n_cliques) if per_example else (dependencies.n_cliques,)
    return DirectedScores(dependencies, inputs, random.normal(size=shape), smooth)


def all_labellings(K):
    return np.array(list(itertools.product([-1, 1], repeat=K)), dtype=np.int8).reshape(2**K, K)


def loss_of(scores, example, labels):
    """Of one labelling of one example, a number at a time."""
    d, total = scores.dependencies, 0.0
    weights = scores.cliques[example] if scores.cliques.ndim == 2 else scores.cliques
    for place, label in enumerate(d.order):
        z, run = scores.inputs[example, label], d.run(place)
        for c, members in zip(range(run.start, run.stop), d.cliques(place), strict=True):
            z += weights[c] * np.prod([labels[d.order[m]] for m in members])
        z *= labels[label]
        total += np.log1p(np.exp(-z)) if scores.smooth else max(0.0, 1.0 - z)
    return total


def every_loss(scores, example, given=None):
    """All labellings that agree with what is given, and their losses, best first."""
    labellings = all_labellings(scores.inputs.shape[1])
    if given is not None:
        labellings = labellings[((labellings == given) | (given == 0)).all(axis=1)]
    losses = np.array([loss_of(scores, example, labels) for labels in labellings])
    order = np.argsort(losses, kind="stable")
    return labellings[order], losses[order]
