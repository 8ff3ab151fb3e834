"""How to improve."""

from margrave.solvers.base import Interrupted, Record, Solution, Solver
from margrave.solvers.dual_objective import DualObjective, Duals
from margrave.solvers.frank_wolfe import FrankWolfe
from margrave.solvers.lbfgs import LBFGS
from margrave.solvers.objective import Objective

__all__ = [
    "DualObjective",
    "Duals",
    "FrankWolfe",
    "Interrupted",
    "LBFGS",
    "Objective",
    "Record",
    "Solution",
    "Solver",
]
