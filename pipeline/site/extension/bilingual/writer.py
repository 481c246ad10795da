"""Mix-in for Sphinx's HTML translator: writes our attributes of doctree nodes as HTML attributes.

The node of a block has the block's number as ``jz``, which becomes ``data-jz="7"``. It may also
have ``jz_edit`` (the end of the address for editing) and ``lang``. A node that documents a Python
object has the object's name as ``jz_name``. Our scripts and styles use these attributes.

In Markdown, a block of HTML ends at an empty line. So ``<details>`` and ``</details>`` may be two
separate fragments, with paragraphs and code between them. Such a fragment cannot be wrapped in an
element with its English after it. Instead, the English of each text in the fragment is inserted
right after the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from html.parser import HTMLParser
from typing import Any

from docutils import nodes
from msgspec import Struct

from pipeline.site.extension.navigation.english_links import (
    mark_contents,
    redirect_links,
)
from pipeline.site.extension.navigation.toctree import put_marks
from pipeline.site.extension.nodes import is_html

# Elements that never have an end tag.
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())
# Elements whose end tag is optional: without it, they end where their parent ends.
_ENDING = frozenset("p li dt dd option optgroup tr td th thead tbody tfoot colgroup rp rt".split())
# Elements that browsers accept only inside a certain parent.
_PARTS = frozenset(
    "li dt dd option optgroup tr td th thead tbody tfoot colgroup col caption summary legend "
    "figcaption source track rp rt".split()
)
# Elements whose text gets no English beside it: it may not contain elements, or is not prose.
_TEXT_ONLY = frozenset("script style textarea title option svg math".split())
_FOREIGN = frozenset(("svg", "math"))
# Elements that allow only certain children. Browsers move other children out of them.
_STRICT = frozenset("table thead tbody tfoot tr colgroup select".split())
_WORDS = "…"  # shape of a piece that is text
_ATTRIBUTE_NAMES = {
    "jz": "data-jz",
    "jz_edit": "data-jz-edit",
    "jz_hidden": "hidden",
    "lang": "lang",
}


class _Piece(Struct, frozen=True):
    """A tag, a comment or a run of text of an HTML fragment."""

    source: str
    # "b" for <b>, "/b" for </b>, "…" for text that may be wrapped in an element; otherwise empty.
    shape: str = ""


class _Reader(HTMLParser):
    """Parser of a fragment into pieces, which also checks whether the fragment is balanced."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.pieces: list[_Piece] = []
        self.opened: list[str] = []
        self.tops: set[str] = set()
        self.is_balanced = True
        self.is_cut = False
        try:
            self.feed(html)
        except AssertionError:  # HTMLParser fails at <![…
            self.is_cut = True
        # The parser has not reported the rest of the fragment yet. If the rest is a tag, a comment
        # or a script without end, the fragment is cut; otherwise the rest is text.
        if self.rawdata.startswith("<") or self.cdata_elem:
            self.is_cut = True
        elif self.rawdata:
            self.handle_data(self.rawdata)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        """Record a start tag."""
        self.pieces.append(_Piece(self.get_starttag_text() or "", shape=tag))
        if not self.opened:
            self.tops.add(tag)
        if tag not in _VOID:
            self.opened.append(tag)

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        """Record a self-closing tag, ``<b/>``, which ends an element only in SVG and MathML."""
        self.handle_starttag(tag, attrs)
        if tag not in _VOID and not _FOREIGN.isdisjoint(self.opened):
            self.opened.pop()

    def handle_endtag(self, tag: str) -> None:
        """Record an end tag, which also closes inner elements with optional end tags."""
        self.pieces.append(_Piece(f"</{tag}>", shape=f"/{tag}"))
        while self.opened and self.opened[-1] != tag and self.opened[-1] in _ENDING:
            self.opened.pop()
        if self.opened[-1:] == [tag]:
            self.opened.pop()
        else:
            self.is_balanced = False

    def handle_data(self, data: str) -> None:
        """Record a run of text, or a part of one."""
        is_words = bool(data.strip()) and _TEXT_ONLY.isdisjoint(self.opened)
        if is_words:
            # A lone "<" is text here. Escape it: together with an element that is inserted after
            # it, it could start a tag.
            data = data.replace("<", "&lt;")
        last = self.pieces[-1:]
        # The parser reports "a &amp; b" as three parts, which are joined here.
        if is_words and last and last[0].shape == _WORDS:
            data = self.pieces.pop().source + data
        self.pieces.append(_Piece(data, shape=_WORDS if is_words else ""))

    def handle_entityref(self, name: str) -> None:
        """Record a named character reference in a text: ``&amp;``."""
        self.handle_data(f"&{name};")

    def handle_charref(self, name: str) -> None:
        """Record a numeric character reference in a text: ``&#8212;``."""
        self.handle_data(f"&#{name};")

    def handle_comment(self, data: str) -> None:
        """Record a comment."""
        self.pieces.append(_Piece(f"<!--{data}-->"))


def stands_alone(html: str) -> bool:
    """Return whether a fragment can be put into an element of its own.

    True for ``<p>a<br></p>``; false for ``<details>`` and for ``<td>a</td>``.
    """
    reader = _Reader(html)
    # All elements are closed, and none needs a parent outside the fragment.
    is_balanced = reader.is_balanced and _ENDING.issuperset(reader.opened)
    return is_balanced and not reader.is_cut and _PARTS.isdisjoint(reader.tops)


