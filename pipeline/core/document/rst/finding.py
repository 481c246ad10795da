"""Where the texts that docutils reads stand.

docutils gives a text and the lines that it was taken from, without the marks of what it stands in.
Each of its lines ends its source line, or the part of that line that is a cell of a drawn table.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList

from pipeline.core.document import limits
from pipeline.core.document.rst.cells import CellBlock
from pipeline.core.document.rst.lines import Lines, Place

# What separates a term from its classifier (group 1). In code and in roles it separates nothing.
_CLASSIFIER = re.compile(r"``.+?``|`[^`]+`|( +: +)")
_MARK = re.compile(r"\s*::")
_LITERAL = "::"
_UNKNOWN = "its place in the source cannot be told"


class Words(nodes.Text):
    """An inline text in the tree.

    If ``place`` is None, ``reason`` says why. ``first`` is its first line, from 0.
    """

    place: Place | None = None
    reason: str = ""
    first: int = 0


class Finder:
    """Finds texts in the lines of one document, and keeps what else is noted while it is read."""

    def __init__(self, lines: Lines) -> None:
        """``lines`` are those of the document: offsets go into its text."""
        self.lines = lines
        self.overlined: set[int] = set()  # lines of titles that have an overline
        # Columns by line, inside a drawn table.
        self._cell: dict[int, tuple[int, int]] | None = None
        self._reason = ""  # why nothing can be found at the moment
        self._depth = 0  # of blocks around what is read

    def words(self, text: str, numbers: Sequence[int], end: int | None = None) -> Words:
        """``text`` up to ``end`` as a leaf of the tree.

        Each of its lines ends the source line of that number.
        """
        first = numbers[0] if numbers else 0
        if self._reason:
            return words_at(text[:end], None, first, self._reason)
        return words_at(text[:end], self._find(text, numbers, end), first)

    def _find(self, text: str, numbers: Sequence[int], end: int | None) -> Place | None:
        """Where ``text`` up to ``end`` stands; None if its lines say something else.

        ``"two\\nlines"``, of the list item ``"* two\\n  lines"``, stands in two pieces: (2, 5) and
        (8, 13).
        """
        parts = text.split("\n")
        if len(numbers) < len(parts):
            return None  # docutils has put something together
        pieces: list[tuple[int, int]] = []
        mark = ""
        for part, number in zip(parts, numbers, strict=False):
            left, right = self._columns(number)
            shown = self.lines.shown[number][:right].rstrip()
            body = part.strip()
            if not shown.endswith(body):
                # Only the last line of a paragraph can announce a literal block.
                mark = _mark(shown, body)
            # Of "words::" docutils shows "words:", so one colon of the mark is the body's.
            behind = len(mark) - (mark == _LITERAL)
            start = len(shown) - len(body) - behind
            if start < left or not shown.startswith(body, start):
                return None
            stop = len(shown)
            if end is not None:  # of a text on one line
                stop = start + len(text[:end].strip())
            pieces.append(
                (self.lines.offset(number, start), self.lines.offset(number, stop))
            )
        return Place(
            tuple(pieces), mark, is_boxed=self._cell is not None and len(pieces) > 1
        )

    def offset(self, line: int, tail: str, column: int) -> int:
        """Offset of a column of ``tail``, the text that ends a line."""
        return self.lines.offset(
            line, len(self.lines.shown[line]) - len(tail.rstrip()) + column
        )

    def _columns(self, line: int) -> tuple[int, int]:
        """The part of a line that belongs to the innermost cell, or all of it."""
        whole = (0, len(self.lines.shown[line]))
        if self._cell is None:
            return whole
        return self._cell.get(line, whole)

    @contextmanager
    def failing(self, reason: str) -> Iterator[None]:
        """Find nothing, for this reason."""
        before = self._reason
        self._reason = before or reason
        try:
            yield
        finally:
            self._reason = before

    @contextmanager
    def inside(self, block: StringList) -> Iterator[None]:
        """Look for texts in the columns of ``block`` if it is a cell of a drawn table.

        Raises RecursionError if it stands in too many others.
        """
        # docutils copies the lines of a block for each block around it.
        if self._depth >= limits.NESTING:
            raise RecursionError(limits.TOO_DEEP)
        self._depth += 1
        try:
            with self._columns_of(block):
                yield
        finally:
            self._depth -= 1

    @contextmanager
    def _columns_of(self, block: StringList) -> Iterator[None]:
        if not isinstance(block, CellBlock) or not block.drawn:
            yield  # the inside of a list or a quote, or a table as a whole
            return
        before = self._cell
        with self.failing(self._trouble(block)):
            self._cell = dict(self._cell_columns(block))
            try:
                yield
            finally:
                self._cell = before

    def _cell_columns(self, cell: CellBlock) -> Iterator[tuple[int, tuple[int, int]]]:
        """Each line of a cell with its columns there."""
        for (_, line), drawn, (left, right) in zip(
            cell.items, cell.drawn, cell.columns, strict=True
        ):
            # The table may be indented.
            shift = len(self.lines.shown[line]) - len(drawn)
            yield line, (shift + left, shift + right)

    def _trouble(self, cell: CellBlock) -> str:
        """Why texts in a cell cannot be found; empty if they can.

        They are found by columns, so that a column has to be a character of the line.
        """
        if self._cell is not None:
            return "a table within a cell of a table"
        raw_lines = (self.lines.raw(line) for _, line in cell.items)
        if "\t" in "".join(raw_lines):
            return "tabs in a table"
        if not cell.is_plain:
            return "combining characters in a table"
        return ""


def words_at(text: str, place: Place | None, first: int, reason: str = "") -> Words:
    """``text`` as a leaf of the tree that stands at ``place``, or at none for this ``reason``."""
    words = Words(text)
    words.place = place
    words.first = first
    if place is None:
        words.reason = reason or _UNKNOWN
    return words


def term(state: Any, line: str, lineno: int) -> list[nodes.Element]:
    """The term in a line that ``state`` reads, and the classifiers that stand behind it.

    ``"rng : key : array"`` is the term ``rng`` with the classifier ``key : array``.
    """
    for match in _CLASSIFIER.finditer(line):
        if match[1]:
            words = state.words(line, lineno, match.start())
            # All classifiers together are one: they stay as they are.
            return [
                nodes.term(line, "", words),
                nodes.classifier("", line[match.end() :]),
            ]
    return [nodes.term(line, "", state.words(line, lineno))]


def _mark(shown: str, body: str) -> str:
    """What stands behind the words of a paragraph that announces a literal block.

    ``shown`` is its last line in the page, ``body`` the same as docutils gives it:

        "as here::"     "as here:"    "::"
        "as here: ::"   "as here:"    " ::"
        "- as here"     "as here"     ""
    """
    # "words::" shows a colon, "words ::" and a "::" alone show none.
    if body.endswith(":") and shown.endswith(f"{body}:"):
        return _LITERAL
    if body not in shown:
        return ""
    match = _MARK.fullmatch(shown, shown.rfind(body) + len(body))
    if match is None:
        return ""
    return match[0]
