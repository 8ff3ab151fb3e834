import numpy as np
import pytest

from margrave.datasets import load_scene
from margrave.estimators import LMSBNClassifier
from margrave.inference import Beam, BranchAndBound
from tests.inference.label_enumeration import every_loss, loss_of, random_scores

KINDS = [
    {"K": 1},
    {"K": 5},
    {"K": 6, "smooth": True},
    {"K": 5, "clique_size": 3},
    {"K": 5, "clique_size": 4, "per_example": True, "smooth": True},
    {"K": 6, "per_example": True},
    {"K": 7, "sparse_parents": True},
]


def collected(search, scores, most, **options):
    found = {}
    search.several([scores], found.__setitem__, most, **options)
    return [found[example] for example in range(len(scores))]


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_wide_enough_it_is_enumeration(kind):
    for seed in range(3):
        scores = random_scores(seed, **kind)
        found = Beam(width=2 ** kind["K"]).best([scores])
        assert found.certified.all()
        for example in range(len(scores)):
            _, losses = every_loss(scores, example)
            assert found.loss[example] == pytest.approx(losses[0])
            assert loss_of(scores, example, found.labels[example]) == pytest.approx(losses[0])


@pytest.mark.parametrize("kind", KINDS, ids=str)
@pytest.mark.parametrize("width", [1, 2, 5])
def test_whatever_its_width_its_bound_holds_and_what_is_certified_is_the_best(kind, width):
    for seed in range(10):
        scores = random_scores(seed, **kind)
        found = Beam(width).best([scores])
        for example in range(len(scores)):
            least = every_loss(scores, example)[1][0]
            assert loss_of(scores, example, found.labels[example]) == pytest.approx(found.loss[example])
            assert found.bound[example] <= least + 1e-9 <= found.loss[example] + 2e-9
            if found.certified[example]:
                assert found.loss[example] == pytest.approx(least)


def test_some_narrow_answers_are_certified_and_some_are_wrong():
    """So that the bound is neither trivial nor never asked."""
    certified, wrong, both = 0, 0, 0
    for seed in range(30):
        scores = random_scores(seed, K=6)
        found, best = Beam(1).best([scores]), BranchAndBound().best([scores])
        is_wrong = found.loss > best.loss + 1e-9
        certified, wrong, both = (
            certified + found.certified.sum(), wrong + is_wrong.sum(), both + (found.certified & is_wrong).sum()
        )  # fmt: skip
    assert certified > 10 and wrong > 10 and both == 0


@pytest.mark.parametrize("smooth", [False, True])
def test_with_more_labels_than_can_be_enumerated(smooth):
    scores = random_scores(0, K=14, n=10, smooth=smooth)
    best = BranchAndBound().best([scores])
    assert best.certified.all()
    for width in (1, 10, 100, 1000):
        found = Beam(width).best([scores])
        assert (found.loss >= best.loss - 1e-9).all()
        assert (found.bound <= best.loss + 1e-9).all()
        assert np.allclose(found.loss, scores.losses(found.labels))


def test_on_a_trained_model():
    parts = [load_scene(subset) for subset in ("train", "test")]
    few = slice(None, None, 6), slice(None, None, 15)  # rows, columns
    model = LMSBNClassifier(random_state=0, tol=1e-2).fit(parts[0].data[few], parts[0].target[few[0]])
    X = parts[1].data[few]
    exact = model.predict_certified(X)
    assert exact.certified.all()
    for width in (1, 2, 64):
        found = model.set_params(inference=Beam(width)).predict_certified(X)
        assert (found.bound <= exact.loss + 1e-9).all() and (found.loss >= exact.loss - 1e-9).all()
        assert np.allclose(found.loss[found.certified], exact.loss[found.certified])
    assert found.certified.all()


def test_one_wide_it_is_the_path_of_preferred_values():
    scores = random_scores(3, K=8, n=20)
    greedy = BranchAndBound(max_nodes=1).best([scores])
    found = Beam(1).best([scores])
    assert np.array_equal(found.labels, greedy.labels)
    assert np.array_equal(found.nodes, greedy.nodes)
    assert (found.nodes == 2 * 8).all()


def test_a_tie_is_minus_one():
    scores = random_scores(0, K=1, n=2)
    scores.inputs[:] = 0.0
    assert (Beam(1).best([scores]).labels == -1).all()


