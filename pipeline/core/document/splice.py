"""Edits of a text by position: output = gaps + translations.

Nothing is rendered. What no edit touches is the text's own, character for character. Offsets are
those of the text before the edits, until :class:`Placed` says where everything has come to lie.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate

from pipeline.core.document.message import Message, Split


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace ``[start, end)`` of a text by ``text``; an insertion has ``start == end``."""

    start: int
    end: int
    text: str

    @property
    def growth(self) -> int:
        """By how many characters it makes the text longer."""
        return len(self.text) - (self.end - self.start)


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A text with translations in it, and where each message and insertion has come to lie."""

    text: str
    edits: tuple[Edit, ...]
    # Of every message of the split, translated or not.
    spans: tuple[tuple[int, int], ...]
    inserted: tuple[tuple[int, int], ...]
    # Messages whose English stands below, by index.
    kept_terms: frozenset[int] = frozenset()


def placed(
    split: Split,
    translated: Mapping[int, Edit],
    *,
    insertions: Sequence[Edit] = (),
    redrawn: Sequence[Edit] = (),
) -> Placed:
    """Apply the edits to the text of ``split``.

    ``translated`` are those that put a translation in the place of a message, by its index.
    ``redrawn`` are edits that go with them and belong to no message: lines of a table. Only
    ``insertions`` are blocks that upstream does not have.
    """
    edits = [*translated.values(), *redrawn, *insertions]
    edits.sort(key=lambda edit: (edit.start, edit.end))
    return Placed(
        text=splice(split.text, edits),
        edits=tuple(edits),
        spans=tuple(_spans(split.messages, translated, _Shift(edits))),
        inserted=tuple(_inserted(edits, insertions)),
    )


def splice(text: str, edits: Sequence[Edit]) -> str:
    """Apply sorted, non-overlapping edits.

    ``"one two"`` with ``Edit(4, 7, "二")`` is ``"one 二"``.
    """
    parts: list[str] = []
    at = 0
    for edit in edits:
        parts += [text[at : edit.start], edit.text]
        at = edit.end
    parts.append(text[at:])
    return "".join(parts)


def translation_lines(msgstr: str) -> list[str]:
    """The lines of a translation; white space around it means nothing."""
    return msgstr.strip().split("\n")


def line_start_of(text: str, at: int) -> int:
    """Where the line that holds the offset ``at`` begins."""
    return max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1


def line_end_of(text: str) -> str:
    """The line end that ``text`` uses, by its first one."""
    match = re.search(r"\r\n?|\n", text)
    return match[0] if match else "\n"


class _Shift:
    """How far sorted edits move what stands behind them."""

    def __init__(self, edits: Sequence[Edit]) -> None:
        """Sum up the edits, so that each offset is found by bisection."""
        self._ends = [edit.end for edit in edits]
        self._sums = list(accumulate((edit.growth for edit in edits), initial=0))

    def start(self, offset: int) -> int:
        """Where something has come to lie that begins at ``offset``.

        What is inserted right there stands before it: the target above a heading.
        """
        return offset + self._sums[bisect_right(self._ends, offset)]

    def end(self, offset: int) -> int:
        """The same for the end of something: what is inserted right there stands behind it."""
        return offset + self._sums[bisect_left(self._ends, offset)]


def _spans(
    messages: Sequence[Message], translated: Mapping[int, Edit], shift: _Shift
) -> Iterator[tuple[int, int]]:
    """Where each message has come to lie: its translation, or the English that has moved."""
    for index, message in enumerate(messages):
        start = shift.start(message.start)
        if index in translated:
            yield start, start + len(translated[index].text)
        else:
            yield start, shift.end(message.end)


def _inserted(
    edits: Sequence[Edit], insertions: Sequence[Edit]
) -> Iterator[tuple[int, int]]:
    """Where each insertion has come to lie. ``edits`` are all edits, sorted."""
    shift = 0
    inserted = frozenset(insertions)
    for edit in edits:
        if edit in inserted:
            yield edit.start + shift, edit.start + shift + len(edit.text)
        shift += edit.growth
