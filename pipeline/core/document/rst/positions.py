"""Positions of words: maps docutils' lines back to offsets in the text.

docutils returns a text without container prefixes, and its line numbers. Each line of that text is
at the end of its source line or, in a drawn table, at the end of its cell's part of the line.
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

from pipeline import limits
from pipeline.core.document.splice import line_start_of

_TAB_WIDTH = 8  # the default of docutils and Sphinx
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Place:
    """Position of words: ``pieces`` has a span of offsets for each line.

    ``mark`` is the ``::`` at the end of the last piece, with the spaces before it, if a literal
    block follows. ``is_boxed`` is true if other text lies between the pieces, because they are
    lines of a table cell. ``quote`` is the quotation mark of a CSV field; its piece includes the
    marks, if any.
    """

    pieces: tuple[tuple[int, int], ...]
    mark: str = ""
    is_boxed: bool = False
    quote: str = ""


class Lines:
    """Lines of a text: ``shown`` has them as docutils sees them, ``starts`` has their offsets.

    Shown lines have no line breaks or trailing white space, and their tabs are expanded. The text
    is split like in docutils, by ``str.splitlines``.
    """

    def __init__(self, text: str) -> None:
        """Split ``text``, the decoded document, into lines."""
        at = 1 if text.startswith(_BYTE_ORDER_MARK) else 0
        # docutils makes the same replacements. They keep all offsets.
        plain = text[at:].replace("\0", "\ufffd").replace("\v", " ").replace("\f", " ")
        self.shown = string2lines(plain, tab_width=_TAB_WIDTH)
        self.starts: list[int] = []
        self._raw = plain.splitlines(keepends=True)
        for raw in self._raw:
            self.starts.append(at)
            at += len(raw)

    def raw(self, line: int) -> str:
        """Return a line with its tabs, trailing white space and line end."""
        return self._raw[line]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a column of a shown line.

        A column inside an expanded tab maps to the character after the tab.
        """
        raw = self._raw[line]
        if "\t" not in raw[:column]:
            return self.starts[line] + column
        # The column reached so far, with tabs expanded.
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
        """Return the 0-based number of the line that holds the character before ``offset``."""
        return bisect_left(self.starts, offset) - 1

    def end(self, line: int) -> int:
        """Return the end offset of a line, without trailing white space."""
        return self.offset(line, len(self.shown[line]))


def line_start(text: str, at: int) -> int:
    """Return the start of the line that holds ``at``.

    The first line starts after a byte order mark, so insertions above it do not precede the mark.
    """
    start = line_start_of(text, at)
    if start == 0 and text.startswith(_BYTE_ORDER_MARK):
        return len(_BYTE_ORDER_MARK)
    return start


# docutils puts this filler after each wide character while it counts columns.
_PAD = TableParser.double_width_pad_char


class CellBlock(StringList):
    """Lines of a table or of one of its cells; a cell has the columns that it was cut from.

    ``drawn`` are the table lines that the cell spans, without filler. ``columns`` are the cell's
    column spans in them, counted in characters.
    """

    drawn: tuple[str, ...] = ()
    columns: tuple[tuple[int, int], ...] = ()
    is_plain = True  # False if a character of the cell takes no column

    def get_2D_block(  # noqa: N802
        self, top: int, left: int, bottom: int, right: int, strip_indent: bool = True
    ) -> CellBlock:
        """Return a cell cut out of the table; docutils calls this for every cell."""
        lines: list[str] = self.data[top:bottom]
        cell: CellBlock = super().get_2D_block(top, left, bottom, right, strip_indent)  # type: ignore[assignment]
        cell.drawn = tuple(line.replace(_PAD, "") for line in lines)
        cell.columns = tuple(
            (_width(line[:left]), _width(line[:right])) for line in lines
        )
        cell.is_plain = not any(map(_has_combining, lines))
        return cell


def _width(line: str) -> int:
    """Return the number of characters in a line, without filler."""
    return len(line) - line.count(_PAD)


def _has_combining(line: str) -> bool:
    """Return whether a line has a combining character, which takes no column."""
    return any(unicodedata.combining(character) for character in line)


@cache
def recording_parser(parser_class: type[Any]) -> type[Any]:
    """Return a subclass of a docutils table parser whose cells are ``CellBlock`` objects.

    docutils creates the parser itself, so it needs a class. It also reads the name of the class, so
    the subclass has the same name.
    """

    def setup(self: Any, block: StringList) -> None:
        # docutils cuts cells by a method of the block, so pass a block that records the columns.
        parser_class.setup(self, CellBlock(block.data[:], items=block.items[:]))

    return type(parser_class.__name__, (parser_class,), {"setup": setup})


# Group 1 is the separator of a term and its classifier. It never matches inside code or a role.
_CLASSIFIER = re.compile(r"``.+?``|`[^`]+`|( +: +)")
_MARK = re.compile(r"\s*::")
_LITERAL = "::"
_UNKNOWN = "its position in the source is unknown"


class Words(nodes.Text):
    """A leaf of the tree: an inline text with its place.

    If ``place`` is None, ``reason`` is why it is unknown. ``first`` is the 0-based first line.
    """

    place: Place | None = None
    reason: str = ""
    first: int = 0


