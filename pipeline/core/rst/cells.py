"""Tables that are drawn with characters: docutils cuts their cells, and here it is noted where."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from docutils.parsers.rst.tableparser import TableParser
from docutils.statemachine import StringList

_PAD = (
    TableParser.double_width_pad_char
)  # stands behind every wide character while docutils counts columns


class CellBlock(StringList):
    """Lines of a table or of a cell of one; a cell knows the columns that it was cut from.

    ``drawn`` are the lines of the table that the cell runs over, ``columns`` its columns there, in characters.
    """

    drawn: tuple[str, ...] = ()
    columns: tuple[tuple[int, int], ...] = ()
    is_plain = True  # False: columns cannot be told from characters

    def get_2D_block(
        self, top: int, left: int, bottom: int, right: int, strip_indent: bool = True
    ) -> CellBlock:  # noqa: N802
        lines: list[str] = self.data[top:bottom]
        cell: CellBlock = super().get_2D_block(top, left, bottom, right, strip_indent)  # type: ignore[assignment]
        cell.drawn = tuple(line.replace(_PAD, "") for line in lines)
        cell.columns = tuple((_width(line[:left]), _width(line[:right])) for line in lines)
        cell.is_plain = not any(
            unicodedata.combining(character) for line in lines for character in line
        )
        return cell


def _width(line: str) -> int:
    return len(line) - line.count(_PAD)


@cache
def recording(parser_class: type[Any]) -> type[Any]:
    """docutils' parser of one kind of table, with cells that know their columns."""

    def setup(self: Any, block: StringList) -> None:
        parser_class.setup(self, CellBlock(block.data[:], items=block.items[:]))

    return type(parser_class.__name__, (parser_class,), {"setup": setup})
