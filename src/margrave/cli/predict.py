"""`margrave predict`: a column file in, the same file with a column of predicted labels out."""

from collections.abc import Iterator
from itertools import chain
from typing import TYPE_CHECKING, Annotated

import typer

from margrave.cli.errors import BadInputError
from margrave.cli.options import Features, Jobs, LabelColumn, ModelFile, label_column

if TYPE_CHECKING:
    from margrave.cli.column_file import ColumnFile
    from margrave.cli.columns import Columns
    from margrave.cli.model_file import Tagger


def predict(
    model: ModelFile,
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Sentences, with labels or without; - is standard input.")
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output.")
    ] = "-",
    marginals: Annotated[
        bool,
        typer.Option("--marginals", help="Add a column label:probability for every label of the model as well."),
    ] = False,
    label_at: LabelColumn = None,
    jobs: Jobs = -1,
) -> None:
    """Label the sentences of a column file: its lines as they are, with the predicted label as one more column.

    The file has the columns of the training file, or all of them but the label, or only those that attributes are made
    of.
    """
    from margrave.cli.column_file import STANDARD, read_column_file  # noqa: PLC0415 -- `margrave --help` does not wait for it
    from margrave.cli.model_file import columns_of, load_tagger  # noqa: PLC0415
    from margrave.cli.progress import labelling  # noqa: PLC0415
    from margrave.cli.targets import checked_target, write_lines  # noqa: PLC0415

    if output != STANDARD:
        checked_target(output, replaced=False)
    at = label_column(label_at)
    tagger = load_tagger(model)
    tagger.estimator.set_params(n_jobs=jobs)
    columns = columns_of(tagger, model)
    read = read_column_file(file, columns.format)
    X = columns.attributes(read, at)
    if columns.features is Features.attributes:
        _refuse_attributes_for_labels(read, columns.labels(read, at), tagger)
    with labelling():
        added = _predicted(tagger, columns, X, marginals)
    write_lines(read.with_columns(added), output, columns.encoding)


def _predicted(tagger: "Tagger", columns: "Columns", X: list[object], marginals: bool) -> Iterator[str]:
    """What is written behind each token."""
    model, gap = tagger.estimator, columns.delimiter or "\t"
    data = model.encode(X)
    labels = map(str, chain.from_iterable(model.predict(data)))
    if not marginals:
        return labels
    names = model.classes_.tolist()
    rows = chain.from_iterable(model.predict_marginals(data))
    return (
        gap.join([label, *(f"{name}:{share:.6f}" for name, share in zip(names, row, strict=True))])
        for label, row in zip(labels, rows, strict=True)
    )


def _refuse_attributes_for_labels(file: "ColumnFile", labels: list[list[str]] | None, tagger: "Tagger") -> None:
    """Lines of attributes may have any number of columns: whether one is the label shows in the values alone.

    One value throughout, which is neither a label nor an attribute, stands in for labels that are not known.
    """
    found, model = set(chain.from_iterable(labels or [])), tagger.estimator
    known = found & set(model.classes_.tolist())
    if found and not known and (len(found) > 1 or found & set(model.encoder_.names_.vocabulary_)):
        raise BadInputError(
            f"{file.name}: no value in the column of the label is a label of the model, as {min(found)!r}; say "
            f"--label-column none if the file has none, or name the column"
        )
