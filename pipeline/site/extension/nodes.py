"""Nodes of our own in Sphinx's doctrees, and how they become HTML."""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri


class english(nodes.Invisible, nodes.TextElement):  # noqa: N801 - docutils names nodes so
    """The English of the block with the number ``jz``, in an element ``tag``. It is no part of any title."""

    def astext(self) -> str:
        return ""


class store(nodes.Invisible, nodes.Element):  # noqa: N801
    """Where the ``english`` of a page waits until Sphinx has collected titles and contents."""

    def astext(self) -> str:
        return ""


class term_note(nodes.TextElement):  # noqa: N801
    """The first use of a term in a page: its words, with the English as ``title``."""


class fixed(nodes.Invisible, nodes.Element):  # noqa: N801
    """HTML of ours, in ``html``, that no search finds. ``{root}`` in it is the way to the root of the site."""

    def astext(self) -> str:
        return ""


def write_html(raw: nodes.raw, html: str) -> None:
    """Let a piece of HTML be ``html``; its text knows its parent, as whoever looks at texts takes for granted."""
    raw.clear()
    raw += nodes.Text(html)


class BlockAttributes:
    """For a translator: the attributes of blocks."""

    def starttag(
        self, node: Any, tagname: str, suffix: str = "\n", empty: bool = False, **attributes: Any
    ) -> str:
        """As docutils does, with number and language of a block."""
        if (
            isinstance(node, nodes.caption) and tagname == "p"
        ):  # the words have a <span> of their own in it
            node = nodes.caption(
                ids=node["ids"],
                classes=[name for name in node["classes"] if not name.startswith("jz-")],
            )
        if isinstance(node, nodes.Element) and "jz" in node:
            attributes["data-jz"] = str(node["jz"])
            if "jz_edit" in node:
                attributes["data-jz-edit"] = node["jz_edit"]
            if "lang" in node:
                attributes["lang"] = node["lang"]
        elif isinstance(node, nodes.Element) and "jz_for" in node:
            attributes |= {"data-jz-for": str(node["jz_for"]), "lang": "en"}
        result: str = super().starttag(node, tagname, suffix, empty, **attributes)  # type: ignore[misc]
        return result


def _visit_english(self: Any, node: english) -> None:
    self.body.append(f'<{node["tag"]} class="jz-en" lang="en" data-jz-for="{node["jz"]}">')


def _depart_english(self: Any, node: english) -> None:
    self.body.append(f"</{node['tag']}>" + ("" if node["tag"] == "span" else "\n"))


def _visit_term(self: Any, node: term_note) -> None:
    self.body.append(f'<abbr class="jz-term" title="{escape(node["title"])}" tabindex="0">')


def _depart_term(self: Any, node: term_note) -> None:
    self.body.append("</abbr>")


def _visit_fixed(self: Any, node: fixed) -> None:
    page = self.builder.get_target_uri(self.builder.current_docname)
    self.body.append(node["html"].replace("{root}", relative_uri(page, "")))


def _skip(self: Any, node: nodes.Node) -> None:
    raise nodes.SkipNode


def _nothing(self: Any, node: nodes.Node) -> None:
    """Leave no mark."""


def setup(app: Sphinx) -> None:
    """Make the nodes known."""
    others = dict.fromkeys(("latex", "text", "man", "texinfo"), (_skip, None))
    app.add_node(english, html=(_visit_english, _depart_english), **others)  # type: ignore[arg-type]
    app.add_node(store, html=(_skip, None), **others)  # type: ignore[arg-type]
    app.add_node(fixed, html=(_visit_fixed, _nothing), **others)  # type: ignore[arg-type]
    shown = dict.fromkeys(others, (_nothing, _nothing))
    app.add_node(term_note, html=(_visit_term, _depart_term), **shown)  # type: ignore[arg-type]
    app.connect("builder-inited", _mix_in, priority=100)


def _mix_in(app: Sphinx) -> None:
    """Before the theme makes its own translator of the builder's."""
    base = app.registry.translators.get(app.builder.name) or app.builder.default_translator_class
    if app.builder.format == "html" and not issubclass(base, BlockAttributes):
        app.set_translator(
            app.builder.name, type("BlockTranslator", (BlockAttributes, base), {}), override=True
        )
