"""Fitted models in files: the same answers to the bit."""

import json
import tracemalloc
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import NotFittedError

import margrave as mg
from margrave.persistence import ModelFileError, read_file, save_object, write_file
from tests.persistence.signed import resigned, with_header

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


# ------------------------------------------------------------------------------- signed by somebody with bad intentions

LIES = (
    None, 0, 1, -1, 2**31, 2**63, 2**70, 1e308, True, "", "a0", "a1", "a3", "<f4", "<i8", "|O8", [], {}, [2**62, 2**62],
    {"array": "a0"}, {"numbers": "a1"}, {"scalar": "a0"}, {"slice": [0, 1, None]}, {"list": []}, {"tuple": []},
    {"float": "nan"}, {"keys": {"list": []}, "values": {"list": []}}, {"object": "Forest", "state": {}},
    {"characters": "a0", "dtype": "<U9", "shape": [3]}, {"object": "ChainCRF", "state": {}},
)  # fmt: skip


def places(value, path=()):
    """The way to each value inside a JSON value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in inner:
        yield (*path, key)
        yield from places(part, (*path, key))


def at(value, path):
    for key in path:
        value = value[key]
    return value


def changed(content, rng):
    """A file with one thing changed in its header or in its arrays, and a checksum that is right again."""
    stop = 8 + int.from_bytes(content[:8], "little")
    header, body = json.loads(content[8:stop]), bytearray(content[stop:])
    path = list(places(header))[int(rng.integers(1, len(list(places(header)))))]  # the first is the checksum
    parent, kind = at(header, path[:-1]), int(rng.integers(4))
    if kind == 0:
        body[int(rng.integers(len(body)))] = int(rng.choice([0, 127, 128, 255]))
    elif kind == 1 and isinstance(parent, dict):
        del parent[path[-1]]
    elif kind == 2 and isinstance(at(header, path), int):
        parent[path[-1]] += int(rng.choice([-64, -1, 1, 64]))
    else:
        parent[path[-1]] = LIES[int(rng.integers(len(LIES)))]
    text = json.dumps(header).encode()
    text += b" " * (-(8 + len(text)) % 64)
    return resigned(len(text).to_bytes(8, "little") + text + bytes(body))


@pytest.mark.parametrize("name", ["dense", "tokens", "objects"])
def test_what_a_signed_lie_makes_is_refused_or_whole(name, tmp_path):
    """Nothing but ModelFileError, little memory; and a model that loads has all that a fit leaves."""
    model, data = MODELS[name]
    path, rng = tmp_path / "a.mg", np.random.default_rng(0)
    model.fit(data, Y).save(path)
    content, learned = path.read_bytes(), {key for key in vars(model) if key.endswith("_")}
    refused = 0
    for number in range(400):
        path.write_bytes(changed(content, rng))
        if number % 8 == 0:
            tracemalloc.start()
        try:
            loaded = mg.load(path)
        except ModelFileError:
            refused += 1
        else:
            assert learned <= set(vars(loaded))
            assert vars(loaded.encoder_).keys() == vars(model.encoder_).keys()
        if tracemalloc.is_tracing():
            assert tracemalloc.get_traced_memory()[1] < 2 * len(content) + 200_000
            tracemalloc.stop()
    assert 100 < refused < 400


@pytest.mark.parametrize("twice", ["used", "described"])
def test_a_short_file_cannot_ask_for_much_memory(twice, tmp_path):
    """One array, asked for again and again: by its name, or by many names for one place."""
    path, n = tmp_path / "a.mg", 200
    mg.ChainCRF().fit(X, Y).save(path)
    header, arrays = read_file(path)
    names = ["large"] * n if twice == "used" else [f"large{i}" for i in range(n)]
    header["state"]["state"]["penalty"] = {"list": [{"numbers": name} for name in names]}
    header.pop("format")
    write_file(path, header, {**arrays, **dict.fromkeys(names[:1], np.arange(20_000))})

    def describe(header):
        header["arrays"].update(dict.fromkeys(names, header["arrays"][names[0]]))

    path.write_bytes(with_header(path.read_bytes(), describe))
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError):
            mg.load(path)
        assert tracemalloc.get_traced_memory()[1] < 8 * path.stat().st_size
    finally:
        tracemalloc.stop()


# -------------------- label models

LABEL_X = np.abs(np.random.default_rng(1).normal(size=(40, 4)))
LABEL_Y = (LABEL_X[:, :3] > 0.6).astype(int)
LABEL_MODELS = {
    "linear": mg.LMSBNClassifier(order="f_score", random_state=0),
    "log-loss, triples": mg.LMSBNClassifier(loss="log", clique_size=3),
    "kernel, several orders": mg.LMSBNClassifier(kernel="chi2", n_orders=2, random_state=0),
    "kernel of both": mg.LMSBNClassifier(kernel="rbf", kernel_on="x+parents"),
    "landmarks": mg.LMSBNClassifier(kernel=mg.scores.Kernel("poly", degree=2), n_components=7, random_state=0),
    "clique features": mg.LMSBNClassifier(clique_features=[1], calibration=2, random_state=0),
    "parents and weights by number": mg.LMSBNClassifier(parents={1: [0], 2: [0]}, class_weight={0: 1.0, 1: 2.0}),
    "a slice": mg.LMSBNClassifier(clique_features=slice(1, 3)),
    "limits": mg.LMSBNClassifier(inference=mg.inference.BranchAndBound(max_nodes=3)),
    "a beam": mg.LMSBNClassifier(inference=mg.inference.Beam(2), solver=mg.solvers.Pegasos(max_iter=50, tol=1.0)),
}


@pytest.mark.parametrize("name", LABEL_MODELS)
def test_a_saved_label_model_answers_to_the_bit(name, tmp_path):
    model = LABEL_MODELS[name].fit(LABEL_X, LABEL_Y)
    model.save(tmp_path / "model.mg")
    loaded = mg.load(tmp_path / "model.mg")
    assert type(loaded) is type(model) and repr(loaded) == repr(model)
    ours, theirs = model.predict_certified(LABEL_X), loaded.predict_certified(LABEL_X)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(ours, theirs, strict=True))
    assert model.predict_proba(LABEL_X).tobytes() == loaded.predict_proba(LABEL_X).tobytes()
    assert loaded.history_ == model.history_ and loaded.temperature_ == model.temperature_
    loaded.fit(LABEL_X, LABEL_Y)


def test_a_model_of_named_columns_and_text_keeps_them(tmp_path):
    features = pd.DataFrame(LABEL_X, columns=list("abcd"))
    labels = pd.DataFrame(np.where(LABEL_Y, "yes", "no"), columns=["wet", "cold", "late"])
    mg.LMSBNClassifier().fit(features, labels).save(tmp_path / "model.mg")
    loaded = mg.load(tmp_path / "model.mg")
    assert loaded.feature_names_in_.tolist() == list("abcd") and loaded.table_.names == ("wet", "cold", "late")
    assert set(loaded.predict(features).ravel()) == {"yes", "no"}
    with pytest.raises(ValueError, match="feature names"):
        loaded.predict(features[["b", "a", "c", "d"]])


def test_a_function_inside_a_model_is_named_and_nothing_is_written(tmp_path):
    model = mg.LMSBNClassifier(clique_features=lambda X: X[:, :1]).fit(LABEL_X, LABEL_Y)
    with pytest.raises(TypeError, match=r"LMSBNClassifier.clique_features cannot be saved"):
        model.save(tmp_path / "model.mg")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda m: setattr(m, "model_", None), "parts do not fit"),
        (
            lambda m: setattr(m, "n_features_in_", 7),
            r"weights must be finite numbers of double precision, of shape \(1, 3, 8\)",
        ),
        (lambda m: m.model_.inputs.weights.__setitem__((0, 0, 0), np.nan), "must be finite numbers"),
        (
            lambda m: setattr(m, "table_", replace(m.table_, classes=m.table_.classes[:2])),
            "3 labels were trained, 2 are named",
        ),
        (lambda m: setattr(m, "model_", replace(m.model_, cliques=())), "orders must be of the same labels"),
        (lambda m: m.model_.dependencies[0].members.__setitem__(0, 2), "members must be places before"),
    ],
    ids=["no model", "features", "NaN", "labels", "cliques", "members"],
)
def test_a_file_whose_parts_do_not_fit_is_refused(spoil, message, tmp_path):
    model = mg.LMSBNClassifier().fit(LABEL_X, LABEL_Y)
    spoil(model)
    save_object(model, tmp_path / "model.mg")
    with pytest.raises(ModelFileError, match=message):
        mg.load(tmp_path / "model.mg")
