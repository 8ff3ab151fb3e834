"""Features of sequences: encoders (attributes to columns, labels to numbers), templates, transformers of rows."""

from margrave.features.columns import ColumnTemplate, crfsuite_attributes
from margrave.features.encoder import TokenEncoder
from margrave.features.per_row import PerRow
from margrave.features.sequence_encoder import SequenceEncoder
from margrave.features.templates import conll_template

__all__ = ["ColumnTemplate", "PerRow", "SequenceEncoder", "TokenEncoder", "conll_template", "crfsuite_attributes"]
