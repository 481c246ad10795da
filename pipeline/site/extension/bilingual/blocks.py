"""Blocks of a page: its nodes that are messages, numbered and marked when the page is read.

The page's record lists the blocks. A node is matched with a block by its source text without white
space and escapes, since each parser treats these differently. Of equal blocks, the first in the
record is the first on the page. The English of a block waits on a shelf at the end of the page.
"""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from pipeline.site.extension.bilingual.renderer import Renderer, renderer_for
from pipeline.site.extension.navigation.toctree import note_marks
from pipeline.site.extension.nodes import english, is_html, store
from pipeline.site.extension.records import (
    Block,
    Numbered,
    Waiting,
    key_of,
    keys_of,
    read_record,
)
from pipeline.site.names import State
from pipeline.site.texts import text

logger = logging.getLogger(__name__)
# What may be a block wherever it stands, and the contents, which have blocks in them.
_CANDIDATES = (
    nodes.title,
    nodes.paragraph,
    nodes.term,
    nodes.caption,
    nodes.rubric,
    nodes.line,
    addnodes.toctree,
)
# These hold their English: what stands after a heading or a caption belongs to it no more.
_INSIDE = (nodes.title, nodes.term, nodes.caption, nodes.rubric, nodes.line)


class MarkBlocks(SphinxTransform):
    """Give each block its number and state, and make its English."""

    default_priority = 5

    def apply(self, **_: Any) -> None:
        """Mark the blocks of the record; a page without one stays as it is."""
        record = read_record(self.env)
        waiting = Waiting(record.get("blocks", ()))
        # The site says in a line of its own where the page is from.
        left_out = set(map(key_of, record.get("attributions", ())))
        # In Markdown the contents are no messages.
        has_contents = record.get("markup") == "reST"
        is_first = self.env.docname == self.config.root_doc
        # Not in place yet: what collects titles from the page must not see it.
        shelf = store()
        renderer: Renderer | None = None
        has_rest = False
        # A list, since what is found changes the page.
        for node in list(filter(_is_candidate, self.document.findall(nodes.Element))):
            if isinstance(node, addnodes.toctree):
                if has_contents:
                    note_marks(node, waiting, is_first=is_first)
                continue
            # The values of front matter are shown nowhere.
            if not has_contents and _is_of_front_matter(node):
                continue
            keys = keys_of(node)
            if not left_out.isdisjoint(keys):
                _remove_quote(node)
                continue
            taken = waiting.take(keys)
            if taken is None:
                continue
            if "rest" in taken.block:
                has_rest = has_rest or _tell_rest(node, self.config.language)
                node["jz_rest"], node["lang"] = True, "en"
                continue
            holder = _holder_of(node)
            _mark(holder, taken)
            if _has_english(taken.block):
                # Most pages that are read anew have some; one in English needs no renderer.
                renderer = renderer or renderer_for(self.document, record)
                _add_english(shelf, holder, taken, renderer)
        if shelf.children:
            self.document += shelf
        if renderer:
            renderer.finish()


def _is_candidate(node: nodes.Element) -> bool:
    """Whether a node of the page may be a block, or have blocks in it."""
    # What docutils has to say of a page is not upstream's.
    if isinstance(node.parent, nodes.system_message):
        return False
    if isinstance(node, nodes.raw):
        # HTML within a paragraph is a part of it.
        return is_html(node) and not isinstance(node.parent, nodes.TextElement)
    return isinstance(node, _CANDIDATES) or _is_card_title(node)


def _is_of_front_matter(node: nodes.Element) -> bool:
    """Whether it is a value of the fields that MyST-Parser makes of front matter.

    Those come before all else of the page.
    """
    if not isinstance(node.parent, nodes.field_body):
        return False
    fields = node.parent.parent.parent
    return isinstance(fields.parent, nodes.document) and fields.parent[0] is fields


def _tell_rest(node: nodes.Element, locale: str) -> bool:
    """Say above the first section that stays English that it does; return True."""
    place = node.parent if isinstance(node, nodes.title) else node
    note = nodes.paragraph("", text(locale, "rest"), classes=["jz-rest"])
    place.parent.insert(place.parent.index(place), note)
    return True


