"""`margrave warmup`: compile all kernels now, rather than in the first fit."""

from dataclasses import asdict
from typing import Annotated

import typer

from margrave.cli.options import AsJson


def warmup(
    labels: Annotated[
        int,
        typer.Option(
            min=1,
            metavar="NUMBER",
            help="The most labels that a model will have; kernels differ by their number, in eights.",
        ),
    ] = 40,
    as_json: AsJson = False,
) -> None:
    """Compile every kernel, and keep it: for images of containers, whose first fit then waits for nothing.

    Compiled kernels are kept where Numba keeps them: in the folder that NUMBA_CACHE_DIR names, else beside the
    library's files, else in the user's cache. They serve the same kind of processor and the same versions.
    """
    from margrave.cli.progress import standard_error  # noqa: PLC0415 -- `margrave --help` does not wait for it
    from margrave.cli.targets import print_json  # noqa: PLC0415
    from margrave.cli.warming import warm_up  # noqa: PLC0415

    with standard_error().status("compiling kernels ...") as status:
        warmed = warm_up(labels, lambda problem: status.update(f"compiling kernels: {problem}"))
    if as_json:
        print_json(asdict(warmed))
        return
    done = f"{warmed.compiled} kernels compiled" if warmed.compiled else "every kernel was compiled already"
    typer.echo(f"{done}, for up to {warmed.labels} labels, in {warmed.seconds:.0f} s; they are kept in {warmed.folder}")
