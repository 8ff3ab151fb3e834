"""The help of the command `margrave`, as the command itself prints it."""

import re
from typing import Any
from unittest.mock import patch

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from typer.testing import CliRunner

from margrave.cli import app as application

WIDTH = 96
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")


class CommandHelp(SphinxDirective):
    """What `margrave COMMAND --help` prints; a command that there is not is an error."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """See `Directive.run`."""
        command = self.arguments[0]
        with patch.dict("os.environ", {"COLUMNS": str(WIDTH), "TERMINAL_WIDTH": str(WIDTH)}):
            result = CliRunner().invoke(application, [command, "--help"], prog_name="margrave")
        if result.exit_code:
            raise self.error(f"margrave {command} --help failed: {result.output}")
        lines = (
            line.rstrip() for line in _COLOURS.sub("", result.output).strip("\n").split("\n")
        )
        text = "\n".join(lines)
        return [nodes.literal_block(text, text, language="text", classes=["command-help"])]


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the directive."""
    app.add_directive("command-help", CommandHelp)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
