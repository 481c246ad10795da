"""Nodes of our own in Sphinx's doctrees, how they become HTML, and helpers for nodes.

The English nodes are invisible to whoever asks a page for its words: titles, contents and Sphinx's
own search must be Chinese.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from typing import Any

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.osutil import relative_uri

# Links, and nodes that become links when Sphinx knows all pages.
_LINKS = (nodes.reference, addnodes.pending_xref)


class Wordless(nodes.Invisible):
    """A node that shows something but has no words for titles and the search."""

    def astext(self) -> str:
        """Return no words."""
        return ""


class english(Wordless, nodes.TextElement):  # noqa: N801 - docutils names nodes so
    """The English of the block with the number ``jz``, in an element ``tag``."""


class store(Wordless, nodes.Element):  # noqa: N801
    """Shelf at the end of a page, where ``english`` waits until titles are collected."""


class term_note(nodes.TextElement):  # noqa: N801
    """The first use of a term on a page: its words, with the English as ``title``."""


class fixed(Wordless, nodes.Element):  # noqa: N801
    """HTML of ours. ``{root}`` in it is the way to the root of the site."""


class cleaned(nodes.raw):  # noqa: N801
    """HTML of others that the sanitizer has written."""


class Anything(dict[str, Any]):
    """Options of any name, for docutils: ``:members: jit``. Values stay strings."""

    def __bool__(self) -> bool:
        """Return True: a directive without options would reject them all."""
        return True

    def __contains__(self, key: object) -> bool:
        """Return True for every name."""
        return True

    def __getitem__(self, key: str) -> Any:
        """Return the reader of an option's value."""
        return directives.unchanged


class Stub(SphinxDirective):
    """A directive that accepts any arguments, options and content."""

    has_content = True
    optional_arguments = 100
    final_argument_whitespace = True
    option_spec = Anything()


def waiting_english(document: nodes.document) -> dict[int, english]:
    """Return the English on the page's shelf, by the numbers of its blocks."""
    copies: dict[int, english] = {}
    for shelf in document.children:
        if isinstance(shelf, store):
            for copy in shelf.children:
                assert isinstance(copy, english)
                copies[copy["jz"]] = copy
    return copies


def words_of(copy: english) -> str:
    """Return the words of the English of a block, which ``astext`` hides."""
    return "".join(child.astext() for child in copy.children)


def is_html(raw: nodes.raw) -> bool:
    """Return whether a raw node is (also) for HTML: ``latex html`` is."""
    return "html" in raw.get("format", "").split()


def write_html(raw: nodes.raw, html: str) -> None:
    """Replace the HTML of a raw node. Its text gets a parent, as others take for granted."""
    raw.clear()
    raw += nodes.Text(html)


def is_linked(node: nodes.Node) -> bool:
    """Return whether an inline node stands in a link, also in bold within one."""
    return any(isinstance(above, _LINKS) for above in _inline_around(node))


def replace_by_words(image: nodes.image, words: nodes.Element) -> None:
    """Replace an image by the inline node ``words``.

    An image may stand by itself, also in a link. Words may not: they become a paragraph.
    """
    # Links to the image now point to the words.
    words["ids"] += image["ids"]
    image.parent.replace(image, words)
    outermost = [words, *_inline_around(words)][-1]
    # A paragraph cannot contain a second one.
    if not isinstance(outermost.parent, nodes.TextElement):
        line = nodes.paragraph()
        outermost.parent.replace(outermost, line)
        line += outermost


def _inline_around(node: Any) -> Iterator[Any]:
    """Yield the inline nodes around an inline node, from inside out."""
    while isinstance(node.parent, nodes.Inline):
        node = node.parent
        yield node


def hold_both(node: nodes.Element, copy: english) -> None:
    """Put the English of ``node`` behind its own words, inside the node.

    Styles show one of the two, or both: ``<span class="jz-zh">…</span><span class="jz-en">…``.
    """
    chinese = nodes.inline("", "", *node.children, classes=["jz-zh"])
    node.children = []
    node += [chinese, copy]


def both_html(words: str, original: str) -> str:
    """Return HTML of ``words``, which are HTML, and of their English, which is plain text.

    ``<span class="jz-zh">入门</span><span class="jz-en" lang="en">Basics</span>``; the words alone
    if ``original`` is empty.
    """
    if not original:
        return words
    # Without ``data-jz-for``: there is no room for both, so no button shows the English.
    english_words = f'<span class="jz-en" lang="en">{escape(original)}</span>'
    return f'<span class="jz-zh">{words}</span>{english_words}'


def _visit_english(self: Any, node: english) -> None:
    """Write ``<p class="jz-en" lang="en" data-jz-for="3">``, which scripts find by the number."""
    self.body.append(
        f'<{node["tag"]} class="jz-en" lang="en" data-jz-for="{node["jz"]}">'
    )


def _depart_english(self: Any, node: english) -> None:
    """Write the end tag. Within a line, a line end would be a space."""
    self.body.append(f"</{node['tag']}>" + ("" if node["tag"] == "span" else "\n"))


def _visit_term(self: Any, node: term_note) -> None:
    """Write ``<abbr>``. It can be reached by the Tab key, without a mouse."""
    self.body.append(
        f'<abbr class="jz-term" title="{escape(node["title"])}" tabindex="0">'
    )


def _depart_term(self: Any, node: term_note) -> None:
    self.body.append("</abbr>")


def _visit_fixed(self: Any, node: fixed) -> None:
    """Write the HTML, with the way to the root from the page that is being written."""
    page = self.builder.get_target_uri(self.builder.current_docname)
    self.body.append(node["html"].replace("{root}", relative_uri(page, "")))


def _visit_cleaned(self: Any, node: cleaned) -> None:
    self.visit_raw(node)


def _skip(self: Any, node: nodes.Node) -> None:
    raise nodes.SkipNode


def _nothing(self: Any, node: nodes.Node) -> None:
    """Write no tag: the content of the node is written as if it stood there by itself."""


def setup(app: Sphinx) -> None:
    """Register the nodes."""
    others = ("latex", "text", "man", "texinfo")
    skipped: Any = dict.fromkeys(others, (_skip, None))
    shown: Any = dict.fromkeys(others, (_nothing, _nothing))
    app.add_node(english, html=(_visit_english, _depart_english), **skipped)
    app.add_node(store, html=(_skip, None), **skipped)
    app.add_node(cleaned, html=(_visit_cleaned, None), **skipped)
    app.add_node(fixed, html=(_visit_fixed, _nothing), **skipped)
    app.add_node(term_note, html=(_visit_term, _depart_term), **shown)
