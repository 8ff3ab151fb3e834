"""The linear relaxation: below every labelling's loss, and what SciPy's solver says of the same program."""

from itertools import product

import numpy as np
import pytest
from scipy.optimize import linprog

from margrave.papers.lmsbn.relaxation import Relaxation

RNG = np.random.default_rng(0)


def loss(table, inputs, y):
    z = y * (inputs + table @ y)
    return np.maximum(1.0 - z, 0.0).sum()


def by_scipy(table, inputs):
    K = len(table)
    pairs = [(i, j) for i in range(K) for j in range(i)]
    column = {pair: K + n for n, pair in enumerate(pairs)}
    n = K + len(pairs) + K
    rows, bounds = [], []
    for i in range(K):
        row = np.zeros(n)
        row[i], row[K + len(pairs) + i] = -inputs[i], -1.0
        for j in range(i):
            row[column[i, j]] = -table[i, j]
        rows.append(row)
        bounds.append(-1.0)
    for (i, j), u in column.items():
        for a, b, c in ((-1, 1, 1), (-1, -1, -1), (1, -1, 1), (1, 1, -1)):
            row = np.zeros(n)
            row[u], row[i], row[j] = a, b, c
            rows.append(row)
            bounds.append(1.0)
    limits = [(-1, 1)] * (K + len(pairs)) + [(0, None)] * K
    cost = np.concatenate([np.zeros(K + len(pairs)), np.ones(K)])
    return linprog(cost, A_ub=np.array(rows), b_ub=bounds, bounds=limits).fun


@pytest.mark.parametrize("K", [1, 2, 4, 6])
def test_it_is_the_program_of_the_paper(K):
    table = np.tril(RNG.normal(size=(K, K)), -1)
    program = Relaxation(table)
    for inputs in RNG.normal(size=(5, K)):  # one model, several examples
        value = program.solve(inputs)
        assert value == pytest.approx(by_scipy(table, inputs), abs=1e-7)
        best = min(loss(table, inputs, np.array(y)) for y in product((-1, 1), repeat=K))
        assert value <= best + 1e-7
