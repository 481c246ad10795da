"""Tables that are drawn with characters: their columns grow where a translation needs it.

docutils' own table parsers say where cells are. Columns count as they do there: a wide character
is two of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from docutils.parsers.rst.tableparser import (
    GridTableParser,
    SimpleTableParser,
    TableMarkupError,
)
from docutils.statemachine import StringList
from docutils.utils import column_width

from pipeline.core.document.splice import Edit, splice

_NO_END = 1 << 30  # columns: the last one of a simple table is as wide as its text
_WIDE = "\x00"  # docutils' filler behind a wide character
_LINE_END = re.compile(r"\r\n?|\n")
_RULES = frozenset("-=")
_TOP = re.compile(r"\+-[-+]+-\+|=+(?: +=+)+")


@dataclass(frozen=True, slots=True)
class _Cell:
    """Text in the lines ``[top, bottom)`` and the columns ``[left, right)``.

    In the last column of a simple table it goes on up to ``stop``.
    """

    top: int
    bottom: int
    left: int
    right: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a table from its left edge on.

    ``offsets`` has its columns' places in the page, and the line's end.
    """

    text: str
    offsets: tuple[int, ...]

    def offset(self, column: int) -> int:
        """Where ``column`` begins, or the end of a line that does not reach that far."""
        return self.offsets[min(column, len(self.offsets) - 1)]

    def span(self, cell: _Cell) -> tuple[int, int]:
        """Where this line's part of ``cell`` lies."""
        return self.offset(cell.left), self.offset(cell.stop)


@dataclass(frozen=True, slots=True)
class _Part:
    """One line of one cell.

    ``width`` is that of its words once ``changes`` are made, without the white space behind them.
    """

    cell: _Cell
    line: _Line
    end: int  # of the words, before the changes
    changes: tuple[Edit, ...]
    width: int


class _Simple(SimpleTableParser):
    """Remembers where the cells of each row are."""

    def setup(self, block: Any) -> None:
        """docutils calls this before it reads a table."""
        super().setup(block)
        self.found: list[_Cell] = []

    def check_columns(self, lines: Any, first_line: int, columns: list[Any]) -> None:
        """docutils calls this for each row, with the columns of its cells."""
        super().check_columns(lines, first_line, columns)
        bottom = first_line + len(lines)
        for left, right in columns:
            if right >= self.border_end:  # the last column
                cell = _Cell(first_line, bottom, left, self.border_end, _NO_END)
            else:
                cell = _Cell(first_line, bottom, left, right, right)
            self.found.append(cell)


def aligned(text: str, table: tuple[int, int], changes: Sequence[Edit]) -> list[Edit]:
    """What has to be edited besides ``changes`` so that the table at ``table`` stays one.

    Each change lies within one line of one cell. Nothing for a table that docutils cannot read.
    Once ``one`` has become ``第一行``, the first column grows by three, and so do its rules:

        === ==========     ====== ==========
        one some words     第一行 some words
        === ==========     ====== ==========
    """
    lines = _lines(text, *table)
    is_grid = lines[0].text.startswith("+")
    cells = _cells([line.text for line in lines], is_grid=is_grid)
    ordered = sorted(changes, key=attrgetter("start"))
    parts: list[_Part] = []
    beside: dict[int, list[_Cell]] = {}  # the cells of each line
    for cell in cells:
        for row in range(cell.top, min(cell.bottom, len(lines))):
            parts.append(_part(text, lines[row], cell, ordered))
            beside.setdefault(row, []).append(cell)
    # A grid has a line to the right of each cell, and a space before that.
    growth = _growth(cells, parts, margin=int(is_grid))
    edits: list[Edit] = []
    for part in parts:
        edits += _padding(text, part, _room(part.cell, growth))
    for row, line in enumerate(lines):
        # A line of words may hold a rule beside them: below one cell of a grid, another goes on.
        edits += _rules(text, line, _growth_outside(beside.get(row, []), growth))
    return edits


