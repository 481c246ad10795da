"""Positions of words: finds the offsets of the parser's content in the text.

markdown-it returns the text of a block without the prefixes of its containers, and the block's line
numbers. Each line of this text is the end of its source line, so the search begins at that end. For
table cells, markdown-it returns no columns. :func:`cell_spans` therefore splits the rows again, by
markdown-it's rules.
"""

from __future__ import annotations

import re
from itertools import accumulate, pairwise

from msgspec import Struct

_LINE_END = re.compile(r"(\r\n?|\n)")
_BYTE_ORDER_MARK = "\ufeff"


class Place(Struct, frozen=True):
    """Position of words: the first line, counted from 0, and a column span on each line."""

    line: int
    spans: tuple[tuple[int, int], ...]

    @property
    def last(self) -> int:
        """Return the number of the last line."""
        return self.line + len(self.spans) - 1


class Lines:
    """Lines of a text: ``shown`` has them without line ends, ``starts`` their start offsets."""

    def __init__(self, text: str) -> None:
        """Split ``text``, a whole page or the source of a cell, into lines."""
        # Lines are at even indices, line ends at odd ones. CommonMark replaces NUL by U+FFFD.
        pieces = _LINE_END.split(text.replace("\0", "\ufffd"))
        self.shown = pieces[::2]
        self.starts = list(accumulate(map(len, pieces), initial=0))[::2]
        self._has_mark = text.startswith(_BYTE_ORDER_MARK)
        if self._has_mark:
            # Replace the byte order mark by a space, so that columns stay valid.
            self.shown[0] = f" {self.shown[0][1:]}"

    def to_parse(self) -> list[str]:
        """Return the lines for the parser, without the space for a byte order mark.

        With this space, the first line could not be front matter.
        """
        if self._has_mark:
            return [self.shown[0][1:], *self.shown[1:]]
        return self.shown

    def end(self, line: int) -> int:
        """Return the end offset of a line, excluding its line end."""
        return self.starts[line] + len(self.shown[line])

    def offsets(self, place: Place) -> tuple[int, int]:
        """Return the start and end offsets of a place."""
        return (
            self.starts[place.line] + place.spans[0][0],
            self.starts[place.last] + place.spans[-1][1],
        )


# The white space that the parser strips. Other white space counts as text: U+00A0 may begin a
# paragraph.
_BLANK = " \t\x0b\x0c"
_TASK = re.compile(r"\[[ xX]\][ \t]+")
# A hard break: two spaces or an odd number of backslashes at the end of a line.
_HARD_BREAK = re.compile(r"(?: {2,}|(?<!\\)(?:\\\\)*(\\))$")
_NO_QUOTE_MARK = re.compile(r"[^\s>]")


class Words(Struct, frozen=True, kw_only=True):
    """A piece of prose, with the positions and marks that a merge needs to replace it."""

    text: str
    place: Place
    prefix: str = ""  # as in ``Message``
    breaks: tuple[str, ...] = ()


def locate(lines: Lines, content: str, line: int) -> Place:
    """Return the place of a block's ``content``, which begins on ``line`` or a few lines below.

    The spans exclude the white space around each line. The content ``"two\\nlines"`` of
    ``"> two\\n>  lines"`` has the spans (2, 5) and (3, 8).
    """
    pieces = [piece.strip(_BLANK) for piece in content.split("\n")]
    # The parser drops leading lines that consist of white space such as U+00A0.
    while pieces[0] not in lines.shown[line]:
        line += 1
    spans: list[tuple[int, int]] = []
    for number, piece in enumerate(pieces, line):
        start = lines.shown[number].rindex(piece)
        spans.append((start, start + len(piece)))
    return Place(line, tuple(spans))


def without_task_mark(lines: Lines, place: Place) -> Place:
    """Return ``place`` without the check box of an item in a task list: ``[x] words``."""
    first, *others = place.spans
    task = _TASK.match(lines.shown[place.line], first[0])
    return Place(place.line, ((task.end(), first[1]), *others)) if task else place


