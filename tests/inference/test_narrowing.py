import numpy as np
import pytest

from margrave.inference.label_trees import wiring_of
from margrave.inference.narrowing import narrow
from tests.inference.label_enumeration import random_scores


def partial_loss(scores, example, values):
    """Of the first values by place, from the definition."""
    d, total = scores.dependencies, 0.0
    for place, value in enumerate(values):
        run = d.run(place)
        signs = [np.prod([values[m] for m in members]) for members in d.cliques(place)]
        z = value * (scores.inputs[example, d.order[place]] + np.dot(scores.cliques[run], signs))
        total += np.log1p(np.exp(-z)) if scores.smooth else max(0.0, 1.0 - z)
    return total


def by_sorting(scores, example, width, given):
    """The same search on lists: what is kept at the last place, the least that was dropped, nodes."""
    kept, dropped, nodes = [()], np.inf, 0
    for place in range(scores.dependencies.n_labels):
        values = (-1.0, 1.0) if given[place] == 0 else (float(given[place]),)
        longer = [(*before, value) for before in kept for value in values]
        nodes += len(longer)
        longer.sort(key=lambda these: partial_loss(scores, example, these))
        dropped = min([dropped, *(partial_loss(scores, example, these) for these in longer[width:])])
        kept = longer[:width]
    return kept, dropped, nodes


@pytest.mark.parametrize("width", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("kind", [{}, {"smooth": True}, {"clique_size": 3}, {"sparse_parents": True}], ids=str)
def test_the_same_as_by_sorting(width, kind):
    K = 5
    for seed in range(4):
        scores = random_scores(seed, K, n=3, **kind)
        given = np.random.default_rng(seed).choice([-1, 0, 0, 0, 1], size=K).astype(np.int8)
        rows = np.empty((2, width, K)), np.empty((2, width, K)), np.empty((2, width))
        following, counts = (np.empty(width), np.empty(width, np.int64)), np.empty(3, np.int64)
        for example in range(3):
            inputs = scores.by_place[example]
            dropped = narrow(example, inputs, wiring_of(scores), given, scores.smooth, rows, following, counts)
            kept, least, nodes = by_sorting(scores, example, width, given)
            n, side, visited = counts.tolist()
            found = {tuple(values): loss for values, loss in zip(rows[0][side, :n], rows[2][side, :n], strict=True)}
            assert set(found) == set(kept)
            assert all(loss == pytest.approx(partial_loss(scores, example, values)) for values, loss in found.items())
            assert dropped == pytest.approx(least)
            assert visited == nodes
