import errno

import numpy as np
import pytest

import margrave as mg
from margrave.cli.columns import Columns
from margrave.cli.errors import BadInputError, UnmetError
from margrave.cli.model_file import Tagger, columns_of, load_tagger, save_tagger
from margrave.cli.options import Features
from margrave.persistence import read_file, save_object

X, Y = [[["a"], ["b"]], [["b"]]], [["A", "B"], ["B"]]
COLUMNS = Columns(Features.columns, label=1, n_columns=2, used=(0,))


@pytest.fixture
def estimator():
    return mg.ChainCRF().fit(X, Y)


def test_both_come_back(tmp_path, estimator):
    save_tagger(Tagger(estimator, COLUMNS), tmp_path / "m")
    read = load_tagger(str(tmp_path / "m"))
    assert read.columns == COLUMNS
    assert type(read.estimator) is mg.ChainCRF
    assert np.array_equal(read.estimator.weights_, estimator.weights_)


def test_the_library_loads_such_a_file_as_any_other(tmp_path, estimator):
    save_tagger(Tagger(estimator, COLUMNS), tmp_path / "m")
    loaded = mg.load(tmp_path / "m")
    assert [labels.tolist() for labels in loaded.predict(X)] == [labels.tolist() for labels in estimator.predict(X)]


def test_a_model_saved_in_python_has_no_columns(tmp_path, estimator):
    estimator.save(tmp_path / "m")
    tagger = load_tagger(str(tmp_path / "m"))
    assert tagger.columns is None
    with pytest.raises(BadInputError, match=r"was saved in Python, .*mg\.load\('m'\)"):
        columns_of(tagger, "m")
    save_tagger(tagger, tmp_path / "again")
    assert load_tagger(str(tmp_path / "again")).columns is None


def test_apart_from_the_columns_the_file_is_that_of_the_library(tmp_path, estimator):
    estimator.save(tmp_path / "plain")
    save_tagger(Tagger(estimator, COLUMNS), tmp_path / "m")
    plain, ours = read_file(tmp_path / "plain")[0], read_file(tmp_path / "m")[0]
    assert ours.pop("columns") == {**COLUMNS.as_json(), "used": [0]}
    assert ours == plain


def test_files_that_are_no_models(tmp_path, estimator):
    (tmp_path / "text").write_text("a O\n" * 99)
    with pytest.raises(BadInputError, match=r"text is not a margrave model file; expected a model that `margrave fit"):
        load_tagger(str(tmp_path / "text"))
    with pytest.raises(BadInputError, match="could not be read: No such file"):
        load_tagger(str(tmp_path / "nothing"))
    with pytest.raises(BadInputError, match="could not be read: Is a directory"):
        load_tagger(str(tmp_path))


def test_a_damaged_file(tmp_path, estimator):
    save_tagger(Tagger(estimator, COLUMNS), tmp_path / "m")
    content = bytearray((tmp_path / "m").read_bytes())
    content[-1] ^= 1
    (tmp_path / "m").write_bytes(content)
    with pytest.raises(BadInputError, match="m is damaged"):
        load_tagger(str(tmp_path / "m"))


def test_an_object_that_is_no_estimator(tmp_path):
    save_object(mg.losses.Hinge(), tmp_path / "m")
    with pytest.raises(BadInputError, match="holds a Hinge, a model was asked for"):
        load_tagger(str(tmp_path / "m"))


def test_an_estimator_of_another_structure(tmp_path, monkeypatch, estimator):
    class LabelSets:
        pass

    save_tagger(Tagger(estimator, COLUMNS), tmp_path / "m")
    monkeypatch.setattr(mg, "load", lambda path: LabelSets(), raising=False)
    with pytest.raises(BadInputError, match="holds a LabelSets; expected a model of sequences: ChainCRF"):
        load_tagger(str(tmp_path / "m"))


def test_columns_are_doubted(tmp_path, monkeypatch, estimator):
    monkeypatch.setattr(Columns, "as_json", lambda self: {"features": "words"})
    save_tagger(Tagger(estimator, COLUMNS), tmp_path / "m")
    with pytest.raises(BadInputError, match=r"m describes its columns wrongly: .*expected a model"):
        load_tagger(str(tmp_path / "m"))


def test_a_disk_that_refuses(tmp_path, monkeypatch, estimator):
    def refuse(handle):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(UnmetError, match="No space left on device; what was there before is as it was"):
        save_tagger(Tagger(estimator, COLUMNS), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []
