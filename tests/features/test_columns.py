import pycrfsuite
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import margrave as mg
from margrave.features import ColumnTemplate, TokenEncoder, conll_template, crfsuite_attributes

SENTENCE = [("the", "DT"), ("cat", "NN"), ("sat", "VBD"), ("down", "RP")]


def by_definition(sentence, columns, window, bigrams):
    """Attributes as the docstring names them, as sets."""
    rows = []
    for i in range(len(sentence)):
        row = {"bias"} | ({"__BOS__"} if i == 0 else set()) | ({"__EOS__"} if i == len(sentence) - 1 else set())
        for k in columns:
            inside = {d: sentence[i + d][k] for d in range(-window, window + 1) if 0 <= i + d < len(sentence)}
            row |= {f"c{k}[{d}]={value}" for d, value in inside.items()}
            if bigrams:
                row |= {
                    f"c{k}[{d}]|c{k}[{d + 1}]={inside[d]}|{inside[d + 1]}" for d in (-1, 0) if {d, d + 1} <= {*inside}
                }
        rows.append(row)
    return rows


values = st.text(st.characters(codec="utf-8"), max_size=3)


@given(
    st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[values] * n), min_size=1, max_size=5)),
    st.integers(0, 3),
    st.booleans(),
)
def test_attributes_are_those_of_the_definition(sentence, window, bigrams):
    columns = range(len(sentence[0]))
    rows = ColumnTemplate(window=window, bigrams=bigrams).transform([sentence])[0]
    assert [set(row) for row in rows] == by_definition(sentence, columns, window, bigrams)


def test_only_some_columns():
    rows = ColumnTemplate(columns=[1]).transform([SENTENCE])[0]
    assert [set(row) for row in rows] == by_definition(SENTENCE, [1], 2, True)


def test_no_attribute_twice():
    for row in ColumnTemplate(window=3).transform([SENTENCE])[0]:
        assert len(row) == len(set(row))


def test_the_words_of_the_conll_template_are_seen_too():
    ours = ColumnTemplate().transform([SENTENCE])[0]
    theirs = conll_template(SENTENCE)
    for row, other in zip(ours, theirs, strict=True):
        words = {name.replace("w[", "c0[") for name in other if name.startswith("w[")}
        assert words <= set(row)


def test_empty_sentences_and_none():
    assert ColumnTemplate().transform([[], SENTENCE[:1]]) == [[], [["bias", *_alone(), "__BOS__", "__EOS__"]]]
    assert ColumnTemplate().transform([]) == []


def _alone():
    return ["c0[0]=the", "c1[0]=DT"]


def test_a_window_below_zero_is_refused():
    with pytest.raises(ValueError, match="window must be at least 0, got -1"):
        ColumnTemplate(window=-1).transform([SENTENCE])


def test_it_stands_in_a_pipeline():
    y = [["D", "N", "V", "P"]]
    pipeline = make_pipeline(ColumnTemplate(window=1), mg.ChainCRF())
    X = ColumnTemplate(window=1).transform([SENTENCE])
    assert clone(pipeline).fit([SENTENCE], y).predict([SENTENCE])[0].tolist() == y[0]
    assert clone(pipeline).fit([SENTENCE], y)[-1].weights_.tolist() == mg.ChainCRF().fit(X, y).weights_.tolist()


# --------------------------------------------------------------------------------------------------- written attributes


@pytest.mark.parametrize(
    ("field", "name", "weight"),
    [
        ("w=the", "w=the", 1.0),
        ("len:3", "len", 3.0),
        ("len:-2.5e-1", "len", -0.25),
        ("w=the:", "w=the", 1.0),
        (r"time=12\:30", "time=12:30", 1.0),
        (r"time=12\:30:2", "time=12:30", 2.0),
        (r"back\\slash", r"back\slash", 1.0),
        (r"back\\:0.5", "back\\", 0.5),
        (r"a\nb", r"a\nb", 1.0),
        (r"\:", ":", 1.0),
        ("tail\\", "tail\\", 1.0),
    ],
)
def test_a_field_has_the_meaning_that_crfsuite_gives_it(field, name, weight):
    assert crfsuite_attributes([field]) == {name: weight}


def escaped(name):
    """As CRFsuite's manual says that names are written."""
    return name.replace("\\", "\\\\").replace(":", "\\:")


names = st.text(st.characters(codec="utf-8", exclude_characters="\0\t\n"), min_size=1, max_size=6)


@given(st.dictionaries(names, st.integers(-9, 9).map(float), max_size=4))
def test_what_is_written_escaped_is_read_and_means_the_same_to_crfsuite(token):
    fields = [f"{escaped(name)}:{weight!r}" for name, weight in token.items()]
    read = crfsuite_attributes(fields)
    assert read == token
    assert pycrfsuite.ItemSequence([read]).items() == [token]


def test_weights_of_a_name_that_comes_twice_are_added_as_the_encoder_adds_them():
    read = crfsuite_attributes(["a", "b:2", "a:0.5", "", "b"])
    assert read == {"a": 1.5, "b": 3.0}
    rows, _ = TokenEncoder().fit_transform([[["a", "a", "b"]]])
    other, _ = TokenEncoder().fit_transform([[crfsuite_attributes(["a", "a", "b"])]])
    assert rows.toarray().tolist() == other.toarray().tolist()


@pytest.mark.parametrize("field", ["w=12:30:00", "w=:x", "w:nan", "w:inf", "a:b"])
def test_a_weight_that_is_no_finite_number_is_refused_with_the_way_out(field):
    with pytest.raises(ValueError, match=r"must have a finite number for a weight, got .*; write a colon .* as \\:$"):
        crfsuite_attributes([field])
