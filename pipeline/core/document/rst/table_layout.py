"""Layout of drawn tables: widens the columns of a table whose translated words need more room.

docutils' table parsers find the cells. As in docutils, a wide character such as 中 takes two
columns.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

from docutils.parsers.rst.tableparser import (
    GridTableParser,
    SimpleTableParser,
    TableMarkupError,
)
from docutils.statemachine import StringList
from docutils.utils import column_width
from msgspec import Struct

from pipeline.core.document.splice import Edit, splice

_NO_END = 1 << 30  # the end of the last column of a simple table, which is unlimited
_WIDE = "\x00"  # docutils' filler after a wide character
_LINE_END = re.compile(r"\r\n?|\n")
_RULES = frozenset("-=")
_TOP = re.compile(r"\+-[-+]+-\+|=+(?: +=+)+")


class _Cell(Struct, frozen=True):
    """A cell in the lines ``[top, bottom)`` and the columns ``[left, right)``.

    ``stop`` is the column up to which its text may extend. It exceeds ``right`` in the last column
    of a simple table.
    """

    top: int
    bottom: int
    left: int
    right: int
    stop: int


class _Line(Struct, frozen=True):
    """A line of a table, from the left edge of the table on.

    ``offsets`` has an offset in the page for each column, and one for the end of the line.
    """

    text: str
    offsets: tuple[int, ...]

    def offset(self, column: int) -> int:
        """Return the offset of ``column``, or of the end of the line if the line is shorter."""
        return self.offsets[min(column, len(self.offsets) - 1)]

    def span(self, cell: _Cell) -> tuple[int, int]:
        """Return the offsets of this line's part of ``cell``."""
        return self.offset(cell.left), self.offset(cell.stop)


class _Part(Struct, frozen=True):
    """One line of one cell."""

    cell: _Cell
    line: _Line
    end: int  # end offset of the original words, without the changes
    changes: tuple[Edit, ...]
    width: int  # columns of the words with the changes, without trailing white space


class _Simple(SimpleTableParser):
    """Simple table parser that records the position of each cell."""

    def setup(self, block: Any) -> None:
        """Start a table without recorded cells."""
        super().setup(block)
        self.found: list[_Cell] = []

    def check_columns(self, lines: Any, first_line: int, columns: list[Any]) -> None:
        """Record the cells of a row. docutils calls this method for each row."""
        super().check_columns(lines, first_line, columns)
        bottom = first_line + len(lines)
        for left, right in columns:
            if right >= self.border_end:  # the last column
                cell = _Cell(first_line, bottom, left, self.border_end, _NO_END)
            else:
                cell = _Cell(first_line, bottom, left, right, right)
            self.found.append(cell)


def realign(text: str, table: tuple[int, int], changes: Sequence[Edit]) -> list[Edit]:
    """Return the edits that keep a table intact after ``changes``.

    ``table`` is the span of the table in ``text``. Each change must be within one line of one cell.
    Return no edits if docutils cannot parse the table. If ``one`` becomes ``第一行``, the first
    column and its rules grow by three:

        === ==========     ====== ==========
        one some words     第一行 some words
        === ==========     ====== ==========
    """
    lines = _lines(text, *table)
    is_grid = lines[0].text.startswith("+")
    cells = _cells([line.text for line in lines], is_grid=is_grid)
    ordered = sorted(changes, key=attrgetter("start"))
    parts: list[_Part] = []
    beside: dict[int, list[_Cell]] = {}  # by line number
    for cell in cells:
        for row in range(cell.top, min(cell.bottom, len(lines))):
            parts.append(_part(text, lines[row], cell, ordered))
            beside.setdefault(row, []).append(cell)
    # In a grid, a space and a line follow each cell.
    growth = _growth(cells, parts, margin=int(is_grid))
    edits: list[Edit] = []
    for part in parts:
        edits += _padding(text, part, _room(part.cell, growth))
    for row, line in enumerate(lines):
        # In a grid, a line may have both words and rules, because a cell may span several rows.
        edits += _rules(text, line, _growth_outside(beside.get(row, []), growth))
    return edits