def _growth(
    cells: Sequence[_Cell], parts: Sequence[_Part], *, margin: int
) -> Counter[int]:
    """By how much the table grows before the columns where cells end, if it does there.

    ``margin``: the columns between the widest words of a cell and its right edge.
    """
    growth: Counter[int] = Counter()
    needed = dict.fromkeys(cells, 0)
    for part in parts:
        # What nobody has touched has room enough.
        if part.changes:
            needed[part.cell] = max(needed[part.cell], part.width + margin)
    # From left to right: a cell over several columns has the room that theirs have got.
    for cell in sorted(cells, key=lambda cell: cell.right):
        growth[cell.right] += max(0, needed[cell] - _room(cell, growth))
    return +growth  # without the columns that stay


def _growth_outside(
    cells: Sequence[_Cell], growth: Mapping[int, int]
) -> dict[int, int]:
    """The growth where none of ``cells`` lies: there a line has rules, if anything.

    A cell ends at the column before which it grows, so that one counts as its own.
    """
    outside = dict(growth)
    for column in growth:
        if any(cell.left <= column <= cell.right for cell in cells):
            del outside[column]
    return outside


def _lines(text: str, start: int, end: int) -> list[_Line]:
    """The lines of a table that stands at ``[start, end)``, each from the table's left edge on.

    In a list or a quote all of them are indented; the first line of the table tells how far.
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
    """The line at ``[start, stop)``; a wide character has two columns at the same offset.

    ``"中a"`` at 7 has the offsets 7, 7, 8, and 9 for its end.
    """
    start = min(start, stop)  # a blank line may be shorter than the table's margin
    shown = text[start:stop].rstrip()
    offsets: list[int] = []
    for offset, character in enumerate(shown, start):
        offsets += [offset] * column_width(character)
    return _Line(shown, (*offsets, start + len(shown)))


def _cells(lines: Sequence[str], *, is_grid: bool) -> list[_Cell]:
    """The cells as docutils cuts them; none of a table that it cannot read."""
    block = StringList(list(lines), "")
    block.pad_double_width(_WIDE)
    parser: Any = GridTableParser() if is_grid else _Simple()
    try:
        parser.parse(block)
    except (TableMarkupError, AssertionError, IndexError):
        return []
    if not is_grid:
        return list(parser.found)
    # docutils tells the corners of their frames.
    cells: list[_Cell] = []
    for top, left, bottom, right, _ in parser.cells:
        cells.append(_Cell(top + 1, bottom, left + 1, right, right))
    return cells


def _part(text: str, line: _Line, cell: _Cell, changes: Sequence[Edit]) -> _Part:
    """What ``line`` holds of ``cell``, with those of ``changes``, in order, that lie there."""
    start, stop = line.span(cell)
    end = start + len(text[start:stop].rstrip())
    first = bisect_left(changes, start, key=attrgetter("start"))
    behind = bisect_right(changes, stop, key=attrgetter("start"))
    inside = [edit for edit in changes[first:behind] if edit.end <= stop]
    # The same changes of the part alone: how wide does it become?
    moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in inside]
    shown = splice(text[start:end], moved)
    return _Part(cell, line, end, tuple(inside), column_width(shown))


def _room(cell: _Cell, growth: Mapping[int, int]) -> int:
    """How many columns a cell has once its table has grown."""
    room = cell.right - cell.left
    for column, more in growth.items():
        if cell.left < column <= cell.right:
            room += more
    return room


def _padding(text: str, part: _Part, room: int) -> list[Edit]:
    """The white space behind the words of a cell, if anything stands behind it in its line."""
    stop = part.line.offset(part.cell.stop)
    if stop == part.line.offsets[-1]:
        return []
    blank = " " * (room - part.width)
    if blank == text[part.end : stop]:
        return []
    return [Edit(part.end, stop, blank)]


def _rules(text: str, line: _Line, growth: Mapping[int, int]) -> list[Edit]:
    """The rules of a line, longer before each column that has grown.

    Where the table has grown by two before column 3, ``=== ===`` becomes ``===== ===``.
    """
    edits: list[Edit] = []
    for column, more in growth.items():
        at = line.offset(column)
        # A line may end before that column, and blank lines have no rules.
        if column < len(line.offsets) and text[at - 1] in _RULES:
            edits.append(Edit(at, at, text[at - 1] * more))
    return edits
