"""What every estimator of sequences promises to those who know scikit-learn."""

import pickle
import warnings
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

from margrave.primitives import AnyArray

Data = tuple[list[AnyArray], list[list[str]]]


def check_estimator(estimator: Any, random_state: int | None = 0) -> None:
    """Raise an AssertionError that names the promise which an estimator of sequences breaks.

    It clones, takes and gives its parameters, and writes to none of them; two fits, and any `n_jobs`, give the same to
    the bit, and so does a pickled copy; answers have the shapes of the questions; after a fit that failed it is as it
    was.

    Parameters
    ----------
    estimator : object with fit, predict, predict_marginals and score
        Unfitted or fitted, it is not changed; where its `random_state` is None, copies of it have 0.
    random_state : int or None
        Of the data.

    Examples
    --------
    >>> import margrave as mg
    >>> mg.checks.check_estimator(mg.ChainCRF(C=2.0))
    """
    name, data = type(estimator).__name__, _data(np.random.default_rng(random_state))
    settled = clone(estimator)
    for parameter, value in settled.get_params().items():
        if parameter.split("__")[-1] == "random_state" and value is None and _takes_state(settled, parameter):
            settled.set_params(**{parameter: 0})
    _check_parameters(settled, name)
    fitted = _fit(settled, data, name)
    _check_answers(fitted, data, name)
    _check_copies(settled, fitted, data, name)
    _check_threads(settled, fitted, data, name)
    _check_failures(fitted, data, name)


def _takes_state(estimator: Any, parameter: str) -> bool:
    """An estimator's own random state is for solvers given by name; a solver object has one itself."""
    return "__" in parameter or getattr(estimator, "solver", None) is None or isinstance(estimator.solver, str)


def _data(random: np.random.Generator) -> Data:
    """Sequences whose features tell the label, noisily; one has a single position."""
    names, X, y = np.array(["low", "middle", "top"]), [], []
    for length in (4, 1, 6, 3, 5):
        labels = random.integers(3, size=length)
        X.append(np.eye(3)[labels] + 0.3 * random.normal(size=(length, 3)))
        y.append(names[labels].tolist())
    return X, y


def _fit(estimator: Any, data: Data, name: str) -> Any:
    """A fitted copy, which the fit must not have given other parameters."""
    copy = clone(estimator)
    given = {parameter: (value, repr(value)) for parameter, value in copy.get_params(deep=False).items()}
    assert _quietly_fit(copy, data) is copy, f"{name}: fit must return self"
    for parameter, (value, text) in given.items():
        now = copy.get_params(deep=False)[parameter]
        assert now is value and repr(now) == text, f"{name}: fit wrote to the parameter {parameter!r}"
    return copy


def _quietly_fit(estimator: Any, data: Data) -> Any:
    """However near the minimum it came: check_solver looks after that."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return estimator.fit(*data)


def _check_parameters(estimator: Any, name: str) -> None:
    copy, mine = clone(estimator), estimator.get_params(deep=False)
    theirs = copy.get_params(deep=False)
    assert mine.keys() == theirs.keys(), f"{name}: a clone has other parameters"
    different = [p for p in mine if repr(mine[p]) != repr(theirs[p])]
    assert not different, f"{name}: a clone has other values of {different}"
    assert copy.set_params(**theirs) is copy, f"{name}: set_params must return self"
    fitted = [attribute for attribute in vars(copy) if attribute.endswith("_")]
    assert not fitted, f"{name}: an unfitted copy has {fitted}"
    unknown = "no_such_parameter"
    try:
        copy.set_params(**{unknown: 1})
    except ValueError:
        return
    raise AssertionError(f"{name}: set_params takes a parameter that there is not")


def _check_answers(estimator: Any, data: Data, name: str) -> None:
    X, y = data
    labels, marginals = estimator.predict(X), estimator.predict_marginals(X)
    assert [len(part) for part in labels] == [len(x) for x in X], f"{name}: predict must give a label per position"
    known = set(estimator.classes_.tolist())
    assert {label for part in labels for label in part.tolist()} <= known, f"{name}: predicts what is not in classes_"
    for x, part in zip(X, marginals, strict=True):
        assert part.shape == (len(x), len(known)), f"{name}: marginals must have shape (positions, classes)"
        assert np.allclose(part.sum(axis=1), 1.0), f"{name}: marginals of a position must sum to one"
    right = np.mean([a == b for part, truth in zip(labels, y, strict=True) for a, b in zip(part, truth, strict=True)])
    assert np.isclose(estimator.score(X, y), right), f"{name}: score is not the share of positions labelled right"
    assert estimator.predict([]) == [], f"{name}: no sequences must give no answers"
    empty = estimator.predict([X[0], np.empty((0, X[0].shape[1]))])
    assert [len(part) for part in empty] == [len(X[0]), 0], f"{name}: an empty sequence must get an empty answer"


def _check_same(one: Any, other: Any, data: Data, what: str) -> None:
    X = data[0]
    assert np.array_equal(one.weights_, other.weights_), f"{what}: weights differ"
    for method in ("predict", "predict_marginals"):
        pairs = zip(getattr(one, method)(X), getattr(other, method)(X), strict=True)
        assert all(np.array_equal(a, b) for a, b in pairs), f"{what}: {method} differs"


def _check_copies(estimator: Any, fitted: Any, data: Data, name: str) -> None:
    _check_same(fitted, _fit(estimator, data, name), data, f"{name}, two fits")
    _check_same(fitted, pickle.loads(pickle.dumps(fitted)), data, f"{name}, pickled")
    twice = _fit(estimator, data, name)
    if not getattr(twice, "warm_start", False):
        _check_same(fitted, _quietly_fit(twice, data), data, f"{name}, fitted again")


def _check_threads(estimator: Any, fitted: Any, data: Data, name: str) -> None:
    if "n_jobs" not in estimator.get_params(deep=False):
        return
    for n_jobs in (1, 2, 3):
        threaded = _fit(clone(estimator).set_params(n_jobs=n_jobs), data, name)
        _check_same(fitted, threaded, data, f"{name}, n_jobs={n_jobs}")


def _check_failures(fitted: Any, data: Data, name: str) -> None:
    """Data that no fit can take, given to a fitted model, fitted first."""
    X, y = data
    holed = [x.copy() for x in X]
    holed[2][0, 0] = np.nan
    state, before = pickle.dumps(fitted), dict(vars(fitted))
    for what, bad in {
        "NaN": (holed, y),
        "too few labels": (X, y[:-1]),
        "a short sequence": (X, [*y[:-1], ["low"]]),
    }.items():
        try:
            fitted.fit(*bad)
        except ValueError as error:
            assert len(str(error).split()) > 3, f"{name}: {what} is refused without a sentence: {error}"
        else:
            raise AssertionError(f"{name}: takes {what}")
        kept = before.keys() == vars(fitted).keys() and all(vars(fitted)[k] is v for k, v in before.items())
        assert kept, f"{name}: a fit that fails over {what} changes the model"
    _check_same(fitted, pickle.loads(state), data, f"{name}, after fits that failed")
