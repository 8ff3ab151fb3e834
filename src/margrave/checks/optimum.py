"""The minimum of small problems, found by general solvers that know nothing of graphs."""

from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import minimize

from margrave.primitives import Floats
from margrave.solvers import Objective


def smooth_minimum(objective: Objective) -> float:
    """The least value of an objective with T > 0, by SciPy's BFGS.

    Examples
    --------
    >>> import numpy as np
    >>> from margrave.checks.optimum import smooth_minimum
    >>> from margrave.checks.problems import signed_trees
    >>> from margrave.inference import Exhaustive
    >>> from margrave.losses import LogLoss
    >>> from margrave.solvers import Objective
    >>> problem = signed_trees(np.random.default_rng(0))
    >>> objective = Objective(problem.model, problem.labels, LogLoss(), Exhaustive(), C=1e-6)
    >>> least = float(smooth_minimum(objective))
    >>> round(least / float(2e-6 * np.log(16)), 4)  # two examples of sixteen labellings, hardly any weight
    1.0
    """

    def evaluate(weights: Floats) -> tuple[float, Floats]:
        value, gradient = objective.value_and_gradient(weights)
        return value + objective.penalty(weights, gradient), gradient

    found: Any = minimize(evaluate, np.zeros(objective.n_weights), jac=True, method="BFGS", options={"gtol": 1e-7})
    value, gradient = evaluate(found.x)
    assert objective.distance(gradient) <= 1e-9 * (1.0 + value), "SciPy did not find the minimum of a small problem"
    return value


def hinge_minimum(objective: Objective) -> float:
    """The least value of an objective with the hinge: the quadratic program over all labellings, by HiGHS.

    min Σ_g η_g/2 ‖w_g‖² + C Σ_i s_i ξ_i    subject to    ξ_i ≥ Δ_i(y) − ⟨w, features of the truth − features of y⟩

    for every labelling y of every example i; every η must be above 0.
    """
    import highspy  # noqa: PLC0415  (needed here only; 40 ms)

    rows, bounds, owner = _constraints(objective)
    n, m = objective.n_weights, len(objective)
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    model = highspy.HighsModel()
    lp = model.lp_
    lp.num_col_, lp.num_row_ = n + m, len(rows)
    s = np.ones(m) if objective.sample_weight is None else objective.sample_weight
    lp.col_cost_ = np.concatenate([np.zeros(n), objective.C * s])
    lp.col_lower_, lp.col_upper_ = np.full(n + m, -np.inf), np.full(n + m, np.inf)
    lp.row_lower_, lp.row_upper_ = bounds, np.full(len(rows), np.inf)
    matrix = np.concatenate([rows, np.eye(m)[owner]], axis=1)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.arange(len(rows) + 1) * (n + m)
    lp.a_matrix_.index_, lp.a_matrix_.value_ = np.tile(np.arange(n + m), len(rows)), matrix.ravel()
    eta = np.zeros(n)
    for run, value in objective.etas:
        eta[run] = value
    model.hessian_.dim_, model.hessian_.format_ = n + m, highspy.HessianFormat.kTriangular
    model.hessian_.start_ = np.minimum(np.arange(n + m + 1), n)
    model.hessian_.index_, model.hessian_.value_ = np.arange(n), eta
    solver.passModel(model)
    solver.run()
    weights = np.array(solver.getSolution().col_value)[:n]
    slack = np.full(m, -np.inf)
    np.maximum.at(slack, owner, bounds - rows @ weights)
    return float(0.5 * eta @ weights**2 + objective.C * s @ slack)


def _constraints(objective: Objective) -> tuple[Floats, Floats, Any]:
    """For every labelling: features of the truth − its features, its cost, and whose labelling it is."""
    graph, rows, bounds, owner = objective.graph, [], [], []
    cost = objective.loss.against(graph, objective.labels)
    truth = np.zeros(objective.n_weights)
    objective.model.add_pullback(graph.counts(objective.labels), truth)
    for i in range(len(graph)):
        t, mine = graph.topologies[graph.topology_of[i]], slice(*graph.first_variable[i : i + 2])
        for labelling in product(*map(range, t.n_states)):
            labels = objective.labels.copy()
            labels[mine] = labelling
            features = np.zeros(objective.n_weights)
            objective.model.add_pullback(graph.counts(labels), features)
            rows.append(truth - features)
            bounds.append(0.0 if cost is None else float(cost.of(labels)[mine].sum()))
            owner.append(i)
    return np.array(rows), np.array(bounds), np.array(owner)
