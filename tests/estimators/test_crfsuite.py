"""The same model as CRFsuite's: the same optimum of the same objective over the same weights."""

import math
from itertools import pairwise, product

import numpy as np
import pycrfsuite
import pytest

import margrave as mg

C = 2.0


def problem(seed=0):
    # values above 0: CRFsuite leaves out pairs whose values add up to less than its least frequency, 0
    rng = np.random.default_rng(seed)
    X, y = [], []
    for length in (4, 1, 3, 5, 2, 4):
        tokens, labels = [], []
        for t in range(length):
            label = "ABC"[int(rng.integers(3))] if t == 0 or rng.random() < 0.5 else labels[-1]
            token = {"bias": 1.0, f"w={'xyz'[int(rng.integers(3))]}": 1.0, "weight": round(float(rng.random()), 3)}
            if rng.random() < 0.6:
                token[f"hint={label}"] = 1.0
            token["first"] = float(t == 0)  # 0 is a value too: it shows the attribute together with the label
            tokens.append(token)
            labels.append(label)
        X.append(tokens)
        y.append(labels)
    return X, y


def crfsuite_model(X, y, every, path):
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params(
        {
            "c1": 0.0, "c2": 1 / (2 * C), "max_iterations": 5000, "epsilon": 1e-9, "delta": 1e-14, "num_memories": 20,
            "feature.possible_states": every, "feature.possible_transitions": every,
        }
    )  # fmt: skip
    for tokens, labels in zip(X, y, strict=True):
        trainer.append(pycrfsuite.ItemSequence(tokens), labels)
    trainer.train(str(path))
    tagger = pycrfsuite.Tagger()
    with tagger.open(str(path)):
        info = tagger.info()
        answers = [tagger.tag(tokens) for tokens in X]
        marginals = []
        for tokens in X:
            tagger.set(pycrfsuite.ItemSequence(tokens))
            marginals.append([[tagger.marginal(label, t) for label in "ABC"] for t in range(len(tokens))])
    return info, answers, marginals


def objective(X, y, states, transitions):
    """½‖w‖² + C Σ −log p, by enumeration from (attribute, label) and (label, label) weights alone."""
    total = 0.5 * (sum(w * w for w in states.values()) + sum(w * w for w in transitions.values()))
    for tokens, labels in zip(X, y, strict=True):
        scores = {}
        for z in product("ABC", repeat=len(tokens)):
            used = [(name, k, v) for token, k in zip(tokens, z, strict=True) for name, v in token.items()]
            score = sum(states.get((name, k), 0.0) * v for name, k, v in used)
            scores[z] = score + sum(transitions.get(pair, 0.0) for pair in pairwise(z))
        top = max(scores.values())
        total += C * (top + math.log(sum(math.exp(s - top) for s in scores.values())) - scores[tuple(labels)])
    return total


@pytest.fixture(scope="module", params=[False, True], ids=["observed", "all"])
def pair(request, tmp_path_factory):
    X, y = problem()
    theirs = crfsuite_model(X, y, request.param, tmp_path_factory.mktemp("crfsuite") / "model")
    which = "all" if request.param else None  # None: observed, as input is sparse
    ours = mg.ChainCRF(C, nodes=mg.scores.Linear(which), edges=mg.scores.Constant(which), tol=1e-13).fit(X, y)
    return X, y, ours, *theirs


def test_the_same_weights_exist(pair):
    _, _, ours, info, _, _ = pair
    # CRFsuite drops weights of exactly 0 from its files; ours are none of them
    assert set(info.state_features) == set(ours.state_features_)
    assert set(info.transitions) == set(ours.transition_features_)
    assert len(ours.weights_) == len(info.state_features) + len(info.transitions)


def test_the_same_weights(pair):
    _, _, ours, info, _, _ = pair
    for mine, theirs in ((ours.state_features_, info.state_features), (ours.transition_features_, info.transitions)):
        for name, weight in theirs.items():
            assert mine[name] == pytest.approx(weight, abs=2e-5)  # the file is printed with six digits


def test_the_same_objective(pair):
    X, y, ours, info, _, _ = pair
    theirs = objective(X, y, info.state_features, info.transitions)
    mine = objective(X, y, ours.state_features_, ours.transition_features_)
    assert ours.history_[-1]["objective"] == pytest.approx(mine, rel=1e-12)
    assert mine == pytest.approx(theirs, rel=1e-8)
    assert mine <= theirs * (1 + 1e-12)  # the minimum, up to rounding


def test_the_same_answers(pair):
    X, _, ours, _, answers, marginals = pair
    assert [a.tolist() for a in ours.predict(X)] == answers
    for mine, theirs in zip(ours.predict_marginals(X), marginals, strict=True):
        assert np.allclose(mine, theirs, atol=1e-4)
