import gzip

import numpy as np
import pytest
from scipy.sparse import csr_array

from margrave.datasets import read_mulan, read_mulan_labels

OPEN = '<?xml version="1.0" encoding="utf-8"?>\n<labels xmlns="http://mulan.sourceforge.net/labels">'
HEADER = [
    "@relation toy",
    "@attribute first {0,1}",
    "@attribute x numeric",
    "@attribute last {0,1}",
    "@attribute y real",
]


def put(folder, *labels, rows=("1,0.5,0,7", "0,0.25,1,8")):
    xml, arff = folder / "toy.xml", folder / "toy.arff"
    xml.write_text(OPEN + "".join(f'<label name="{label}"></label>\n' for label in labels) + "</labels>")
    arff.write_text("\n".join([*HEADER, "@data", *rows]))
    return arff, xml


def test_labels_come_in_the_order_of_the_xml_and_features_in_that_of_the_table(tmp_path):
    toy = read_mulan(*put(tmp_path, "last", "first"))
    assert toy.label_names.tolist() == ["last", "first"]
    assert toy.Y.tolist() == [[0, 1], [1, 0]]
    assert toy.Y.dtype == np.int64
    assert toy.feature_names == ["x", "y"]
    assert toy.X.tolist() == [[0.5, 7], [0.25, 8]]


def test_an_attribute_of_zeros_and_ones_that_the_xml_does_not_name_is_a_feature(tmp_path):
    toy = read_mulan(*put(tmp_path, "first"))
    assert toy.feature_names == ["x", "last", "y"]
    assert toy.X.tolist() == [[0.5, 0, 7], [0.25, 1, 8]]


def test_sparse_rows_stay_sparse(tmp_path):
    toy = read_mulan(*put(tmp_path, "last", "first", rows=["{0 1,3 7}", "{1 0.25,2 1}"]))
    assert isinstance(toy.X, csr_array)
    assert toy.X.toarray().tolist() == [[0, 7], [0.25, 0]]
    assert toy.X.indices.dtype == np.int32
    assert toy.X.has_canonical_format
    assert toy.Y.tolist() == [[0, 1], [1, 0]]


def test_labels_inside_labels_and_escaped_names(tmp_path):
    xml = tmp_path / "tree.xml.gz"
    text = f'{OPEN}<label name="sea &amp; sky"><label name="m\\\'u"/></label><label name="x"/></labels>'
    xml.write_bytes(gzip.compress(text.encode()))
    assert read_mulan_labels(xml) == ["sea & sky", "m\\'u", "x"]


def test_a_label_that_the_table_lacks_is_named(tmp_path):
    with pytest.raises(ValueError, match=r"toy\.xml: expected labels that are attributes of .*toy\.arff, got 'sky'"):
        read_mulan(*put(tmp_path, "first", "sky"))


@pytest.mark.parametrize("rows", [["1,0,0,0", "?,0,0,0"], ["{0 1}", "{0 ?}"]])
def test_a_label_that_is_missing_is_refused(tmp_path, rows):
    with pytest.raises(ValueError, match="expected 0 or 1 for the label 'first', got nan in row 1"):
        read_mulan(*put(tmp_path, "last", "first", rows=rows))


def test_a_numeric_label_of_another_value_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"expected 0 or 1 for the label 'x', got 0\.5 in row 0"):
        read_mulan(*put(tmp_path, "x"))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("first, last", r"expected the XML of Mulan's labels, got something else \(syntax error"),
        (
            f"{OPEN}</labels>",
            r"expected <label> elements of the namespace http://mulan\S+, got none",
        ),
        ('<labels><label name="a"/></labels>', "got none"),
        (f'{OPEN}<label name="a"/><label/></labels>', "expected a name of its own for each label, got '' for label 1"),
        (f'{OPEN}<label name="a"/><label name="a"/></labels>', "got 'a' for label 1"),
    ],
)
def test_another_xml_is_refused(tmp_path, text, problem):
    xml = tmp_path / "toy.xml"
    xml.write_text(text)
    with pytest.raises(ValueError, match=problem):
        read_mulan_labels(xml)
