"""Listed examples of a batch of forests, in one call: calls are what short examples cost."""

from margrave.graphs.wiring import EXAMPLES, FIRST_VARIABLE
from margrave.inference.forest_best import best_labels
from margrave.inference.forest_loading import Inputs, Width, prepare_tables
from margrave.inference.forest_logarithms import log_marginals
from margrave.inference.forest_marginals import marginals
from margrave.primitives import Floats, Integers, Labels, kernel


@kernel
def best_of_some(
    dims: Width,
    examples: Integers,
    inputs: Inputs,
    tables: Floats,
    peaks: Floats,
    work: Floats,
    own: Floats,
    value: Floats,
    best: Labels,
) -> int:
    """Best labellings of some examples, tables made ready first; returns how many labels they have.

    The labels stand one example after the other; `value` is the last one's.
    """
    prepare_tables(dims, inputs[0], inputs[1], inputs[2], 0.0, own, tables, peaks)
    at = 0
    for i in range(len(examples)):
        example = examples[i]
        best_labels(dims, example, example + 1, inputs, tables, peaks, work, own, value, best[at:])
        at += inputs[1][EXAMPLES][example + 1, FIRST_VARIABLE] - inputs[1][EXAMPLES][example, FIRST_VARIABLE]
    return at


@kernel
def counts_of_some(
    dims: Width,
    examples: Integers,
    inputs: Inputs,
    temperature: float,
    tables: Floats,
    peaks: Floats,
    weights: Floats,
    work: Floats,
    own: Floats,
    sums: Floats,
    value: Floats,
    counts: Floats,
    shared_counts: Floats,
) -> None:
    """Write expected counts of some examples, those of what they share to `shared_counts`; tables made ready first."""
    prepare_tables(dims, inputs[0], inputs[1], inputs[2], temperature, own, tables, peaks)
    for k in range(len(shared_counts)):
        shared_counts[k] = 0.0
    for i in range(len(examples)):
        first, stop, nothing = examples[i], examples[i] + 1, value[:0]
        for j in range(len(sums)):
            for a in range(sums.shape[2]):
                for b in range(sums.shape[3]):
                    sums[j, 0, a, b] = 0.0
                    sums[j, 1, a, b] = 0.0
        if marginals(dims, first, stop, inputs, temperature, tables, peaks, weights, work, own, sums, value,
                     counts, shared_counts, nothing, nothing):  # fmt: skip
            log_marginals(first, stop, inputs, temperature, weights, work, own, value, counts, shared_counts,
                          nothing, nothing)  # fmt: skip