@pytest.mark.parametrize(("width", "nodes"), [(1, 8), (2, 2 + 4 * 3), (3, 2 + 4 + 6 * 2), (100, 2 + 4 + 8 + 16)])
def test_a_node_is_a_label_and_a_value(width, nodes):
    assert (Beam(width).best([random_scores(0, K=4)]).nodes == nodes).all()


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_given_labels(kind):
    K = kind["K"]
    for seed in range(3):
        scores = random_scores(seed, **kind)
        given = np.random.default_rng(seed).choice([-1, 0, 0, 1], size=(len(scores), K)).astype(np.int8)
        exact, narrow = (Beam(width).best([scores], given) for width in (2**K, 2))
        assert exact.certified.all()
        for example in range(len(scores)):
            least = every_loss(scores, example, given[example])[1][0]
            assert exact.loss[example] == pytest.approx(least)
            assert narrow.bound[example] <= least + 1e-9
        for found in (exact, narrow):
            assert ((found.labels == given) | (given == 0)).all()
        free = (given == 0).sum(axis=1)
        assert (narrow.nodes >= K - free).all() and (narrow.nodes <= 4 * free + 2 * K).all()


def test_the_same_labels_given_for_all():
    scores, given = random_scores(1, K=5), np.array([[0, 1, 0, -1, 0]], dtype=np.int8)
    one, other = (Beam(3).best([scores], labels) for labels in (given, np.repeat(given, len(scores), axis=0)))
    assert np.array_equal(one.labels, other.labels) and np.array_equal(one.bound, other.bound)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_several_of_a_wide_beam_are_the_best_ones(kind):
    scores = random_scores(4, **kind)
    most = min(7, 2 ** kind["K"])
    for example, kept in enumerate(collected(Beam(2 ** kind["K"]), scores, most)):
        _, losses = every_loss(scores, example)
        assert np.allclose(kept.losses, losses[:most])
        assert np.allclose([loss_of(scores, example, labels) for labels in kept.labels], kept.losses)
        assert kept.bound == pytest.approx(losses[most] if most < len(losses) else np.inf)


@pytest.mark.parametrize("width", [1, 3, 6])
def test_the_bound_of_several_is_of_all_that_is_not_among_them(width):
    for seed in range(5):
        scores = random_scores(seed, K=5)
        for example, kept in enumerate(collected(Beam(width), scores, 4, slack=1.0)):
            labellings, losses = every_loss(scores, example)
            among = (labellings[:, None] == kept.labels[None]).all(axis=2).any(axis=1)
            assert kept.bound <= losses[~among].min() + 1e-9
            assert 1 <= len(kept.losses) <= min(width, 4) and (np.diff(kept.losses) >= 0).all()
            assert (kept.losses <= kept.losses[0] + 1.0).all()


def test_several_of_given_labels_agree_with_branch_and_bound():
    scores, given = random_scores(5, K=6), np.array([[1, 0, 0, 0, -1, 0]], dtype=np.int8)
    pairs = (collected(search, scores, 5, given=given) for search in (Beam(64), BranchAndBound()))
    for one, other in zip(*pairs, strict=True):
        assert np.allclose(one.losses, other.losses)
        assert np.array_equal(one.labels, other.labels)


def test_the_same_for_any_number_of_threads():
    scores = random_scores(6, K=9, n=200)
    one, two = (Beam(7).best([scores], n_jobs=n_jobs) for n_jobs in (1, 3))
    for name in ("labels", "loss", "bound", "nodes"):
        assert np.array_equal(getattr(one, name), getattr(two, name))


def test_no_examples_and_a_width_beyond_all_labellings():
    assert Beam().best([random_scores(0, K=3, n=2)]).labels.shape == (2, 3)
    scores = random_scores(0, K=3)
    none = type(scores)(scores.dependencies, scores.inputs[:0], scores.cliques)
    assert Beam().best([none]).labels.shape == (0, 3)
    assert Beam(width=10**12).best([scores]).certified.all()


def test_several_orders_are_refused():
    scores = [random_scores(seed, K=3) for seed in range(2)]
    with pytest.raises(ValueError, match="Beam searches one order, got 2; use BranchAndBound"):
        Beam().best(scores)
    with pytest.raises(ValueError, match="use BranchAndBound"):
        Beam().several(scores, lambda example, kept: None, 3)


@pytest.mark.parametrize("width", [0, -3, 2.5, "10", True, None])
def test_a_width_must_be_a_number_of_labellings(width):
    with pytest.raises(ValueError, match="width of Beam must be a whole number of at least 1, got"):
        Beam(width).best([random_scores(0, K=3)])
