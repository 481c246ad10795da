"""Tables that are drawn with characters: docutils cuts their cells, and it is noted here where."""

from __future__ import annotations

import unicodedata
from functools import cache
from typing import Any

from docutils.parsers.rst.tableparser import TableParser
from docutils.statemachine import StringList

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
