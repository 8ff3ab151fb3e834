"""Best labellings of forests: messages of maxima to the root, choices back to the leaves."""

import numpy as np

from margrave.graphs.wiring import (
    EXAMPLES,
    FIRST_VARIABLE,
    N_STATES,
    VARIABLES,
)
from margrave.inference.forest_loading import (
    EDGE,
    FLIP,
    PARENT,
    VARIABLE,
    Inputs,
    Width,
    load_example,
    shape_of,
    table_of,
)
from margrave.primitives import Floats, Labels, inlined_kernel, kernel


@kernel
def best_labels(
    dims: Width,
    first: int,
    stop: int,
    inputs: Inputs,
    tables: Floats,
    peaks: Floats,
    work: Floats,
    own: Floats,
    values: Floats,
    best: Labels,
) -> None:
    """Best labelling of examples `first` to `stop`; `values` and `best` begin with the first of them.

    `work` has a row per variable of the largest example and one more, `own` is three tables.
    """
    w, order = inputs[1], inputs[3]
    width = 8 * len(dims)
    scores, message = work, work[len(work) - 1]
    for example in range(first, stop):
        skipped, edges, n = shape_of(w, example)
        load_example(example, inputs, scores)
        total = 0.0
        for k in range(n):
            p = n - 1 - k
            parent = order[skipped + p, PARENT]
            if parent < 0:
                peak = -np.inf
                for a in range(width):
                    peak = max(peak, scores[p, a])
                total += peak
                continue
            e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
            i, _ = table_of(dims, example, e, inputs, 0.0, peaks, own)
            _best_plus(dims, scores[p], tables[i, 1 - flip] if i >= 0 else own[1 - flip], message)
            for a in range(width):
                scores[parent, a] += message[a]
        values[example - first] = total
        place = w[EXAMPLES][example, FIRST_VARIABLE] - w[EXAMPLES][first, FIRST_VARIABLE]
        for p in range(n):
            v, parent = order[skipped + p, VARIABLE], order[skipped + p, PARENT]
            if parent >= 0:
                chosen = best[place + order[skipped + parent, VARIABLE]]
                e, flip = edges + order[skipped + p, EDGE], order[skipped + p, FLIP]
                i, _ = table_of(dims, example, e, inputs, 0.0, peaks, own)
                row = tables[i, flip, chosen] if i >= 0 else own[flip, chosen]
                for b in range(width):
                    scores[p, b] += row[b]
            winner, top = 0, scores[p, 0]
            for b in range(1, w[VARIABLES][skipped + v, N_STATES]):
                if scores[p, b] > top:
                    winner, top = b, scores[p, b]
            best[place + v] = winner


@inlined_kernel
def _best_plus(dims: Width, scores: Floats, rows: Floats, out: Floats) -> None:
    """out[a] = max over b of scores[b] + rows[b, a]; eight b at a time stay in registers."""
    width = 8 * len(dims)
    for a in range(width):
        out[a] = -np.inf
    for b in range(0, width, 8):
        s0, s1, s2, s3 = scores[b], scores[b + 1], scores[b + 2], scores[b + 3]
        s4, s5, s6, s7 = scores[b + 4], scores[b + 5], scores[b + 6], scores[b + 7]
        for a in range(width):
            low = max(s0 + rows[b, a], s1 + rows[b + 1, a], s2 + rows[b + 2, a], s3 + rows[b + 3, a])
            high = max(s4 + rows[b + 4, a], s5 + rows[b + 5, a], s6 + rows[b + 6, a], s7 + rows[b + 7, a])
            out[a] = max(out[a], low, high)
