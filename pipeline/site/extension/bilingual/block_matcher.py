"""Blocks of a page: finds the docutils nodes that are messages, and marks them.

The page's record (``records``) lists the text and the English of each message, in the order of the
page. A node matches a block if both have the same source. The comparison ignores white space and
escapes, because parsers treat them differently. If blocks have equal texts, the first in the record
matches the first on the page.

The English of each block is rendered into a container at the end of the page. ``placement`` moves
it to its block later.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

from pipeline.site.extension.bilingual.renderer import Renderer, renderer_for
from pipeline.site.extension.navigation.toctree import note_marks
from pipeline.site.extension.nodes import (
    english,
    english_store,
    is_card_title,
    is_html,
)
from pipeline.site.extension.records import (
    Block,
    Waiting,
    key_of,
    keys_of,
    read_record,
    warn,
)
from pipeline.site.names import ShownState
from pipeline.site.texts import text

# Nodes that may be a block, and tables of contents, whose captions and entries may be blocks.
_CANDIDATES = (
    nodes.title,
    nodes.paragraph,
    nodes.term,
    nodes.caption,
    nodes.rubric,
    nodes.line,
    addnodes.toctree,
)
# Nodes that get their English inside. After the node, it would not be a part of the heading or
# caption.
_INSIDE = (nodes.title, nodes.term, nodes.caption, nodes.rubric, nodes.line)


class MarkBlocks(SphinxTransform):
    """Transform that gives each block its number and state, and renders its English."""

    default_priority = 5

    def apply(self, **_: Any) -> None:
        """Mark the blocks of the page's record. A page without a record stays unchanged."""
        record = read_record(self.env)
        waiting = Waiting(record.get("blocks", ()))
        # Attributions are lines like "Translated from …". The head of the page names the source
        # already, so they are removed.
        attributions = set(map(key_of, record.get("attributions", ())))
        # In reST, captions and entries of a table of contents are messages; in Markdown they are
        # not.
        has_contents = record.get("markup") == "reST"
        is_first = self.env.docname == self.config.root_doc
        # Container for the English. It is added to the page when the loop has ended.
        shelf = english_store()
        renderer: Renderer | None = None
        has_rest = False
        # Loop over a list, because the loop changes the document.
        for node in list(filter(_is_candidate, self.document.findall(nodes.Element))):
            if isinstance(node, addnodes.toctree):
                if has_contents:
                    note_marks(node, waiting, is_first=is_first)
                continue
            # Pages do not show the values of front matter.
            if not has_contents and _is_in_front_matter(node):
                continue
            keys = keys_of(node)
            if not attributions.isdisjoint(keys):
                _remove_quote(node)
                continue
            block = waiting.take(keys)
            if block is None:
                continue
            # The block is in a section that stays English, such as old versions in a change log.
            if "rest" in block:
                if not has_rest:
                    _announce_rest(node, self.config.language)
                has_rest = True
                node["jz_rest"], node["lang"] = True, "en"
                continue
            holder = _holder_of(node)
            _mark(holder, block)
            # An English block needs no English beside it. A ``kept`` block is a glossary term,
            # followed on the page by its English term.
            if block["state"] != ShownState.ENGLISH and not block.get("kept"):
                # Create the renderer only when it is needed: an English page needs none.
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


def keep_sources(app: Sphinx, domain: str, kind: str, content: addnodes.desc_content) -> None:
    """Wrap each description of a parameter in an inline node that has the description's source.

    Sphinx later joins name, type and description of a parameter to one paragraph:
    ``x (Array) – The input.`` The inline node stays in this paragraph, so it can still be matched
    with its block.
    """
    for body in content.findall(nodes.field_body):
        is_text = len(body.children) == 1 and isinstance(body.children[0], nodes.paragraph)
        name = body.parent.children[0].astext()
        if is_text and _DESCRIPTIONS.match(name):
            (paragraph,) = body.children
            assert isinstance(paragraph, nodes.paragraph)
            words = nodes.inline(paragraph.rawsource, "", *paragraph.children)
            words["jz_description"] = True
            paragraph.children = []
            paragraph += words


