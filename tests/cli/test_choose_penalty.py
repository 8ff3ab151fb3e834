import io

import numpy as np
import pytest
from rich.console import Console

import margrave as mg
from margrave.cli.choose_penalty import Tried, best, candidates, cross_validate, show_tried
from margrave.cli.errors import BadInputError
from margrave.cli.progress import Watcher
from margrave.cli.targets import standard_output
from margrave.metrics import token_accuracy
from tests.cli.conftest import sentences

DATA = sentences(18, seed=3)
X = [[[f"w={token[0]}", f"p={token[1]}"] for token in sentence] for sentence in DATA]
Y = [[token[2].replace("-", "") for token in sentence] for sentence in DATA]


def tried(C=(0.1, 10.0), folds=3, seed=5, y=Y):
    estimator = mg.ChainCRF(C=99.0)
    with Watcher(1e-3, 100, False, Console(file=io.StringIO())).showing() as watcher:
        found = cross_validate(estimator, estimator.encode(X), y, C, folds, seed, watcher)
    assert estimator.C == 99.0 and not hasattr(estimator, "weights_")
    return found


def test_each_fold_is_judged_by_a_model_of_the_others():
    cuts = np.array_split(np.random.default_rng(5).permutation(len(X)), 3)
    for each in tried():
        assert each.measure == "token accuracy"
        for held_out, reached in zip(cuts, each.folds, strict=True):
            kept = [i for i in range(len(X)) if i not in held_out]
            model = mg.ChainCRF(each.C).fit([X[i] for i in kept], [Y[i] for i in kept])
            expected = token_accuracy([Y[i] for i in held_out], model.predict([X[i] for i in held_out]))
            assert reached == pytest.approx(expected)


def test_chunks_are_judged_by_their_f1():
    tags = [[token[2] for token in sentence] for sentence in DATA]
    assert {each.measure for each in tried(y=tags)} == {"chunk F1"}


@pytest.mark.parametrize("folds", [1, 19])
def test_folds_that_cannot_be(folds):
    with pytest.raises(BadInputError, match=f"--folds must be from 2 to the number of sequences, 18; got {folds}"):
        tried(folds=folds)


def test_the_best_mean_and_of_equal_ones_the_smallest():
    rows = [Tried(0.1, "x", [0.5, 0.7]), Tried(1.0, "x", [0.7, 0.7]), Tried(10.0, "x", [0.8, 0.6])]
    assert best(rows).C == 1.0
    assert rows[0].as_json() == {"C": 0.1, "measure": "x", "folds": [0.5, 0.7], "mean": 0.6}


def test_lists_of_candidates():
    assert candidates("1,0.1, 1e1,1") == [0.1, 1.0, 10.0]
    for bad in ("", "a", "1,-1", "0", "nan", "inf"):
        with pytest.raises(BadInputError, match="--choose-C takes numbers above 0"):
            candidates(bad)


def test_for_a_person(capsys):
    show_tried([Tried(0.1, "chunk F1", [0.5, 0.75]), Tried(1.0, "chunk F1", [0.25, 0.5])], standard_output())
    shown = capsys.readouterr().out
    assert "chunk F1 by cross-validation" in shown
    assert "0.1 *" in shown and "0.6250" in shown
