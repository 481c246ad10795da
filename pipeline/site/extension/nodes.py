"""Nodes of our own in Sphinx's doctrees, and how they become HTML.

They are invisible to whoever asks a page for its words: titles, contents and the index of the
search are to be Chinese.
"""

from __future__ import annotations

from html import escape
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.osutil import relative_uri


class english(nodes.Invisible, nodes.TextElement):  # noqa: N801 - docutils names nodes so
    """The English of the block with the number ``jz``, in an element ``tag``."""

    def astext(self) -> str:
        return ""


class store(nodes.Invisible, nodes.Element):  # noqa: N801
    """Where the ``english`` of a page waits until Sphinx has collected titles and contents."""

    def astext(self) -> str:
        return ""


class term_note(nodes.TextElement):  # noqa: N801
    """The first use of a term in a page: its words, with the English as ``title``."""


class fixed(nodes.Invisible, nodes.Element):  # noqa: N801
    """HTML of ours. ``{root}`` in it is the way to the root of the site."""

    def astext(self) -> str:
        return ""


def write_html(raw: nodes.raw, html: str) -> None:
    """Let a piece of HTML be ``html``.

    Its text knows its parent, as whoever looks at texts takes for granted.
    """
    raw.clear()
    raw += nodes.Text(html)


def _visit_english(self: Any, node: english) -> None:
    self.body.append(
        f'<{node["tag"]} class="jz-en" lang="en" data-jz-for="{node["jz"]}">'
    )


def _depart_english(self: Any, node: english) -> None:
    self.body.append(f"</{node['tag']}>")
    # Within a line a line end would be a space.
    if node["tag"] != "span":
        self.body.append("\n")


def _visit_term(self: Any, node: term_note) -> None:
    self.body.append(
        f'<abbr class="jz-term" title="{escape(node["title"])}" tabindex="0">'
    )


def _depart_term(self: Any, node: term_note) -> None:
    self.body.append("</abbr>")


def _visit_fixed(self: Any, node: fixed) -> None:
    # Known only when the page is written: the same doctree may serve other builders.
    page = self.builder.get_target_uri(self.builder.current_docname)
    self.body.append(node["html"].replace("{root}", relative_uri(page, "")))


def _skip(self: Any, node: nodes.Node) -> None:
    raise nodes.SkipNode


def _nothing(self: Any, node: nodes.Node) -> None:
    """Leave no mark."""


def setup(app: Sphinx) -> None:
    """Make the nodes known."""
    others = ("latex", "text", "man", "texinfo")
    skipped: Any = dict.fromkeys(others, (_skip, None))
    shown: Any = dict.fromkeys(others, (_nothing, _nothing))
    app.add_node(english, html=(_visit_english, _depart_english), **skipped)
    app.add_node(store, html=(_skip, None), **skipped)
    app.add_node(fixed, html=(_visit_fixed, _nothing), **skipped)
    app.add_node(term_note, html=(_visit_term, _depart_term), **shown)
