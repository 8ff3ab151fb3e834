"""What a fitted sequence model says, from its weights alone and all labellings of a sequence."""

from itertools import pairwise, product

import numpy as np
from scipy.special import logsumexp


class ByEnumeration:
    """Scores of every labelling of one sequence: nodes, neighbours and, if there are any, ends."""

    def __init__(self, model, x):
        x = np.asarray(x.toarray() if hasattr(x, "toarray") else x, dtype=float)
        nodes = x @ model.coef_.T + model.intercept_
        if any(term.name == "boundary" for term in model.model_.terms):
            first, last = model.boundary_
            nodes[0] += first
            nodes[-1] += last
        n_classes = len(model.classes_)
        self.labelings = np.array(list(product(range(n_classes), repeat=len(x))))
        self.scores = np.array(
            [
                sum(nodes[t, a] for t, a in enumerate(z)) + sum(model.transitions_[a, b] for a, b in pairwise(z))
                for z in self.labelings
            ]
        )
        self.n_classes = n_classes

    def best(self):
        return self.labelings[np.argmax(self.scores)]

    def log_probabilities(self, temperature=1.0):
        return self.scores / temperature - logsumexp(self.scores / temperature)

    def marginals(self, temperature=1.0):
        p = np.exp(self.log_probabilities(temperature))
        return np.stack([p @ (self.labelings == k) for k in range(self.n_classes)], axis=1)

    def log_probability(self, numbers, temperature=1.0):
        return self.log_probabilities(temperature)[(self.labelings == numbers).all(axis=1)].item()


def sequences(seed=0, lengths=(3, 1, 4, 2, 3), n_features=3, classes=("a", "b", "c")):
    """Features that tell something about labels, which also depend on their neighbours."""
    rng = np.random.default_rng(seed)
    classes = np.array(classes)
    X, y = [], []
    for length in lengths:
        numbers = np.cumsum(rng.integers(0, 2, size=length)) % len(classes)
        x = rng.normal(size=(length, n_features))
        x[:, 0] += numbers
        X.append(x)
        y.append(classes[numbers])
    return X, y
