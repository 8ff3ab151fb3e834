"""Fitted models in files: the same answers to the bit."""

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError

import margrave as mg
from margrave.persistence import ModelFileError, read_file, save_object, write_file

RNG = np.random.default_rng(0)
X = [RNG.normal(size=(n, 3)) for n in (4, 1, 0, 6)]
Y = [list(RNG.choice(["a", "bé", "c"], size=len(x))) for x in X]
TOKENS = [[{"word": f"w{i % 3}", "n": float(i)} for i in range(len(x))] for x in X]

MODELS = {
    "dense": (mg.ChainCRF(boundary=True, penalty={"edges": 0.5}), X),
    "tokens": (mg.ChainCRF(C=2.0, random_state=0), TOKENS),
    "hinge": (mg.ChainM3N(random_state=0, tol=0.1), X),
    "sum": (mg.SequenceClassifier(nodes=mg.scores.Sum([mg.scores.Linear(bias=False), mg.scores.Constant()])), X),
    "objects": (
        mg.SequenceClassifier(
            loss=mg.losses.SmoothedHinge(0.5, cost=1.0 - np.eye(3)),
            solver=mg.solvers.LBFGS(memory=5),
            inference=mg.inference.Forest(),
            structure=mg.Sequence(boundary=True),
        ),
        X,
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_a_saved_model_answers_to_the_bit(name, tmp_path):
    model, data = MODELS[name]
    model.fit(data, Y).save(tmp_path / "model.mg")
    loaded = mg.load(tmp_path / "model.mg")
    assert type(loaded) is type(model)
    assert repr(loaded) == repr(model)
    assert loaded.weights_.tobytes() == model.weights_.tobytes()
    assert loaded.history_ == model.history_ and loaded.gap_ == model.gap_
    for ours, theirs in zip(model.predict_marginals(data), loaded.predict_marginals(data), strict=True):
        assert ours.tobytes() == theirs.tobytes()
    for ours, theirs in zip(model.predict(data), loaded.predict(data), strict=True):
        assert ours.dtype == theirs.dtype and (ours == theirs).all()
    loaded.fit(data, Y)  # and it can be fitted again


def test_an_unfitted_model_is_not_saved(tmp_path):
    with pytest.raises(NotFittedError):
        mg.ChainCRF().save(tmp_path / "a.mg")
    assert not list(tmp_path.iterdir())


def test_a_file_that_is_no_model_is_refused(tmp_path):
    (tmp_path / "a.mg").write_bytes(b"\x80\x04pickle, perhaps" * 20)
    with pytest.raises(ModelFileError, match="is not a margrave model file"):
        mg.load(tmp_path / "a.mg")


def test_weights_that_point_elsewhere_are_refused(tmp_path):
    """A signed file whose index arrays lie must not reach a kernel."""
    path = tmp_path / "a.mg"
    mg.ChainCRF().fit(TOKENS, Y).save(path)
    header, arrays = read_file(path)
    header.pop("format")
    refused = 0
    for name, array in arrays.items():
        if array.dtype.kind == "i":
            write_file(path, header, {**arrays, name: np.full_like(array, 2**30)})
            try:
                mg.load(path)
            except ModelFileError:
                refused += 1
    assert refused >= 3


@pytest.mark.parametrize("value", [np.float64(2.0), np.int64(2)])
def test_numpy_numbers_as_parameters_survive(tmp_path, value):
    mg.ChainCRF(C=value).fit(X, Y).save(tmp_path / "a.mg")
    loaded = mg.load(tmp_path / "a.mg")
    assert type(loaded.C) is type(value) and loaded.C == value
    loaded.fit(X, Y)


def lies():
    """Changes of a fitted tagger that no fit makes; each would send a kernel out of its arrays."""
    big = np.iinfo(np.int32).max

    def name(model, column):
        vocabulary = model.encoder_.names_.vocabulary_
        vocabulary[next(iter(vocabulary))] = column

    def layout(model, **values):
        for name, value in values.items():
            object.__setattr__(model.model_["nodes"].layout, name, value)

    yield (
        "vocabulary beyond",
        lambda m: name(m, big),
    )
    yield (
        "vocabulary below",
        lambda m: name(m, -9),
    )
    yield "outputs beyond", lambda m: layout(m, n_outputs=2**31 - 1)
    yield (
        "outputs of bytes",
        lambda m: layout(m, n_outputs=256, outputs=np.full(len(m.model_["nodes"].layout.outputs), 255, np.uint8)),
    )
    yield "runs that wrap", lambda m: layout(m, runs=m.model_["nodes"].layout.runs[::-1].astype(np.uint64))
    yield "runs that fall", lambda m: layout(m, runs=np.concatenate([[0], m.model_["nodes"].layout.runs[:0:-1]]))
    yield "no model", lambda m: setattr(m, "model_", None)
    yield "a name for a model", lambda m: setattr(m, "model_", "model")
    yield "no encoder", lambda m: delattr(m, "encoder_")
    yield "labels of no kind", lambda m: setattr(m, "classes_", 7)
    yield "more labels", lambda m: setattr(m, "classes_", np.arange(50))
    yield "fewer weights", lambda m: setattr(m, "weights_", m.weights_[:-1])
    yield "single weights", lambda m: setattr(m, "weights_", m.weights_.astype(np.float32))
    yield "features beyond", lambda m: setattr(m.encoder_, "n_features_in_", 10**9)


@pytest.mark.parametrize(("name", "lie"), list(lies()), ids=[name for name, _ in lies()])
def test_a_signed_file_with_a_lie_is_refused(tmp_path, name, lie):
    model = mg.ChainCRF().fit(TOKENS, Y)
    lie(model)
    save_object(model, tmp_path / "a.mg")
    with pytest.raises(ModelFileError):
        mg.load(tmp_path / "a.mg")
