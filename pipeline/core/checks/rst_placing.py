"""The smallest page of reStructuredText on which a line stands as a block of some kind.

Docutils reads that page, and says which blocks the line becomes. `placing` does so for Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING

from pipeline.core.checks.placing import STAND_IN, Blocks
from pipeline.core.document.message import Kind

if TYPE_CHECKING:
    from docutils.nodes import Element

# What may begin a block of its own: punctuation but for quotes and brackets, and what counts the
# items of a list.
_BLOCK_START = re.compile(r"[^\w\s`“”‘’「『（《【]|\w{1,9}[.)](?:\s|$)|[^\w\s]+$")
_INLINE_START = re.compile(r":[A-Za-z][\w.+:-]*:`|\*{1,2}[^\s*]|\|[^\s|]")
_ANNOUNCEMENT = re.compile(r"(?<!\\)::$")
_CLASSIFIER = re.compile(r"\s:\s")


def blocks_of(text: str, kind: Kind) -> Blocks:
    """What a line becomes in its place, and the inline content of each block that has any.

    The blocks have docutils' names: of ``- 键`` they are ``bullet_list`` and ``list_item``, behind
    the paragraph that stands before it.
    """
    # In an argument or an option no block syntax is read.
    if kind in (Kind.TITLE, Kind.IMAGE):
        return (kind.value,), (text,)
    blocks, contents = _parsed_or_usual(text, kind)
    if _ANNOUNCEMENT.search(text):
        blocks += ("literal_block",)  # it makes one of what follows
    return blocks, contents


def _parsed_or_usual(text: str, kind: Kind) -> Blocks:
    """What a line becomes, without asking docutils where that is plain.

    Most lines are plain, and docutils is slow.
    """
    if _is_usual(text, kind):
        return _usual(kind), (text,)
    return _parsed(text, kind)


def _is_usual(text: str, kind: Kind) -> bool:
    """Whether no block syntax can be in it, so that docutils need not be asked.

    ``*词* …`` and ``:ref:`词` …`` begin with punctuation, but no block.
    """
    if kind is Kind.TERM and _CLASSIFIER.search(text):
        return False
    return not _BLOCK_START.match(text) or bool(_INLINE_START.match(text))


@cache
def _usual(kind: Kind) -> tuple[str, ...]:
    """The blocks that a plain word of a kind becomes."""
    return _parsed("x", kind)[0]


def _parsed(text: str, kind: Kind) -> Blocks:
    """What docutils says that a line becomes in its place.

    Each block is named; of the blocks around the line, the words are left out.
    """
    from pipeline.core.document.rst.parser import read
    from pipeline.core.document.rst.positions import Lines, Words

    document, _ = read(Lines(_placed(text, kind)))
    blocks: list[str] = []
    contents: list[str] = []
    for node in _elements(document):
        blocks.append(node.tagname)
        words = [child for child in node.children if isinstance(child, Words)]
        contents += [str(child) for child in words if child != STAND_IN]
    return tuple(blocks), tuple(contents)


def _elements(node: Element) -> Iterator[Element]:
    """The blocks within a node, each before those within it.

    What docutils says of them is none of them.
    """
    from docutils import nodes

    for child in node.children:
        if isinstance(child, nodes.system_message):
            continue
        if isinstance(child, nodes.Element):
            yield child
            yield from _elements(child)


def _placed(text: str, kind: Kind) -> str:
    """The source of the smallest page: with a ``STAND_IN`` for a block that must be there."""
    match kind:
        case Kind.HEADING:
            # The underline must be as wide as the text, whose characters may be two wide.
            return f"{text}\n{'=' * (2 * len(text) + 4)}\n"
        case Kind.TERM:
            return f"{text}\n  {STAND_IN}\n"
        case Kind.QUOTE:
            return f"{STAND_IN}\n\n  {STAND_IN}\n\n  {text}\n"
        case Kind.LIST_ITEM:
            return f"- {text}\n"
        case _:
            return f"{STAND_IN}\n\n{text}\n"
