"""Random directed models, and what they mean: a scorer and an enumeration that share no line with the library."""

from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numba import config

from margrave.graphs import Dependencies
from margrave.inference import DirectedScores

#: Random models of a test: as plain Python a kernel takes a hundred times longer.
SLOW_KERNELS = bool(config.DISABLE_JIT)
PARENTS = ("full", "none", "each its predecessor", "some")


@dataclass
class Model:
    """One order; for each label of it a list of (other labels, weight per example)."""

    order: list[int]
    inputs: np.ndarray
    terms: dict[int, list[tuple[tuple[int, ...], np.ndarray]]]
    smooth: bool
    scores: DirectedScores

    def margins(self, labels):
        """Z of every label of every labelling, of one example after the other: (n_examples, n_labellings, K)."""
        labels = np.asarray(labels, dtype=float)
        z = np.empty((len(self.inputs), *labels.shape))
        for example in range(len(self.inputs)):
            for label in self.order:
                total = np.full(len(labels), self.inputs[example, label])
                for others, weight in self.terms[label]:
                    total += weight[example] * np.prod(labels[:, others], axis=1)
                z[example, :, label] = labels[:, label] * total
        return z

    def losses(self, labels):
        z = self.margins(labels)
        if self.smooth:
            return np.logaddexp(0.0, -z).sum(axis=2)
        return np.where(z < 1.0, 1.0 - z, 0.0).sum(axis=2)


def all_labellings(K):
    return np.array(list(product((-1, 1), repeat=K)), dtype=np.int8).reshape(-1, K)


def random_model(
    rng, K, *, parents="full", clique_size=2, smooth=False, n=1, order=None, per_example=False, scale=1.0, inputs=None
):
    """A model whose cliques are drawn up here, label by label, and handed over as weights of `Dependencies`."""
    order = rng.permutation(K).tolist() if order is None else list(order)
    looked_at = {}
    for i, label in enumerate(order):
        before = order[:i]
        if parents == "none":
            before = []
        elif parents == "each its predecessor":
            before = before[-1:]
        elif parents == "some":
            before = [other for other in before if rng.random() < 0.5]
        looked_at[label] = before
    if parents == "full":
        dependencies = Dependencies.full(order, clique_size)
    else:
        dependencies = Dependencies.of_parents([looked_at[label] for label in range(K)], order, clique_size)
    inputs = scale * rng.normal(size=(n, K)) if inputs is None else inputs
    terms, weights = {}, np.zeros((n, dependencies.n_cliques))
    for i, label in enumerate(order):
        wanted = {}
        for size in range(1, clique_size):
            for others in combinations(looked_at[label], size):
                drawn = scale * rng.normal(size=n) if per_example else np.full(n, scale * rng.normal())
                wanted[frozenset(others)] = drawn
        terms[label] = [(tuple(others), weight) for others, weight in wanted.items()]
        run = dependencies.run(i)
        assert run.stop - run.start == len(wanted)
        for c, places in zip(range(run.start, run.stop), dependencies.cliques(i), strict=True):
            weights[:, c] = wanted[frozenset(order[place] for place in places)]
    cliques = weights if per_example or not n else weights[0]
    return Model(order, inputs, terms, smooth, DirectedScores(dependencies, inputs, cliques, smooth))


def mean_losses(models, labels):
    """Shape (n_examples, n_labellings)."""
    return np.mean([model.losses(labels) for model in models], axis=0)


def allowed(labels, given):
    """Which labellings agree with the given labels of one example."""
    return ((given == 0) | (labels == given)).all(axis=1)


def loss_of_answers(models, labels):
    """Mean loss of one labelling for each example."""
    return np.array([mean_losses(models, labels[i : i + 1])[i, 0] for i in range(len(labels))])
