"""Our own types of docutils nodes, the HTML that they become, and functions for nodes.

``astext`` of an English node returns an empty string. Sphinx collects titles, tables of contents
and words for its search with ``astext``, and these must be Chinese.
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

# Links, and nodes that Sphinx turns into links once it has read all pages.
_LINKS = (nodes.reference, addnodes.pending_xref)


class Wordless(nodes.Invisible):
    """A visible node whose words do not count for titles and the search."""

    def astext(self) -> str:
        """Return an empty string."""
        return ""


class english(Wordless, nodes.TextElement):  # noqa: N801 - docutils names nodes so
    """English of the block with number ``jz``, written as an element ``tag``."""


class english_store(Wordless, nodes.Element):  # noqa: N801
    """Container at the end of a page for ``english`` nodes, until Sphinx has collected titles."""


class term_note(nodes.TextElement):  # noqa: N801
    """First use of a glossary term on a page. ``title`` is the English, shown as a tooltip."""


class own_html(Wordless, nodes.Element):  # noqa: N801
    """HTML of our own, in the attribute ``html``.

    The writer replaces ``{root}`` by the relative path to the root of the site.
    """


class sanitized_html(nodes.raw):  # noqa: N801
    """Foreign HTML that the sanitizer has cleaned."""


class AnyOptions(dict[str, Any]):
    """Option specification that accepts any option: ``:members: jit``. Values stay strings."""

    def __bool__(self) -> bool:
        """Return True, because docutils rejects all options if the specification is empty."""
        return True

    def __contains__(self, key: object) -> bool:
        """Return True for every name."""
        return True

    def __getitem__(self, key: str) -> Any:
        """Return the converter of an option's value, which leaves the value unchanged."""
        return directives.unchanged


class Stub(SphinxDirective):
    """A directive that accepts any arguments, options and content."""

    has_content = True
    optional_arguments = 100
    final_argument_whitespace = True
    option_spec = AnyOptions()


def waiting_english(document: nodes.document) -> dict[int, english]:
    """Return the English nodes in the page's container, by block number."""
    copies: dict[int, english] = {}
    for shelf in document.children:
        if isinstance(shelf, english_store):
            for copy in shelf.children:
                assert isinstance(copy, english)
                copies[copy["jz"]] = copy
    return copies


def words_of(copy: english) -> str:
    """Return the English words of a block, which ``astext`` hides."""
    return "".join(child.astext() for child in copy.children)


def is_html(node: nodes.Node) -> bool:
    """Return whether a node is raw HTML, alone or with other formats (``latex html``)."""
    return isinstance(node, nodes.raw) and "html" in node.get("format", "").split()


def write_html(raw: nodes.raw, html: str) -> None:
    """Replace the HTML of a raw node."""
    raw.clear()
    raw += nodes.Text(html)


def is_card_title(node: nodes.Node) -> bool:
    """Return whether a node is a card title of sphinx-design, which is a plain container."""
    return isinstance(node, nodes.container) and node.get("design_component") == "card-title"


def boxes_in(document: nodes.document) -> list[nodes.paragraph]:
    """Return the paragraphs that stand for content of the English docs (see ``content.stubs``)."""
    paragraphs = document.findall(nodes.paragraph)
    return [shown for shown in paragraphs if "jz-elsewhere" in shown["classes"]]


def is_linked(node: nodes.Node) -> bool:
    """Return whether an inline node is inside a link, directly or through other inline nodes."""
    return any(isinstance(above, _LINKS) for above in _inline_around(node))


def replace_by_words(image: nodes.image, words: nodes.Element) -> None:
    """Replace an image by the inline node ``words``.

    If the image is not in a paragraph, a new paragraph is put around the words.
    """
    # Move the image's anchors to the words, so that links to them still work.
    words["ids"] += image["ids"]
    image.parent.replace(image, words)
    outermost = [words, *_inline_around(words)][-1]
    # Add no paragraph inside another paragraph.
    if not isinstance(outermost.parent, nodes.TextElement):
        line = nodes.paragraph()
        outermost.parent.replace(outermost, line)
        line += outermost


def _inline_around(node: Any) -> Iterator[Any]:
    """Yield the inline ancestors of an inline node, innermost first."""
    while isinstance(node.parent, nodes.Inline):
        node = node.parent
        yield node


def wrap_both_languages(node: nodes.Element, copy: english) -> None:
    """Wrap the content of ``node`` as Chinese, and append its English ``copy``.

    In HTML: ``<span class="jz-zh">…</span><span class="jz-en">…</span>``. The style sheet shows one
    of them, or both.
    """
    chinese = nodes.inline("", "", *node.children, classes=["jz-zh"])
    node.children = []
    node += [chinese, copy]


def both_html(words: str, original: str) -> str:
    """Return HTML for ``words`` (HTML) together with their English ``original`` (plain text).

    ``<span class="jz-zh">入门</span><span class="jz-en" lang="en">Basics</span>``. The words alone
    are returned if ``original`` is empty.
    """
    if not original:
        return words
    # Our script adds a button for the other language to elements with ``data-jz-for``. A title in
    # the navigation has no room for both languages, so it has no such attribute.
    english_words = f'<span class="jz-en" lang="en">{escape(original)}</span>'
    return f'<span class="jz-zh">{words}</span>{english_words}'


def _visit_english(self: Any, node: english) -> None:
    """Write ``<p class="jz-en" lang="en" data-jz-for="3">``: 3 is the number of the block."""
    self.body.append(f'<{node["tag"]} class="jz-en" lang="en" data-jz-for="{node["jz"]}">')


def _depart_english(self: Any, node: english) -> None:
    """Write the end tag. No newline follows a ``<span>``: browsers would show it as a space."""
    self.body.append(f"</{node['tag']}>" + ("" if node["tag"] == "span" else "\n"))


def _visit_term(self: Any, node: term_note) -> None:
    """Write ``<abbr>``. ``tabindex`` makes it reachable by keyboard."""
    self.body.append(f'<abbr class="jz-term" title="{escape(node["title"])}" tabindex="0">')


def _depart_term(self: Any, node: term_note) -> None:
    self.body.append("</abbr>")


def _visit_own_html(self: Any, node: own_html) -> None:
    """Write the HTML, with ``{root}`` replaced by the path from the current page to the root."""
    page = self.builder.get_target_uri(self.builder.current_docname)
    self.body.append(node["html"].replace("{root}", relative_uri(page, "")))
    raise nodes.SkipNode


def _skip(self: Any, node: nodes.Node) -> None:
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register the nodes with the HTML builder, which alone builds sites."""
    app.add_node(english, html=(_visit_english, _depart_english))
    app.add_node(english_store, html=(_skip, None))
    app.add_node(sanitized_html, html=(lambda self, node: self.visit_raw(node), None))
    app.add_node(own_html, html=(_visit_own_html, None))
    app.add_node(term_note, html=(_visit_term, _depart_term))
