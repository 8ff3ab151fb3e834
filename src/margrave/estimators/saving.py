"""What a model file may hold: the one list of classes, with the attributes that a fit has left on them."""

import os
from typing import Any

import numpy as np
from scipy import sparse

from margrave import graphs, inference, losses, scores, solvers
from margrave.estimators.base import StructuredEstimator
from margrave.estimators.chains import ChainCRF, ChainM3N
from margrave.estimators.sequence import SequenceClassifier
from margrave.features import SequenceEncoder, TokenEncoder
from margrave.graphs import Sequences
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
    try:
        _check(estimator)
    except ModelFileError as error:
        raise ModelFileError(f"{path} {error}") from None
    except (TypeError, ValueError, AttributeError, KeyError, IndexError, OverflowError) as error:
        raise ModelFileError(f"{path} holds a model whose parts do not fit: {error}") from None
    return estimator


def _check(estimator: StructuredEstimator) -> None:
    """Refuse what no fit leaves behind: kernels follow these numbers without a look."""
    model: Any = estimator.model_
    weights: Any = estimator.weights_
    classes: Any = estimator.classes_
    encoder: Any = estimator.encoder_
    if not isinstance(model, ScoreModel) or not isinstance(encoder, SequenceEncoder):
        raise ModelFileError("holds no fitted model")
    if not isinstance(weights, np.ndarray) or weights.dtype != np.float64:
        raise ModelFileError("holds weights that are no numbers of double precision")
    if weights.shape != (estimator.model_.n_weights,):
        raise ModelFileError("holds a model without the weights that it describes")
    if not isinstance(classes, np.ndarray) or classes.ndim != 1 or not len(classes):
        raise ModelFileError("holds no labels")
    for part in (estimator, encoder, encoder.names_):
        for name in missing_state(part):
            raise ModelFileError(f"holds a {type(part).__name__} without {name}")
    n_features, names = encoder.n_features_in_, encoder.names_
    if type(n_features) is not int or not 0 <= n_features < 2**31:
        raise ModelFileError("holds a number of features that is none")
    columns = None if names is None else list(names.vocabulary_.values())
    if columns is not None and (len(columns) != n_features or columns != list(range(n_features))):
        raise ModelFileError("holds names of features that are not numbered from 0")
    empty = np.zeros((0, n_features))
    rows = empty if encoder.kind_ == "dense" else sparse.csr_array(empty)
    batch = estimator._structure().build(Sequences(rows, np.zeros(0, dtype=np.int64)), len(classes))
    for term in estimator.model_.terms:
        if term.name not in batch.inputs or batch.inputs[term.name].block != term.block:
            raise ModelFileError(f"holds scores of {term.name!r}, which this structure does not have")
        given = batch.inputs[term.name].features
        term.layout.check(None if given is None else given.shape[1], batch.graph.block(term.block).width)
