import numpy as np
import pytest

from margrave import LMSBNClassifier


def draw_labels(n, seed=0):
    """Features, and four labels of which each looks at the ones before it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5))
    Y = np.zeros((n, 4), dtype=int)
    for label in range(4):
        before = Y[:, :label].sum(axis=1) * (-1) ** label
        Y[:, label] = X[:, label] + 0.8 * before + 0.5 * rng.normal(size=n) > 0
    return X, Y


@pytest.fixture(scope="session")
def labels():
    return draw_labels(120)


@pytest.fixture(scope="session")
def one_order(labels):
    return LMSBNClassifier(order=[2, 0, 3, 1], C=0.5).fit(*labels)


@pytest.fixture(scope="session")
def three_orders(labels):
    return LMSBNClassifier(n_orders=3, C=0.5, random_state=0).fit(*labels)
