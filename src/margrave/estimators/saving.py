"""What a model file may hold: the one list of classes, with the attributes that a fit has left on them."""

import os

from margrave import graphs, inference, losses, scores, solvers
from margrave.estimators.chains import ChainCRF, ChainM3N
from margrave.estimators.directed_inputs import JointKernelInputs, KernelInputs, LandmarkInputs, LinearInputs, NoInputs
from margrave.estimators.directed_model import DirectedModel
from margrave.estimators.lmsbn import LMSBNClassifier
from margrave.estimators.saved import Saved
from margrave.estimators.sequence import SequenceClassifier
from margrave.estimators.threshold_tuned import ThresholdTunedClassifier
from margrave.features import SequenceEncoder, TokenEncoder
from margrave.features.label_table import LabelTable
from margrave.persistence import ModelFileError, load_object, register
from margrave.persistence.state import missing_state
from margrave.scores.constant import ConstantLayout
from margrave.scores.linear import LinearLayout
from margrave.scores.model import ScoreModel, Term
from margrave.scores.sum import SumLayout

_FITTED = (
    "model_", "weights_", "encoder_", "classes_", "n_features_in_", "history_", "gap_", "n_iter_",
)  # fmt: skip
for _estimator in (ChainCRF, ChainM3N, SequenceClassifier):
    register(_estimator, *_FITTED)

register(
    LMSBNClassifier,
    "model_", "table_", "classes_", "orders_", "n_features_in_", "history_", "gap_", "n_iter_", "temperature_",
    optional=("feature_names_in_",),
)  # fmt: skip

register(
    ThresholdTunedClassifier,
    "estimator_", "thresholds_", "table_", "classes_", "n_features_in_",
    optional=("feature_names_in_",),
)  # fmt: skip

register(SequenceEncoder, "kind_", "names_", "columns_", "n_features_in_")
register(TokenEncoder, "vocabulary_")
for _kind in (
    graphs.Dependencies, graphs.Sequence,
    inference.Beam, inference.BranchAndBound, inference.Exhaustive, inference.Forest,
    losses.Hinge, losses.LogLoss, losses.SmoothedHinge, losses.SoftmaxMargin,
    scores.Constant, scores.Kernel, scores.Linear, scores.Sum, scores.Zero,
    solvers.DualCoordinateDescent, solvers.ExponentiatedGradient, solvers.FrankWolfe, solvers.LBFGS, solvers.Pegasos,
    ConstantLayout, LinearLayout, ScoreModel, SumLayout, Term,
    DirectedModel, JointKernelInputs, KernelInputs, LabelTable, LandmarkInputs, LinearInputs, NoInputs,
):  # fmt: skip
    register(_kind)


def load(path: str | os.PathLike[str]) -> Saved:
    """Load an estimator that its method `save` has saved.

    Predictions are the same to the bit. Nothing in the file is executed, whoever wrote it; only classes that this
    library (or the program, by `margrave.persistence.register`) has listed are made.

    Examples
    --------
    >>> import os, tempfile
    >>> import numpy as np
    >>> import margrave as mg
    >>> tagger = mg.ChainCRF().fit([np.eye(2)], [["a", "b"]])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "tagger.mg")
    ...     tagger.save(path)
    ...     mg.load(path).predict([np.eye(2)])
    [array(['a', 'b'], dtype='<U1')]
    """
    estimator: Saved = load_object(path, Saved, "a model")
    try:
        for name in missing_state(estimator):
            raise ModelFileError(f"holds a {type(estimator).__name__} without {name}")
        estimator._check_loaded()
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from None
    except (TypeError, ValueError, AttributeError, KeyError, IndexError, OverflowError) as error:
        raise ModelFileError(f"{path} holds a model whose parts do not fit: {error}") from None
    return estimator
