"""What these pages need beyond Sphinx: formulas, links to the reference, measurements.

Formulas are MathML, which docutils makes and browsers draw: no fonts, no scripts, no LaTeX. The
site must work without a network: the build fails where a page would fetch anything. It fails,
too, where a public name of the library has no place in the reference.
"""

import csv
import importlib
import pkgutil
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

import margrave

logger = logging.getLogger(__name__)

# ------------------------------------------------------------------------------------- formulas


def visit_math(translator: Any, node: nodes.Element) -> None:
    """Write a formula; its box scrolls where a screen is narrow."""
    block = isinstance(node, nodes.math_block)
    try:
        formula = tex2mathml(node.astext(), as_block=block)
    except MathError as error:
        logger.warning("unreadable formula, %s: %s", error, node.astext(), location=node)
        raise nodes.SkipNode from None
    translator.body.append(f'<div class="formula">{formula}</div>' if block else formula)
    raise nodes.SkipNode


# ---------------------------------------------------------------------------------------- links


class LinkCode(SphinxPostTransform):
    """Turn code that names an object (`mg.losses.Hinge`, `Topology.cached`) into a link."""

    default_priority = 20  # after Sphinx's own references

    def run(self, **options: Any) -> None:
        """See `SphinxPostTransform.run`."""
        objects = self.env.get_domain("py").objects  # type: ignore[attr-defined]
        known = _known_names(objects)
        for code in list(self.document.findall(nodes.literal)):
            name = _named(code.astext(), known)
            if name is not None and not _inside(code, nodes.reference, nodes.title):
                place = self.env.docname, objects[name].docname, objects[name].node_id
                code.replace_self(make_refnode(self.app.builder, *place, code.deepcopy(), name))


def _inside(node: nodes.Node, *kinds: type[nodes.Node]) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


#: What is a name even where nothing says of which library.
_NAME = re.compile(r"\.|[a-z][A-Z]|^[A-Z][a-z]|[a-z]_[a-z]|[A-Z]{4}")


def _named(code: str, known: Mapping[str, str]) -> str | None:
    """The whole name of what a piece of code names, with arguments or without."""
    name = code.partition("(")[0]
    short = name.removeprefix("mg.").removeprefix("margrave.")
    return known.get(short) if short != name or _NAME.search(name) else None


def _known_names(objects: Mapping[str, Any]) -> dict[str, str]:
    """Whole names by every ending that only one object has, or only one outside of classes."""
    endings: dict[str, list[str]] = {}
    for name in sorted(objects, key=lambda name: name.count(".")):
        parts = name.split(".")
        for first in range(1, len(parts)):
            if not objects[name].aliased:
                endings.setdefault(".".join(parts[first:]), []).append(name)
    known = {}
    for ending, (name, *others) in endings.items():
        if all(name.count(".") < other.count(".") for other in others):
            known[ending] = name
    return known


# ------------------------------------------------------------------------------------- measures


class Measurements(SphinxDirective):
    """A table from a file of measurements, which must be there and have the right columns."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar[Any] = {"caption": directives.unchanged}
    columns = ("what", "rival", "margrave", "ratio", "bar")

    def run(self) -> list[nodes.Node]:
        """See `Directive.run`."""
        name, path = self.env.relfn2path(self.arguments[0])
        self.env.note_dependency(name)
        try:
            header, *rows = csv.reader(Path(path).read_text(encoding="utf-8").splitlines())
        except (OSError, ValueError) as error:
            raise self.error(f"there are no measurements in {name}: {error}") from None
        if tuple(header) != self.columns or any(len(row) != len(header) for row in rows):
            raise self.error(
                f"{name} must have the columns {', '.join(self.columns)} in every row"
            )
        group = nodes.tgroup(cols=len(header))
        group.extend(nodes.colspec(colwidth=width) for width in (44, 18, 18, 8, 12))
        group += [nodes.thead("", _row(header)), nodes.tbody("", *map(_row, rows))]
        title = [nodes.title("", text)] if (text := self.options.get("caption")) else []
        return [nodes.table("", *title, group, classes=["measurements"])]


def _row(cells: list[str]) -> nodes.row:
    return nodes.row("", *(nodes.entry("", nodes.paragraph("", cell)) for cell in cells))


# ------------------------------------------------------------------------------------- promises

_FETCHES = re.compile(
    r"""<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)=["']?((?:https?:)?//[^"'> ]+)"""
    r"""|(?:@import|url\()\s*["']?((?:https?:)?//[^"') ]+)"""
)


def check_offline(app: Sphinx, exception: Exception | None) -> None:
    """Fail the build where a page or a style would fetch something from elsewhere."""
    if exception is not None or app.builder.format != "html":
        return
    for path in sorted((*Path(app.outdir).rglob("*.html"), *Path(app.outdir).rglob("*.css"))):
        found = _FETCHES.search(path.read_text(encoding="utf-8"))
        if found:
            where = path.relative_to(app.outdir)
            raise ExtensionError(
                f"{where} fetches {found[1] or found[2]}: it must work offline"
            )


def check_complete(app: Sphinx, env: BuildEnvironment) -> None:
    """Warn of public names that the reference leaves out."""
    written = env.get_domain("py").objects  # type: ignore[attr-defined]
    for package in pkgutil.iter_modules(margrave.__path__, "margrave."):
        public = getattr(importlib.import_module(package.name), "__all__", [])
        if (
            package.ispkg and package.name != "margrave.cli"
        ):  # the command has a page of its own
            for name in public:
                if f"{package.name}.{name}" not in written:
                    logger.warning(
                        "%s.%s is public, and not in the reference", package.name, name
                    )


def skip_foreign(
    app: Sphinx, what: str, name: str, value: Any, skip: bool, options: Any
) -> bool | None:
    """Leave out what scikit-learn adds to every estimator: requests for metadata."""
    return True if re.fullmatch(r"set_\w+_request", name) else None


def setup(app: Sphinx) -> dict[str, Any]:
    """Register everything with Sphinx."""
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_math, None))
    app.add_post_transform(LinkCode)
    app.add_directive("measurements", Measurements)
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("env-check-consistency", check_complete)
    app.connect("build-finished", check_offline)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
