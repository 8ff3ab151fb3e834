"""`margrave evaluate`: how well a model labels a file whose labels are known."""

from typing import Annotated

import typer

from margrave.cli.errors import BadInputError
from margrave.cli.options import AsJson, Jobs, LabelAt, LabelColumn, ModelFile, label_column


def evaluate(
    model: ModelFile,
    file: Annotated[str, typer.Argument(metavar="FILE", help="Sentences with their labels; - is standard input.")],
    as_json: AsJson = False,
    label_at: LabelColumn = None,
    jobs: Jobs = -1,
) -> None:
    """Compare a model's labels with those of a column file: tokens, whole sequences, and chunks.

    Chunks (precision, recall and F1 as the CoNLL script counts them) are judged where the labels are tags such as B-NP,
    I-NP and O.
    """
    from margrave.cli.column_file import read_column_file  # noqa: PLC0415 -- `margrave --help` does not wait for it
    from margrave.cli.model_file import columns_of, load_tagger  # noqa: PLC0415
    from margrave.cli.progress import labelling  # noqa: PLC0415
    from margrave.cli.scoring import show_scores  # noqa: PLC0415
    from margrave.cli.targets import print_json, standard_output  # noqa: PLC0415
    from margrave.cli.training import judge, labelled  # noqa: PLC0415

    at = label_column(label_at)
    if at is LabelAt.nowhere:
        raise BadInputError("--label-column none: labels are judged by true ones; name their column, or use predict")
    tagger = load_tagger(model)
    tagger.estimator.set_params(n_jobs=jobs)
    columns = columns_of(tagger, model)
    X, y = labelled(columns, read_column_file(file, columns.format), at)
    with labelling():
        scores = judge(tagger, X, y)
    if as_json:
        print_json(scores.as_json())
    else:
        show_scores(scores, standard_output())
