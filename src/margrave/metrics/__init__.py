"""Measures of predictions: tokens, whole sequences, chunks, confusions."""

from margrave.metrics.chunks import ChunkScore, chunk_f1, chunk_report, chunk_scores
from margrave.metrics.multilabel import multilabel_scores
from margrave.metrics.sequences import confusion_matrix, sequence_accuracy, token_accuracy

__all__ = [
    "ChunkScore",
    "chunk_f1",
    "chunk_report",
    "chunk_scores",
    "confusion_matrix",
    "multilabel_scores",
    "sequence_accuracy",
    "token_accuracy",
]
