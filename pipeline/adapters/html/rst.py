"""reStructuredText prose to HTML, for reading only: what needs Sphinx (cross references, API lists) is shown as plainly as can be."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pipeline.adapters.html.myst import embed_images

if TYPE_CHECKING:
    from docutils import nodes

ADMONITIONS = ("seealso", "deprecated", "versionadded", "versionchanged")
HIDDEN = tuple(
    "toctree contents only currentmodule module literalinclude mermaid tagged-block data "
    "autosummary automodule autofunction autoclass automethod autodata autoattribute autoexception".split()
)
BOXES = (
    "grid",
    "grid-item",
    "grid-item-card",
    "card",
    "tab-set",
    "tab-item",
    "dropdown",
    "glossary",
    "container",
    *ADMONITIONS,
)
CODE = ("code-block", "sourcecode", "testcode", "testoutput")
PROSE_ROLES = frozenset(
    ("ref", "doc", "term", "abbr", "numref", "any", "emphasis", "title", "title-reference")
)
PLAIN_ROLES = frozenset(
    ("math", "strong", "sub", "subscript", "sup", "superscript", "code", "literal", "raw")
)
SETTINGS: dict[str, Any] = {
    "file_insertion_enabled": False,
    "raw_enabled": False,
    "report_level": 5,
    "halt_level": 5,
    "doctitle_xform": False,
    "initial_header_level": 1,
    "math_output": "MathML",
    "syntax_highlight": "short",
    "smart_quotes": False,
    "_disable_config": True,
}


def rst_html(source: str, *, folder: Path) -> str:
    """A page as an HTML fragment; images of ``folder`` are embedded. What docutils cannot read is left out."""
    from docutils.core import publish_parts
    from docutils.parsers.rst import Parser

    with _directives():
        parts = publish_parts(
            source,
            parser=Parser(inliner=_inliner()),
            writer_name="html5",
            settings_overrides=SETTINGS,
        )
    return embed_images(str(parts["body"]), {"folder": folder, "attachments": {}})


def _inliner() -> Any:
    """Reads any role: those of Sphinx show their text, or what they lead to."""
    from docutils import nodes
    from docutils.parsers.rst.states import Inliner

    def interpreted(rawsource: str, text: str, role: str, lineno: int) -> Any:
        name = role.rpartition(":")[2] or "title-reference"
        if name in PLAIN_ROLES:
            return Inliner.interpreted(inliner, rawsource, text, name, lineno)
        shown = _shown(text)
        return [
            nodes.inline(rawsource, shown)
            if name in PROSE_ROLES
            else nodes.literal(rawsource, shown)
        ], []

    inliner = (
        Inliner()
    )  # a subclass would lose the patterns that it keeps as variables of the class itself
    inliner.interpreted = interpreted  # type: ignore[method-assign]
    return inliner


def _shown(text: str) -> str:
    from docutils.utils import unescape

    words = unescape(text)
    if words.endswith(">") and "<" in words:
        return words.rpartition("<")[0].strip()
    return words.rpartition(".")[2] if words.startswith("~") else words


@contextmanager
def _directives() -> Iterator[None]:
    """Sphinx's directives, known while a page is read: the registry belongs to the whole process."""
    from docutils.parsers.rst import directives

    before = dict(directives._directives)  # type: ignore[attr-defined]
    for name, directive in _known().items():
        directives.register_directive(name, directive)
    try:
        yield
    finally:
        directives._directives.clear()  # type: ignore[attr-defined]
        directives._directives.update(before)  # type: ignore[attr-defined]


@cache
def _known() -> dict[str, Any]:
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
            has_title = (
                self.arguments and self.name != "grid"
            )  # whose argument says how many columns it has
            box = nodes.container(classes=["admonition", "plain-directive"] if has_title else [])
            if has_title:
                words, _ = self.state.inline_text(self.arguments[0], self.lineno)
                box += nodes.paragraph("", "", *words, classes=["title"])
            self.state.nested_parse(self.content, self.content_offset, box)
            return [box]

    class Code(CodeBlock):
        option_spec = _AnyOption()

        def run(self) -> Any:
            self.options = {}
            return super().run()  # type: ignore[no-untyped-call]

    return dict.fromkeys(HIDDEN, Hidden) | dict.fromkeys(BOXES, Box) | dict.fromkeys(CODE, Code)


class _AnyOption(dict[str, Any]):
    """Options of all names, taken as they are."""

    def __missing__(self, _: str) -> Any:
        return lambda argument: argument or ""

    def __bool__(self) -> bool:
        return True