def _has_english(block: Block) -> bool:
    """Whether the English of a block is to be made: not if it is shown already.

    The English of a block that is ``kept`` stands behind it on the page, as a term does.
    """
    return block["state"] != State.ENGLISH and not block.get("kept")


def _is_card_title(node: nodes.Node) -> bool:
    """Whether it is the title of a card of sphinx-design, which is no title to docutils."""
    return (
        isinstance(node, nodes.container)
        and node.get("design_component") == "card-title"
    )


def _is_tab_label(node: nodes.Node | None) -> bool:
    """Whether it is the label of a tab of sphinx-design."""
    return isinstance(node, nodes.rubric) and "sd-tab-label" in node["classes"]


def _remove_quote(node: nodes.Element) -> None:
    """Take out the attribution, and the quote that it stands in."""
    quote = node.parent
    if isinstance(quote, nodes.block_quote) and len(quote) == 1:
        node = quote
    # It may be gone already, with what it stood in.
    if node.parent is not None:
        node.parent.remove(node)


def _holder_of(node: nodes.Element) -> nodes.Element:
    """What the marks of a block are put on."""
    if not _is_tab_label(node):
        return node
    # sphinx-design makes another node of a label, which has nothing of it but its children.
    inner = nodes.inline("", "", *node.children)
    node.children = []
    node += inner
    return inner


def _mark(node: nodes.Element, taken: Numbered) -> None:
    """Say on a node which block it is, and what else its record says of it.

    ``writing`` makes attributes of that: ``<p class="jz-block jz-fuzzy" data-jz="7">``.
    """
    block = taken.block
    node["jz"] = taken.number
    node["classes"] += ["jz-block", f"jz-{block['state']}"]
    if origin := block.get("origin"):
        node["classes"] += [f"jz-{origin}"]
    if block["state"] == State.ENGLISH:
        node["lang"] = "en"
    if block.get("kept"):
        node["jz_kept"] = block["english"]
    # A piece of HTML gets a box around it only if it is sound.
    if "edit" in block and not isinstance(node, nodes.raw):
        node["jz_edit"] = block["edit"]
    if block.get("terms"):
        node["jz_terms"] = block["terms"]


def _add_english(
    shelf: store, node: nodes.Element, taken: Numbered, renderer: Renderer
) -> None:
    """Make the English of a block and put it on the shelf.

    A role that fails is a warning; the block has no English then.
    """
    text = taken.block["english"]
    made = english(jz=taken.number)
    made.source = node.source
    try:
        if isinstance(node, nodes.raw):
            made += nodes.raw("", text, format="html")
        else:
            renderer.render(text, made)
    except Exception as error:  # noqa: BLE001 - roles raise anything; the page is whole without it
        logger.warning(
            "the English of a block cannot be shown (%s: %s): %s",
            type(error).__name__,
            error,
            text[:80],
            location=node,
            type="jz",
            subtype="english",
        )
        return
    made["tag"] = _tag_for(node, made)
    # Only now: a half-made text would be on the page otherwise.
    shelf += made


def _tag_for(node: nodes.Element, made: english) -> str:
    """The element that the English stands in: ``span``, ``div`` or ``p``."""
    if is_inside(node):
        return "span"
    # A formula of its own, and HTML, are no part of a paragraph.
    return "div" if any(made.findall(_is_wide)) else "p"


def _is_wide(node: nodes.Node) -> bool:
    """Whether a node within the English of a block is one that no paragraph may hold."""
    if isinstance(node, nodes.math_block):
        return True
    return isinstance(node, nodes.raw) and isinstance(node.parent, english)


def is_inside(node: nodes.Element) -> bool:
    """Whether a block holds its English, as a heading or a cell must.

    That of a paragraph stands after it: ``<p>你好</p><p class="jz-en">Hello</p>``, but
    ``<h1><span class="jz-zh">你好</span><span class="jz-en">Hello</span></h1>``.
    """
    if isinstance(node, _INSIDE) or _is_card_title(node):
        return True
    return isinstance(node.parent, nodes.entry) or _is_tab_label(node.parent)


def setup(app: Sphinx) -> None:
    """Mark blocks when a page is read."""
    app.add_transform(MarkBlocks)
