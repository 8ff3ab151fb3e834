"""Figures in files: PNG to look at, SVG to print."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

from margrave.display.canvas import matplotlib

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_SUFFIXES = (".png", ".svg")
#: Neither the date nor the program's version: the same figure gives the same file, to the byte.
_METADATA: dict[str, dict[str, Any]] = {".png": {"Software": None}, ".svg": {"Creator": None, "Date": None}}
_SETTINGS = {"svg.hashsalt": "margrave"}  # names of parts, which are random otherwise


def save_figure(figure: Figure, stem: str | os.PathLike[str], dpi: float = 200.0) -> tuple[Path, Path]:
    """Write a figure as `stem.png` and `stem.svg`, both or none; the same figure gives the same files.

    Parameters
    ----------
    figure : matplotlib Figure
        For example `figure_` of a display.
    stem : path
        Without a suffix; .png or .svg at its end is taken off. Its folder is made where there is none.
    dpi : float, default=200
        Of the PNG, in pixels per inch.

    Returns
    -------
    (Path, Path)
        What was written: the PNG and the SVG.

    Examples
    --------
    >>> import tempfile
    >>> from margrave.display import LossBoundDisplay, save_figure
    >>> display = LossBoundDisplay.from_range().plot()
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in save_figure(display.figure_, f"{folder}/losses")]
    ['losses.png', 'losses.svg']
    """
    plt, base = matplotlib("pyplot"), Path(stem)
    if base.suffix.lower() in _SUFFIXES:
        base = base.with_suffix("")
    base.parent.mkdir(parents=True, exist_ok=True)
    unfinished = {suffix: base.with_name(f".{base.name}.{secrets.token_hex(6)}{suffix}") for suffix in _SUFFIXES}
    try:
        with plt.rc_context(_SETTINGS):
            for suffix, path in unfinished.items():
                figure.savefig(path, format=suffix[1:], dpi=dpi, metadata=_METADATA[suffix])
        for suffix, path in unfinished.items():
            os.replace(path, base.with_name(base.name + suffix))
    finally:
        for path in unfinished.values():
            path.unlink(missing_ok=True)
    png, svg = (base.with_name(base.name + suffix) for suffix in _SUFFIXES)
    return png, svg
