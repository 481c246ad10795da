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
    Waiting,
    key_of,
    keys_of,
    read_record,
)
from pipeline.site.names import State
from pipeline.site.texts import text

logger = logging.getLogger(__name__)
# Nodes that may be a block wherever they stand, and the contents, which have blocks in them.
_CANDIDATES = (
    nodes.title,
    nodes.paragraph,
    nodes.term,
    nodes.caption,
    nodes.rubric,
    nodes.line,
    addnodes.toctree,
)
# Nodes that contain their English: behind a heading or a caption it would no longer belong to it.
_INSIDE = (nodes.title, nodes.term, nodes.caption, nodes.rubric, nodes.line)


class MarkBlocks(SphinxTransform):
    """Give each block its number and state, and render its English."""

    default_priority = 5

    def apply(self, **_: Any) -> None:
        """Mark the blocks of the record; a page without one stays as it is."""
        record = read_record(self.env)
        waiting = Waiting(record.get("blocks", ()))
        # The head of the page says where the page is from.
        attributions = set(map(key_of, record.get("attributions", ())))
        # In Markdown the contents are no messages.
        has_contents = record.get("markup") == "reST"
        is_first = self.env.docname == self.config.root_doc
        # Not in place yet: what collects titles from the page must not see it.
        shelf = store()
        renderer: Renderer | None = None
        has_rest = False
        # A list, since the loop changes the page.
        for node in list(filter(_is_candidate, self.document.findall(nodes.Element))):
            if isinstance(node, addnodes.toctree):
                if has_contents:
                    note_marks(node, waiting, is_first=is_first)
                continue
            # The values of front matter are shown nowhere.
            if not has_contents and _is_in_front_matter(node):
                continue
            keys = keys_of(node)
            if not attributions.isdisjoint(keys):
                _remove_quote(node)
                continue
            block = waiting.take(keys)
            if block is None:
                continue
            if "rest" in block:
                if not has_rest:
                    _announce_rest(node, self.config.language)
                has_rest = True
                node["jz_rest"], node["lang"] = True, "en"
                continue
            holder = _holder_of(node)
            _mark(holder, block)
            # English is shown already; that of a ``kept`` block stands behind it, as a term does.
            if block["state"] != State.ENGLISH and not block.get("kept"):
                # A page in English needs no renderer.
                renderer = renderer or renderer_for(self.document, record)
                _add_english(shelf, holder, block, renderer)
        if shelf.children:
            self.document += shelf
        if renderer:
            renderer.finish()


def _is_candidate(node: nodes.Element) -> bool:
    """Return whether a node of the page may be a block, or have blocks in it."""
    # Messages of docutils are not upstream's.
    if isinstance(node.parent, nodes.system_message):
        return False
    if isinstance(node, nodes.raw):
        # HTML within a paragraph is a part of it.
        return is_html(node) and not isinstance(node.parent, nodes.TextElement)
    return isinstance(node, _CANDIDATES) or _is_card_title(node)


def _is_in_front_matter(node: nodes.Element) -> bool:
    """Return whether a node is a value of the fields that MyST makes of front matter.

    Those are the first node of the page.
    """
    if not isinstance(node.parent, nodes.field_body):
        return False
    fields = node.parent.parent.parent
    return isinstance(fields.parent, nodes.document) and fields.parent[0] is fields


def _announce_rest(node: nodes.Element, locale: str) -> None:
    """Say above the first section that stays English that it does."""
    place = node.parent if isinstance(node, nodes.title) else node
    note = nodes.paragraph("", text(locale, "rest"), classes=["jz-rest"])
    place.parent.insert(place.parent.index(place), note)


def _is_card_title(node: nodes.Node) -> bool:
    """Return whether a node is the title of a card of sphinx-design; docutils sees no title."""
    return (
        isinstance(node, nodes.container)
        and node.get("design_component") == "card-title"
    )


def _is_tab_label(node: nodes.Node | None) -> bool:
    """Return whether a node is the label of a tab of sphinx-design."""
    return isinstance(node, nodes.rubric) and "sd-tab-label" in node["classes"]


def _remove_quote(node: nodes.Element) -> None:
    """Remove the attribution, and the quote around it."""
    quote = node.parent
    if isinstance(quote, nodes.block_quote) and len(quote) == 1:
        node = quote
    # It may be gone already, with what it stood in.
    if node.parent is not None:
        node.parent.remove(node)


def _holder_of(node: nodes.Element) -> nodes.Element:
    """Return the node that gets the marks of a block."""
    if not _is_tab_label(node):
        return node
    # sphinx-design replaces a label by another node, which keeps only its children.
    inner = nodes.inline("", "", *node.children)
    node.children = []
    node += inner
    return inner


def _mark(node: nodes.Element, block: Block) -> None:
    """Note on a node which block it is, and what else its record contains.

    ``writer`` makes attributes of that: ``<p class="jz-block jz-fuzzy" data-jz="7">``.
    """
    node["jz"] = block["number"]
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
    shelf: store, node: nodes.Element, block: Block, renderer: Renderer
) -> None:
    """Render the English of a block and put it on the shelf.

    A role that fails is a warning; the block has no English then.
    """
    source = block["english"]
    made = english(jz=block["number"])
    made.source = node.source
    try:
        if isinstance(node, nodes.raw):
            made += nodes.raw("", source, format="html")
        else:
            renderer.render(source, made)
    except Exception as error:  # noqa: BLE001 - roles raise anything; the page is whole without it
        logger.warning(
            "the English of a block cannot be shown (%s: %s): %s",
            type(error).__name__,
            error,
            source[:80],
            location=node,
            type="jz",
            subtype="english",
        )
        return
    if is_inside(node):
        made["tag"] = "span"
    else:
        # A formula of its own, and HTML, cannot be part of a paragraph.
        made["tag"] = "div" if any(made.findall(_is_wide)) else "p"
    # Only now: otherwise a half-made text would be on the page.
    shelf += made


def _is_wide(node: nodes.Node) -> bool:
    """Return whether a node within the English of a block cannot stand in a paragraph."""
    if isinstance(node, nodes.math_block):
        return True
    return isinstance(node, nodes.raw) and isinstance(node.parent, english)


def is_inside(node: nodes.Element) -> bool:
    """Return whether a block contains its English, as a heading or a cell must.

    That of a paragraph stands after it: ``<p>你好</p><p class="jz-en">Hello</p>``, but
    ``<h1><span class="jz-zh">你好</span><span class="jz-en">Hello</span></h1>``.
    """
    if isinstance(node, _INSIDE) or _is_card_title(node):
        return True
    return isinstance(node.parent, nodes.entry) or _is_tab_label(node.parent)


def setup(app: Sphinx) -> None:
    """Mark blocks when a page is read."""
    app.add_transform(MarkBlocks)
