"""The command `margrave`."""

from margrave.cli.application import app, main

__all__ = ["app", "main"]
