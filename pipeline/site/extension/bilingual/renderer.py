"""Renderers of English messages: Markdown or reST to docutils nodes, as for the page itself.

So roles and links of a message lead to the same places. The page must not change by it: names that
a message defines, and its faults, are not the page's.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Protocol, cast

from docutils import nodes
from docutils.parsers.rst import states
from docutils.parsers.rst.languages import get_language
from docutils.utils import Reporter, new_document


class Renderer(Protocol):
    """Makes nodes of the messages of one page."""

    def render(self, text: str, into: nodes.Element) -> None:
        """Put the nodes of a message into an element."""

    def finish(self) -> None:
        """Let what refers to something refer to what the page has.

        Comes when all messages are rendered and stand in the page.
        """


class MarkdownRenderer:
    """For messages in MyST Markdown.

    ``definitions`` are the lines of the page that define links: they hold for messages too.
    """

    def __init__(self, document: nodes.document, definitions: str) -> None:
        """Read the definitions for a renderer of MyST's that writes to ``document``."""
        from myst_parser.mdit_to_docutils.sphinx_ import SphinxRenderer
        from myst_parser.parsers.mdit import create_md_parser

        parser = create_md_parser(document.settings.env.myst_config, SphinxRenderer)
        parser.options["document"] = document
        environment: dict[str, Any] = {}
        self._document = document
        # A SphinxRenderer; markdown-it knows only the protocol.
        self._renderer = cast("Any", parser.renderer)
        self._renderer.setup_render(parser.options, environment)
        parser.parse(definitions, environment)

    def render(self, text: str, into: nodes.Element) -> None:
        """Line breaks of a message are hard ones: ``a`` and ``b`` on two lines stay on two."""
        # Rendering moves it; what is reported of the page later goes by it.
        line = self._document.current_line
        with self._renderer.current_node_context(into):
            self._renderer.nested_render_text(
                text.replace("\n", "\\\n"), 0, inline=True
            )
        self._document.current_line = line

    def finish(self) -> None:
        """Nothing is left to do: MyST resolves links when the whole site is read."""


class RSTRenderer:
    """For messages in reStructuredText.

    They are read for a document of their own, lest their names meet those of the page.
    """

    def __init__(self, document: nodes.document) -> None:
        """Make a document that says nothing of its own, and all that its inliner asks for."""
        self._page = document
        self._source = str(document.get("source", ""))
        self._own = new_document(self._source, document.settings)
        self._own.reporter = self._quiet_reporter()
        self._inliner = states.Inliner()
        self._inliner.init_customizations(document.settings)
        # What docutils' parser of a whole document would hand to its inliner.
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
        """Return a reporter that ignores upstream's own faults."""
        reporter = Reporter(self._source, report_level=5, halt_level=5)
        reporter.get_source_and_line = self._place  # roles ask for it
        return reporter

    def _place(self, line: int | None = None) -> tuple[str | None, int | None]:
        """Return the file of the page: messages have no lines of their own."""
        return self._source, line

    def render(self, text: str, into: nodes.Element) -> None:
        """A message is inline markup throughout."""
        made, _ = self._inliner.parse(text, 0, self._memo, into)
        into.extend(made)
        # `words <https://…>`_ defines a name besides: its node would be a second target.
        for target in list(into.findall(nodes.target)):
            target.parent.replace(target, target.children)
        for link in into.findall(nodes.reference):
            if link.attributes.pop("anonymous", None) and "refuri" not in link:
                # It leads where that of the translation does.
                link["jz_anonymous"] = True

    def finish(self) -> None:
        """Let named links lead to targets of the page, else to those of other messages.

        A link to neither leads nowhere: its words stay. Footnotes are the page's.
        """
        for name, links in self._own.refnames.items():
            # The page's own targets come first: docutils finds them when it resolves the page.
            if self._page.nameids.get(name):
                self._page.refnames.setdefault(name, []).extend(links)
                continue
            address = self._address(name)
            for link in links:
                _lead(link, address)
        self._take_over_footnotes()

    def _address(self, name: str) -> str:
        """Return where a name leads that a message has defined; empty if none has."""
        target = self._own.ids.get(self._own.nameids.get(name) or "")
        if target is None:
            return ""
        return str(target.get("refuri", ""))

    def _take_over_footnotes(self) -> None:
        """Let the page number the marks of footnotes, and lead them to its own notes."""
        marks: list[Any] = []
        for label, notes in self._own.footnote_refs.items():
            marks += notes
            self._page.footnote_refs.setdefault(label, []).extend(notes)
        marks += self._own.autofootnote_refs
        marks += self._own.symbol_footnote_refs
        for number, mark in enumerate(marks):
            # docutils looks marks up by their ids; ``placing`` takes these out again.
            mark["ids"] = [f"jz-note-{number}"]
            self._page.ids[mark["ids"][0]] = mark
        self._page.autofootnote_refs += self._own.autofootnote_refs
        self._page.symbol_footnote_refs += self._own.symbol_footnote_refs


def _lead(link: nodes.Element, address: str) -> None:
    """Let a named link lead to an address; without one its words stay, and no link."""
    if address:
        del link["refname"]
        link["refuri"] = address
        link.resolved = True  # type: ignore[attr-defined]  # docutils marks them so
    elif link.parent is not None:
        link.parent.replace(link, link.children)


def renderer_for(document: nodes.document, record: dict[str, Any]) -> Renderer:
    """Return the renderer for the markup that the page's record names."""
    if record["markup"] == "reST":
        return RSTRenderer(document)
    return MarkdownRenderer(document, record["definitions"])
