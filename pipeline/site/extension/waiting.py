"""The blocks of a record that have no place on the page yet, by the text that they are told by.

A reader of pages leaves no trace of the message that a node was made of but its source text, and
each reader has its own idea of white space and escapes. So texts are compared without these. Of
equal blocks the first in the record is the first on the page.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from docutils import nodes

# A block of a record: text, english, state, and what else there is to say.
Block = dict[str, Any]

# A role, as reST and as MyST write it: :func:`jit`, {func}`jit`
_ROLE = re.compile(r":[A-Za-z][\w.+:-]*:`[^`]*`|\{[\w+:-]+\}`[^`]*`")


@dataclass(frozen=True, slots=True)
class Numbered:
    """A block with its number, which is its place in the record."""

    number: int
    block: Block


class Waiting:
    """All blocks of a page at first."""

    def __init__(self, blocks: Sequence[Block]) -> None:
        """All blocks of a record, in its order, under every key that may tell one."""
        self._taken: set[int] = set()
        self._by_key: dict[str, deque[Numbered]] = {}
        for number, block in enumerate(blocks):
            # What a role shows stands in no text: such a block may be told by the rest.
            keys = (key_of(block["text"]), key_of(_ROLE.sub("", block["text"])))
            for key in dict.fromkeys(keys):
                self._by_key.setdefault(key, deque()).append(Numbered(number, block))

    def take(self, keys: Sequence[str]) -> Numbered | None:
        """The first block with one of the keys, which waits no more; None if there is none."""
        for key in keys:
            # In the order of the record, which is that of the page.
            queue = self._by_key.get(key, deque())
            while queue:
                numbered = queue.popleft()
                # It may have been taken by its other key.
                if numbered.number not in self._taken:
                    self._taken.add(numbered.number)
                    return numbered
        return None


def key_of(text: str) -> str:
    """What a source text is compared by: ``a \\* b::`` → ``a*b``.

    Colons at the end announce a block, ``::``, which is no message.
    """
    return "".join(text.split()).replace("\\", "").rstrip(":")


def keys_of(node: nodes.Element) -> list[str]:
    """What a node may be told by: its source, and what of it is shown.

    A node of ``**a** b`` has the keys ``**a**b`` and ``ab``; of HTML there is the source alone.
    """
    if isinstance(node, nodes.raw):
        return [key_of(node.astext())]
    texts = (node.rawsource, _shown_text(node))
    return [key_of(text) for text in dict.fromkeys(texts) if text]


def _shown_text(node: nodes.Element) -> str:
    """The words of a node without those of raw HTML in it.

    ``[x] done`` in a list of tasks is ``done``: its box is HTML, and no word.
    """
    words = node.findall(nodes.Text)
    return "".join(word for word in words if not isinstance(word.parent, nodes.raw))
