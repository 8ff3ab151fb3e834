import hashlib
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array

from margrave.datasets import DatasetChecksumError, DatasetNotFoundError, fetch_multilabel, load_scene
from margrave.datasets.multilabel_files import MULTILABEL_FILES
from margrave.datasets.packed import open_packed

LABELS = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="{}"/><label name="{}"/></labels>'
ROWS = "@relation toy\n@attribute one {{0,1}}\n@attribute x numeric\n@attribute two {{0,1}}\n@data\n{}\n"
TOY = {"labels": LABELS.format("two", "one"), "train": ROWS.format("1,.5,0\n1,.25,1"), "test": ROWS.format("0,.75,1")}
NAMES = (
    *("scene", "yeast", "emotions", "enron", "medical", "bibtex", "delicious", "corel5k", "tmc2007-500"),
    *("mediamill-subset", "rcv1v2"),
)
# Training rows, test rows, features, labels; and what the Mulan project prints of both parts together: labels a row.
SIZES = {
    "scene": (1211, 1196, 294, 6, 1.074),
    "yeast": (1500, 917, 103, 14, 4.237),
    "emotions": (391, 202, 72, 6, 1.869),
    "enron": (1123, 579, 1001, 53, 3.378),
    "medical": (333, 645, 1449, 45, 1.245),
    "bibtex": (4880, 2515, 1836, 159, 2.402),
    "delicious": (12920, 3185, 500, 983, 19.020),
    "corel5k": (4500, 500, 499, 374, 3.522),
    "tmc2007-500": (21519, 7077, 500, 22, 2.158),
    "mediamill-subset": (1500, 500, 120, 101, None),
    "rcv1v2": (3000, 3000, 47236, 100, None),
}
SPARSE = {"enron", "medical", "bibtex", "delicious", "corel5k", "tmc2007-500", "rcv1v2"}
MULAN = sorted(set(NAMES) - {"rcv1v2"})


@pytest.fixture
def no_folder(monkeypatch):
    monkeypatch.delenv("MARGRAVE_DATA", raising=False)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def entry(name):
    """The registry's entry with the checksums of the toy files."""
    registry, files = MULTILABEL_FILES[name], {}
    for part, file in registry.files.items():
        files[part] = replace(file, sha256=hashlib.sha256(TOY[part].encode()).hexdigest())
    return replace(registry, files=files)


def at_host(registry, host):
    files = {part: replace(file, origin=replace(file.origin, host=host)) for part, file in registry.files.items()}
    return replace(registry, files=files)


def serve(folder, registry, contents):
    """Lay out the files as the public origin has them, below the root that is served."""
    root = folder.parents[2]
    for part, file in registry.files.items():
        path = root / file.origin.repository / file.origin.commit / file.origin.path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents[part])


def test_every_set_has_its_entry():
    assert tuple(MULTILABEL_FILES) == NAMES
    assert all(name == registry.name for name, registry in MULTILABEL_FILES.items())


def test_another_name_is_refused():
    with pytest.raises(ValueError, match=r"name: expected one of scene, yeast, .*, rcv1v2, got 'Scene'"):
        fetch_multilabel("Scene")


@pytest.mark.parametrize("name", NAMES)
def test_missing_files_are_named(name, tmp_path, no_folder):
    with pytest.raises(DatasetNotFoundError, match="MARGRAVE_DATA") as caught:
        fetch_multilabel(name, data_home=tmp_path, download_if_missing=False)
    for part, file in MULTILABEL_FILES[name].files.items():
        assert file.path in str(caught.value), part
        assert file.path.startswith(f"multilabel/{name}/")


@pytest.mark.parametrize("name", ["mediamill-subset", "rcv1v2"])
def test_sets_that_are_published_nowhere_are_not_asked_for(name, tmp_path, no_folder):
    with pytest.raises(DatasetNotFoundError, match="no public origin"):
        fetch_multilabel(name, data_home=tmp_path)


