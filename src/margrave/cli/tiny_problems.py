"""Tiny problems that together run every kernel of the library, in every form that it is compiled in.

Numba compiles a kernel once for each combination of argument types that it meets. What tells them apart: the numbers of
labels, rounded up to eight; whether all features are 0 or 1; whether all weights exist or only observed ones. The rest
(index types, memory order, read-only arrays) is made alike before a kernel sees it; it is gone through all the same, as
that is what has to be true.

Whoever adds a kernel adds a problem that runs it; a test finds kernels that none runs.
"""

import warnings
from collections.abc import Callable, Iterator
from typing import Any, Literal, get_args

import numpy as np
from scipy import sparse

import margrave as mg

Form = Literal["dense", "dense by columns", "float32", "binary", "valued", "binary, 64-bit", "valued, 64-bit", "names"]
FORMS: tuple[Form, ...] = get_args(Form)
SPARSE: tuple[Form, ...] = FORMS[3:]
KERNELS = ("rbf", "chi2", "laplacian")

#: States are worked on eight at a time: every other number of labels is done by the next of these.
EIGHT = 8


def widths(most_labels: int) -> list[int]:
    """A number of labels for each width that kernels are compiled for, up to that of `most_labels`.

    Examples
    --------
    >>> widths(22)
    [8, 16, 24]
    """
    return list(range(EIGHT, -(-most_labels // EIGHT) * EIGHT + 1, EIGHT))


def tiny_sequences(n_labels: int, form: Form = "dense", seed: int = 0) -> tuple[list[Any], list[list[str]]]:
    """A few sequences, among them one of length 0 and one of length 1, in which every label occurs.

    Parameters
    ----------
    n_labels : int
    form : one of FORMS
        How the features of a sequence are given.
    seed : int

    Returns
    -------
    X : list of arrays, sparse matrices or lists of dicts
    y : list of lists of str

    Examples
    --------
    >>> X, y = tiny_sequences(3)
    >>> [x.shape for x in X], y[0]
    ([(3, 4), (0, 4), (1, 4), (5, 4)], ['0', '1', '2'])
    """
    rng = np.random.default_rng(seed)
    numbers = [np.arange(n_labels), np.arange(0), np.arange(1), rng.integers(n_labels, size=5)]
    y = [[str(k) for k in each] for each in numbers]
    return [_featured(rng.integers(0, 2, size=(len(each), 4)).astype(np.float64), form) for each in numbers], y


def _featured(rows: Any, form: Form) -> Any:
    """Four binary features of each position, in one of the forms."""
    if form == "names":
        return [{f"f{d}": bool(value) for d, value in enumerate(row)} for row in rows]
    if form in ("dense", "dense by columns"):
        return np.asfortranarray(rows) if form == "dense by columns" else rows
    if form == "float32":
        return rows.astype(np.float32)
    matrix = sparse.csr_array(rows * (0.5 if form.startswith("valued") else 1.0))
    index = np.int64 if form.endswith("64-bit") else np.int32
    matrix.indices, matrix.indptr = matrix.indices.astype(index), matrix.indptr.astype(index)
    return matrix


def run_all(most_labels: int, report: Callable[[str], None] = lambda problem: None) -> None:
    """Run every tiny problem, for every width up to that of `most_labels`; `report` is told what is about to run."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # nothing here is run until it converges
        for n_labels in widths(most_labels):
            for name, problem in problems(n_labels):
                report(f"{n_labels} labels: {name}")
                problem()


def problems(n_labels: int) -> Iterator[tuple[str, Callable[[], None]]]:
    """Every tiny problem with a number of labels, and what it is called."""
    for form in FORMS:
        for kept in ("observed", "all") if form in SPARSE else (None,):
            name = form if kept is None else f"{form}, {kept} weights"
            yield f"chains, {name}", lambda form=form, kept=kept: _chains(n_labels, form, kept)  # type: ignore[misc]
    yield "chains, sums of scorers", lambda: _sums(n_labels)
    yield "chains, other losses and questions", lambda: _other_losses(n_labels)
    yield "chains, by logarithms and by enumeration", lambda: _other_inferences(n_labels)
    for form in FORMS[:-1]:
        yield f"label sets, {form}", lambda form=form: _labels(form, "linear")  # type: ignore[misc]
    for kernel in KERNELS:
        yield f"label sets, {kernel} kernel", lambda kernel=kernel: _labels("dense", kernel)  # type: ignore[misc]


def _chains(n_labels: int, form: Form, kept: Literal["observed", "all"] | None) -> None:
    """Both solvers, and what is asked of a fitted model."""
    X, y = tiny_sequences(n_labels, form)
    nodes = None if kept is None else mg.scores.Linear(kept)
    warmed_up = mg.solvers.LBFGS(max_iter=1, warm_up=1)
    mg.ChainCRF(nodes=nodes, solver=warmed_up).fit(X, y, sample_weight=np.arange(1.0, 5.0))
    for kind in (mg.ChainCRF, mg.ChainM3N):
        for boundary in (False, True):
            model = kind(nodes=nodes, boundary=boundary, max_iter=2, random_state=0).fit(X, y)
            model.predict(X)
            model.predict_marginals(X)
            model.predict(X[2:3])  # alone, a single position has no neighbours


def _sums(n_labels: int) -> None:
    """Scorers that a dual solver asks one by one, as it cannot list their rows together."""
    forms: tuple[tuple[Form, Literal["observed", "all"]], ...] = (
        ("dense", "all"), ("binary", "all"), ("valued", "all"), ("binary", "observed"), ("valued", "observed"),
    )  # fmt: skip
    for form, kept in forms:
        X, y = tiny_sequences(n_labels, form)
        nodes = mg.scores.Sum([mg.scores.Linear(kept), mg.scores.Constant()])
        mg.ChainM3N(nodes=nodes, max_iter=2, warm_start=True).fit(X, y).fit(X, y).predict(X)


def _other_losses(n_labels: int) -> None:
    X, y = tiny_sequences(n_labels)
    for loss in ("softmax_margin", mg.losses.SmoothedHinge()):
        mg.SequenceClassifier(loss, max_iter=2).fit(X, y, sample_weight=np.arange(1.0, 5.0))
    model = mg.ChainM3N(max_iter=2, warm_start=True).fit(X, y, sample_weight=np.arange(1.0, 5.0)).fit(X, y)
    model.log_proba(X, y)
    model.score(X, y)


def _other_inferences(n_labels: int) -> None:
    """Scores far apart, whose exponentials vanish, and every labelling of a short sequence."""
    graph = mg.Sequence().build(mg.Sequences(np.zeros((3, 0)), np.array([2, 1])), n_labels).graph
    theta = 1e4 * np.random.default_rng(0).normal(size=graph.n_entries)
    for inference in (mg.inference.Forest(), mg.inference.Exhaustive()):
        for temperature in (0.0, 1.0):
            inference.maximize(graph, theta, temperature=temperature)
    mg.inference.Forest().maximize(graph, theta, temperature=1.0, ask=("counts", "nodes", "edges"))


def _labels(form: Form, kernel: str) -> None:
    """A directed model of four labels with both losses, one order and several, and all that is asked of it."""
    rng = np.random.default_rng(0)
    rows, Y = rng.integers(0, 2, size=(12, 4)).astype(np.float64), rng.integers(0, 2, size=(12, 4))
    Y[0], Y[1] = 0, 1  # no label that never changes
    X, given = _featured(rows, form), np.where(rng.random(Y.shape) < 0.5, np.nan, Y)
    for loss, n_orders, size in (("hinge", 1, 3), ("log", 2, 2)):
        model = mg.LMSBNClassifier(
            loss=loss, n_orders=n_orders, clique_size=size, kernel=kernel, max_iter=2, random_state=0
        ).fit(X, Y)
        model.predict(X, given=given)
        model.predict_top_k(X, 2)
        model.predict(X, decode="f1")
        for limits in ({"S": 1e-9}, {"time_limit": 1.0}):
            model.set_params(inference=mg.inference.BranchAndBound(**limits)).predict(X)  # type: ignore[arg-type]
            model.predict_top_k(X, 2)
        if n_orders == 1:
            model.set_params(inference=mg.inference.Beam(2)).predict(X)
            model.predict_top_k(X, 2)
        for solver in ("pegasos", "exponentiated_gradient"):
            model.set_params(solver=solver, inference=None).fit(X, Y)
