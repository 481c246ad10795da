"""Positions of words: from the lines that docutils reads back to offsets in the text.

docutils gives a text and the lines that it was taken from, without the marks of what it stands in.
Each of its lines ends its source line, or the part of that line that is a cell of a drawn table.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from docutils import nodes
from docutils.parsers.rst.tableparser import TableParser
from docutils.statemachine import StringList, string2lines

from pipeline.core.document import limits
from pipeline.core.document.splice import line_start_of

_TAB_WIDTH = 8  # docutils' and Sphinx' default
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand: ``pieces`` are the offsets of each line's part.

    ``mark`` is the end of the last piece that announces a literal block. ``is_boxed``: the pieces
    are lines of a cell, between which other text lies. ``quote`` is the quotation mark of a CSV
    field; its piece holds the marks, if there are any.
    """

    pieces: tuple[tuple[int, int], ...]
    mark: str = ""
    is_boxed: bool = False
    quote: str = ""


class Lines:
    """``shown`` are the lines as docutils gets them, ``starts`` their offsets.

    They come without line ends and trailing white space, tabs expanded. They end where
    ``str.splitlines`` says, because docutils does the same.
    """

    def __init__(self, text: str) -> None:
        """``text`` is the whole document, as it was decoded."""
        at = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
        # What docutils puts in the place of these is as long as they are.
        plain = text[at:].replace("\0", "\ufffd").replace("\v", " ").replace("\f", " ")
        self.shown = string2lines(plain, tab_width=_TAB_WIDTH)
        self.starts: list[int] = []
        self._raw = plain.splitlines(keepends=True)
        for raw in self._raw:
            self.starts.append(at)
            at += len(raw)

    def raw(self, line: int) -> str:
        """A line with its tabs, trailing white space and line end."""
        return self._raw[line]

    def offset(self, line: int, column: int) -> int:
        """Offset into the text of a column of a shown line.

        A column within a tab is that of what follows it.
        """
        raw = self._raw[line]
        if "\t" not in raw[:column]:
            return self.starts[line] + column
        # Columns of the line so far, as its tabs are expanded.
        width = 0
        for index, character in enumerate(raw):
            if width >= column:
                return self.starts[line] + index
            if character == "\t":
                width += _TAB_WIDTH - width % _TAB_WIDTH
            else:
                width += 1
        return self.starts[line] + len(raw)

    def number(self, offset: int) -> int:
        """The line, from 0, that the character before ``offset`` stands in."""
        return bisect_left(self.starts, offset) - 1

    def end(self, line: int) -> int:
        """Offset behind the last visible character of a line."""
        return self.offset(line, len(self.shown[line]))


def line_start(text: str, at: int) -> int:
    """Where the line that holds ``at`` begins.

    A byte order mark belongs to no line: what is inserted before the first one stands behind it.
    """
    start = line_start_of(text, at)
    if start == 0 and text.startswith(_BYTE_ORDER_MARK):
        return len(_BYTE_ORDER_MARK)
    return start


# Stands behind every wide character while docutils counts columns.
_PAD = TableParser.double_width_pad_char


class CellBlock(StringList):
    """Lines of a table or of a cell of one; a cell knows the columns that it was cut from.

    ``drawn`` are the lines of the table that the cell runs over, ``columns`` its columns there, in
    characters.
    """

    drawn: tuple[str, ...] = ()
    columns: tuple[tuple[int, int], ...] = ()
    is_plain = True  # False: columns cannot be told from characters

    def get_2D_block(  # noqa: N802
        self, top: int, left: int, bottom: int, right: int, strip_indent: bool = True
    ) -> CellBlock:
        """Cut a cell out of the table. docutils calls this for each one, and counts columns."""
        lines: list[str] = self.data[top:bottom]
        cell: CellBlock = super().get_2D_block(top, left, bottom, right, strip_indent)  # type: ignore[assignment]
        cell.drawn = tuple(line.replace(_PAD, "") for line in lines)
        cell.columns = tuple(
            (_width(line[:left]), _width(line[:right])) for line in lines
        )
        cell.is_plain = not any(map(_has_combining, lines))
        return cell


def _width(line: str) -> int:
    """Characters of a line, without the padding."""
    return len(line) - line.count(_PAD)


def _has_combining(line: str) -> bool:
    """Whether a character takes no column of its own: an accent that stands for itself."""
    return any(unicodedata.combining(character) for character in line)


@cache
def recording(parser_class: type[Any]) -> type[Any]:
    """docutils' parser of one kind of table, with cells that know their columns.

    A class, because docutils makes the parser itself; of the same name, because it asks for that.
    """

    def setup(self: Any, block: StringList) -> None:
        # docutils cuts cells with a method of the block: give it a block that remembers.
        parser_class.setup(self, CellBlock(block.data[:], items=block.items[:]))

    return type(parser_class.__name__, (parser_class,), {"setup": setup})


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
