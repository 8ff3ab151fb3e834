import numpy as np
import pytest

from margrave.scores import Constant, Zero
from tests.scores.explicit import Explicit, check, check_adjoint, truth_of

K = 4


@pytest.mark.parametrize("rows", [slice(None), slice(2, 5), slice(1, 2), slice(3, 3)], ids=str)
def test_all_outputs_have_a_weight(rows):
    layout = Constant().lay_out(None, K)
    # one feature that is always 1
    explicit = Explicit.of(np.ones((6, 1)), K, bias=False)
    assert layout.n_weights == K
    check(layout.bind(None), explicit, K, np.random.default_rng(1), rows)


@pytest.mark.parametrize("rows", [slice(None), slice(2, 5), slice(1, 2), slice(3, 3)], ids=str)
def test_observed_outputs_have_a_weight(rows):
    pairs = {(0, 3), (1, 1), (4, 3)}
    layout = Constant().lay_out(None, K, truth_of(pairs), "observed")
    explicit = Explicit.of(np.ones((6, 1)), K, bias=False, pairs=pairs)
    assert layout.n_weights == 2
    check(layout.bind(None), explicit, K, np.random.default_rng(2), rows)
    assert layout.matrix(np.array([5.0, 7.0])).tolist() == [[0, 5, 0, 7]]


def test_its_own_choice_counts_more_than_the_models():
    truth = truth_of({(0, 0)})
    assert Constant("all").lay_out(None, K, truth, "observed").n_weights == K
    assert Constant("observed").lay_out(None, K, truth, "all").n_weights == 1


def test_observed_weights_need_labels():
    with pytest.raises(ValueError, match=r"Constant\(features='observed'\) needs the training labels"):
        Constant("observed").lay_out(None, K)


def test_zero_has_no_weights():
    layout = Zero().lay_out(None, K, truth_of({(0, 0)}), "observed")
    assert layout.n_weights == 0
    check(layout.bind(None), Explicit(np.ones((5, 1)), np.zeros((1, K), dtype=bool)), K, np.random.default_rng(3))
    assert layout.matrix(np.empty(0)).tolist() == [[0.0] * K]


@pytest.mark.parametrize("which", ["all", "observed"])
def test_pullback_is_adjoint_to_scores(which):
    layout = Constant(which).lay_out(None, K, truth_of({(0, 1), (2, 2)}))
    check_adjoint(layout.bind(None), layout.n_weights, (7, K), np.random.default_rng(4))
