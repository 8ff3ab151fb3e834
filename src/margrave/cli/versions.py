"""`margrave versions`: what a report of a fault should say."""

import json

import typer

from margrave.cli.options import AsJson
from margrave.versions import show_versions
from margrave.versions import versions as installed_versions


def versions(as_json: AsJson = False) -> None:
    """Print the versions of margrave, of Python, and of what the library needs or can use."""
    if as_json:
        typer.echo(json.dumps(installed_versions()))
    else:
        show_versions()
