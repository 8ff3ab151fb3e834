"""The structural support vector machine written out, a constraint per example and labelling, and solved as a QP."""

from dataclasses import dataclass

import numpy as np
from scipy.optimize import minimize


@dataclass
class Optimum:
    weights: np.ndarray
    value: float


def solve(chains, C, etas=1.0, s=None, cost=None):
    """min ½ Σ η w² + C Σ s_i ξ_i subject to ξ_i ≥ Δ(z) + ⟨w, φ(z) − φ(y_i)⟩ for every labelling z."""
    n, n_weights = len(chains.X), chains.n_weights
    s, etas = np.ones(n) if s is None else s, np.broadcast_to(etas, n_weights)
    rows, costs = [], []
    for i in range(n):
        differences = chains.all_features(i) - chains.joint_features(i, chains.y[i])
        rows.append(np.column_stack([-differences, np.tile(np.eye(n)[i], (len(differences), 1))]))
        costs.append(chains.costs(i, cost))
    a, b = np.concatenate(rows), np.concatenate(costs)
    scale = np.concatenate([etas, np.zeros(n)])
    linear = np.concatenate([np.zeros(n_weights), C * s])
    found = minimize(
        lambda x: 0.5 * np.sum(scale * x * x) + linear @ x,
        np.concatenate([np.zeros(n_weights), [part.max() for part in costs]]),
        jac=lambda x: scale * x + linear,
        constraints={"type": "ineq", "fun": lambda x: a @ x - b, "jac": lambda x: a},
        method="SLSQP",
        options={"ftol": 1e-15, "maxiter": 2000},
    )
    assert (a @ found.x - b).min() > -1e-9
    return Optimum(found.x[:n_weights], found.fun)