class Finder:
    """Finder of texts in the lines of one document; also keeps the state of the parse."""

    def __init__(self, lines: Lines) -> None:
        """Start outside all blocks; offsets refer to the text of ``lines``."""
        self.lines = lines
        self.overlined: set[int] = set()  # line numbers of titles with an overline
        # Column spans by line number, inside a cell of a drawn table.
        self._cell: dict[int, tuple[int, int]] | None = None
        self._reason = ""  # why texts cannot be located now; empty if they can
        self._depth = 0  # number of blocks around the current one

    def words(self, text: str, numbers: Sequence[int], end: int | None = None) -> Words:
        """Return ``text[:end]`` as a leaf with its place.

        Line i of ``text`` must be the end of the source line ``numbers[i]``.
        """
        first = numbers[0] if numbers else 0
        if self._reason:
            return words_at(text[:end], None, first, self._reason)
        return words_at(text[:end], self._find(text, numbers, end), first)

    def _find(self, text: str, numbers: Sequence[int], end: int | None) -> Place | None:
        """Return the place of ``text[:end]``, or None if its source lines do not match it.

        ``"two\\nlines"``, from the list item ``"* two\\n  lines"``, has the pieces (2, 5)
        and (8, 13).
        """
        parts = text.split("\n")
        if len(numbers) < len(parts):
            return None  # docutils has joined several texts
        pieces: list[tuple[int, int]] = []
        mark = ""
        for part, number in zip(parts, numbers, strict=False):
            left, right = self._columns(number)
            shown = self.lines.shown[number][:right].rstrip()
            body = part.strip()
            if not shown.endswith(body):
                # Only the last line of a paragraph may end in a literal block's mark.
                mark = _mark(shown, body)
            # docutils turns "words::" into "words:", so one colon of the mark is part of the body.
            behind = len(mark) - (mark == _LITERAL)
            start = len(shown) - len(body) - behind
            if start < left or not shown.startswith(body, start):
                return None
            stop = len(shown)
            if end is not None:  # only for single-line texts
                stop = start + len(text[:end].strip())
            pieces.append(
                (self.lines.offset(number, start), self.lines.offset(number, stop))
            )
        return Place(
            tuple(pieces), mark, is_boxed=self._cell is not None and len(pieces) > 1
        )

    def offset(self, line: int, tail: str, column: int) -> int:
        """Return the offset of a column of ``tail``, the text at the end of the line ``line``."""
        return self.lines.offset(
            line, len(self.lines.shown[line]) - len(tail.rstrip()) + column
        )

    def _columns(self, line: int) -> tuple[int, int]:
        """Return the columns of a line that belong to the current cell; without a cell, all."""
        whole = (0, len(self.lines.shown[line]))
        if self._cell is None:
            return whole
        return self._cell.get(line, whole)

    @contextmanager
    def failing(self, reason: str) -> Iterator[None]:
        """Give no place to the texts read in this context; ``reason`` explains why.

        The reason of an outer context comes first.
        """
        before = self._reason
        self._reason = before or reason
        try:
            yield
        finally:
            self._reason = before

    @contextmanager
    def inside(self, block: StringList) -> Iterator[None]:
        """Restrict lookups to the columns of ``block`` if it is a cell of a drawn table.

        Raises RecursionError if the block is nested more than ``limits.NESTING`` deep.
        """
        # docutils copies a block's lines at every level, so deep nesting takes quadratic time.
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
            yield  # the inside of a list or a quote, or a whole table
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
            # The whole table may be indented.
            shift = len(self.lines.shown[line]) - len(drawn)
            yield line, (shift + left, shift + right)

    def _why_not_locatable(self, cell: CellBlock) -> str:
        """Return why texts in a cell cannot be located; empty if they can.

        Lookups need every column of the cell to be exactly one character of its line.
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
    """Return a leaf with ``text`` at ``place``; without a place, ``reason`` is why."""
    words = Words(text)
    words.place = place
    words.first = first
    if place is None:
        words.reason = reason or _UNKNOWN
    return words


def term(state: Any, line: str, lineno: int) -> list[nodes.Element]:
    """Return the nodes of a term and its classifiers, in a line that ``state`` reads.

    ``"rng : key : array"`` is the term ``rng`` with the classifier ``key : array``.
    """
    for match in _CLASSIFIER.finditer(line):
        if match[1]:
            words = state.words(line, lineno, match.start())
            # All classifiers form one node, because none is translated.
            return [
                nodes.term(line, "", words),
                nodes.classifier("", line[match.end() :]),
            ]
    return [nodes.term(line, "", state.words(line, lineno))]


def _mark(shown: str, body: str) -> str:
    """Return the mark behind a paragraph's words that announces a literal block; empty if none.

    ``shown`` is the paragraph's last source line, ``body`` the same line as docutils returns it:

        "as here::"     "as here:"    "::"
        "as here: ::"   "as here:"    " ::"
        "- as here"     "as here"     ""
    """
    # "words::" is rendered with a colon; "words ::" and a lone "::" are not.
    if body.endswith(":") and shown.endswith(f"{body}:"):
        return _LITERAL
    if body not in shown:
        return ""
    match = _MARK.fullmatch(shown, shown.rfind(body) + len(body))
    if match is None:
        return ""
    return match[0]
