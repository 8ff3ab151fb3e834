import json

import numpy as np
import pycrfsuite
import pytest

import margrave as mg
from margrave.cli.model_file import load_tagger
from margrave.cli.training import Trained
from margrave.datasets import read_conll
from margrave.features import ColumnTemplate, conll_template
from tests.cli.conftest import sentences, text


def attributes(path, **options):
    return ColumnTemplate([0, 1], **options).transform(read_conll(path))


def labels(path):
    return [[token[-1] for token in sentence] for sentence in read_conll(path)]


def fitted(margrave, path, *options):
    """What a fit prints as JSON, and the estimator that it saved."""
    target = path.parent / "fitted.mg"
    found = json.loads(margrave("fit", path, "-o", target, "--json", *options).stdout)
    return found, load_tagger(str(target)).estimator


def same_model(one, other):
    assert type(one) is type(other)
    assert np.array_equal(one.weights_, other.weights_)
    assert one.classes_.tolist() == other.classes_.tolist()
    assert one.encoder_.names_.vocabulary_ == other.encoder_.names_.vocabulary_


@pytest.mark.parametrize(
    ("options", "template", "estimator"),
    [
        ([], {}, mg.ChainCRF()),
        (["--C", "0.3", "--boundary", "--tol", "1e-5"], {}, mg.ChainCRF(0.3, boundary=True, tol=1e-5)),
        (["--window", "1", "--no-bigrams"], {"window": 1, "bigrams": False}, mg.ChainCRF()),
        (
            ["--features-kept", "all"],
            {},
            mg.ChainCRF(nodes=mg.scores.Linear("all"), edges=mg.scores.Constant("all")),
        ),
        (["--model", "m3n", "--seed", "4", "--tol", "0.05"], {}, mg.ChainM3N(random_state=4, tol=0.05)),
    ],
    ids=["plain", "options of the model", "options of the template", "all weights", "m3n"],
)
def test_the_command_trains_what_the_library_trains(margrave, files, options, template, estimator):
    path = files / "train.txt"
    found, model = fitted(margrave, path, *options)
    same_model(model, estimator.fit(attributes(path, **template), labels(path)))
    assert found["model"] == type(estimator).__name__
    assert found["sequences"] == 30 and found["tokens"] == sum(map(len, labels(path)))
    assert found["labels"] == ["B-NP", "B-VP", "I-NP", "O"]
    assert found["attributes"] == estimator.n_features_in_
    assert found["weights"] == len(estimator.weights_)
    assert found["objective"] == estimator.history_[-1]["objective"]
    assert found["gap"] == estimator.gap_ and found["converged"] is True
    assert found["cross_validation"] is None and found["evaluation"] is None


def test_the_conll_template(margrave, files):
    _, model = fitted(margrave, files / "train.txt", "--features", "conll")
    X = [conll_template([token[:2] for token in sentence]) for sentence in read_conll(files / "train.txt")]
    same_model(model, mg.ChainCRF().fit(X, labels(files / "train.txt")))


def test_columns_in_another_order_with_another_delimiter_and_comments(margrave, files, tmp_path):
    rows = sentences(30, seed=1)
    moved = [[(label, word, tag) for word, tag, label in sentence] for sentence in rows]
    path = tmp_path / "moved.txt"
    path.write_bytes(("# a comment\n" + text(moved, gap=",")).encode("utf-16"))
    options = ["--label-column", "0", "--delimiter", "comma", "--comment", "#", "--encoding", "utf-16"]
    _, model = fitted(margrave, path, *options)
    _, plain = fitted(margrave, files / "train.txt")
    assert np.array_equal(model.weights_, plain.weights_)
    assert {"c1[0]=cat", "c2[0]=NN"} <= set(model.encoder_.names_.vocabulary_)


def test_only_some_columns(margrave, files):
    _, model = fitted(margrave, files / "train.txt", "--feature-columns", "1,1")
    names = set(model.encoder_.names_.vocabulary_)
    assert {name[:2] for name in names} == {"c1", "bi", "__"}


def written(rows):
    """Attributes as CRFsuite's own tools write them: the label first, colons and backslashes escaped."""
    lines = []
    for sentence in rows:
        for token, names in zip(sentence, conll_template([t[:2] for t in sentence]), strict=True):
            escaped = [name.replace("\\", r"\\").replace(":", r"\:") for name in names]
            lines.append("\t".join([token[2], *escaped, f"length:{len(token[0])}"]) + "\n")
        lines.append("\n")
    return "".join(lines)


