"""What the names mean that users may give instead of objects: one table."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from sklearn.base import BaseEstimator, clone

from margrave.inference import Exhaustive, Forest, Inference
from margrave.losses import Hinge, LogLoss, Loss, SoftmaxMargin
from margrave.scores import Constant, Linear, Scorer, Zero
from margrave.solvers import (
    LBFGS,
    BinarySolver,
    DualCoordinateDescent,
    ExponentiatedGradient,
    FrankWolfe,
    Pegasos,
    Solver,
)

T = TypeVar("T", bound=BaseEstimator)
Table = Mapping[str, Callable[[], T]]

LOSSES: dict[str, type[Loss]] = {"log": LogLoss, "hinge": Hinge, "softmax_margin": SoftmaxMargin}
INFERENCES: dict[str, type[Inference]] = {"forest": Forest, "exhaustive": Exhaustive}
SOLVERS: dict[str, type[Solver[Any]]] = {"lbfgs": LBFGS, "frank_wolfe": FrankWolfe}
SCORERS: dict[str, type[Scorer]] = {"linear": Linear, "constant": Constant, "zero": Zero}

#: Of one label whose neighbours are known.
BINARY_LOSSES: dict[str, type[Loss]] = {"hinge": Hinge, "log": LogLoss}
BINARY_SOLVERS: dict[str, type[BinarySolver]] = {
    "dual_coordinate_descent": DualCoordinateDescent,
    "exponentiated_gradient": ExponentiatedGradient,
    "pegasos": Pegasos,
}


def choose(parameter: str, given: Any, table: Table[T], kind: Any) -> T:
    """A copy of the object given, or a new one of the name given."""
    if isinstance(given, kind):
        copy: T = clone(given)
        return copy
    if isinstance(given, str) and given in table:
        return table[given]()
    names = ", ".join(repr(name) for name in table)
    raise ValueError(
        f"{parameter} must be one of {names}, or an object of mg.{kind.__module__.split('.')[1]}; got {given!r}"
    )


def choose_solver(given: Any, loss: Loss, **limits: Any) -> Solver[Any]:
    """The solver given, or the usual one for the loss; `limits` (None: the solver's own) go with names only."""
    if given is None:
        given = "lbfgs" if loss.temperature > 0 else "frank_wolfe"
    solver: Solver[Any] = choose("solver", given, SOLVERS, Solver)
    named = {name: value for name, value in limits.items() if value is not None}
    if isinstance(given, Solver):
        if named:
            raise ValueError(f"{', '.join(named)} given beside a solver object; set it on the solver instead")
        return solver
    takes = solver.get_params(deep=False)
    solver.set_params(**{name: value for name, value in named.items() if name in takes})
    return solver
