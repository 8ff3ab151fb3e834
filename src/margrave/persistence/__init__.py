"""Model files: arrays and names on disk, with no knowledge of any estimator."""

from margrave.persistence.container import read_file, write_file
from margrave.persistence.errors import ModelFileError
from margrave.persistence.model import load_object, save_object
from margrave.persistence.state import register, registered

__all__ = ["ModelFileError", "load_object", "read_file", "register", "registered", "save_object", "write_file"]
