"""What a model file may hold: the one list of classes, with the attributes that a fit has left on them."""

import os

import numpy as np

from margrave import graphs, inference, losses, scores, solvers
from margrave.estimators.base import StructuredEstimator
from margrave.estimators.chains import ChainCRF, ChainM3N
from margrave.estimators.sequence import SequenceClassifier
from margrave.features import SequenceEncoder, TokenEncoder
from margrave.persistence import ModelFileError, load_object, register
from margrave.scores.constant import ConstantLayout
from margrave.scores.linear import LinearLayout
from margrave.scores.model import ScoreModel, Term
from margrave.scores.sum import SumLayout

_FITTED = (
    "model_", "weights_", "encoder_", "classes_", "n_features_in_", "history_", "gap_", "n_iter_",
)  # fmt: skip
for _estimator in (ChainCRF, ChainM3N, SequenceClassifier):
    register(_estimator, *_FITTED)

register(SequenceEncoder, "kind_", "names_", "columns_", "n_features_in_")
register(TokenEncoder, "vocabulary_")
for _kind in (
    graphs.Sequence,
    inference.Exhaustive, inference.Forest,
    losses.Hinge, losses.LogLoss, losses.SmoothedHinge, losses.SoftmaxMargin,
    scores.Constant, scores.Linear, scores.Sum, scores.Zero,
    solvers.FrankWolfe, solvers.LBFGS,
    ConstantLayout, LinearLayout, ScoreModel, SumLayout, Term,
):  # fmt: skip
    register(_kind)


def load(path: str | os.PathLike[str]) -> StructuredEstimator:
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
    estimator: StructuredEstimator = load_object(path, StructuredEstimator)
    weights = getattr(estimator, "weights_", None)
    if not isinstance(weights, np.ndarray) or weights.shape != (estimator.model_.n_weights,):
        raise ModelFileError(f"{path} holds a model without the weights that it describes")
    return estimator