def may_be_parted(html: str) -> bool:
    """Return whether any kind of element is allowed between a fragment and the next one.

    True for ``<details>``; false for ``<table>`` and ``<svg>``.
    """
    reader = _Reader(html)
    is_strict = not _STRICT.isdisjoint(reader.opened[-1:])
    return not reader.is_cut and not is_strict and _FOREIGN.isdisjoint(reader.opened)


def in_both_languages(html: str, english: str, number: int) -> str:
    """Return a fragment with the English beside each text. ``number`` is the block's number.

    ``<summary>更多`` → ``<summary><span class="jz-zh">更多</span><span class="jz-en" …>More``

    Return the fragment unchanged if it is not translated, or if the English has other tags.
    """
    if html == english:
        return html
    reader, other_reader = _Reader(html), _Reader(english)
    ours, theirs = reader.pieces, other_reader.pieces
    if reader.is_cut or other_reader.is_cut or not _are_alike(ours, theirs):
        return html
    translated = iter([piece.source for piece in theirs if piece.shape == _WORDS])
    shown = ""
    for piece in ours:
        other = next(translated) if piece.shape == _WORDS else piece.source
        if other == piece.source:
            shown += piece.source
            continue
        shown += (
            f'<span class="jz-zh">{piece.source}</span>'
            f'<span class="jz-en" lang="en" data-jz-for="{number}">{other}</span>'
        )
    return shown


def _are_alike(ours: Sequence[_Piece], theirs: Sequence[_Piece]) -> bool:
    """Return whether two fragments have the same sequence of tags and texts.

    One fragment may have additional end tags at its end, which the sanitizer has added to close
    elements.
    """
    shapes = [piece.shape for piece in ours if piece.shape]
    others = [piece.shape for piece in theirs if piece.shape]
    shared = min(len(shapes), len(others))
    rest = [*shapes[shared:], *others[shared:]]
    is_closed = all(shape.startswith("/") for shape in rest)
    return shapes[:shared] == others[:shared] and is_closed


class BlockAttributes:
    """Translator mix-in that writes the attributes of blocks."""

    def starttag(self, node: Any, tagname: str, *args: Any, **attributes: Any) -> str:
        """Return a start tag with a block's number and language: ``<p data-jz="3" lang="en">``."""
        if isinstance(node, nodes.caption) and tagname == "p":
            # Sphinx writes a caption as two elements, <p><span>. The block is the <span>.
            classes = [name for name in node["classes"] if not name.startswith("jz-")]
            node = nodes.caption(ids=node["ids"], classes=classes)
        if isinstance(node, nodes.Element):
            attributes |= _attributes_of(node)
            if tagname == "a" and "hreflang" in node:
                attributes["hreflang"] = node["hreflang"]
        translator: Any = super()
        return str(translator.starttag(node, tagname, *args, **attributes))

    def visit_raw(self, node: nodes.raw) -> None:
        """Write raw HTML.

        If a block has unclosed or unopened elements (``<details>``), write its English inside it,
        beside each text.
        """
        html = node.astext()
        is_block = "jz" in node and is_html(node)
        if not is_block or ("jz_english" not in node and stands_alone(html)):
            super().visit_raw(node)  # type: ignore[misc]
            return
        english = node.get("jz_english", html)
        translator: Any = self
        translator.body.append(in_both_languages(html, english, node["jz"]))
        raise nodes.SkipNode

    def visit_compound(self, node: nodes.compound) -> None:
        """Mark the entries of a table of contents. Sphinx creates them just before writing."""
        if "jz_marks" in node:
            put_marks(node)
        if "toctree-wrapper" in node["classes"]:
            builder: Any = self.builder  # type: ignore[attr-defined]
            redirect_links(builder.app, node, builder.current_docname)
            mark_contents(builder.app, node, builder.current_docname)
        super().visit_compound(node)  # type: ignore[misc]

    def visit_entry(self, node: nodes.entry) -> None:
        """Write an empty header cell as ``<td>``, because screen readers announce each ``<th>``."""
        super().visit_entry(node)  # type: ignore[misc]
        if not node.astext().strip() and not any(node.findall(nodes.image)):
            translator: Any = self
            translator.body[-1] = translator.body[-1].replace("<th", "<td", 1)
            translator.context[-1] = translator.context[-1].replace("</th", "</td", 1)


def _attributes_of(node: nodes.Element) -> dict[str, str]:
    """Return the HTML attributes of a block, of the English of a block, or of a documented name.

    ``jz=3, jz_edit="12"`` on a node → ``data-jz="3" data-jz-edit="12"`` on its element.
    """
    if "jz" in node:
        names = _ATTRIBUTE_NAMES.items()
        return {name: str(node[key]) for key, name in names if key in node}
    if "jz_rest" in node:
        return {"lang": "en"}
    if "jz_for" in node:
        return {"data-jz-for": str(node["jz_for"]), "lang": "en"}
    if "jz_name" in node:
        return {"data-jz-name": node["jz_name"]}
    return {}
