"""What the runners make of sentences: the forms mean the same, and tags come back as they were."""

import numpy as np
import pytest

import margrave as mg
from benchmarks._chunk_templates import TEMPLATES
from benchmarks.conll_f1 import as_bio, as_iobes
from benchmarks.crfsuite_tagging import FORMS
from margrave.features import conll_template

SENTENCE = [("The", "DT"), ("U.S.", "NNP"), ("=", "SYM"), ("a:b", "NN"), ("1,000", "CD")]
TAGS = ["B-NP", "I-NP", "O", "B-VP", "B-NP", "I-NP", "I-NP", "O", "B-PP"]


def test_iobes_marks_ends():
    assert as_iobes(TAGS) == ["B-NP", "E-NP", "O", "S-VP", "B-NP", "I-NP", "E-NP", "O", "S-PP"]


def test_iobes_is_bio_again():
    assert as_bio(as_iobes(TAGS)) == TAGS


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_the_same_matrix(form):
    rows = conll_template(SENTENCE)
    expected, found = (mg.ChainCRF().encode([row]) for row in (rows, [FORMS[form](token) for token in rows]))
    np.testing.assert_array_equal(found.features.toarray(), expected.features.toarray())


def test_text_has_the_meaning_of_the_attributes():
    token = FORMS["dicts of text"](["bias", "w[0]=the", "w[0]|w[1]=the|=", "p[0]=="])
    assert token == {"bias": 1.0, "w[0]": "the", "w[0]|w[1]": "the|=", "p[0]": "="}


@pytest.mark.parametrize("template", TEMPLATES.values())
def test_templates_begin_with_the_notes_attributes(template):
    for row, notes in zip(template(SENTENCE), conll_template(SENTENCE), strict=True):
        assert row[: len(notes)] == notes
        assert len(set(row)) == len(row)


@pytest.mark.parametrize("template", TEMPLATES.values())
def test_templates_take_short_sentences(template):
    assert [len(template(SENTENCE[:n])) for n in range(3)] == [0, 1, 2]
