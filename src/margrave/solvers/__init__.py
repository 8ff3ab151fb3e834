"""How to improve."""

from margrave.solvers.base import Interrupted, Record, Solution, Solver
from margrave.solvers.binary_objective import BinaryObjective
from margrave.solvers.binary_solver import BinarySolver
from margrave.solvers.dual_coordinate_descent import DualCoordinateDescent
from margrave.solvers.dual_objective import DualObjective, Duals
from margrave.solvers.frank_wolfe import FrankWolfe
from margrave.solvers.lbfgs import LBFGS
from margrave.solvers.objective import Objective

__all__ = [
    "BinaryObjective",
    "BinarySolver",
    "DualCoordinateDescent",
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
