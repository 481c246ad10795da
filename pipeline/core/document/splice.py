"""Edits of a text by position, and the positions of messages after the edits.

The text outside of the edits is copied unchanged; nothing is rendered anew. The offsets of all
edits refer to the original text. :class:`Placed` has the offsets in the resulting text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate

from msgspec import Struct

from pipeline.core.document.message import Message, Split


class Edit(Struct, frozen=True):
    """Replacement of ``[start, end)`` by ``text``; an insertion has ``start == end``."""

    start: int
    end: int
    text: str

    @property
    def growth(self) -> int:
        """Return the number of characters that the edit adds to the text; may be negative."""
        return len(self.text) - (self.end - self.start)


class Placed(Struct, frozen=True, kw_only=True):
    """A text with its translations, and the new positions of messages and insertions."""

    text: str
    edits: tuple[Edit, ...]
    # The new span of every message of the split, translated or not.
    spans: tuple[tuple[int, int], ...]
    inserted: tuple[tuple[int, int], ...]
    # Indices of glossary terms whose English remains on the line below the translation.
    doubled_terms: frozenset[int] = frozenset()


def apply_edits(
    split: Split,
    translated: Mapping[int, Edit],
    *,
    insertions: Sequence[Edit] = (),
    redrawn: Sequence[Edit] = (),
) -> Placed:
    """Apply edits to the text of ``split``; return the resulting text with all positions.

    ``translated`` maps indices of messages to the edits that translate them. ``redrawn`` are edits
    that belong to no single message, such as those of the lines of a table. ``insertions`` are
    blocks that upstream does not have. The English of a translated glossary term remains on the
    line below the translation.
    """
    terms: dict[int, Edit] = {}
    for index, edit in translated.items():
        message = split.messages[index]
        # Do not add the English if the translation equals it.
        if message.is_glossary_term and edit.text != message.msgid:
            terms[index] = _second_term(split.text, message)
    insertions = [*insertions, *terms.values()]
    # The sort is stable, so edits with equal offsets keep this order.
    edits = [*translated.values(), *redrawn, *insertions]
    edits.sort(key=lambda edit: (edit.start, edit.end))
    return Placed(
        text=splice(split.text, edits),
        edits=tuple(edits),
        spans=tuple(_spans(split.messages, translated, _Shift(edits))),
        inserted=tuple(_inserted(edits, insertions)),
        doubled_terms=frozenset(terms),
    )


def splice(text: str, edits: Sequence[Edit]) -> str:
    """Return ``text`` with sorted, non-overlapping edits applied.

    ``"one two"`` with ``Edit(4, 7, "二")`` becomes ``"one 二"``.
    """
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)


def translation_lines(msgstr: str) -> list[str]:
    """Return the lines of a translation, without the white space around it."""
    return msgstr.strip().split("\n")


def line_start_of(text: str, at: int) -> int:
    """Return the start offset of the line that contains the offset ``at``."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def line_end_of(text: str) -> str:
    """Return the first line end of ``text``, or ``\\n`` if it has none."""
    match = re.search(r"\r\n?|\n", text)
    return match[0] if match else "\n"


_LINE_END = re.compile(r"[\r\n]")


def _second_term(text: str, message: Message) -> Edit:
    """Return the edit that inserts a glossary term's English below its translation.

    The role ``term`` finds a term by its words. Pages may use the role with the translated or with
    the English words, so the glossary needs the term in both languages:

        数组
        array
           A definition.
    """
    # Insert below the line of the term, which may end with a classifier.
    start = line_start_of(text, message.start)
    end = _LINE_END.search(text, message.end)
    at = end.start() if end else len(text)
    return Edit(at, at, line_end_of(text) + text[start : message.end])


class _Shift:
    """Map from offsets in the original text to offsets in the edited text."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        """Sum up the growth of the sorted ``edits``, so that lookups can use bisection."""
        self._ends = [edit.end for edit in edits]
        self._sums = list(accumulate((edit.growth for edit in edits), initial=0))

    def start(self, offset: int) -> int:
        """Return the new offset of a message that begins at ``offset``.

        An insertion at exactly this offset precedes the message, like the target above a heading.
        """
        return offset + self._sums[bisect_right(self._ends, offset)]

    def end(self, offset: int) -> int:
        """Return the new offset of a message's end at ``offset``.

        An insertion at exactly this offset follows the message.
        """
        return offset + self._sums[bisect_left(self._ends, offset)]


def _spans(
    messages: Sequence[Message], translated: Mapping[int, Edit], shift: _Shift
) -> Iterator[tuple[int, int]]:
    """Yield the new span of each message, whether it is translated or only moved."""
    for index, message in enumerate(messages):
        start = shift.start(message.start)
        # A translated message ends where its new text ends.
        if index in translated:
            yield start, start + len(translated[index].text)
        else:
            yield start, shift.end(message.end)


def _inserted(edits: Sequence[Edit], insertions: Sequence[Edit]) -> Iterator[tuple[int, int]]:
    """Yield the new span of each insertion. ``edits`` are all edits, sorted."""
    # _Shift cannot distinguish several insertions at the same offset, so add up the growth here.
    shift = 0
    inserted = frozenset(insertions)
    for edit in edits:
        if edit in inserted:
            yield edit.start + shift, edit.start + shift + len(edit.text)
        shift += edit.growth
