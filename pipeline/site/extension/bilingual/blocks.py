"""Blocks of a page: the nodes that are messages, numbered and marked when the page is read.

The page's record lists the blocks. A node matches a block if their sources are equal without white
space and escapes, which parsers treat differently. Of equal blocks, the first in the record matches
the first on the page. The English of blocks waits in a container at the end of the page.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from pipeline.site.extension.bilingual.renderer import Renderer, renderer_for
from pipeline.site.extension.navigation.toctree import note_marks
from pipeline.site.extension.nodes import english, english_store, is_html
from pipeline.site.extension.records import (
    Block,
    Waiting,
    key_of,
    keys_of,
    read_record,
)
from pipeline.site.names import ShownState
from pipeline.site.texts import text

logger = logging.getLogger(__name__)
# Nodes that may be a block anywhere, and the contents, whose captions and entries are blocks.
_CANDIDATES = (
    nodes.title,
    nodes.paragraph,
    nodes.term,
    nodes.caption,
    nodes.rubric,
    nodes.line,
    addnodes.toctree,
)
# Nodes that contain their English: after a heading or a caption it would be outside of it.
_INSIDE = (nodes.title, nodes.term, nodes.caption, nodes.rubric, nodes.line)


class MarkBlocks(SphinxTransform):
    """Give each block its number and state, and render its English."""

    default_priority = 5

    def apply(self, **_: Any) -> None:
        """Mark the blocks of the page's record; a page without a record is left unchanged."""
        record = read_record(self.env)
        waiting = Waiting(record.get("blocks", ()))
        # The head of the page already names its source, so the attribution is removed.
        attributions = set(map(key_of, record.get("attributions", ())))
        # In Markdown, captions and entries of the contents are no messages.
        has_contents = record.get("markup") == "reST"
        is_first = self.env.docname == self.config.root_doc
        # Added to the document at the end: it must not be seen by code that collects titles.
        shelf = english_store()
        renderer: Renderer | None = None
        has_rest = False
        # A list, because the loop changes the document.
        for node in list(filter(_is_candidate, self.document.findall(nodes.Element))):
            if isinstance(node, addnodes.toctree):
                if has_contents:
                    note_marks(node, waiting, is_first=is_first)
                continue
            # Values of front matter are not shown.
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
            # An English block is its own English; that of a ``kept`` block follows it as a glossary
            # term.
            if block["state"] != ShownState.ENGLISH and not block.get("kept"):
                # Created only when needed: an English page needs no renderer.
                renderer = renderer or renderer_for(self.document, record)
                _add_english(shelf, holder, block, renderer)
        if shelf.children:
            self.document += shelf
        if renderer:
            renderer.finish()


# Fields of an object's description whose text is a message.
_DESCRIPTIONS = re.compile(
    r"(?:param|parameter|arg|argument|key|keyword|return|raise|except|yield|warn)", re.I
)


def keep_sources(
    app: Sphinx, domain: str, kind: str, content: addnodes.desc_content
) -> None:
    """Wrap the descriptions of an object's parameters, so that they keep their source.

    Sphinx then puts them behind the parameter's name and type, in one paragraph.
    """
    for body in content.findall(nodes.field_body):
        is_text = len(body.children) == 1 and isinstance(
            body.children[0], nodes.paragraph
        )
        name = body.parent.children[0].astext()
        if is_text and _DESCRIPTIONS.match(name):
            (paragraph,) = body.children
            assert isinstance(paragraph, nodes.paragraph)
            words = nodes.inline(paragraph.rawsource, "", *paragraph.children)
            words["jz_description"] = True
            paragraph.children = []
            paragraph += words


def _is_candidate(node: nodes.Element) -> bool:
    """Return whether a node may be a block, or contain blocks."""
    # docutils' own messages are not upstream's text.
    if isinstance(node.parent, nodes.system_message):
        return False
    if isinstance(node, nodes.raw):
        # HTML inside a paragraph belongs to the paragraph's message.
        return is_html(node) and not isinstance(node.parent, nodes.TextElement)
    if "jz_description" in node:
        return True
    return isinstance(node, _CANDIDATES) or _is_card_title(node)