def test_another_file_is_refused(tmp_path, no_folder):
    (tmp_path / "multilabel" / "yeast").mkdir(parents=True)
    (tmp_path / "multilabel" / "yeast" / "yeast.xml").write_text(TOY["labels"])
    with pytest.raises(DatasetChecksumError, match=r"yeast\.xml is not the published file of yeast"):
        fetch_multilabel("yeast", data_home=tmp_path)


@pytest.mark.parametrize("name", ["yeast", "tmc2007-500"])
def test_a_public_origin_is_asked_once(name, served, tmp_path, monkeypatch, no_folder):
    folder, host = served
    registry = at_host(entry(name), host)
    monkeypatch.setitem(MULTILABEL_FILES, name, registry)
    serve(folder, registry, {part: text.encode() for part, text in TOY.items()})
    for _ in range(2):
        toy = fetch_multilabel(name, data_home=tmp_path / "cache")
        assert toy.label_names.tolist() == ["two", "one"]
        assert toy.feature_names == ["x"]
        assert (toy.X_train.tolist(), toy.Y_train.tolist()) == ([[0.5], [0.25]], [[0, 1], [1, 1]])
        assert (toy.X_test.tolist(), toy.Y_test.tolist()) == ([[0.75]], [[1, 0]])
        assert f"{name}: 2 training and 1 test rows, 1 features, 2 labels" in toy.DESCR
        for path in (tmp_path / "served").rglob("*.*"):
            path.unlink()


def test_an_origin_that_cannot_be_reached_names_what_would_do(served, tmp_path, monkeypatch, no_folder):
    monkeypatch.setitem(MULTILABEL_FILES, "yeast", at_host(entry("yeast"), served[1]))
    with pytest.raises(DatasetNotFoundError, match="HTTPError") as caught:
        fetch_multilabel("yeast", data_home=tmp_path / "cache")
    assert str(tmp_path / "cache" / "multilabel" / "yeast" / "yeast.xml") in str(caught.value)


@pytest.mark.parametrize("name", MULAN)
def test_addresses_name_the_file_at_a_commit(name):
    for file in MULTILABEL_FILES[name].files.values():
        if file.origin is not None:
            assert re.fullmatch(r"[0-9a-f]{40}", file.origin.commit)
            assert file.origin.path.startswith("data/multi-label/")
            same = {"tmc2007-500.xml": "tmc2007.xml"}.get(Path(file.path).name, Path(file.path).name)
            assert Path(file.origin.path).name == same


def folder_of(name):
    return Path(os.environ["MARGRAVE_DATA"], "multilabel", name)


def unpacked(path):
    with open_packed(next(path.parent.glob(f"{path.name}*"))) as file:
        return file.read()


@pytest.mark.data
@pytest.mark.parametrize("name", NAMES)
def test_published_sizes(name):
    data = fetch_multilabel(name)
    n_train, n_test, n_features, n_labels, labels_a_row = SIZES[name]
    assert data.X_train.shape == (n_train, n_features)
    assert data.X_test.shape == (n_test, n_features)
    assert (data.Y_train.shape, data.Y_test.shape) == ((n_train, n_labels), (n_test, n_labels))
    assert len(set(data.label_names)) == n_labels
    assert data.feature_names is None or len(set(data.feature_names)) == n_features
    for X, Y in ((data.X_train, data.Y_train), (data.X_test, data.Y_test)):
        assert isinstance(X, csr_array if name in SPARSE else np.ndarray)
        assert X.dtype == np.float64
        assert Y.dtype == np.int64
        assert np.unique(Y).tolist() == [0, 1]
    if labels_a_row is not None:
        both = np.vstack([data.Y_train, data.Y_test])
        assert abs(both.sum() / len(both) - labels_a_row) < 0.001  # 1108 / 593 is printed as 1.869


def plain_rows(text):
    """The names and the rows of an ARFF file, by the simplest of means."""
    lines = [line.strip() for line in text.decode().splitlines()]
    names = [re.match(r"(?i)@attribute\s+(\S+)\s", line)[1] for line in lines if line.lower().startswith("@attribute")]
    rows = []
    for line in lines[[line.lower() for line in lines].index("@data") + 1 :]:
        if line.startswith("{"):
            pairs = dict(pair.split() for pair in line.strip("{}").split(",") if pair.strip())
            rows.append({names[int(column)]: float(value) for column, value in pairs.items()})
        elif line and not line.startswith("%"):
            rows.append(dict(zip(names, map(float, line.split(",")), strict=True)))
    return names, rows