def _is_candidate(node: nodes.Element) -> bool:
    """Return whether a node may be a block, or is a table of contents, which may have blocks."""
    # A paragraph in a system message is docutils' text, not upstream's.
    if isinstance(node.parent, nodes.system_message):
        return False
    if isinstance(node, nodes.raw):
        # HTML inside a paragraph belongs to the paragraph's message.
        return is_html(node) and not isinstance(node.parent, nodes.TextElement)
    if "jz_description" in node:
        return True
    return isinstance(node, _CANDIDATES) or is_card_title(node)


def _is_in_front_matter(node: nodes.Element) -> bool:
    """Return whether a node is a value of the field list that MyST makes from front matter.

    That field list is the first node of the page.
    """
    if not isinstance(node.parent, nodes.field_body):
        return False
    fields = node.parent.parent.parent
    return isinstance(fields.parent, nodes.document) and fields.parent[0] is fields


def _announce_rest(node: nodes.Element, locale: str) -> None:
    """Insert a note above ``node``, the first node that stays English, or above its section."""
    place = node.parent if isinstance(node, nodes.title) else node
    note = nodes.paragraph("", text(locale, "rest"), classes=["jz-rest"])
    place.parent.insert(place.parent.index(place), note)


def _is_tab_label(node: nodes.Node | None) -> bool:
    """Return whether a node is a tab label of sphinx-design."""
    return isinstance(node, nodes.rubric) and "sd-tab-label" in node["classes"]


def _remove_quote(node: nodes.Element) -> None:
    """Remove an attribution. Remove its block quote too if the quote has nothing else."""
    quote = node.parent
    if isinstance(quote, nodes.block_quote) and len(quote) == 1:
        node = quote
    # An earlier call may have removed the node together with its quote.
    if node.parent is not None:
        node.parent.remove(node)


def _holder_of(node: nodes.Element) -> nodes.Element:
    """Return the node to mark as the block: ``node``, or a new inline node in a tab label."""
    if not _is_tab_label(node):
        return node
    # sphinx-design replaces a label by another node and keeps only its children.
    inner = nodes.inline("", "", *node.children)
    node.children = []
    node += inner
    return inner


def _mark(node: nodes.Element, block: Block) -> None:
    """Copy number, state and other values of a block's record to its node.

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
    # A block of HTML gets no link for editing (a pencil), because it may be only a part of an
    # element, such as the tag ``<table>``.
    if "edit" in block and not isinstance(node, nodes.raw):
        node["jz_edit"] = block["edit"]
    if block.get("terms"):
        node["jz_terms"] = block["terms"]


def _add_english(
    shelf: english_store, node: nodes.Element, block: Block, renderer: Renderer
) -> None:
    """Render the English of a block and add it to the container ``shelf``.

    If rendering fails, log a warning: the block then has no English.
    """
    source = block["english"]
    made = english(jz=block["number"])
    made.source = node.source
    try:
        if isinstance(node, nodes.raw):
            made += nodes.raw("", source, format="html")
        else:
            renderer.render(source, made)
    except Exception as error:  # noqa: BLE001 - roles may raise anything
        words = "the English of a block cannot be shown (%s: %s): %s"
        warn("english", node, words, type(error).__name__, error, source[:80])
        return
    if is_inside(node):
        made["tag"] = "span"
    else:
        # A display formula or HTML cannot be inside a paragraph.
        made["tag"] = "div" if any(made.findall(_is_wide)) else "p"
    # Add it only now, so that a failed rendering leaves no half of a text on the page.
    shelf += made


def _is_wide(node: nodes.Node) -> bool:
    """Return whether a node in the English of a block is too wide for a ``<p>`` element."""
    if isinstance(node, nodes.math_block):
        return True
    return isinstance(node, nodes.raw) and isinstance(node.parent, english)


def is_inside(node: nodes.Element) -> bool:
    """Return whether the English of a block belongs inside its element, not after it.

    After a paragraph: ``<p>你好</p><p class="jz-en">Hello</p>``. Inside a heading or a table cell:
    ``<h1><span class="jz-zh">你好</span><span class="jz-en">Hello</span></h1>``.
    """
    if isinstance(node, _INSIDE) or is_card_title(node) or "jz_description" in node:
        return True
    return isinstance(node.parent, nodes.entry) or _is_tab_label(node.parent)


def setup(app: Sphinx) -> None:
    """Mark the blocks of each page when it is read."""
    app.add_transform(MarkBlocks)
    app.connect("object-description-transform", keep_sources)
