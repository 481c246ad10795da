"""Positions of words: finds the offsets of docutils' texts in the document.

docutils returns a text without the prefixes of its containers, together with its line numbers. Each
line of this text is at the end of its source line, so the search starts at that end. In a drawn
table, each line is at the end of the columns of its cell.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any

from docutils import nodes
from docutils.parsers.rst.tableparser import TableParser
from docutils.statemachine import StringList, string2lines
from msgspec import Struct

from pipeline import limits
from pipeline.core.document.splice import line_start_of

_TAB_WIDTH = 8  # the default of docutils and Sphinx
_BYTE_ORDER_MARK = "\ufeff"


class Place(Struct, frozen=True):
    """Position of words: a span of offsets for each line."""

    pieces: tuple[tuple[int, int], ...]
    # The "::" at the end of the last piece, with the spaces before it. It makes the next block
    # literal.
    mark: str = ""
    # Whether other text is between the pieces, because they are lines of a table cell.
    is_boxed: bool = False
    # The quotation mark of a CSV field. The piece of a field includes its quotation marks.
    quote: str = ""


class Lines:
    """Lines of a text: ``shown`` has them for docutils, ``starts`` has their start offsets.

    The lines in ``shown`` have no line ends and no trailing white space, and spaces replace their
    tabs. As docutils does, split the text by ``str.splitlines``.
    """

    def __init__(self, text: str) -> None:
        """Split ``text``, the decoded document, into lines."""
        at = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
        # docutils makes the same replacements, which keep all offsets.
        plain = text[at:].replace("\0", "\ufffd").replace("\v", " ").replace("\f", " ")
        self.shown = string2lines(plain, tab_width=_TAB_WIDTH)
        self.starts: list[int] = []
        self._raw = plain.splitlines(keepends=True)
        for raw in self._raw:
            self.starts.append(at)
            at += len(raw)

    def raw(self, line: int) -> str:
        """Return a line as written, with its tabs, trailing white space and line end."""
        return self._raw[line]

    def offset(self, line: int, column: int) -> int:
        """Convert a column of a line in ``shown`` to an offset in the text.

        For a column inside of an expanded tab, return the offset of the character after the tab.
        """
        raw = self._raw[line]
        if "\t" not in raw[:column]:
            return self.starts[line] + column
        # The number of columns before the character, with tabs expanded.
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
        """Return the 0-based number of the line that contains the character before ``offset``."""
        return bisect_left(self.starts, offset) - 1

    def end(self, line: int) -> int:
        """Return the end offset of a line, excluding trailing white space."""
        return self.offset(line, len(self.shown[line]))


def line_start(text: str, at: int) -> int:
    """Return the start offset of the line that contains the offset ``at``.

    The first line starts after a byte order mark, because an insertion must not precede the mark.
    """
    start = line_start_of(text, at)
    if start == 0 and text.startswith(_BYTE_ORDER_MARK):
        return len(_BYTE_ORDER_MARK)
    return start


# docutils inserts this filler after each wide character, so that an index is also a column.
_PAD = TableParser.double_width_pad_char


class CellBlock(StringList):
    """Lines of a drawn table, or of one of its cells. The fields are set for a cell only."""

    drawn: tuple[str, ...] = ()  # the lines of the table at this cell, without filler
    columns: tuple[tuple[int, int], ...] = ()  # the cell's characters in each line
    is_plain = True  # False if a character of the lines takes no column

    def get_2D_block(  # noqa: N802
        self, top: int, left: int, bottom: int, right: int, strip_indent: bool = True
    ) -> CellBlock:
        """Return a cell of the table. docutils calls this method for every cell."""
        lines: list[str] = self.data[top:bottom]
        cell: CellBlock = super().get_2D_block(top, left, bottom, right, strip_indent)  # type: ignore[assignment]
        cell.drawn = tuple(line.replace(_PAD, "") for line in lines)
        cell.columns = tuple((_width(line[:left]), _width(line[:right])) for line in lines)
        cell.is_plain = not any(map(_has_combining, lines))
        return cell


def _width(line: str) -> int:
    """Return the number of characters in a line, without filler."""
    return len(line) - line.count(_PAD)


def _has_combining(line: str) -> bool:
    """Return whether a line has a combining character, which takes no column of its own."""
    return any(unicodedata.combining(character) for character in line)


@cache
def recording_parser(parser_class: type[Any]) -> type[Any]:
    """Return a subclass of a docutils table parser whose cells are :class:`CellBlock` objects.

    docutils needs a class, because it creates the parser itself. The subclass has the same name,
    because docutils reads the name.
    """

    def setup(self: Any, block: StringList) -> None:
        # docutils gets cells by a method of the block, so pass a block that records the columns.
        parser_class.setup(self, CellBlock(block.data[:], items=block.items[:]))

    return type(parser_class.__name__, (parser_class,), {"setup": setup})


# Group 1 is the separator between a term and its classifier, outside of code and roles.
_CLASSIFIER = re.compile(r"``.+?``|`[^`]+`|( +: +)")
_MARK = re.compile(r"\s*::")
_LITERAL = "::"
_UNKNOWN = "its position in the source is unknown"


class Words(nodes.Text):
    """A leaf of the tree: an unparsed inline text with its place in the document."""

    place: Place | None = None
    reason: str = ""  # why the place is unknown, if it is None
    first: int = 0  # 0-based number of the first line


class Finder:
    """Finder of texts in the lines of one document, with the state of the parse."""

    def __init__(self, lines: Lines) -> None:
        """Start outside of all blocks."""
        self.lines = lines
        self.overlined: set[int] = set()  # line numbers of titles with an overline
        # The columns of the current table cell by line number; None outside of drawn tables.
        self._cell: dict[int, tuple[int, int]] | None = None
        self._reason = ""  # why the current texts have no place; empty if they have one
        self._depth = 0  # number of blocks around the current one

    def words(self, text: str, numbers: Sequence[int], end: int | None = None) -> Words:
        """Return ``text[:end]`` as a leaf with its place.

        ``numbers`` are the numbers of the lines of ``text`` in the document.
        """
        first = numbers[0] if numbers else 0
        if self._reason:
            return words_at(text[:end], None, first, self._reason)
        return words_at(text[:end], self._find(text, numbers, end), first)

    def _find(self, text: str, numbers: Sequence[int], end: int | None) -> Place | None:
        """Return the place of ``text[:end]``, or None if the lines do not end with the text.

        ``"two\\nlines"``, from the list item ``"* two\\n  lines"``, has the pieces (2, 5)
        and (8, 13).
        """
        parts = text.split("\n")
        if len(numbers) < len(parts):
            return None  # docutils has joined texts from several places
        pieces: list[tuple[int, int]] = []
        mark = ""
        for part, number in zip(parts, numbers, strict=False):
            left, right = self._columns(number)
            shown = self.lines.shown[number][:right].rstrip()
            body = part.strip()
            if not shown.endswith(body):
                # The last line of a paragraph may end with "::", which docutils removes.
                mark = _mark(shown, body)
            # docutils turns "words::" into "words:", so the body includes one colon of the mark.
            behind = len(mark) - (mark == _LITERAL)
            start = len(shown) - len(body) - behind
            if start < left or not shown.startswith(body, start):
                return None
            stop = len(shown)
            if end is not None:  # only for single-line texts
                stop = start + len(text[:end].strip())
            pieces.append((self.lines.offset(number, start), self.lines.offset(number, stop)))
        return Place(tuple(pieces), mark, is_boxed=self._cell is not None and len(pieces) > 1)

    def offset(self, line: int, tail: str, column: int) -> int:
        """Return the offset of a column in ``tail``, the text at the end of the line ``line``."""
        return self.lines.offset(line, len(self.lines.shown[line]) - len(tail.rstrip()) + column)

    def _columns(self, line: int) -> tuple[int, int]:
        """Return the columns of a line in the current cell, or all columns without a cell."""
        whole = (0, len(self.lines.shown[line]))
        if self._cell is None:
            return whole
        return self._cell.get(line, whole)

    @contextmanager
    def failing(self, reason: str) -> Iterator[None]:
        """Give no place to the texts that are read in this context.

        Their ``reason`` is the argument ``reason``, or the reason of an outer context.
        """
        before = self._reason
        self._reason = before or reason
        try:
            yield
        finally:
            self._reason = before

    @contextmanager
    def inside(self, block: StringList) -> Iterator[None]:
        """Parse ``block`` in this context.

        If it is a cell of a drawn table, search for texts only in its columns. Raises
        RecursionError if more than ``limits.NESTING`` blocks are nested.
        """
        # Deep nesting takes quadratic time, because docutils copies the lines at every level.
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
            yield  # the content of a list or a quote, or a whole table
            return
        before = self._cell
        with self.failing(self._why_not_locatable(block)):
            self._cell = dict(self._cell_columns(block))
            try:
                yield
            finally:
                self._cell = before

    def _cell_columns(self, cell: CellBlock) -> Iterator[tuple[int, tuple[int, int]]]:
        """Yield the number of each line of a cell, with the cell's columns in it."""
        for (_, line), drawn, (left, right) in zip(
            cell.items, cell.drawn, cell.columns, strict=True
        ):
            # The columns do not include the indentation of the table.
            shift = len(self.lines.shown[line]) - len(drawn)
            yield line, (shift + left, shift + right)

    def _why_not_locatable(self, cell: CellBlock) -> str:
        """Return why the positions of texts in a cell cannot be found, or "" if they can.

        They can be found if each column of the cell is exactly one character of its line.
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
    """Return a leaf with ``text`` at ``place``. If ``place`` is None, ``reason`` says why."""
    words = Words(text)
    words.place = place
    words.first = first
    if place is None:
        words.reason = reason or _UNKNOWN
    return words


def term(state: Any, line: str, lineno: int) -> list[nodes.Element]:
    """Return the nodes of a term and its classifiers in a line. ``state`` reads the line.

    ``"rng : key : array"`` is the term ``rng`` with the classifier ``key : array``.
    """
    for match in _CLASSIFIER.finditer(line):
        if match[1]:
            words = state.words(line, lineno, match.start())
            # A single node for all classifiers suffices, because they are not translated.
            return [
                nodes.term(line, "", words),
                nodes.classifier("", line[match.end() :]),
            ]
    return [nodes.term(line, "", state.words(line, lineno))]


def _mark(shown: str, body: str) -> str:
    """Return the mark after the words of a paragraph that makes the next block literal, or "".

    ``shown`` is the last line of the paragraph, and ``body`` is what docutils returns for it:

        "as here::"     "as here:"    "::"
        "as here: ::"   "as here:"    " ::"
        "- as here"     "as here"     ""
    """
    # docutils renders "words::" with one colon, and "words ::" without a colon.
    if body.endswith(":") and shown.endswith(f"{body}:"):
        return _LITERAL
    if body not in shown:
        return ""
    match = _MARK.fullmatch(shown, shown.rfind(body) + len(body))
    if match is None:
        return ""
    return match[0]
