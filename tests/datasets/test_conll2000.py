import os
import shutil
from itertools import chain
from pathlib import Path

import pytest

from margrave.datasets import DatasetChecksumError, DatasetNotFoundError, fetch_conll2000


def test_missing_files_are_named(tmp_path, monkeypatch):
    monkeypatch.delenv("MARGRAVE_DATA", raising=False)
    with pytest.raises(DatasetNotFoundError, match="MARGRAVE_DATA") as caught:
        fetch_conll2000(data_home=tmp_path)
    for part in ("conll2000/train.txt", "conll2000/test.txt", str(tmp_path), "no public origin"):
        assert part in str(caught.value)


def test_another_text_is_refused(tmp_path, monkeypatch):
    monkeypatch.delenv("MARGRAVE_DATA", raising=False)
    (tmp_path / "conll2000").mkdir()
    (tmp_path / "conll2000" / "test.txt").write_text("the DT B-NP\n")
    with pytest.raises(DatasetChecksumError, match="is not the published file of CoNLL-2000"):
        fetch_conll2000("test", data_home=tmp_path)


def test_subset_is_one_of_three():
    with pytest.raises(ValueError, match="subset: expected 'train', 'test' or 'all', got 'dev'"):
        fetch_conll2000("dev")


@pytest.mark.data
@pytest.mark.parametrize(("subset", "n_sentences", "n_tokens"), [("train", 8936, 211_727), ("test", 2012, 47_377)])
def test_published_sizes(subset, n_sentences, n_tokens):
    conll = fetch_conll2000(subset)
    assert len(conll.data) == len(conll.target) == n_sentences
    assert [len(sentence) for sentence in conll.data] == [len(tags) for tags in conll.target]
    assert sum(map(len, conll.data)) == n_tokens
    assert conll.n_train == (n_sentences if subset == "train" else 0)
    assert set(conll.target_names) == set(chain.from_iterable(conll.target))


@pytest.mark.data
def test_all_is_train_then_test_as_they_stand_in_the_files():
    both = fetch_conll2000("all")
    assert both.n_train == 8936
    assert len(both.data) == 8936 + 2012
    assert both.data[0][:3] == [("Confidence", "NN"), ("in", "IN"), ("the", "DT")]
    assert both.target[0][:3] == ["B-NP", "B-PP", "B-NP"]
    assert both.data[8936][:2] == [("Rockwell", "NNP"), ("International", "NNP")]
    assert both.target[-1][-1] == "O"
    assert len(both.target_names) == 23  # 11 phrase types with B and I, and O: I-LST occurs in the test part only


@pytest.mark.data
def test_cache_folder_serves_as_well(tmp_path, monkeypatch):
    folder = Path(os.environ["MARGRAVE_DATA"]) / "conll2000"
    (tmp_path / "conll2000").mkdir()
    shutil.copy(folder / "test.txt", tmp_path / "conll2000" / "test.txt")
    monkeypatch.delenv("MARGRAVE_DATA")
    assert len(fetch_conll2000("test", data_home=tmp_path).data) == 2012