def words_at(lines: Lines, place: Place) -> Words:
    """Return the words at a place. A soft break becomes a space, a hard break a line end."""
    text, breaks = _fold(lines, place)
    return Words(text=text, place=place, prefix=line_prefix(lines, place), breaks=breaks)


def words_in_line(lines: Lines, line: int, start: int, end: int) -> Words:
    """Return the words in a column range of one line."""
    return Words(text=lines.shown[line][start:end], place=Place(line, ((start, end),)))


def line_prefix(lines: Lines, place: Place) -> str:
    """Return the prefix that an additional line of this block needs.

    In a quote, this is ``"> "``. For ``"> 1. words"``, it is ``">    "``, so that the line belongs
    to the list item.
    """
    if len(place.spans) > 1:
        return lines.shown[place.line + 1][: place.spans[1][0]]
    # For a block of one line, repeat quote marks and replace other marks ("- ", "1. ") by spaces.
    return _NO_QUOTE_MARK.sub(" ", lines.shown[place.line][: place.spans[0][0]])


def _fold(lines: Lines, place: Place) -> tuple[str, tuple[str, ...]]:
    """Return the text of a place with soft breaks as spaces, and the marks of its hard breaks.

    ``"one\\n> two\\\\\\n> three"`` gives ``"one two\\nthree"`` and one mark, a backslash.
    """
    *upper, (last_start, last_end) = place.spans
    parts: list[str] = []
    breaks: list[str] = []
    for number, (start, _) in enumerate(upper, place.line):
        # The mark of a hard break follows the words, so search to the end of the line.
        rest = lines.shown[number][start:]
        if found := _HARD_BREAK.search(rest):
            mark = found[1] or found[0]
            breaks.append(mark)
            parts.append(rest[: -len(mark)].rstrip(" \t") + "\n")
        else:
            parts.append(rest.rstrip(" \t") + " ")
    parts.append(lines.shown[place.last][last_start:last_end])
    return "".join(parts), tuple(breaks)


# The prefixes of containers before the first row of a table: "> - [^1]: | Head |". The row must
# begin with a pipe.
_MARKERS = re.compile(
    r"""
    (?: [ \t]*
      (?: >
        | [-+*](?=[ \t])
        | \d{1,9}[.)](?=[ \t])
        | \[\^[^\]\s]+\]:
        | [:~](?=[ \t])
      )
    )*
    [ \t]*(?=\|)
    """,
    re.VERBOSE,
)
# As in markdown-it, a pipe after a backslash is escaped, even after two backslashes.
_PIPE = re.compile(r"(?<!\\)\|")
# Only indentation and quote marks may precede further rows.
_INDENT = " \t>"


def cell_spans(line: str, *, is_header: bool) -> list[tuple[int, int]]:
    """Return the columns of the cells of a table row, without surrounding white space.

        "| one | two |"     (2, 5), (8, 11)
        "> one | two"       (2, 5), (8, 11)
        "| a \\| b |"        (2, 8)

    ``is_header`` means that it is the first row, which list markers may precede.
    """
    # Leave out the prefixes of the row's containers.
    markers = _MARKERS.match(line) if is_header else None
    start = markers.end() if markers else len(line) - len(line.lstrip(_INDENT))
    row = line[start:].rstrip()
    pipes = [match.start() for match in _PIPE.finditer(row)]
    # Pipes at the start and at the end of a row are optional: add those that are missing.
    if not row.startswith("|"):
        pipes.insert(0, -1)
    if pipes[-1] != len(row) - 1:
        pipes.append(len(row))
    return [_words(row, pipe + 1, end, start) for pipe, end in pairwise(pipes)]


def _words(row: str, begin: int, end: int, start: int) -> tuple[int, int]:
    """Return the columns, in the line, of the stripped text in ``[begin, end)`` of a row.

    ``start`` is the column of the line at which the row begins.
    """
    text = row[begin:end]
    body = text.strip()
    offset = start + begin
    if body:
        offset += text.index(body)
    return offset, offset + len(body)
