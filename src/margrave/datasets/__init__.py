"""Data sets: `load_*` read what lies in the wheel, `fetch_*` look in a folder, the cache and the public origin."""

from margrave.datasets.arff import ArffError, ArffTable, read_arff
from margrave.datasets.conll import read_conll
from margrave.datasets.conll2000 import fetch_conll2000
from margrave.datasets.mulan import read_mulan, read_mulan_labels
from margrave.datasets.multilabel import fetch_multilabel
from margrave.datasets.ocr_letters import load_ocr_letters
from margrave.datasets.origin import DataFile, DatasetChecksumError, DatasetNotFoundError, Origin, Registry
from margrave.datasets.scene import load_scene
from margrave.datasets.snakes import load_snakes

__all__ = [
    "ArffError",
    "ArffTable",
    "DataFile",
    "DatasetChecksumError",
    "DatasetNotFoundError",
    "Origin",
    "Registry",
    "fetch_conll2000",
    "fetch_multilabel",
    "load_ocr_letters",
    "load_scene",
    "load_snakes",
    "read_arff",
    "read_conll",
    "read_mulan",
    "read_mulan_labels",
]
