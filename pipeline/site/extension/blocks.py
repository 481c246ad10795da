"""Blocks of a page and their English, found and made when the page is read; ``placing`` puts them side by side."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from pipeline.site.extension.english import Renderer, renderer_for
from pipeline.site.extension.nodes import english, store
from pipeline.site.extension.records import read_record
from pipeline.site.pairing import ENGLISH

Block = dict[str, Any]  # of a record: text, english, state, and what else there is to say
logger = logging.getLogger(__name__)
_TEXTS = (
    nodes.title,
    nodes.paragraph,
    nodes.term,
    nodes.caption,
    nodes.rubric,
    nodes.line,
    nodes.raw,
)
_INSIDE = (nodes.title, nodes.term, nodes.caption, nodes.rubric, nodes.line)
_ROLE = re.compile(r":[A-Za-z][\w.+:-]*:`[^`]*`|\{[\w+:-]+\}`[^`]*`")


class MarkBlocks(SphinxTransform):
    """Give each block its number and state, and make its English. A block is told by its source text."""

    default_priority = 5

    def apply(self, **_: Any) -> None:
        """Mark the blocks of the record; a page without one stays as it is."""
        record = read_record(self.env)
        waiting = _Waiting(record.get("blocks", ()))
        left_out = _key(record.get("attribution", ""))
        shelf = store()
        renderer: Renderer | None = None
        for node in list(_texts(self.document)):
            keys = _keys(node)
            if left_out and left_out in keys:
                _remove_quote(node)
            elif found := waiting.take(keys):
                number, block = found
                _mark(node, number, block)
                if block["state"] != ENGLISH and not block.get("kept"):
                    renderer = renderer or renderer_for(self.document, record)
                    self._add_english(shelf, node, number, block, renderer)
        if shelf.children:
            self.document += shelf
        if renderer:
            renderer.finish()

    def _add_english(
        self, shelf: store, node: nodes.Element, number: int, block: Block, renderer: Renderer
    ) -> None:
        try:
            shelf += _english(node, number, block, renderer)
        except Exception as error:  # noqa: BLE001 - roles raise anything; the page is whole without this
            message = "the English of a block cannot be shown (%s: %s): %s"
            logger.warning(
                message,
                type(error).__name__,
                error,
                block["english"][:80],
                location=node,
                type="jz",
                subtype="english",
            )


class _Waiting:
    """The blocks of a record that have no place yet, by what they may be told by. Of equal ones the first is the first on the page."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        self._taken: set[int] = set()
        self._by_key: dict[str, deque[tuple[int, Block]]] = {}
        for number, block in enumerate(blocks):
            for key in dict.fromkeys((_key(block["text"]), _key(_ROLE.sub("", block["text"])))):
                self._by_key.setdefault(key, deque()).append((number, block))

    def take(self, keys: Sequence[str]) -> tuple[int, Block] | None:
        """The first block with one of the keys."""
        for key in keys:
            queue = self._by_key.get(key, deque())
            while queue:
                found = queue.popleft()
                if found[0] not in self._taken:
                    self._taken.add(found[0])
                    return found
        return None


def _texts(document: nodes.document) -> Iterator[nodes.Element]:
    for node in document.findall(nodes.Element):
        if not (isinstance(node, _TEXTS) or _is_card_title(node)):
            continue
        if not isinstance(node.parent, nodes.system_message) and (
            not isinstance(node, nodes.raw) or _is_block(node)
        ):
            yield node


def _is_block(node: nodes.raw) -> bool:
    return "html" in node.get("format", "").split() and not isinstance(
        node.parent, nodes.TextElement
    )


def _is_card_title(node: nodes.Node) -> bool:
    return isinstance(node, nodes.container) and node.get("design_component") == "card-title"


def _keys(node: nodes.Element) -> list[str]:
    """What a block may be told by: its source, and what of it is shown."""
    shown = (
        node.astext()
        if isinstance(node, nodes.raw)
        else "".join(text for text in node.findall(nodes.Text) if not _is_raw(text))
    )
    texts = [shown] if isinstance(node, nodes.raw) else [node.rawsource, shown]
    return [_key(text) for text in dict.fromkeys(texts) if text]


def _is_raw(text: nodes.Text) -> bool:
    return isinstance(text.parent, nodes.raw)


def _key(text: str) -> str:
    """A source text without white space, escapes, and colons at its end: each reader has its own idea of them."""
    return re.sub(r"[\s\\]+|[:\s]+\Z", "", text)


def _remove_quote(node: nodes.Element) -> None:
    quote = node.parent
    target = quote if isinstance(quote, nodes.block_quote) and len(quote) == 1 else node
    if target.parent is not None:
        target.parent.remove(target)


def _mark(node: nodes.Element, number: int, block: Block) -> None:
    node["jz"] = number
    node["classes"] += ["jz-block", f"jz-{block['state']}"]
    if block["state"] == ENGLISH:
        node["lang"] = "en"
    if block.get("kept"):
        node["jz_kept"] = block["english"]
    if "edit" in block and not isinstance(node, nodes.raw):
        node["jz_edit"] = block["edit"]
    if block.get("terms"):
        node["jz_terms"] = block["terms"]


def _english(node: nodes.Element, number: int, block: Block, renderer: Renderer) -> english:
    found = english(jz=number)
    if isinstance(node, nodes.raw):
        found += nodes.raw("", block["english"], format="html")
    else:
        renderer.render(block["english"], found)
    found["tag"] = "span" if is_inside(node) else "div" if any(found.findall(_is_wide)) else "p"
    return found


def _is_wide(node: nodes.Node) -> bool:
    return isinstance(node, nodes.math_block) or (
        isinstance(node, nodes.raw) and isinstance(node.parent, english)
    )


def is_inside(node: nodes.Element) -> bool:
    """Whether a block holds its English, as a heading or a cell must; that of a paragraph stands after it."""
    return isinstance(node, _INSIDE) or isinstance(node.parent, nodes.entry) or _is_card_title(node)
