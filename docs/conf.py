"""How Sphinx builds these pages; `make docs` is the command, and a warning is an error."""

import sys
from pathlib import Path

from margrave import __version__

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "Margrave"
author = copyright = "The Margrave developers"
release = version = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "numpydoc",
    "sphinx_copybutton",
    "house",
    "command_line",
]
nitpicky = True
# `name` in a docstring is code; the extension `house` links it where it is a name of ours.
default_role = "literal"

# ------------------------------------------------------------------------------------- Markdown

myst_enable_extensions = ["dollarmath"]

# ------------------------------------------------------------------------------------ reference

autodoc_typehints = "none"  # docstrings say it
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
numpydoc_show_class_members = False
numpydoc_xref_param_type = False

# ----------------------------------------------------------------------------------------- HTML

html_theme = "furo"
html_title = f"Margrave {__version__}"
html_static_path = ["_static"]
html_css_files = ["house.css"]
html_math_renderer = "mathml"  # of the extension `house`: browsers draw it, nothing is fetched
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}
pygments_style = "friendly"
pygments_dark_style = "github-dark"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
