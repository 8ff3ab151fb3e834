import gzip
import os
from pathlib import Path

import numpy as np
import pytest

from margrave.datasets import load_ocr_letters

LETTERS_OF_FOLD = [4617, 5375, 5110, 5353, 5270, 5001, 5583, 5370, 5331, 5142]  # as published


def test_published_sizes():
    ocr = load_ocr_letters()
    assert len(ocr.data) == len(ocr.target) == len(ocr.fold) == 6877
    lengths = np.array([len(word) for word in ocr.data])
    assert [int(lengths[ocr.fold == fold].sum()) for fold in range(10)] == LETTERS_OF_FOLD
    assert lengths.sum() == 52_152
    assert len({"".join(word) for word in ocr.target}) == 55


def test_types():
    ocr = load_ocr_letters()
    assert {x.dtype for x in ocr.data} == {np.dtype(np.uint8)}
    assert {x.shape[1] for x in ocr.data} == {128}
    assert {y.dtype for y in ocr.target} == {np.dtype("<U1")}
    assert ocr.fold.dtype == np.int64
    assert [len(x) for x in ocr.data] == [len(y) for y in ocr.target]
    assert np.unique(np.vstack(ocr.data)).tolist() == [0, 1]
    assert "".join(ocr.target_names) == "abcdefghijklmnopqrstuvwxyz"
    assert len(ocr.feature_names) == 128


def test_pixels_are_row_by_row():
    # An "l" is a tall thin stroke: laid out as 16 rows of 8, its ink fills most rows and few columns.
    ocr = load_ocr_letters()
    pixels, letters = np.vstack(ocr.data), np.concatenate(ocr.target)
    ink = pixels[letters == "l"].mean(axis=0).reshape(16, 8)
    assert (ink.max(axis=1) > 0.3).sum() >= 12
    assert (ink.max(axis=0) > 0.3).sum() <= 6


@pytest.mark.data
def test_equals_the_published_file():
    with gzip.open(Path(os.environ["MARGRAVE_DATA"], "ocr-letters", "letter.data.gz"), "rt") as lines:
        rows = [line.split() for line in lines]
    ocr = load_ocr_letters()
    # Columns: number, letter, number of the next letter, word, place in the word, fold, 128 pixels.
    assert [row[1] for row in rows] == np.concatenate(ocr.target).tolist()
    assert [int(row[5]) for row in rows] == np.repeat(ocr.fold, [len(word) for word in ocr.data]).tolist()
    assert np.array_equal(np.array([row[6:] for row in rows], dtype=np.uint8), np.vstack(ocr.data))
    ends = [index for index, row in enumerate(rows) if row[2] == "-1"]
    assert (np.cumsum([len(word) for word in ocr.data]) - 1).tolist() == ends