def test_written_attributes_train_the_model_that_crfsuite_trains(margrave, tmp_path):
    rows = sentences(12, seed=4)
    path = tmp_path / "train.crfsuite"
    path.write_text(written(rows))
    _, model = fitted(margrave, path, "--features", "attributes", "--C", "2", "--tol", "1e-12")
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", verbose=False)
    trainer.set_params({"c1": 0.0, "c2": 1 / 4, "max_iterations": 5000, "epsilon": 1e-9, "delta": 1e-14})
    for sentence in rows:
        tokens = [
            {**dict.fromkeys(names, 1.0), "length": float(len(token[0]))}
            for token, names in zip(sentence, conll_template([t[:2] for t in sentence]), strict=True)
        ]
        trainer.append(pycrfsuite.ItemSequence(tokens), [token[2] for token in sentence])
    trainer.train(str(tmp_path / "theirs"))
    tagger = pycrfsuite.Tagger()
    with tagger.open(str(tmp_path / "theirs")):
        theirs = tagger.info().state_features
    ours = model.state_features_
    assert set(theirs) == set(ours)
    assert all(ours[name] == pytest.approx(weight, abs=1e-4) for name, weight in theirs.items())


def test_c_is_chosen_and_used(margrave, files):
    found, model = fitted(margrave, files / "train.txt", "--choose-C", "0.001,1", "--folds", "2", "--seed", "0")
    tried = found["cross_validation"]
    assert [each["C"] for each in tried] == [0.001, 1.0]
    assert found["C"] == model.C == max(tried, key=lambda each: each["mean"])["C"] == 1.0
    assert all(len(each["folds"]) == 2 and each["measure"] == "chunk F1" for each in tried)


def test_a_file_to_judge_by(margrave, files):
    found, model = fitted(margrave, files / "train.txt", "--evaluate", files / "test.txt")
    X, y = attributes(files / "test.txt"), labels(files / "test.txt")
    assert found["evaluation"]["token_accuracy"] == pytest.approx(model.score(X, y))


def test_standard_input(margrave, files):
    said = json.loads(margrave("fit", "-", "--json", stdin=(files / "train.txt").read_text()).stdout)
    assert said["sequences"] == 30 and said["output"] is None


def test_for_a_person(margrave, files, tmp_path):
    run = margrave(
        "fit", files / "train.txt", "-o", tmp_path / "m", "--choose-C", "1,2", "--evaluate", files / "test.txt"
    )
    for words in ("ChainCRF, C = ", "30 sequences", "at most", "cross-validation", "Chunks", str(tmp_path)[:20]):
        assert words in run.stdout
    assert run.stderr == ""
    assert "nowhere; give --output MODEL" in margrave("fit", files / "train.txt").stdout


def test_a_fit_that_stops_early_is_saved_with_a_warning(margrave, files, tmp_path):
    run = margrave("fit", files / "train.txt", "-o", tmp_path / "m", "--max-iter", "2", "--json")
    assert json.loads(run.stdout)["converged"] is False
    assert run.stderr.startswith("warning: ChainCRF stopped after 2 iterations with a gap of ")
    assert mg.load(tmp_path / "m").n_iter_ == 2


# ----------------------------------------------------------------------------------------------------------- bad input


@pytest.fixture
def untrained(monkeypatch):
    """A fit here would come too late."""

    def fail(*arguments, **options):
        raise AssertionError("training has begun")

    monkeypatch.setattr(mg.ChainCRF, "fit", fail)


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("-o {folder}/none/m", "there is no folder {folder}/none to write m to; make it, or name another"),
        ("-o {folder}", "{folder} is a folder; expected the name of a file to write"),
        ("-o -", "--output -: a model is not written to standard output; name a file"),
        ("--C 0", "--C must be a number above 0, got 0"),
        ("--C nan", "--C must be a number above 0, got nan"),
        ("--tol 0", "--tol must be a number above 0, got 0"),
        ("--choose-C 1;2", "--choose-C takes numbers above 0 with commas between them, as 0.1,1,10; got '1;2'"),
        ("--choose-C 1,2 --folds 31", "--folds must be from 2 to the number of sequences, 30; got 31"),
        ("--label-column 7", "{train} has 3 columns, numbered 0 to 2 (or -1 to -3 from the end); there is no column 7"),
        (
            "--label-column tag",
            "--label-column takes the number of a column, from 0, or from -1 for the last; got 'tag'",
        ),
        ("--label-column none", "--label-column none: a model cannot be trained without labels; name their column"),
        ("--feature-columns 0,2", "--feature-columns: column 2 is the label, which cannot be predicted from itself"),
        ("--feature-columns 5", "{train} has 3 columns, numbered 0 to 2"),
        ("--features attributes --feature-columns 1", "--feature-columns: with --features attributes every column but"),
        ("--features conll --feature-columns 1", "{train} has 3 columns, 1 of them to make attributes of;"),
        ("--delimiter tab", "{train} has 1 column, 0 of them to make attributes of; --features columns needs 1"),
        ("--encoding klingon", "--encoding klingon is not known"),
        ("--evaluate {folder}/none", "{folder}/none could not be read: No such file or directory; check the path"),
        (
            "--evaluate {bare}",
            "{bare} has 2 columns, none of them the label; expected 3, the label in column 2; add it",
        ),
    ],
)
def test_what_cannot_be_is_refused_before_training(refused, files, tmp_path, options, sentence):
    names = {"folder": tmp_path, "train": files / "train.txt", "bare": files / "unlabelled.txt"}
    said = refused("fit", files / "train.txt", *(option.format(**names) for option in options.split()))
    assert said.startswith(sentence.format(**names))


