from math import ceil, comb

import numpy as np
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import Bounds, LinearConstraint, milp
from sklearn.base import clone

from margrave.inference import BranchAndBound, DirectedScores, Searched
from margrave.primitives import on_first_compilation
from tests.inference.directed_models import (
    PARENTS,
    SLOW_KERNELS,
    all_labellings,
    allowed,
    loss_of_answers,
    mean_losses,
    random_model,
)

MODELS = 8 if SLOW_KERNELS else 120
LARGEST = 6 if SLOW_KERNELS else 12
NEAR = {"rel": 1e-9, "abs": 1e-9}


def sizes(rng, count, largest=LARGEST):
    """Mostly small, now and then the largest."""
    return [largest if rng.random() < 0.03 else int(rng.integers(1, min(9, largest + 1))) for _ in range(count)]


def count_bound(K, S):
    """Theorem 9: the most nodes that a search below S can visit."""
    return 2 * K * sum(comb(K, r) for r in range(min(ceil(S), K + 1)))


def check(models, searched, given=None):
    """Everything that must hold of exact answers; returns the losses of all labellings."""
    labels = all_labellings(searched.labels.shape[1])
    every = mean_losses(models, labels)
    for i, losses in enumerate(every):
        among = np.ones(len(labels), dtype=bool) if given is None else allowed(labels, given[min(i, len(given) - 1)])
        assert searched.loss[i] == pytest.approx(losses[among].min(), **NEAR)
        assert searched.bound[i] <= searched.loss[i]
        assert searched.bound[i] == pytest.approx(losses[among].min(), **NEAR)
    assert searched.certified.all()
    assert loss_of_answers(models, searched.labels) == pytest.approx(searched.loss, **NEAR)
    if given is not None:
        assert ((given == 0) | (searched.labels == given)).all()
    return every


# --------------------------------------------------------------------------------------- equal to enumeration, by the
# --------------------------------------------------------------------------------------- thousand


@pytest.mark.parametrize("smooth", [False, True], ids=["hinge", "log"])
@pytest.mark.parametrize("parents", PARENTS)
@pytest.mark.parametrize("clique_size", [2, 3, 4])
def test_the_best_labelling_of_one_order(smooth, parents, clique_size):
    rng = np.random.default_rng([smooth, PARENTS.index(parents), clique_size])
    for K in sizes(rng, MODELS, LARGEST if clique_size < 4 else min(LARGEST, 10)):
        model = random_model(
            rng, K, parents=parents, clique_size=clique_size, smooth=smooth, n=2,
            per_example=rng.random() < 0.5, scale=rng.choice([0.2, 1.0, 4.0]),
        )  # fmt: skip
        searched = BranchAndBound().best([model.scores])
        every = check([model], searched)
        if not smooth:  # Theorem 9, for the S just above what there is to find
            for i in range(2):
                S = float(every[i].min()) + 1e-6
                covered = BranchAndBound(S=S).best([model.scores])
                assert covered.loss[i] == pytest.approx(every[i].min(), **NEAR)
                assert covered.nodes[i] <= count_bound(K, S)


@pytest.mark.parametrize("smooth", [False, True], ids=["hinge", "log"])
@pytest.mark.parametrize("clique_size", [2, 3])
def test_the_best_labelling_of_several_orders(smooth, clique_size):
    rng = np.random.default_rng([10, smooth, clique_size])
    for K in sizes(rng, MODELS, min(LARGEST, 9)):
        per_example = rng.random() < 0.5
        models = [
            random_model(
                rng, K, parents=rng.choice(PARENTS), clique_size=clique_size, smooth=smooth, n=2,
                per_example=per_example, scale=rng.choice([0.2, 1.0, 3.0]),
            )
            for _ in range(rng.integers(2, 5))
        ]  # fmt: skip
        check(models, BranchAndBound().best([model.scores for model in models]))


