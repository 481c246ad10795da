"""Nodes of our own in Sphinx's doctrees, and how they become HTML.

They are invisible to whoever asks a page for its words: titles, contents and the index of the
search are to be Chinese.
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

# What is a link, or becomes one when Sphinx knows all pages.
_LINKS = (nodes.reference, addnodes.pending_xref)


class _Wordless(nodes.Invisible):
    """For a node that has something to show, and nothing to say."""

    def astext(self) -> str:
        """No word, whatever stands in it: titles and the search go by this."""
        return ""


class english(_Wordless, nodes.TextElement):  # noqa: N801 - docutils names nodes so
    """The English of the block with the number ``jz``, in an element ``tag``."""


class store(_Wordless, nodes.Element):  # noqa: N801
    """Where the ``english`` of a page waits until Sphinx has collected titles and contents."""


class term_note(nodes.TextElement):  # noqa: N801
    """The first use of a term in a page: its words, with the English as ``title``."""


class fixed(_Wordless, nodes.Element):  # noqa: N801
    """HTML of ours. ``{root}`` in it is the way to the root of the site."""


class cleaned(nodes.raw):  # noqa: N801
    """HTML of others that the sanitizer has written: it is safe where it stands."""


def shelves_of(document: nodes.document) -> list[store]:
    """Where the English of a page waits: at its end, as long as nobody has taken it."""
    return [child for child in document.children if isinstance(child, store)]


def waiting_english(document: nodes.document) -> dict[int, english]:
    """The English of a page that waits on a shelf, by the numbers of its blocks."""
    copies: dict[int, english] = {}
    for shelf in shelves_of(document):
        for copy in shelf.children:
            assert isinstance(copy, english)
            copies[copy["jz"]] = copy
    return copies


def words_of(copy: english) -> str:
    """The words of the English of a block, which ``astext`` does not tell."""
    return "".join(child.astext() for child in copy.children)


def is_html(raw: nodes.raw) -> bool:
    """Whether a raw piece of a page is (also) for HTML: ``latex html`` is."""
    return "html" in raw.get("format", "").split()


def write_html(raw: nodes.raw, html: str) -> None:
    """Let a piece of HTML be ``html``.

    Its text knows its parent, as whoever looks at texts takes for granted.
    """
    raw.clear()
    raw += nodes.Text(html)


def is_linked(node: nodes.Node) -> bool:
    """Return whether a part of a line stands in a link, be it in bold within one."""
    return any(isinstance(above, _LINKS) for above in _line_around(node))


def replace_by_words(image: nodes.image, words: nodes.Element) -> None:
    """Put ``words``, a part of a line, in the place of an image.

    An image may stand by itself, also with a link around it. Words may not: they become a
    paragraph.
    """
    # Links to the image lead to the words.
    words["ids"] += image["ids"]
    image.parent.replace(image, words)
    outermost = [words, *_line_around(words)][-1]
    # In a paragraph there cannot be a second one.
    if not isinstance(outermost.parent, nodes.TextElement):
        line = nodes.paragraph()
        outermost.parent.replace(outermost, line)
        line += outermost


def _line_around(node: Any) -> Iterator[Any]:
    """Yield what a part of a line stands in, from inside out, as far as it is one itself."""
    while isinstance(node.parent, nodes.Inline):
        node = node.parent
        yield node


def hold_both(node: nodes.Element, copy: english) -> None:
    """Let ``node`` hold its own words and, behind them, their English.

    Styles show one of the two, or both: ``<span class="jz-zh">…</span><span class="jz-en">…``.
    """
    chinese = nodes.inline("", "", *node.children, classes=["jz-zh"])
    node.children = []
    node += [chinese, copy]


def both_html(words: str, original: str) -> str:
    """Return HTML that holds ``words``, which are HTML, and the plain text of their English.

    ``<span class="jz-zh">入门</span><span class="jz-en" lang="en">Basics</span>``; the words alone
    if there is no English beside them.
    """
    if not original:
        return words
    # Without ``data-jz-for``: there is no room for both, so that no button is to show the English.
    english_words = f'<span class="jz-en" lang="en">{escape(original)}</span>'
    return f'<span class="jz-zh">{words}</span>{english_words}'


class Anything(dict[str, Any]):
    """Options of any name: what docutils asks for when it reads ``:members: jit``."""

    def __bool__(self) -> bool:
        """A directive without options would refuse them all."""
        return True

    def __contains__(self, key: object) -> bool:
        """No name is unknown."""
        return True

    def __getitem__(self, key: str) -> Any:
        """How the value of an option is read: it may be anything, and stays a string."""
        return directives.unchanged


class Stub(SphinxDirective):
    """A directive that takes whatever it is given."""

    has_content = True
    optional_arguments = 100
    final_argument_whitespace = True
    option_spec = Anything()


def _visit_english(self: Any, node: english) -> None:
    """``<p class="jz-en" lang="en" data-jz-for="3">``: scripts find the block by its number."""
    self.body.append(
        f'<{node["tag"]} class="jz-en" lang="en" data-jz-for="{node["jz"]}">'
    )


def _depart_english(self: Any, node: english) -> None:
    """The end tag, on a line with nothing behind it where that is the same to a browser."""
    self.body.append(f"</{node['tag']}>")
    # Within a line a line end would be a space.
    if node["tag"] != "span":
        self.body.append("\n")


def _visit_term(self: Any, node: term_note) -> None:
    """``<abbr>`` with the English as its title; who has no mouse reaches it by the Tab key."""
    self.body.append(
        f'<abbr class="jz-term" title="{escape(node["title"])}" tabindex="0">'
    )


def _depart_term(self: Any, node: term_note) -> None:
    self.body.append("</abbr>")


def _visit_fixed(self: Any, node: fixed) -> None:
    """The HTML as it is, with the way to the root of the site from this page."""
    # Known only when the page is written: the same doctree may serve other builders.
    page = self.builder.get_target_uri(self.builder.current_docname)
    self.body.append(node["html"].replace("{root}", relative_uri(page, "")))


def _visit_cleaned(self: Any, node: cleaned) -> None:
    """As any HTML is written. ``safety`` would clean it, were it of another class."""
    self.visit_raw(node)


def _skip(self: Any, node: nodes.Node) -> None:
    """Leave out the node and all that it holds."""
    raise nodes.SkipNode


def _nothing(self: Any, node: nodes.Node) -> None:
    """Leave no mark: what the node holds is written as if it stood there by itself."""


def setup(app: Sphinx) -> None:
    """Make the nodes known."""
    others = ("latex", "text", "man", "texinfo")
    skipped: Any = dict.fromkeys(others, (_skip, None))
    shown: Any = dict.fromkeys(others, (_nothing, _nothing))
    app.add_node(english, html=(_visit_english, _depart_english), **skipped)
    app.add_node(store, html=(_skip, None), **skipped)
    app.add_node(cleaned, html=(_visit_cleaned, None), **skipped)
    app.add_node(fixed, html=(_visit_fixed, _nothing), **skipped)
    app.add_node(term_note, html=(_visit_term, _depart_term), **shown)
