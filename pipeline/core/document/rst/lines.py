"""A text as docutils reads it, line by line, and the way back to its offsets."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from docutils.statemachine import string2lines

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
