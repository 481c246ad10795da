"""A text as the Markdown parser reads it, line by line, and the way back to its offsets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate

_LINE_END = re.compile(r"(\r\n?|\n)")
_BYTE_ORDER_MARK = "\ufeff"


@dataclass(frozen=True, slots=True)
class Place:
    """Where words stand: columns on each line, from the line with number ``line`` (from 0) on."""

    line: int
    spans: tuple[tuple[int, int], ...]

    @property
    def last(self) -> int:
        """The number of the last line."""
        return self.line + len(self.spans) - 1


class Lines:
    """``shown`` are the lines without their ends, ``starts`` their offsets in the text.

    Columns are those of the text.
    """

    def __init__(self, text: str) -> None:
        """``text`` is a whole page, or the source of a cell."""
        # Lines at even places, their ends at odd ones. CommonMark asks for U+FFFD instead of NUL.
        pieces = _LINE_END.split(text.replace("\0", "\ufffd"))
        self.shown = pieces[::2]
        self.starts = list(accumulate(map(len, pieces), initial=0))[::2]
        self._has_mark = text.startswith(_BYTE_ORDER_MARK)
        if self._has_mark:
            self.shown[0] = f" {self.shown[0][1:]}"

    def to_parse(self) -> list[str]:
        """The lines for the parser.

        A byte order mark belongs to the file and not to the first line: it would keep that from
        being a heading, or front matter.
        """
        if self._has_mark:
            return [self.shown[0][1:], *self.shown[1:]]
        return self.shown

    def end(self, line: int) -> int:
        """Offset behind a line, without its line end."""
        return self.starts[line] + len(self.shown[line])

    def offsets(self, place: Place) -> tuple[int, int]:
        """Offsets of the start and the end of what stands at ``place``."""
        return (
            self.starts[place.line] + place.spans[0][0],
            self.starts[place.last] + place.spans[-1][1],
        )
