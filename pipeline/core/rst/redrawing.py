"""Tables that are drawn with characters: how their columns grow where a translation is wider than its cell.

docutils' own table parsers say where cells are. Columns count as they do there: a wide character is two of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from docutils.parsers.rst.tableparser import GridTableParser, SimpleTableParser, TableMarkupError
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
    """Text in the lines ``[top, bottom)`` and the columns ``[left, right)``; in the last column of a simple table up to ``stop``."""

    top: int
    bottom: int
    left: int
    right: int
    stop: int


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a table from its left edge on. ``offsets`` has its columns' places in the page, and the line's end."""

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
    """One line of one cell: what it says once ``changes`` are made, without the white space behind it."""

    cell: _Cell
    line: _Line
    start: int
    end: int  # of the words, before the changes
    changes: tuple[Edit, ...]
    width: int


class _Simple(SimpleTableParser):
    """Remembers where the cells of each row are."""

    def setup(self, block: Any) -> None:
        super().setup(block)
        self.found: list[_Cell] = []

    def check_columns(self, lines: Any, first_line: int, columns: list[Any]) -> None:
        super().check_columns(lines, first_line, columns)
        for left, right in columns:
            is_last = right >= self.border_end
            self.found.append(
                _Cell(
                    first_line,
                    first_line + len(lines),
                    left,
                    self.border_end if is_last else right,
                    _NO_END if is_last else right,
                )
            )


def aligned(text: str, table: tuple[int, int], changes: Sequence[Edit]) -> list[Edit]:
    """What has to be edited besides ``changes`` so that the table at ``[start, end)`` of ``text`` stays one.

    Each change lies within one line of one cell. Nothing for a table that docutils cannot read.
    """
    lines = _lines(text, *table)
    margin = 1 if lines[0].text.startswith("+") else 0
    cells = _cells([line.text for line in lines], is_grid=bool(margin))
    parts = [
        [_part(text, lines[row], cell, changes) for row in range(cell.top, cell.bottom)]
        for cell in cells
    ]
    growth = dict.fromkeys(sorted({cell.right for cell in cells}), 0)
    for cell, own in sorted(zip(cells, parts, strict=True), key=lambda pair: pair[0].right):
        needed = max((part.width + margin for part in own if part.changes), default=0)
        growth[cell.right] += max(0, needed - _room(cell, growth))
    edits = [
        edit
        for own in parts
        for part in own
        for edit in _padding(text, part, _room(part.cell, growth))
    ]
    for row, line in enumerate(lines):
        inside = [cell for cell in cells if cell.top <= row < cell.bottom]
        edits += _rules(
            text,
            line,
            {
                column: more
                for column, more in growth.items()
                if more and not _is_inside(column, inside)
            },
        )
    return edits


def _lines(text: str, start: int, end: int) -> list[_Line]:
    top = _TOP.search(text, start, end)
    left = top.start() - start if top else 0
    lines = []
    while start <= end:
        found = _LINE_END.search(text, start, end)
        stop = found.start() if found else end
        at = min(start + left, stop)
        shown = text[at:stop].rstrip()
        offsets = [
            at + index
            for index, character in enumerate(shown)
            for _ in range(column_width(character))
        ]
        lines.append(_Line(shown, (*offsets, at + len(shown))))
        start = found.end() if found else end + 1
    return lines


def _cells(lines: Sequence[str], *, is_grid: bool) -> list[_Cell]:
    block = StringList(list(lines), "")
    block.pad_double_width(_WIDE)
    parser: Any = GridTableParser() if is_grid else _Simple()
    try:
        parser.parse(block)
    except (TableMarkupError, AssertionError, IndexError):
        return []
    if is_grid:
        return [
            _Cell(top + 1, bottom, left + 1, right, right)
            for top, left, bottom, right, _ in parser.cells
        ]
    return list(parser.found)


def _part(text: str, line: _Line, cell: _Cell, changes: Sequence[Edit]) -> _Part:
    start, stop = line.span(cell)
    own = tuple(edit for edit in changes if start <= edit.start and edit.end <= stop)
    end = start + len(text[start:stop].rstrip())
    shown = splice(
        text[start:end], [Edit(edit.start - start, edit.end - start, edit.text) for edit in own]
    )
    return _Part(cell, line, start, end, own, column_width(shown))


def _room(cell: _Cell, growth: Mapping[int, int]) -> int:
    """How many columns a cell has once its table has grown."""
    return (
        cell.right
        - cell.left
        + sum(more for column, more in growth.items() if cell.left < column <= cell.right)
    )


def _is_inside(column: int, cells: Sequence[_Cell]) -> bool:
    return any(cell.left <= column <= cell.right for cell in cells)


def _padding(text: str, part: _Part, room: int) -> list[Edit]:
    """The white space behind the words of a cell, if anything stands behind it in its line."""
    stop = part.line.offset(part.cell.stop)
    if stop == part.line.offsets[-1]:
        return []
    blank = " " * (room - part.width)
    return [] if blank == text[part.end : stop] else [Edit(part.end, stop, blank)]


def _rules(text: str, line: _Line, growth: Mapping[int, int]) -> list[Edit]:
    """The rules of a line, longer before each column that has grown."""
    edits = []
    for column, more in growth.items():
        at = line.offset(column)
        if column < len(line.offsets) and text[at - 1] in _RULES:
            edits.append(Edit(at, at, text[at - 1] * more))
    return edits
