"""How to improve."""

from margrave.solvers.base import Interrupted, Record, Solution, Solver
from margrave.solvers.binary_objective import BinaryObjective
from margrave.solvers.binary_solver import BinarySolver
from margrave.solvers.dual_coordinate_descent import DualCoordinateDescent
from margrave.solvers.dual_objective import DualObjective, Duals
from margrave.solvers.exponentiated_gradient import ExponentiatedGradient
from margrave.solvers.frank_wolfe import FrankWolfe
from margrave.solvers.lbfgs import LBFGS
from margrave.solvers.objective import Objective
from margrave.solvers.pegasos import Pegasos

__all__ = [
    "BinaryObjective",
    "BinarySolver",
    "DualCoordinateDescent",
    "DualObjective",
    "Duals",
    "ExponentiatedGradient",
    "FrankWolfe",
    "Interrupted",
    "LBFGS",
    "Objective",
    "Pegasos",
    "Record",
    "Solution",
    "Solver",
]
