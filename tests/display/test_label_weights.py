import numpy as np
import pandas as pd
import pytest

from margrave import LMSBNClassifier
from margrave.display import DependencyMatrixDisplay

from_estimator = DependencyMatrixDisplay.from_estimator
from_matrix = DependencyMatrixDisplay.from_matrix


def slope(clf, X, child, parent):
    """How much a parent's sign moves its child's score, from the model's scores alone."""
    (scores,) = clf.model_.scores(X)
    place = scores.dependencies.order.tolist().index(child)
    labels = np.ones((len(X), 4), dtype=np.int8)
    on = scores.score_at(place, labels)
    labels[:, parent] = -1
    return float((on - scores.score_at(place, labels)).mean() / 2)


def test_weights_are_those_of_the_models_scores(one_order, labels):
    weights, order = from_estimator(one_order).weights, [2, 0, 3, 1]
    for place, child in enumerate(order):
        for parent in range(4):
            if parent in order[:place]:
                assert weights[child, parent] == pytest.approx(slope(one_order, labels[0], child, parent))
            else:
                assert np.isnan(weights[child, parent])


def test_several_orders_are_averaged_and_count_0_where_they_have_no_edge(three_orders):
    model = three_orders.model_
    total, there = np.zeros((4, 4)), np.zeros((4, 4), dtype=bool)
    for d, weights in zip(model.dependencies, model.cliques, strict=True):
        place = np.argsort(d.order)
        table = d.pairs(weights[:, 0])
        for child in range(4):
            for parent in range(4):
                total[child, parent] += table[place[child], place[parent]]
                there[child, parent] |= place[parent] < place[child]
    shown = from_estimator(three_orders).weights
    np.testing.assert_allclose(shown[there], total[there] / 3)
    assert np.isnan(shown[~there]).all()


def test_weights_that_depend_on_the_example_are_averaged_over_examples(labels):
    X, Y = labels
    clf = LMSBNClassifier(clique_features=[4], C=0.5).fit(X, Y)
    assert from_estimator(clf, X[:30]).weights[3, 1] == pytest.approx(slope(clf, X[:30], 3, 1))
    own = clf.model_.dependencies[0].pairs(clf.model_.cliques[0][:, 0])
    assert from_estimator(clf).weights[3, 1] == own[3, 1]


def test_one_kernel_of_features_and_parents_needs_examples(labels):
    X, Y = labels
    clf = LMSBNClassifier(kernel="rbf", kernel_on="x+parents").fit(X, Y)
    with pytest.raises(ValueError, match="X must be given: with kernel_on='x\\+parents'"):
        from_estimator(clf)
    assert np.isfinite(from_estimator(clf, X).weights[np.tril_indices(4, -1)]).all()


def test_names_are_given_or_those_of_the_data_frame_or_numbers(one_order, labels):
    X, Y = labels
    assert from_estimator(one_order).label_names == ["0", "1", "2", "3"]
    assert from_estimator(one_order, label_names=np.array(list("abcd"))).label_names == list("abcd")
    framed = LMSBNClassifier().fit(X, pd.DataFrame(Y, columns=list("wxyz")))
    assert from_estimator(framed).label_names == list("wxyz")
    with pytest.raises(ValueError, match="label_names must name the 4 columns of Y, got 2 names"):
        from_estimator(one_order, label_names=["a", "b"])


def test_labels_that_never_changed_are_left_out(labels):
    X, Y = labels
    with pytest.warns(UserWarning, match="never change"):
        clf = LMSBNClassifier().fit(X, np.column_stack([Y[:, 0], np.ones(len(Y), dtype=int), Y[:, 1]]))
    shown = from_estimator(clf, label_names=["a", "b", "c"])
    assert shown.label_names == ["a", "c"] and shown.weights.shape == (2, 2)


def test_an_estimator_that_is_not_fitted_is_refused():
    with pytest.raises(ValueError, match="not fitted"):
        from_estimator(LMSBNClassifier())


@pytest.mark.parametrize(
    ("weights", "options", "sentence"),
    [
        ([[1.0, 2.0]], {}, r"square matrix.*got shape \(1, 2\)"),
        ([[0.0, 1.0], [2.0, 0.0]], {}, "symmetric, since directed=False"),
        ([[0.0, np.inf], [np.inf, 0.0]], {}, "finite, or NaN"),
        (np.empty((0, 0)), {}, "at least one label"),
        ([[0.0]], {"label_names": ["a", "b"]}, "the 1 labels of weights, got 2 names"),
    ],
)
def test_a_bad_matrix_is_refused(weights, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        from_matrix(weights, **options)


def test_a_directed_matrix_need_not_be_symmetric():
    assert from_matrix([[0.0, 1.0], [2.0, 0.0]], directed=True).directed
