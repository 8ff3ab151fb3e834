"""Measures of predictions (tokens, whole sequences, chunks, confusions, label sets), and bounds on them."""

from margrave.metrics.bounds import error_bound, lmbm_threshold, log_loss_bound, loss_threshold
from margrave.metrics.chunks import ChunkScore, chunk_f1, chunk_report, chunk_scores
from margrave.metrics.generalization import excess_loss_bound, penalty_rule, rademacher_bound
from margrave.metrics.multilabel import multilabel_scores
from margrave.metrics.search_bounds import search_nodes_bound, solved_probability
from margrave.metrics.sequences import confusion_matrix, sequence_accuracy, token_accuracy

__all__ = [
    "ChunkScore",
    "chunk_f1",
    "chunk_report",
    "chunk_scores",
    "confusion_matrix",
    "error_bound",
    "excess_loss_bound",
    "lmbm_threshold",
    "log_loss_bound",
    "loss_threshold",
    "multilabel_scores",
    "penalty_rule",
    "rademacher_bound",
    "search_nodes_bound",
    "sequence_accuracy",
    "solved_probability",
    "token_accuracy",
]
