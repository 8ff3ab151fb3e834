"""`margrave inspect`: what a model has learned."""

from typing import Annotated

import typer

from margrave.cli.options import AsJson, ModelFile


def inspect(
    model: ModelFile,
    label: Annotated[
        list[str] | None,
        typer.Option("--label", metavar="LABEL", help="Only this label; may be given again.", show_default="all"),
    ] = None,
    top: Annotated[
        int, typer.Option(min=1, metavar="NUMBER", help="How many features and transitions of each label to show.")
    ] = 10,
    as_json: AsJson = False,
) -> None:
    """Show a model's strongest features and transitions, label by label, and how it was trained."""
    from margrave.cli.inspection import look_into, show_inspection  # noqa: PLC0415 -- `margrave --help` does not wait
    from margrave.cli.model_file import load_tagger  # noqa: PLC0415
    from margrave.cli.targets import print_json, standard_output  # noqa: PLC0415

    found = look_into(load_tagger(model), label, top)
    if as_json:
        print_json(found)
    else:
        show_inspection(found, standard_output())
