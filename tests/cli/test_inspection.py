import numpy as np
import pytest

import margrave as mg
from margrave.cli.columns import Columns
from margrave.cli.errors import BadInputError
from margrave.cli.inspection import END, START, look_into, show_inspection
from margrave.cli.model_file import Tagger
from margrave.cli.options import Features
from margrave.cli.targets import standard_output

X = [[["a", "x"], ["b"], ["a"]], [["b", "y"], ["b"]]]
Y = [["A", "[B]", "A"], ["[B]", "[B]"]]


def strongest(weights, top):
    """(name, weight) by absolute weight, from the views of the weights that the estimator gives."""
    return sorted(((n, w) for n, w in weights.items() if w), key=lambda pair: -abs(pair[1]))[:top]


def pairs(rows):
    return [tuple(row.values()) for row in rows]


def absolute(rows):
    return [abs(weight) for _, weight in rows]


@pytest.mark.parametrize("top", [1, 3, 99])
def test_features_and_transitions_are_the_estimators(top):
    model = mg.ChainCRF(C=3.0).fit(X, Y)
    found = look_into(Tagger(model, None), top=top)
    states, transitions = model.state_features_, model.transition_features_
    for label, lists in found["labels"].items():
        features = {name: w for (name, of), w in states.items() if of == label}
        onward = {to: w for (a, to), w in transitions.items() if a == label}
        back = {a: w for (a, to), w in transitions.items() if to == label}
        for part, weights in (("features", features), ("followed_by", onward), ("preceded_by", back)):
            expected = strongest(weights, top)
            assert absolute(pairs(lists[part])) == absolute(expected)
            assert all(weights[name] == weight for name, weight in pairs(lists[part]))


def test_first_and_last_labels():
    model = mg.ChainCRF(boundary=True).fit(X, Y)
    found = look_into(Tagger(model, None), top=99)["labels"]
    # a single position is scored by its features and by both boundaries: log p tells their sum
    odds = np.subtract(*model.log_proba([[["a"]], [["a"]]], [["A"], ["[B]"]]))
    sums = {}
    for label in ("A", "[B]"):
        start = dict(pairs(found[label]["preceded_by"]))[START]
        end = dict(pairs(found[label]["followed_by"]))[END]
        sums[label] = start + end + model.state_features_.get(("a", label), 0.0)
    assert sums["A"] - sums["[B]"] == pytest.approx(odds)


def test_dense_features_have_numbers_and_a_bias():
    rows = [np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[1.0, 1.0]])]
    model = mg.ChainCRF().fit(rows, [["A", "B"], ["B"]])
    found = look_into(Tagger(model, None), top=99)
    features = dict(pairs(found["labels"]["A"]["features"]))
    assert features == {"0": model.coef_[0, 0], "1": model.coef_[0, 1], "(bias)": model.intercept_[0]}


def test_a_model_without_features():
    model = mg.ChainCRF(nodes="constant").fit([np.zeros((2, 3)), np.zeros((1, 3))], [["A", "B"], ["B"]])
    assert look_into(Tagger(model, None))["labels"]["A"]["features"] == []


def test_numbers_as_labels():
    model = mg.ChainCRF().fit(X, [[1, 2, 1], [2, 2]])
    assert list(look_into(Tagger(model, None), ["2"])["labels"]) == ["2"]


def test_a_label_that_is_none():
    with pytest.raises(BadInputError, match=r"--label C: the model has no such label; it has A, \[B\]"):
        look_into(Tagger(mg.ChainCRF().fit(X, Y), None), ["C"])


def test_what_is_known_of_the_training():
    model = mg.ChainM3N(C=2.0, tol=0.05, random_state=0).fit(X, Y)
    found = look_into(Tagger(model, Columns(Features.attributes, 0)))
    assert (found["model"], found["C"], found["gap"]) == ("ChainM3N", 2.0, model.gap_)
    assert found["columns"] == "0 is the label, the others are attributes"
    assert look_into(Tagger(model, None))["columns"] is None


def test_for_a_person(capsys):
    show_inspection(look_into(Tagger(mg.ChainCRF().fit(X, Y), None), top=2), standard_output())
    shown = capsys.readouterr().out
    assert "[B]" in shown and "followed by" in shown and "+" in shown
