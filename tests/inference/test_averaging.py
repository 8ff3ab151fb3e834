"""The bound of partial labellings, seen through single steps of the search."""

from itertools import product

import numpy as np
import pytest

from margrave.inference.averaging import begin_average
from margrave.inference.branching import DEPTH, NODES
from margrave.inference.label_trees import AverageTree
from tests.inference.directed_models import SLOW_KERNELS, all_labellings, allowed, mean_losses, random_model


def by_the_formula(models, set_labels):
    """1/M Σ_i min over free y_i of Σ_m loss(y_i s_mi + r_mi), for example 0."""
    total = 0.0
    for label in range(len(set_labels)):
        sums = {-1: 0.0, 1: 0.0}
        for model in models:
            s, r = model.inputs[0, label], 0.0
            for others, weight in model.terms[label]:
                values = set_labels[list(others)]
                if (values == 0).any():
                    r += abs(weight[0])
                else:
                    s += weight[0] * np.prod(values)
            for y in (-1, 1):
                z = y * s + r
                sums[y] += np.logaddexp(0, -z) if model.smooth else max(0.0, 1.0 - z)
        free = set_labels[label] == 0
        total += min(sums.values()) if free else sums[int(set_labels[label])]
    return total / len(models)


def root_bound(models, known):
    """What the library says of a labelling that is known in part."""
    maker = AverageTree.maker([model.scores for model in models], known[None], 1, [])
    tree = maker()
    inputs = np.concatenate([model.scores.inputs for model in models], axis=1)
    fixed = 0, inputs[0], tree._terms, known, models[0].smooth
    begin_average(*fixed, tree._tree, tree._heap, tree._memory)
    assert tree._memory[DEPTH] == tree._memory[NODES] == 0
    return tree._tree[7][0]


@pytest.mark.parametrize("smooth", [False, True], ids=["hinge", "log"])
@pytest.mark.parametrize("clique_size", [2, 3])
def test_the_bound_is_the_formula_and_below_every_completion(smooth, clique_size):
    rng = np.random.default_rng([smooth, clique_size])
    K = 3 if SLOW_KERNELS else 4
    for _ in range(2 if SLOW_KERNELS else 8):
        models = [random_model(rng, K, clique_size=clique_size, smooth=smooth) for _ in range(3)]
        labels = all_labellings(K)
        every = mean_losses(models, labels)[0]
        for values in product((-1, 0, 1), repeat=K):
            known = np.array(values, dtype=np.int8)
            bound = root_bound(models, known)
            assert bound == pytest.approx(by_the_formula(models, known))
            assert bound <= every[allowed(labels, known)].min() + 1e-9
            if known.all():
                assert bound == pytest.approx(every[allowed(labels, known)][0])


def test_the_bound_never_falls_when_a_label_is_set():
    rng = np.random.default_rng(3)
    models = [random_model(rng, 5, clique_size=3) for _ in range(2)]
    known, before = np.zeros(5, dtype=np.int8), -np.inf
    for label in rng.permutation(5):
        bound = root_bound(models, known)
        assert bound >= before - 1e-12
        known[label], before = rng.choice([-1, 1]), bound
