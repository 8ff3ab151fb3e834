"""Features of sequences: encoder (attributes to columns), templates, transformers of rows."""

from margrave.features.encoder import TokenEncoder
from margrave.features.per_row import PerRow
from margrave.features.templates import conll_template

__all__ = ["PerRow", "TokenEncoder", "conll_template"]
