"""What can go wrong with a model file."""


class ModelFileError(ValueError):
    """A file is no model file, is damaged, or is of a version that this library cannot read."""
