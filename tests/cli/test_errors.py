import warnings

import pytest
import typer
from typer.testing import CliRunner

from margrave.cli.errors import BadInputError, StoppedError, UnmetError, plainly, show_tracebacks


def run(error):
    app = typer.Typer(pretty_exceptions_enable=False)

    @app.command()
    @plainly
    def work() -> None:
        raise error

    return CliRunner().invoke(app, [])


@pytest.mark.parametrize(
    ("error", "code", "sentence"),
    [
        (BadInputError("expected this, got that"), 2, "error: expected this, got that\n"),
        (UnmetError("no room"), 1, "error: no room\n"),
        (StoppedError("interrupted: the model was saved"), 130, "interrupted: the model was saved\n"),
        (KeyboardInterrupt("what a library says to its own users"), 130, "interrupted\n"),
        (KeyError("x"), 1, "error: KeyError: 'x' (margrave --debug work ... shows where)\n"),
        (MemoryError(), 1, "error: MemoryError (margrave --debug work ... shows where)\n"),
    ],
)
def test_one_sentence_and_a_code(error, code, sentence):
    result = run(error)
    assert result.exit_code == code
    assert result.stderr == sentence
    assert result.stdout == ""


def test_debug_shows_where_the_error_came_from():
    show_tracebacks(True)
    try:
        result = run(BadInputError("expected this"))
    finally:
        show_tracebacks(False)
    assert result.exit_code == 2
    assert "Traceback" in result.stderr
    assert result.stderr.endswith("error: expected this\n")


@pytest.mark.parametrize("error", [typer.BadParameter("no"), BrokenPipeError(32, "Broken pipe")])
def test_what_the_frame_handles_is_left_to_it(error):
    result = run(error)
    assert "margrave --debug" not in result.stderr
    assert result.exit_code == (2 if isinstance(error, typer.BadParameter) else 1)


def test_warnings_are_sentences():
    app = typer.Typer()

    @app.command()
    @plainly
    def work() -> None:
        for _ in range(2):
            warnings.warn("the gap is wide", UserWarning, stacklevel=1)

    result = CliRunner().invoke(app, [])
    assert result.exit_code == 0
    assert result.stderr == 2 * "warning: the gap is wide\n"