@pytest.mark.data
@pytest.mark.parametrize("name", MULAN)
def test_columns_are_those_of_the_files(name):
    data, files = fetch_multilabel(name), MULTILABEL_FILES[name].files
    xml = (folder_of(name) / Path(files["labels"].path).name).read_text()
    labels = re.findall(r'<label name="(.*?)">', xml)
    assert data.label_names.tolist() == labels
    for part, X, Y in (("train", data.X_train, data.Y_train), ("test", data.X_test, data.Y_test)):
        names, rows = plain_rows(unpacked(folder_of(name) / Path(files[part].path).name))
        assert data.feature_names == [attribute for attribute in names if attribute not in set(labels)]
        assert len(rows) == X.shape[0]
        for i in [*range(0, len(rows), 97), len(rows) - 1]:
            x = X[[i]].toarray()[0] if name in SPARSE else X[i]
            assert x.tolist() == [rows[i].get(feature, 0) for feature in data.feature_names]
            assert Y[i].tolist() == [rows[i].get(label, 0) for label in labels]


@pytest.mark.data
def test_the_order_of_labels_is_that_of_the_xml_where_the_table_has_another():
    for name in ("yeast", "enron"):
        names, _ = plain_rows(unpacked(folder_of(name) / f"{name}-train.arff"))
        labels = fetch_multilabel(name).label_names.tolist()
        assert sorted(labels) == sorted(names[-len(labels) :])
        assert labels != names[-len(labels) :]


@pytest.mark.data
def test_every_published_file_has_the_registered_contents_at_its_address(served, tmp_path, monkeypatch):
    folder, host = served
    for name in ("emotions", "tmc2007-500", "corel5k"):
        registry = at_host(MULTILABEL_FILES[name], host)
        contents = {p: unpacked(folder_of(name) / Path(file.path).name) for p, file in registry.files.items()}
        serve(folder, registry, contents)
        with monkeypatch.context() as patch:
            patch.setenv("NO_PROXY", "127.0.0.1")
            patch.delenv("MARGRAVE_DATA")
            patch.setitem(MULTILABEL_FILES, name, registry)
            assert fetch_multilabel(name, data_home=tmp_path / "cache").Y_train.shape[1] == SIZES[name][3]


@pytest.mark.data
def test_scene_is_that_of_the_wheel_but_for_the_last_decimal():
    ours, theirs = load_scene(), fetch_multilabel("scene")
    assert np.array_equal(ours.Y_train, theirs.Y_train)
    assert np.array_equal(ours.Y_test, theirs.Y_test)
    assert np.abs(ours.X_train - theirs.X_train).max() < 1.5e-6


@pytest.mark.data
def test_rcv1_is_whole_millionths_in_rows_of_length_one_whose_parts_agree():
    data = fetch_multilabel("rcv1v2")
    for X in (data.X_train, data.X_test):
        assert np.abs(X[:, :-1].multiply(X[:, :-1]).sum(axis=1) - 1).max() < 0.03  # one row has a weight of .17 there
        assert X.has_canonical_format
        assert X.indices.dtype == np.int32
        assert all(float(f"{value:.6f}") == value for value in X.data[:1000])
    # Labels are as frequent in one part as in the other; shifted by one column they are not.
    train, test = data.Y_train.mean(axis=0), data.Y_test.mean(axis=0)
    assert np.corrcoef(train, test)[0, 1] > 0.99
    assert np.corrcoef(train[1:], test[:-1])[0, 1] < 0.5
    assert data.label_names[:2].tolist() == ["1", "2"]


@pytest.mark.data
def test_the_last_feature_of_rcv1s_test_part_is_an_indicator_as_its_description_says():
    data = fetch_multilabel("rcv1v2")
    last = data.X_test[:, [-1]].toarray().ravel()
    assert np.unique(last).tolist() == [0, 1]
    assert last.sum() == 92
    assert "is 1 in 92 rows of the test part" in data.DESCR
