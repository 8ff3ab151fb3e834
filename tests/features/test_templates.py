import pytest
from hypothesis import given
from hypothesis import strategies as st

from margrave.datasets import fetch_conll2000
from margrave.features import conll_template


def inside(sentence, i, *offsets):
    return all(0 <= i + d < len(sentence) for d in offsets)


def names_at(sentence, i):
    """The template as its description says it, one attribute after another."""
    w, p = [token[0] for token in sentence], [token[1] for token in sentence]
    yield "bias"
    for d in (-2, -1, 0, 1, 2):
        if inside(sentence, i, d):
            yield f"w[{d}]={w[i + d]}"
            yield f"p[{d}]={p[i + d]}"
    for d in (-1, 0):
        if inside(sentence, i, d, d + 1):
            yield f"w[{d}]|w[{d + 1}]={w[i + d]}|{w[i + d + 1]}"
    for d in (-2, -1, 0, 1):
        if inside(sentence, i, d, d + 1):
            yield f"p[{d}]|p[{d + 1}]={p[i + d]}|{p[i + d + 1]}"
    for d in (-2, -1, 0):
        if inside(sentence, i, d, d + 1, d + 2):
            yield f"p[{d}]|p[{d + 1}]|p[{d + 2}]={p[i + d]}|{p[i + d + 1]}|{p[i + d + 2]}"
    if i == 0:
        yield "__BOS__"
    if i == len(sentence) - 1:
        yield "__EOS__"


def test_one_token():
    assert conll_template([("Stop", "VB")]) == [["bias", "w[0]=Stop", "p[0]=VB", "__BOS__", "__EOS__"]]


def test_no_token():
    assert conll_template([]) == []


def test_middle_of_five_tokens_has_everything():
    sentence = [("a", "A"), ("b", "B"), ("c", "C"), ("d", "D"), ("e", "E")]
    words = ["w[-2]=a", "w[-1]=b", "w[0]=c", "w[1]=d", "w[2]=e", "w[-1]|w[0]=b|c", "w[0]|w[1]=c|d"]
    tags = ["p[-2]=A", "p[-1]=B", "p[0]=C", "p[1]=D", "p[2]=E"]
    pairs = ["p[-2]|p[-1]=A|B", "p[-1]|p[0]=B|C", "p[0]|p[1]=C|D", "p[1]|p[2]=D|E"]
    triples = ["p[-2]|p[-1]|p[0]=A|B|C", "p[-1]|p[0]|p[1]=B|C|D", "p[0]|p[1]|p[2]=C|D|E"]
    assert sorted(conll_template(sentence)[2]) == sorted(["bias", *words, *tags, *pairs, *triples])


@given(st.lists(st.tuples(st.text(max_size=3), st.text(max_size=2)), max_size=8))
def test_follows_the_description(sentence):
    assert conll_template(sentence) == [list(names_at(sentence, i)) for i in range(len(sentence))]


@pytest.mark.data
def test_number_of_attributes_on_the_training_set():
    sentences = fetch_conll2000("train").data
    assert len({name for sentence in sentences for row in conll_template(sentence) for name in row}) == 335_675
