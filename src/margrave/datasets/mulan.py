"""Multi-label tables of the Mulan project: an ARFF file, and an XML file that says which of its columns are labels."""

import os
from xml.etree import ElementTree

import numpy as np
from sklearn.utils import Bunch

from margrave.datasets.arff import read_arff
from margrave.datasets.packed import open_packed

_LABEL = "{http://mulan.sourceforge.net/labels}label"


def read_mulan_labels(source: str | os.PathLike[str]) -> list[str]:
    """Read the names of the labels from Mulan's XML file.

    Parameters
    ----------
    source : path
        The file (also packed: `.gz`, `.xz`).

    Returns
    -------
    list of str
        In the order of the file; labels inside a label come after it.

    Raises
    ------
    ValueError
        The file is no XML, holds no label, a label without a name, or a label twice.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> text = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="sky"/><label name="sea"/></labels>'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "toy.xml")
    ...     _ = path.write_text(text)
    ...     read_mulan_labels(path)
    ['sky', 'sea']
    """
    name = os.fspath(source)
    try:
        with open_packed(name) as file:
            found = [element.get("name", "") for element in ElementTree.parse(file).iter(_LABEL)]
    except ElementTree.ParseError as error:
        raise ValueError(f"{name}: expected the XML of Mulan's labels, got something else ({error})") from error
    if not found:
        raise ValueError(f"{name}: expected <label> elements of the namespace {_LABEL[1:-6]}, got none")
    for place, label in enumerate(found):
        if not label or label in found[:place]:
            raise ValueError(f"{name}: expected a name of its own for each label, got {label!r} for label {place}")
    return found


def read_mulan(arff: str | os.PathLike[str], xml: str | os.PathLike[str]) -> Bunch:
    """Read a multi-label table in Mulan's form: one ARFF file, and the XML file that names its labels.

    Parameters
    ----------
    arff : path
        The table, dense or sparse (also packed: `.gz`, `.xz`); see `read_arff`.
    xml : path
        The names of the labels; every other attribute is a feature.

    Returns
    -------
    Bunch
        - X : ndarray (n, p), float64, or csr_array (n, p) where the table is sparse; features in the table's order
        - Y : ndarray (n, K), int64, 0 or 1; labels in the order of the XML file
        - feature_names : list of p str
        - label_names : ndarray (K,) of str

    Raises
    ------
    ValueError
        A label is no attribute of the table, or has a value other than 0 and 1.

    Examples
    --------
    >>> import os, pathlib, tempfile
    >>> text = '<labels xmlns="http://mulan.sourceforge.net/labels"><label name="sky"/></labels>'
    >>> rows = ["@relation toy", "@attribute sky {0,1}", "@attribute blue numeric", "@data", "1,0.9", "0,0.2"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     xml, arff = pathlib.Path(folder, "toy.xml"), pathlib.Path(folder, "toy.arff")
    ...     _ = xml.write_text(text), arff.write_text(os.linesep.join(rows))
    ...     toy = read_mulan(arff, xml)
    >>> toy.X.tolist(), toy.Y.tolist(), toy.feature_names, toy.label_names.tolist()
    ([[0.9], [0.2]], [[1], [0]], ['blue'], ['sky'])
    """
    table, labels = read_arff(arff), read_mulan_labels(xml)
    place = {name: column for column, name in enumerate(table.names)}
    if unknown := [label for label in labels if label not in place]:
        raise ValueError(f"{os.fspath(xml)}: expected labels that are attributes of {arff}, got {unknown[0]!r}")
    of_labels = [place[label] for label in labels]
    of_features = sorted(set(range(len(table.names))) - set(of_labels))
    values = table.values[:, of_labels]
    Y = values if isinstance(values, np.ndarray) else values.toarray()
    wrong = np.argwhere((Y != 0) & (Y != 1))
    if len(wrong):
        row, column = wrong[0]
        raise ValueError(
            f"{arff}: expected 0 or 1 for the label {labels[column]!r}, got {Y[row, column]:g} in row {row}; "
            f"leave that row out"
        )
    return Bunch(
        X=table.values[:, of_features],
        Y=Y.astype(np.int64),
        feature_names=[table.names[column] for column in of_features],
        label_names=np.array(labels),
    )
