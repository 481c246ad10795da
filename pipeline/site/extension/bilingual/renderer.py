"""Renderers of the English of blocks: Markdown or reST to docutils nodes.

Roles and links in the English get the same targets as those in the translation. Rendering must not
change the page: names that the English defines are not registered with the page, and errors in the
English are not reported.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from docutils import nodes
from docutils.parsers.rst import states
from docutils.parsers.rst.languages import get_language
from docutils.utils import Reporter, new_document


class MarkdownRenderer:
    """Renderer of messages in MyST Markdown.

    ``definitions`` are the link definitions of the page, which messages may use.
    """

    def __init__(self, document: nodes.document, definitions: str) -> None:
        """Parse the definitions, and prepare a MyST renderer that writes to ``document``."""
        from myst_parser.mdit_to_docutils.sphinx_ import SphinxRenderer
        from myst_parser.parsers.mdit import create_md_parser

        parser = create_md_parser(document.settings.env.myst_config, SphinxRenderer)
        parser.options["document"] = document
        environment: dict[str, Any] = {}
        self._document = document
        # The renderer is a SphinxRenderer, but markdown-it declares only a protocol as its type.
        self._renderer = cast("Any", parser.renderer)
        self._renderer.setup_render(parser.options, environment)
        parser.parse(definitions, environment)

    def render(self, text: str, into: nodes.Element) -> None:
        """Render a message. Line breaks of the message become hard breaks (``<br>``)."""
        # Rendering changes ``current_line``, which later warnings about the page use.
        line = self._document.current_line
        with self._renderer.current_node_context(into):
            self._renderer.nested_render_text(text.replace("\n", "\\\n"), 0, inline=True)
        self._document.current_line = line

    def finish(self) -> None:
        """Do nothing: MyST resolves links when the whole site has been read."""


class RSTRenderer:
    """Renderer of messages in reStructuredText.

    Messages are parsed in a separate document: names that they define must not clash with names of
    the page.
    """

    def __init__(self, document: nodes.document) -> None:
        """Create the separate document, with a silent reporter, and an inliner for it."""
        self._page = document
        self._source = str(document.get("source", ""))
        self._own = new_document(self._source, document.settings)
        self._own.reporter = self._quiet_reporter()
        self._inliner = states.Inliner()
        self._inliner.init_customizations(document.settings)
        # The values that docutils' document parser passes to its inliner.
        self._memo: Any = SimpleNamespace(
            document=self._own,
            reporter=self._own.reporter,
            language=get_language(document.settings.language_code, self._own.reporter),
            title_styles=[],
            section_level=0,
            section_bubble_up_kludge=False,
            inliner=self._inliner,
        )

    def _quiet_reporter(self) -> Reporter:
        """Return a reporter that ignores all errors, because they are in upstream's text."""
        reporter = Reporter(self._source, report_level=5, halt_level=5)
        reporter.get_source_and_line = self._place  # roles call it
        return reporter

    def _place(self, line: int | None = None) -> tuple[str | None, int | None]:
        """Return the file of the page, and ``line``. Line numbers of messages are unknown."""
        return self._source, line

    def render(self, text: str, into: nodes.Element) -> None:
        """Render a message as inline markup."""
        made, _ = self._inliner.parse(text, 0, self._memo, into)
        into.extend(made)
        # `words <https://…>`_ makes a link and a target. The page has this target already.
        for target in list(into.findall(nodes.target)):
            target.parent.replace(target, target.children)
        for link in into.findall(nodes.reference):
            if link.attributes.pop("anonymous", None) and "refuri" not in link:
                # ``placement`` later sets the target to that of the translation's link.
                link["jz_anonymous"] = True

    def finish(self) -> None:
        """Resolve named links: first to targets of the page, then to targets of other messages.

        A link without any target is replaced by its words. Footnote references lead to the page's
        footnotes.
        """
        for name, links in self._own.refnames.items():
            # The page itself has this target, so docutils resolves these links together with those
            # of the page.
            if self._page.nameids.get(name):
                self._page.refnames.setdefault(name, []).extend(links)
                continue
            address = self._address(name)
            for link in links:
                _set_target(link, address)
        self._take_over_footnotes()

    def _address(self, name: str) -> str:
        """Return the address of a name that a message has defined; empty if none has."""
        target = self._own.ids.get(self._own.nameids.get(name) or "")
        if target is None:
            return ""
        return str(target.get("refuri", ""))

    def _take_over_footnotes(self) -> None:
        """Register footnote references with the page, which numbers and resolves them."""
        marks: list[Any] = []
        for label, notes in self._own.footnote_refs.items():
            marks += notes
            self._page.footnote_refs.setdefault(label, []).extend(notes)
        marks += self._own.autofootnote_refs
        marks += self._own.symbol_footnote_refs
        for number, mark in enumerate(marks):
            # docutils needs ids to resolve footnote references. ``placement`` removes them later.
            mark["ids"] = [f"jz-note-{number}"]
            self._page.ids[mark["ids"][0]] = mark
        self._page.autofootnote_refs += self._own.autofootnote_refs
        self._page.symbol_footnote_refs += self._own.symbol_footnote_refs


def _set_target(link: nodes.Element, address: str) -> None:
    """Set the target of a named link; without an address, replace the link by its words."""
    if address:
        del link["refname"]
        link["refuri"] = address
        link.resolved = True  # type: ignore[attr-defined]  # docutils' mark of a resolved link
    elif link.parent is not None:
        link.parent.replace(link, link.children)


# Renderer of the messages of one page. ``render`` appends the nodes of a message to an element.
# ``finish`` is called once, after all messages are inserted into the page: it resolves references.
Renderer = MarkdownRenderer | RSTRenderer


def renderer_for(document: nodes.document, record: dict[str, Any]) -> Renderer:
    """Return the renderer for the markup named in the page's record."""
    if record["markup"] == "reST":
        return RSTRenderer(document)
    return MarkdownRenderer(document, record["definitions"])