def _is_in_front_matter(node: nodes.Element) -> bool:
    """Return whether a node is a value of the field list that MyST makes from front matter.

    That field list is the first node of the page.
    """
    if not isinstance(node.parent, nodes.field_body):
        return False
    fields = node.parent.parent.parent
    return isinstance(fields.parent, nodes.document) and fields.parent[0] is fields


def _announce_rest(node: nodes.Element, locale: str) -> None:
    """Insert a note above the first section that stays English."""
    place = node.parent if isinstance(node, nodes.title) else node
    note = nodes.paragraph("", text(locale, "rest"), classes=["jz-rest"])
    place.parent.insert(place.parent.index(place), note)


def _is_card_title(node: nodes.Node) -> bool:
    """Return whether a node is a card title of sphinx-design, which is a plain container."""
    return (
        isinstance(node, nodes.container)
        and node.get("design_component") == "card-title"
    )


def _is_tab_label(node: nodes.Node | None) -> bool:
    """Return whether a node is a tab label of sphinx-design."""
    return isinstance(node, nodes.rubric) and "sd-tab-label" in node["classes"]


def _remove_quote(node: nodes.Element) -> None:
    """Remove the attribution, together with the block quote that contains only it."""
    quote = node.parent
    if isinstance(quote, nodes.block_quote) and len(quote) == 1:
        node = quote
    # It may have been removed with its container.
    if node.parent is not None:
        node.parent.remove(node)


def _holder_of(node: nodes.Element) -> nodes.Element:
    """Return the node that carries the marks of a block."""
    if not _is_tab_label(node):
        return node
    # sphinx-design replaces a label by another node and keeps only its children.
    inner = nodes.inline("", "", *node.children)
    node.children = []
    node += inner
    return inner


def _mark(node: nodes.Element, block: Block) -> None:
    """Store number, state and other values of a block's record on its node.

    ``writer`` turns them into attributes: ``<p class="jz-block jz-fuzzy" data-jz="7">``.
    """
    node["jz"] = block["number"]
    node["classes"] += ["jz-block", f"jz-{block['state']}"]
    if origin := block.get("origin"):
        node["classes"] += [f"jz-{origin}"]
    if block["state"] == ShownState.ENGLISH:
        node["lang"] = "en"
    if block.get("kept"):
        node["jz_kept"] = block["english"]
    # ``placement`` boxes a piece of HTML only if it is balanced, so the piece itself has no pencil.
    if "edit" in block and not isinstance(node, nodes.raw):
        node["jz_edit"] = block["edit"]
    if block.get("terms"):
        node["jz_terms"] = block["terms"]


def _add_english(
    shelf: english_store, node: nodes.Element, block: Block, renderer: Renderer
) -> None:
    """Render the English of a block and add it to the container.

    If a role raises, the block gets no English, and a warning is logged.
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
        # A display formula or HTML cannot be inside a paragraph.
        made["tag"] = "div" if any(made.findall(_is_wide)) else "p"
    # Added last, so that no half-rendered text gets onto the page.
    shelf += made


def _is_wide(node: nodes.Node) -> bool:
    """Return whether a node of a block's English cannot be inside a paragraph."""
    if isinstance(node, nodes.math_block):
        return True
    return isinstance(node, nodes.raw) and isinstance(node.parent, english)


def is_inside(node: nodes.Element) -> bool:
    """Return whether the element of a block contains its English, as for headings and table cells.

    The English of a paragraph follows it: ``<p>你好</p><p class="jz-en">Hello</p>``. That of a
    heading is inside: ``<h1><span class="jz-zh">你好</span><span class="jz-en">Hello</span></h1>``.
    """
    if isinstance(node, _INSIDE) or _is_card_title(node) or "jz_description" in node:
        return True
    return isinstance(node.parent, nodes.entry) or _is_tab_label(node.parent)


def setup(app: Sphinx) -> None:
    """Mark the blocks of each page when it is read."""
    app.add_transform(MarkBlocks)
    app.connect("object-description-transform", keep_sources)
