"""A text taken apart: its messages, and the skeleton of everything between them.

The splitters of both languages make it. A merge puts translations into it, and the guard compares
it with the split of the result: messages may say something else, the skeleton may not.
"""

from __future__ import annotations

from dataclasses import dataclass

from pipeline.core.document.message import Message

# One block of the page: its type with whatever must be equal after a merge.
Signature = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Split:
    """A text, its messages in order of position, and its block skeleton.

    The gaps are what lies between the messages. ``skeleton`` pairs each block's start offset with
    its signature. ``code`` holds the content of every code cell.
    """

    text: str
    messages: tuple[Message, ...]
    skeleton: tuple[tuple[int, Signature], ...]
    code: tuple[str, ...] = ()
    # Level and title of the sections that are open at the end.
    headings: tuple[tuple[int, str], ...] = ()
    # Offset behind the first heading that stands in no container.
    title_end: int | None = None
    unsafe: tuple[tuple[int, str], ...] = ()  # line, and why its block is left as it is
    # Messages of sections that stay English: the last ones of the text.
    rest: tuple[Message, ...] = ()
    # Of reStructuredText only: where tables lie that are drawn with characters.
    tables: tuple[tuple[int, int], ...] = ()