@pytest.mark.usefixtures("untrained")
@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"", "holds no tokens; expected one token a line"),
        (b"\n\n", "holds no tokens; expected one token a line"),
        (b"the DT O\n\ncat NN\n", "line 3: expected 3 columns as in the first line, got 2 in 'cat NN'; mend the line"),
        (b"the O\ncaf\xe9 O\n", "line 2: expected text in utf-8, got bytes that are none; convert the file to UTF-8"),
        (b"O\nO\n", "has 1 column, 0 of them to make attributes of"),
    ],
)
def test_bad_files_are_refused_by_name_and_line(refused, tmp_path, content, sentence):
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    said = refused("fit", path)
    assert said.startswith(str(path)) and sentence in said


def test_a_file_that_is_not_there(refused, tmp_path):
    assert refused("fit", tmp_path / "none").endswith("could not be read: No such file or directory; check the path")


@pytest.mark.parametrize("n", [1, 4])
def test_ctrl_c_saves_the_last_complete_iteration(monkeypatch, margrave, files, tmp_path, n):
    def interrupting(self, record):
        if record["iteration"] == n:
            raise KeyboardInterrupt

    monkeypatch.setattr("margrave.cli.progress.Watcher._seen", interrupting)
    run = margrave("fit", files / "train.txt", "-o", tmp_path / "m", code=130)
    assert run.stdout == ""
    assert run.stderr.startswith(f"interrupted after {n} iterations, at a gap of ")
    assert run.stderr.endswith(f": the model of the last complete iteration was saved to {tmp_path / 'm'}\n")
    path = files / "train.txt"
    with pytest.warns(UserWarning, match="stopped after"):
        short = mg.ChainCRF(max_iter=n).fit(attributes(path), labels(path))
    same_model(mg.load(tmp_path / "m"), short)
    run = margrave("fit", path, code=130)
    assert run.stderr.endswith(": nothing was saved, as no --output was given\n")


def test_ctrl_c_before_there_is_a_model(monkeypatch, margrave, files, tmp_path):
    def interrupting(self, X):
        raise KeyboardInterrupt

    monkeypatch.setattr(mg.ChainCRF, "encode", interrupting)
    run = margrave("fit", files / "train.txt", "-o", tmp_path / "m", code=130)
    assert run.stderr == "interrupted before there was a model: nothing was saved\n"
    assert list(tmp_path.iterdir()) == []


def test_a_failed_save_leaves_the_old_model_and_says_so(monkeypatch, refused, files, tmp_path):
    target = tmp_path / "m"
    target.write_text("before")

    def refuse(handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    said = refused("fit", files / "train.txt", "-o", target, code=1)
    assert said == f"could not save to {target}: No space left on device; what was there before is as it was"
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_a_fault_in_the_library_is_a_sentence_too(monkeypatch, refused, files):
    def fail(self, *arguments, **options):
        raise RuntimeError("something is wrong")

    monkeypatch.setattr(mg.ChainCRF, "fit", fail)
    said = refused("fit", files / "train.txt", code=1)
    assert said == "RuntimeError: something is wrong (margrave --debug fit ... shows where)"


def test_what_came_of_it_is_one_object(files, model):
    tagger = load_tagger(str(model))
    assert Trained(tagger, 30, 99, 1e-3, [], None, None).as_json()["converged"] is True
    assert Trained(tagger, 30, 99, 1e-15, [], None, None).as_json()["converged"] is False
