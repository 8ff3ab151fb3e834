import numpy as np
import pytest
from seqeval.metrics import f1_score, precision_score, recall_score
from sklearn.metrics import precision_recall_fscore_support

from margrave.cli.scoring import headline, score, show_scores, spell_chunks
from margrave.cli.targets import standard_output

TAGS = ["O", "B-NP", "I-NP", "B-VP", "I-VP"]


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(0)
    true = [rng.choice(TAGS, size=n).tolist() for n in (5, 1, 9, 12)]
    return true, [[tag if rng.random() < 0.7 else str(rng.choice(TAGS)) for tag in tags] for tags in true]


def test_each_label_as_scikit_learn_has_it(pair):
    true, predicted = pair
    scores = score(true, predicted, TAGS)
    labels = list(scores.labels)
    flat = [[label for labels in y for label in labels] for y in pair]
    expected = precision_recall_fscore_support(*flat, labels=labels, zero_division=0.0)
    for measure, row in zip(("precision", "recall", "f1", "support"), expected, strict=True):
        assert [scores.labels[label][measure] for label in labels] == pytest.approx(row.tolist())


def test_chunks_as_seqeval_has_them(pair):
    chunks = score(*pair, TAGS).chunks
    assert chunks["precision"] == pytest.approx(precision_score(*pair))
    assert chunks["recall"] == pytest.approx(recall_score(*pair))
    assert chunks["f1"] == pytest.approx(f1_score(*pair))
    assert set(chunks["types"]) == {"NP", "VP"}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_chunks_of_which_none_is_right():
    chunks = score([["B-NP", "O"]], [["O", "O"]], TAGS).chunks
    assert (chunks["precision"], chunks["recall"], chunks["f1"], chunks["support"]) == (0.0, 0.0, 0.0, 1)
    assert score([["O"]], [["O"]], TAGS).chunks["support"] == 0


def test_tokens_and_sequences(pair):
    true, predicted = pair
    scores = score(true, predicted, TAGS)
    right = [a == b for y, z in zip(true, predicted, strict=True) for a, b in zip(y, z, strict=True)]
    assert scores.token_accuracy == np.mean(right)
    assert scores.sequence_accuracy == np.mean([y == z for y, z in zip(true, predicted, strict=True)])
    assert (scores.n_tokens, scores.n_sequences) == (27, 4)


@pytest.mark.parametrize(
    ("labels", "are"),
    [
        ({"O", "B-NP", "I-NP"}, True), ({"O", "I-NP"}, True), ({"B", "I", "O"}, True), ({"S-X", "B-X", "E-X"}, True),
        ({"O"}, False), ({"O", "S-X"}, False), ({"DET", "NOUN"}, False), ({"B-NP", "BAD"}, False),
        ({"B", "I", "x"}, False),
    ],
)  # fmt: skip
def test_labels_that_spell_chunks(labels, are):
    assert spell_chunks(labels) is are


def test_the_measure_to_choose_by(pair):
    scores = score(*pair, TAGS)
    assert headline(scores) == ("chunk F1", scores.chunks["f1"])
    assert headline(score([["N", "V"]], [["N", "N"]], ["N", "V"])) == ("token accuracy", 0.5)


def test_labels_that_the_model_does_not_know_are_counted():
    scores = score([["N", "X", "X"]], [["N", "N", "N"]], ["N"])
    assert scores.unknown_labels == {"X": 2}
    assert scores.token_accuracy == pytest.approx(1 / 3)


def test_for_a_person(capsys, pair):
    show_scores(score(*pair, TAGS), standard_output())
    shown = capsys.readouterr().out
    assert shown.startswith("27 tokens, ")
    assert "Chunks" in shown and "Tokens" in shown
    assert f"{f1_score(*pair):.4f}" in shown


def test_labels_are_shown_as_they_are(capsys):
    odd = "[bold]:x:[/]"
    show_scores(score([[odd, "?"]], [[odd, odd]], [odd]), standard_output())
    shown = capsys.readouterr().out
    assert odd in shown
    assert "1 tokens have labels that the model does not know (?): they count as wrong" in shown