@pytest.mark.parametrize("n_orders", [1, 3])
@pytest.mark.parametrize("smooth", [False, True], ids=["hinge", "log"])
def test_given_labels_are_kept_and_pay(n_orders, smooth):
    rng = np.random.default_rng([20, n_orders, smooth])
    for K in sizes(rng, MODELS, min(LARGEST, 9)):
        models = [
            random_model(rng, K, clique_size=int(rng.integers(2, 4)), smooth=smooth, n=3) for _ in range(n_orders)
        ]
        known = rng.choice([-1, 0, 1], size=(3 if rng.random() < 0.7 else 1, K)).astype(np.int8)
        check(models, BranchAndBound().best([model.scores for model in models], known), known)


def test_all_labels_may_be_given():
    rng = np.random.default_rng(21)
    for n_orders in (1, 2):
        models = [random_model(rng, 5, n=4) for _ in range(n_orders)]
        known = rng.choice([-1, 1], size=(4, 5)).astype(np.int8)
        searched = BranchAndBound().best([model.scores for model in models], known)
        assert np.array_equal(searched.labels, known)
        assert searched.certified.all()
        assert searched.loss == pytest.approx(loss_of_answers(models, known), **NEAR)


def kept_of(search, models, **options):
    found = {}
    search.several([model.scores for model in models], found.__setitem__, **options)
    return [found[i] for i in range(len(found))]


