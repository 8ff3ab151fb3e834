"""Pictures of models and of what they answer, as matplotlib `Display` objects in the manner of scikit-learn.

A display is made by a class method, `from_estimator` or another `from_...`, and drawn by `plot(ax=None)`, which returns
the display with `ax_` and `figure_`. Its other attributes hold the numbers that are shown. matplotlib is imported when
something is drawn: `pip install 'margrave[plots]'`.
"""

from margrave.display.certificate import CertificateDisplay
from margrave.display.dependency_matrix import DependencyMatrixDisplay
from margrave.display.label_graph import LabelGraphDisplay
from margrave.display.loss_bound import LossBoundDisplay
from margrave.display.measures import MeasuresDisplay
from margrave.display.saving import save_figure
from margrave.display.solved_fraction import SolvedFractionDisplay

__all__ = [
    "CertificateDisplay",
    "DependencyMatrixDisplay",
    "LabelGraphDisplay",
    "LossBoundDisplay",
    "MeasuresDisplay",
    "SolvedFractionDisplay",
    "save_figure",
]
