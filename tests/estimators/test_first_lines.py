"""The lines that a reader tries first, as they stand in the project's plan."""

import numpy as np
import pytest

import margrave as mg
from margrave.datasets import fetch_conll2000, load_ocr_letters


@pytest.fixture(scope="module")
def letters():
    ocr = load_ocr_letters()
    train = ocr.fold == 0
    X = [x for x, t in zip(ocr.data, train, strict=True) if t]
    y = [v for v, t in zip(ocr.target, train, strict=True) if t]
    return X, y


def test_a_crf_of_handwritten_words(letters):
    X, y = letters
    crf = mg.ChainCRF(C=0.5, n_jobs=2).fit(X, y)
    labels = crf.predict(X)
    marg = crf.predict_marginals(X)
    assert [len(label) for label in labels] == [len(x) for x in X]
    assert all(label.dtype.kind == "U" for label in labels)
    assert [m.shape for m in marg] == [(len(x), 26) for x in X]
    assert crf.classes_.tolist() == list("abcdefghijklmnopqrstuvwxyz")
    assert set(crf.history_[-1]) == {"iteration", "objective", "dual", "gap", "seconds"}
    assert crf.score(X, y) > 0.9
    # the certificate again, from the weights and marginals alone: half the gradient's square bounds the distance
    rows, numbers = np.concatenate(X).astype(float), np.searchsorted(crf.classes_, np.concatenate(y))
    off = np.concatenate(marg) - np.eye(26)[numbers]
    nodes = np.vstack([rows.T @ off, off.sum(axis=0)]) * 0.5 + crf.weights_[: 129 * 26].reshape(129, 26)
    bound = crf.gap_ * crf.history_[-1]["objective"]
    assert crf.gap_ <= 1e-3
    assert 0.5 * np.sum(nodes**2) <= bound * (1 + 1e-6)


def test_an_m3n_of_handwritten_words(letters):
    X, y = letters
    m3n = mg.ChainM3N(C=0.1, tol=1e-2).fit(X, y)
    assert 0 <= m3n.gap_ <= 1e-2
    assert m3n.score(X, y) > 0.85


def test_dicts_as_sklearn_crfsuite_takes_them():
    feats = [[{"bias": 1.0, "word": "the", "upper": False}, {"bias": 1.0, "word": "cat"}]]
    tagger = mg.ChainCRF(C=0.5).fit(feats, [["B-NP", "I-NP"]])
    assert [labels.tolist() for labels in tagger.predict(feats)] == [["B-NP", "I-NP"]]


def test_the_words_of_the_house_by_hand():
    X, y = [np.array([[0.0], [1.0], [0.0]])], [["a", "b", "a"]]
    solver = mg.solvers.LBFGS()
    model = mg.SequenceClassifier(loss=mg.losses.SmoothedHinge(0.1), solver=solver).fit(X, y)
    assert model.gap_ <= solver.tol
    for inference in (mg.inference.Exhaustive(), mg.inference.Forest(), "exhaustive", "forest", "auto"):
        for loss in (mg.losses.LogLoss(), mg.losses.Hinge()):
            kinds = {mg.losses.LogLoss: mg.solvers.LBFGS, mg.losses.Hinge: mg.solvers.FrankWolfe}
            fitted = mg.SequenceClassifier(loss, C=5.0, inference=inference, solver=kinds[type(loss)]()).fit(X, y)
            assert fitted.predict(X)[0].tolist() == y[0]


@pytest.mark.data
def test_chunks_of_sentences():
    conll = fetch_conll2000(subset="train")
    data = [mg.features.conll_template(s) for s in conll.data[:200]]
    tagger = mg.ChainCRF(C=0.5).fit(data, conll.target[:200])
    assert tagger.gap_ <= 1e-3
    assert tagger.score(data, conll.target[:200]) > 0.95
