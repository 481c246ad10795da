"""The code that a message leads to: what a reader sees right below it.

In goes a document, out come its messages, each with the first lines of the code cell that follows
it with nothing but white space between. Translators see no page: "as follows" alone says little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from pipeline.core.document.message import Message
from pipeline.core.document.read import Document, Unit

_LINES = 3  # of code that are shown
_WIDTH = 100  # characters of a line that are shown
# A cell of MyST, perhaps behind the break that ends the one before, and its options.
_CELL = re.compile(
    r"\s*(?:\+\+\+[^\n]*\s+)?(?P<fence>`{3,}|~{3,})\{code-cell\}[^\n]*\n"
    r"(?:---\n.*?\n---\n|(?:[ ]*:[^\n]*\n)*)(?P<code>.*?)\n(?P=fence)",
    re.DOTALL,
)
_UNSEEN = re.compile(r"[^\S\n ]|[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def messages_with_code(document: Document) -> Iterator[tuple[Message, tuple[str, ...]]]:
    """Every message of a document in its order, with the first lines of the code that follows."""
    for unit in document.units:
        messages: list[Message | None] = [*unit.split.messages, None]
        for message, following in pairwise(messages):
            assert message
            yield message, _first_lines(_code_after(document, unit, message, following))


def _code_after(
    document: Document, unit: Unit, message: Message, following: Message | None
) -> str:
    """The code of the cell that stands right below a message; empty if there is none."""
    if document.notebook is None:
        match = _CELL.match(document.raw, message.block_end)
        return match["code"] if match else ""
    # Of a notebook: the next cell, if the message ends its own.
    source = document.notebook.cells[unit.cell or 0].source
    if following or source[message.block_end :].strip():
        return ""
    for cell in document.notebook.cells[(unit.cell or 0) + 1 :]:
        return cell.source if cell.kind == "code" else ""
    return ""


def _first_lines(code: str) -> tuple[str, ...]:
    """The lines that are shown of code: the first that are not empty, without odd characters."""
    lines: list[str] = []
    for line in code.split("\n"):
        seen = _UNSEEN.sub(" ", line).rstrip()
        if seen:
            lines.append(seen if len(seen) <= _WIDTH else f"{seen[:_WIDTH]}…")
        if len(lines) == _LINES:
            break
    return tuple(lines)