@pytest.mark.parametrize("n_orders", [1, 3])
@pytest.mark.parametrize("smooth", [False, True], ids=["hinge", "log"])
def test_the_best_few_labellings(n_orders, smooth):
    """With a limit on how many, on how much worse than the best, and on both; some labels given."""
    rng = np.random.default_rng([30, n_orders, smooth])
    for K in sizes(rng, MODELS // 2, min(LARGEST, 7)):
        models = [
            random_model(rng, K, clique_size=int(rng.integers(2, 4)), smooth=smooth, n=2) for _ in range(n_orders)
        ]
        labels, known = all_labellings(K), np.where(rng.random((2, K)) < 0.2, 1, 0).astype(np.int8)
        every = mean_losses(models, labels)
        for most, slack in ((1, np.inf), (3, np.inf), (2**K + 3, np.inf), (2**K, 1.0), (5, 0.7), (2**K, 0)):
            for i, kept in enumerate(kept_of(BranchAndBound(), models, most=most, slack=slack, given=known)):
                true = np.sort(every[i][allowed(labels, known[i])])
                wanted = true[true <= true[0] + slack][:most]
                assert (np.diff(kept.losses) >= 0).all()
                assert len(np.unique(kept.labels, axis=0)) == len(kept.labels)
                which = (kept.labels > 0) @ 2 ** np.arange(K)[::-1]
                assert np.array_equal(labels[which], kept.labels)
                assert kept.losses == pytest.approx(every[i][which], **NEAR)
                assert kept.losses == pytest.approx(wanted, **NEAR)
                others = true[len(wanted) :]
                assert kept.bound <= (others.min() if len(others) else np.inf) + 1e-9
                assert ((known[i] == 0) | (kept.labels == known[i])).all()


# ---------------------------------------------------------------------------------------- limits, and what they certify


@drawn(
    st.integers(0, 2**32 - 1),
    st.integers(1, 7),
    st.sampled_from(PARENTS),
    st.integers(2, 4),
    st.booleans(),
    st.floats(0.01, 9.0),
    st.sampled_from([None, 1, 2, 5, 20, 100]),
    st.integers(1, 3),
)
def test_bounds_bracket_whatever_stops_a_search(seed, K, parents, clique_size, smooth, S, max_nodes, n_orders):
    rng = np.random.default_rng(seed)
    models = [
        random_model(rng, K, parents=parents, clique_size=clique_size, smooth=smooth, n=2) for _ in range(n_orders)
    ]
    least = mean_losses(models, all_labellings(K)).min(axis=1)
    for search in (BranchAndBound(S=S), BranchAndBound(max_nodes=max_nodes), BranchAndBound(S, max_nodes)):
        searched = search.best([model.scores for model in models])
        assert loss_of_answers(models, searched.labels) == pytest.approx(searched.loss, **NEAR)
        assert (searched.bound <= least + 1e-9).all()
        assert (searched.loss >= least - 1e-9).all()
        assert np.array_equal(searched.certified, searched.loss - searched.bound <= 1e-9)
        assert searched.loss[searched.certified] == pytest.approx(least[searched.certified], **NEAR)
        if search.max_nodes is None:  # a search that is let finish finds what is below S, and proves S of the rest
            below = least < S - 1e-9
            assert searched.certified[below].all()
            assert (searched.bound[~below] >= S - 1e-9).all()


@pytest.mark.parametrize("S", [1, 1.5, 2, 3.7])
def test_theorem_9(S):
    """S found exactly where there is something below S, within the nodes that the theorem allows."""
    rng, found = np.random.default_rng(int(10 * S)), 0
    for K in sizes(rng, 2 * MODELS):
        model = random_model(rng, K, parents=rng.choice(PARENTS), clique_size=int(rng.integers(2, 5)), n=1)
        least = model.losses(all_labellings(K))[0].min()
        searched = BranchAndBound(S=S).best([model.scores])
        assert searched.nodes[0] <= count_bound(K, S)
        if least < S:
            assert searched.loss[0] == pytest.approx(least, **NEAR)
            assert searched.certified[0]
            found += 1
        else:
            assert searched.bound[0] == pytest.approx(S)
            assert np.array_equal(searched.labels[0], preferred(model))
    assert found


def preferred(model):
    """The first left path: each label takes the sign of its score, given those before it; -1 at 0."""
    labels = np.zeros((1, len(model.order)))
    for label in model.order:
        labels[0, label] = 1.0
        labels[0, label] = 1.0 if model.margins(labels)[0, 0, label] > 0 else -1.0
    return labels[0]


def test_the_first_path_alone_is_two_nodes_a_label():
    rng = np.random.default_rng(40)
    for K in (1, 2, 5, 9):
        model = random_model(rng, K, clique_size=3)
        for search in (BranchAndBound(max_nodes=1), BranchAndBound(max_nodes=2 * K)):
            searched = search.best([model.scores])
            assert searched.nodes.tolist() == [2 * K]
            assert np.array_equal(searched.labels[0], preferred(model))
    easy = random_model(rng, 7, scale=0.0, inputs=np.full((1, 7), 5.0))  # no loss at all: nothing to look for
    assert BranchAndBound().best([easy.scores]).nodes.tolist() == [14]


def test_nothing_below_S_gives_the_first_path_and_says_what_is_known():
    model = random_model(np.random.default_rng(41), 6, scale=0.0, inputs=np.full((1, 6), 0.5))  # the least loss is 3
    searched = BranchAndBound(S=2.0).best([model.scores])
    assert searched.labels.tolist() == [[1] * 6]
    assert (searched.loss[0], searched.bound[0], searched.certified[0]) == (3.0, 2.0, False)
    models = [model, random_model(np.random.default_rng(42), 6, scale=0.0, inputs=np.full((1, 6), 0.5))]
    averaged = BranchAndBound(S=2.0).best([m.scores for m in models])
    assert (averaged.loss[0], averaged.bound[0], averaged.certified[0]) == (3.0, 2.0, False)
    for kept in (kept_of(BranchAndBound(S=2.0), models, most=2), kept_of(BranchAndBound(S=2.0), models[:1], most=2)):
        assert kept[0].losses[0] == 3.0
        assert kept[0].bound == 2.0


def test_nodes_are_those_of_the_search_where_it_found_nothing():
    rng = np.random.default_rng(43)
    models = [random_model(rng, 6, scale=0.5) for _ in range(3)]
    S = 0.9 * mean_losses(models, all_labellings(6)).min()
    alone = BranchAndBound(S=S).best([model.scores for model in models]).nodes[0]
    assert kept_of(BranchAndBound(S=S), models, most=4)[0].nodes == alone


def test_a_planted_wrong_incumbent_loses_its_certificate():
    rng, planted = np.random.default_rng(44), 0
    for _ in range(MODELS):
        model = random_model(rng, 6, clique_size=3)
        searched = BranchAndBound().best([model.scores])
        every = model.losses(all_labellings(6))[0]
        wrong = every[every > searched.loss[0] + 1e-8].min()
        lied = Searched(searched.labels, np.array([wrong]), searched.bound, searched.nodes)
        assert searched.certified[0]
        assert not lied.certified[0]
        planted += 1
    assert planted == MODELS


def test_the_frontier_counts_right_branches_too():
    """A search that stops after its first path has proved only what the other value of some label costs."""
    rng = np.random.default_rng(45)
    for _ in range(MODELS):
        model = random_model(rng, 5)
        searched = BranchAndBound(max_nodes=1).best([model.scores])
        path, best = searched.labels[0].astype(float), np.inf
        paid = 0.0
        for i, label in enumerate(model.order):
            one = path.copy()
            one[label] = -one[label]
            best = min(best, paid + max(0.0, 1.0 - model.margins(one[None])[0, 0, label]))
            paid += max(0.0, 1.0 - model.margins(path[None])[0, 0, label])
            assert i < 5
        assert searched.loss[0] == pytest.approx(paid)
        optimum = BranchAndBound().best([model.scores]).loss[0]  # exact, as the tests above show
        assert min(best, paid) - 1e-9 <= searched.bound[0] <= optimum + 1e-9


@pytest.mark.parametrize("n_orders", [1, 2])
@pytest.mark.parametrize("smooth", [False, True], ids=["hinge", "log"])
def test_a_score_of_zero_says_minus_one(n_orders, smooth):
    rng = np.random.default_rng(46)
    models = [random_model(rng, 4, scale=0.0, smooth=smooth, n=3) for _ in range(n_orders)]
    searched = BranchAndBound().best([model.scores for model in models])
    assert (searched.labels == -1).all()
    assert searched.certified.all()


# -------------------------------------------------------------------------------------------- the same, however it runs


@pytest.mark.parametrize("n_orders", [1, 3])
def test_the_same_to_the_bit_for_any_number_of_threads(n_orders):
    rng = np.random.default_rng(50)
    models = [
        random_model(rng, 7, clique_size=3, n=10 if SLOW_KERNELS else 150, per_example=True) for _ in range(n_orders)
    ]
    scores = [model.scores for model in models]
    one = BranchAndBound(max_nodes=60).best(scores)
    few = kept_of(BranchAndBound(), models, most=4)
    for n_jobs in (2, 3):
        several = BranchAndBound(max_nodes=60).best(scores, n_jobs=n_jobs)
        for name in ("labels", "loss", "bound", "nodes"):
            assert np.array_equal(getattr(one, name), getattr(several, name))
        for kept, again in zip(few, kept_of(BranchAndBound(), models, most=4, n_jobs=n_jobs), strict=True):
            assert np.array_equal(kept.labels, again.labels)
            assert np.array_equal(kept.losses, again.losses)


@pytest.mark.parametrize("n_orders", [1, 3])
@pytest.mark.parametrize("S", [None, 2.0])
def test_looking_at_the_clock_changes_nothing(monkeypatch, n_orders, S):
    """The same answers in pieces of a few nodes as in one go."""
    monkeypatch.setattr("margrave.inference.branch_and_bound._BETWEEN_LOOKS", 6)
    rng = np.random.default_rng(51)
    models = [random_model(rng, 6, clique_size=3, n=40) for _ in range(n_orders)]
    scores, known = [model.scores for model in models], rng.choice([-1, 0, 0], size=(40, 6)).astype(np.int8)
    for max_nodes in (None, 10, 50):
        plain = BranchAndBound(S, max_nodes).best(scores, known)
        timed = BranchAndBound(S, max_nodes, time_limit=1e6).best(scores, known)
        assert np.array_equal(plain.labels, timed.labels)
        assert np.array_equal(plain.nodes, timed.nodes) or max_nodes is not None
        assert timed.loss == pytest.approx(plain.loss, abs=1e-12)
        assert timed.bound == pytest.approx(plain.bound, abs=1e-12)


def test_no_time_at_all_still_gives_an_answer(monkeypatch):
    monkeypatch.setattr("margrave.inference.branch_and_bound._BETWEEN_LOOKS", 1)
    rng = np.random.default_rng(52)
    for n_orders in (1, 2):
        models = [random_model(rng, 8, n=5) for _ in range(n_orders)]
        searched = BranchAndBound(time_limit=1e-12).best([model.scores for model in models])
        least = mean_losses(models, all_labellings(8)).min(axis=1)
        assert loss_of_answers(models, searched.labels) == pytest.approx(searched.loss, **NEAR)
        assert (searched.bound <= least + 1e-9).all()


@pytest.mark.parametrize("n_orders", [1, 3])
def test_memory_order_and_frozen_arrays_compile_nothing(n_orders):
    rng = np.random.default_rng(54)
    models = [random_model(rng, 4, n=3, clique_size=3, per_example=True) for _ in range(n_orders)]
    scores, known = [model.scores for model in models], np.zeros((3, 4), dtype=np.int8)
    plain, compiled = BranchAndBound().best(scores, known), []
    known.flags.writeable = False
    odd = [
        DirectedScores(s.dependencies, np.asfortranarray(s.inputs), np.asfortranarray(s.cliques), np.bool_(s.smooth))
        for s in scores
    ]
    for s in odd:
        s.inputs.flags.writeable = s.cliques.flags.writeable = False
    with on_first_compilation(lambda: compiled.append(1)):
        for given in (known, np.asfortranarray(known.astype(float))):
            assert np.array_equal(BranchAndBound().best(odd, given).labels, plain.labels)
    assert not compiled


def test_no_examples_and_no_labels():
    rng = np.random.default_rng(53)
    for n_orders in (1, 2):
        models = [random_model(rng, 3, n=0) for _ in range(n_orders)]
        assert BranchAndBound().best([model.scores for model in models]).labels.shape == (0, 3)
        models = [random_model(rng, 0, n=2) for _ in range(n_orders)]
        searched = BranchAndBound().best([model.scores for model in models])
        assert searched.labels.shape == (2, 0)
        assert searched.loss.tolist() == [0.0, 0.0]
        assert searched.certified.all()


# ----------------------------------------------------------------------------------------------------- a general solver


def by_mixed_integers(model):
    """Minimise Σ ξ with ξ_i ≥ 1 − z_i, y = 2b − 1, and each product y_i y_j = 4 b_i b_j − 2 b_i − 2 b_j + 1."""
    K = len(model.order)
    pairs = {}
    for label in model.order:
        for (other,), weight in model.terms[label]:
            if weight[0] != 0:
                pairs[label, other] = (2 * K + len(pairs), weight[0])
    width = 2 * K + len(pairs)  # b, ξ, products of b
    rows, low = [], []
    for label in range(K):
        row = np.zeros(width)
        row[label], row[K + label] = 2 * model.inputs[0, label], 1.0
        constant = -model.inputs[0, label]
        for (child, other), (at, weight) in pairs.items():
            if child == label:
                row[at] += 4 * weight
                row[label] -= 2 * weight
                row[other] -= 2 * weight
                constant += weight
        rows.append(row)
        low.append(1.0 - constant)
    for (child, other), (at, _) in pairs.items():
        for entries, least in ((((child, 1), (at, -1)), 0), (((other, 1), (at, -1)), 0)):
            rows.append(np.zeros(width))
            for column, value in entries:
                rows[-1][column] = value
            low.append(least)
        rows.append(np.zeros(width))
        rows[-1][[at, child, other]] = 1, -1, -1
        low.append(-1)
    upper = np.concatenate([np.ones(K), np.full(K, np.inf), np.ones(len(pairs))])
    found = milp(
        np.concatenate([np.zeros(K), np.ones(K), np.zeros(len(pairs))]),
        constraints=LinearConstraint(sparse.csr_array(np.array(rows)), low, np.inf),
        bounds=Bounds(0, upper),
        integrality=np.concatenate([np.ones(K), np.zeros(K + len(pairs))]),
        options={"mip_rel_gap": 0.0},
    )
    assert found.success
    return found.fun


def fitted_like(rng, K):
    """Scores as a trained model has them: most labels clearly off, a few open, and links to few earlier ones."""
    inputs = np.where(rng.random((1, K)) < 0.8, rng.normal(-1.5, 0.4, size=(1, K)), rng.normal(0.0, 0.6, size=(1, K)))
    model = random_model(rng, K, parents="full", scale=0.0, inputs=inputs)
    d = model.scores.dependencies
    weights = np.where(rng.random(d.n_cliques) < 0.05, rng.normal(0, 0.7, size=d.n_cliques), 0.0)
    model.scores.cliques[:] = weights
    for i, label in enumerate(model.order):
        run = d.run(i)
        model.terms[label] = [
            (tuple(model.order[p] for p in places), np.array([weights[c]]))
            for c, places in zip(range(run.start, run.stop), d.cliques(i), strict=True)
        ]
    return model


@pytest.mark.skipif(SLOW_KERNELS, reason="the general solver is the judge of compiled kernels")
def test_a_mixed_integer_program_of_forty_labels_has_the_same_minimum():
    rng = np.random.default_rng(60)
    for _ in range(20):
        model = fitted_like(rng, 40)
        searched = BranchAndBound().best([model.scores])
        assert searched.certified[0]
        assert searched.loss[0] == pytest.approx(by_mixed_integers(model), abs=1e-6)
        assert loss_of_answers([model], searched.labels) == pytest.approx(searched.loss, **NEAR)


# ----------------------------------------------------------------------------------------------------------- parameters


@pytest.mark.parametrize("name", ["S", "max_nodes", "time_limit"])
@pytest.mark.parametrize("value", [0, -1, "x", True, np.nan])
def test_limits_are_above_zero(name, value):
    model = random_model(np.random.default_rng(0), 3)
    with pytest.raises(ValueError, match=f"{name} of BranchAndBound must be"):
        BranchAndBound(**{name: value}).best([model.scores])


def test_infinite_limits_are_none():
    model = random_model(np.random.default_rng(70), 6, n=3)
    plain, infinite = BranchAndBound(), BranchAndBound(S=np.inf, max_nodes=np.inf)
    for name in ("labels", "loss", "bound", "nodes"):
        assert np.array_equal(getattr(plain.best([model.scores]), name), getattr(infinite.best([model.scores]), name))


def test_it_is_a_parameter_object():
    assert clone(BranchAndBound(S=2.0, max_nodes=7)).get_params() == {"S": 2.0, "max_nodes": 7, "time_limit": None}


def test_orders_must_be_of_the_same_examples():
    rng = np.random.default_rng(71)
    one, other = random_model(rng, 3, n=2), random_model(rng, 4, n=2)
    with pytest.raises(ValueError, match="scores must be of the same examples, labels and loss"):
        BranchAndBound().best([one.scores, other.scores])
    with pytest.raises(ValueError, match="scores must be of the same"):
        BranchAndBound().best([])


@pytest.mark.parametrize(
    ("known", "message"), [(np.zeros((3, 3)), r"must have shape \(2, 3\)"), (np.full((2, 3), 2), "must hold -1, \\+1")]
)
def test_given_labels_are_checked(known, message):
    model = random_model(np.random.default_rng(72), 3, n=2)
    with pytest.raises(ValueError, match=message):
        BranchAndBound().best([model.scores], known)
