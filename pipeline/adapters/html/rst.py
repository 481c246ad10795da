"""reStructuredText prose to HTML, for previews.

``rst_html`` takes a page and returns an HTML fragment. Constructs that need Sphinx (cross
references, API lists) are shown in a simple form.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

from pipeline.adapters.html.formulas import formula_mathml
from pipeline.adapters.html.images import Images, PageFolder
from pipeline.tables import read_table

if TYPE_CHECKING:
    from docutils import nodes

# Roles, and directives of Sphinx and its extensions, by the way in which they are shown.
_SHOWN = {way: names.split() for way, names in read_table(__name__, "previews")["rst"].items()}
_NEVER = 5  # above every message level of docutils
_SETTINGS: dict[str, Any] = {
    # Pages may neither include files nor insert HTML of their own.
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": _NEVER,
    "halt_level": _NEVER,
    "doctitle_xform": False,
    "initial_header_level": 1,
    "syntax_highlight": "short",
    "smart_quotes": False,
    "_disable_config": True,  # ignore the user's docutils.conf
}


def rst_html(source: str, *, folder: PageFolder) -> str:
    """Return a page as an HTML fragment with images of ``folder`` embedded.

    Directives with invalid arguments or options are left out.
    """
    from docutils.core import publish_parts
    from docutils.parsers.rst import Parser

    with _known_directives():
        parts = publish_parts(
            source,
            parser=Parser(inliner=_inliner()),
            writer=_writer(),
            settings_overrides=_SETTINGS,
        )
    return Images(folder=folder).embed_in(str(parts["body"]))


def _writer() -> Any:
    """Return docutils' HTML writer, changed to write formulas as ``formula_mathml`` does.

    The writer does not read image files, because ``Images`` embeds them.
    """
    from docutils import nodes
    from docutils.writers import html5_polyglot

    class Translator(html5_polyglot.HTMLTranslator):
        def uri2imagepath(self, uri: str) -> str:
            # docutils catches this exception.
            raise ValueError(f"{uri} is not read here")

        def visit_math(self, node: nodes.math) -> None:
            self._add_formula(node, is_block=False)

        def visit_math_block(self, node: nodes.math_block) -> None:
            self._add_formula(node, is_block=True)

        def _add_formula(self, node: nodes.Element, *, is_block: bool) -> None:
            source = node.astext()
            # LaTeX allows several lines only in an environment, so add one if it is missing.
            has_lines = is_block and "\\\\" in source and "\\begin" not in source
            whole = f"\\begin{{split}}{source}\\end{{split}}" if has_lines else source
            formula = formula_mathml(whole, is_block=is_block)
            # A formula that cannot be converted is shown as source.
            self.body.append(formula or f"<code>{escape(source)}</code>")
            raise nodes.SkipNode

    writer = html5_polyglot.Writer()
    writer.translator_class = Translator
    return writer


def _inliner() -> Any:
    """Return a parser of inline markup that accepts any role, and shows the role's text."""
    from docutils import nodes
    from docutils.parsers.rst.states import Inliner

    # Change an instance: a subclass would not work, because Inliner has its patterns as class
    # attributes.
    inliner = Inliner()

    def interpreted(rawsource: str, text: str, role: str, lineno: int) -> Any:
        name = role.rpartition(":")[2] or "title-reference"  # "py:func" → "func"
        if name in _SHOWN["plain"]:
            return Inliner.interpreted(inliner, rawsource, text, name, lineno)
        node = nodes.inline if name in _SHOWN["prose"] else nodes.literal
        return [node(rawsource, _shown(text))], []

    inliner.interpreted = interpreted  # type: ignore[method-assign]
    return inliner


def _shown(text: str) -> str:
    """Return the visible part of a role's text."""
    from docutils.utils import unescape

    words = unescape(text)
    if words.endswith(">") and "<" in words:  # "a title <target>"
        return words.rpartition("<")[0].strip()
    if words.startswith("~"):  # "~jax.numpy.dot" is shown as "dot"
        return words.rpartition(".")[2]
    return words


@contextmanager
def _known_directives() -> Iterator[None]:
    """Make docutils accept all directives in the context; afterwards restore its global state."""
    from docutils.parsers.rst import directives

    known, other = _directives()
    plain = directives.directive
    docutils = directives._directive_registry  # type: ignore[attr-defined]

    def lookup(name: str, *where: Any) -> Any:
        # Ask docutils about its own directives only: Sphinx may have registered directives, too.
        if name.lower() in docutils.keys() - known.keys():
            return plain(name, *where)
        return known.get(name.lower(), other), []

    directives.directive = lookup  # type: ignore[assignment]
    try:
        yield
    finally:
        directives.directive = plain


@cache
def _directives() -> tuple[dict[str, Any], Any]:
    """Return the directives by name, and the directive for all other names."""
    from docutils import nodes
    from docutils.parsers.rst import Directive
    from docutils.parsers.rst.directives.body import CodeBlock

    class Hidden(Directive):
        optional_arguments, final_argument_whitespace, has_content = 1, True, True
        option_spec = _AnyOption()

        def run(self) -> list[nodes.Node]:
            return []

    class Box(Hidden):
        def run(self) -> list[nodes.Node]:
            # The argument of a grid is the number of its columns; that of any other box is a title.
            title = self.arguments[0] if self.arguments and self.name != "grid" else None
            box = nodes.container(
                classes=[] if title is None else ["admonition", "plain-directive"]
            )
            if title is not None:
                words, _ = self.state.inline_text(title, self.lineno)
                box += nodes.paragraph("", "", *words, classes=["title"])
            self.state.nested_parse(self.content, self.content_offset, box)
            return [box]

    class Name(Box):
        def run(self) -> list[nodes.Node]:
            return super().run() if self.content else []

    class Code(CodeBlock):
        option_spec = _AnyOption()

        def run(self) -> Any:
            self.options = {}  # docutils' directive does not accept Sphinx's options
            return super().run()  # type: ignore[no-untyped-call]

    known: dict[str, Any] = {}
    for way, shown in (("hidden", Hidden), ("names", Name), ("code", Code)):
        known |= dict.fromkeys(_SHOWN[way], shown)
    return known, Box


class _AnyOption(dict[str, Any]):
    """Option specification that accepts any option with any value."""

    def __missing__(self, _: str) -> Any:
        return lambda argument: argument or ""

    def __bool__(self) -> bool:
        return True  # docutils takes an empty mapping for "no options"