def _growth(cells: Sequence[_Cell], parts: Sequence[_Part], *, margin: int) -> Counter[int]:
    """Return the number of columns to add before each column at which a cell ends.

    ``margin`` is the minimum number of columns between the words of a cell and its right edge.
    """
    growth: Counter[int] = Counter()
    needed = dict.fromkeys(cells, 0)
    for part in parts:
        # Lines without changes already fit.
        if part.changes:
            needed[part.cell] = max(needed[part.cell], part.width + margin)
    # Process the cells from left to right: a cell that spans columns can use the columns added
    # for narrower cells.
    for cell in sorted(cells, key=lambda cell: cell.right):
        growth[cell.right] += max(0, needed[cell] - _room(cell, growth))
    return +growth  # without the columns that do not grow


def _growth_outside(cells: Sequence[_Cell], growth: Mapping[int, int]) -> dict[int, int]:
    """Return the growth at the columns outside of all ``cells``, where a line may have rules.

    A cell grows before the column ``right``, so this column counts as inside.
    """
    outside = dict(growth)
    for column in growth:
        if any(cell.left <= column <= cell.right for cell in cells):
            del outside[column]
    return outside


def _lines(text: str, start: int, end: int) -> list[_Line]:
    """Return the lines of the table at ``[start, end)``, each from the left edge of the table on.

    The first line determines the indentation of a table in a list or a quote.
    """
    top = _TOP.search(text, start, end)
    left = top.start() - start if top else 0
    lines: list[_Line] = []
    for line_end in _LINE_END.finditer(text, start, end):
        lines.append(_line(text, start + left, line_end.start()))
        start = line_end.end()
    lines.append(_line(text, start + left, end))
    return lines


def _line(text: str, start: int, stop: int) -> _Line:
    """Return the record of the line at ``[start, stop)``.

    A wide character has its offset twice. ``"中a"`` at the offset 7 has the offsets 7, 7, 8, and 9
    for its end.
    """
    start = min(start, stop)  # a blank line may be shorter than the table's indentation
    shown = text[start:stop].rstrip()
    offsets: list[int] = []
    for offset, character in enumerate(shown, start):
        offsets += [offset] * column_width(character)
    return _Line(shown, (*offsets, start + len(shown)))


def _cells(lines: Sequence[str], *, is_grid: bool) -> list[_Cell]:
    """Return the cells that docutils finds, or none if it cannot parse the table."""
    block = StringList(list(lines), "")
    block.pad_double_width(_WIDE)
    parser: Any = GridTableParser() if is_grid else _Simple()
    try:
        parser.parse(block)
    except (TableMarkupError, AssertionError, IndexError):
        return []
    if not is_grid:
        return list(parser.found)
    # docutils returns the corners of the frame around each cell.
    cells: list[_Cell] = []
    for top, left, bottom, right, _ in parser.cells:
        cells.append(_Cell(top + 1, bottom, left + 1, right, right))
    return cells


def _part(text: str, line: _Line, cell: _Cell, changes: Sequence[Edit]) -> _Part:
    """Return the part of ``cell`` on ``line``. ``changes`` are all changes of the table, sorted."""
    start, stop = line.span(cell)
    end = start + len(text[start:stop].rstrip())
    first = bisect_left(changes, start, key=attrgetter("start"))
    behind = bisect_right(changes, stop, key=attrgetter("start"))
    inside = [edit for edit in changes[first:behind] if edit.end <= stop]
    # Apply the changes to this part only, to measure its new width.
    moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in inside]
    shown = splice(text[start:end], moved)
    return _Part(cell, line, end, tuple(inside), column_width(shown))


def _room(cell: _Cell, growth: Mapping[int, int]) -> int:
    """Return the width of a cell in columns after the table has grown."""
    room = cell.right - cell.left
    for column, more in growth.items():
        if cell.left < column <= cell.right:
            room += more
    return room


def _padding(text: str, part: _Part, room: int) -> list[Edit]:
    """Return the edit that adds or removes spaces after a cell's words, if one is needed.

    The last cell of a line needs no spaces.
    """
    stop = part.line.offset(part.cell.stop)
    if stop == part.line.offsets[-1]:
        return []
    blank = " " * (room - part.width)
    if blank == text[part.end : stop]:
        return []
    return [Edit(part.end, stop, blank)]


def _rules(text: str, line: _Line, growth: Mapping[int, int]) -> list[Edit]:
    """Return the edits that lengthen the rules of a line before each column that grows.

    If the table grows by two before column 3, ``=== ===`` becomes ``===== ===``.
    """
    edits: list[Edit] = []
    for column, more in growth.items():
        at = line.offset(column)
        # The line may end before this column, or have no rule there.
        if column < len(line.offsets) and text[at - 1] in _RULES:
            edits.append(Edit(at, at, text[at - 1] * more))
    return edits
