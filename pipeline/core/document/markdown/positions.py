"""Positions of words: from the lines that the parser reads back to offsets in the text.

markdown-it gives the text of a block without the marks of its containers, and the lines that it
was taken from. Each line of that text is looked for at the end of its source line. Of tables it
gives no columns, so a row is cut here once more, by the same rules.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import accumulate, pairwise

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


# What the parser strips from lines. Not all white space: U+00A0 may begin a paragraph.
_BLANK = " \t\x0b\x0c"
_TASK = re.compile(r"\[[ xX]\][ \t]+")
# Two spaces or an odd number of backslashes at the end of a line: "words\\\\\" ends in a break.
_HARD_BREAK = re.compile(r"(?: {2,}|(?<!\\)(?:\\\\)*(\\))$")
_NO_QUOTE_MARK = re.compile(r"[^\s>]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """A piece of prose: what it says on one line, and what it takes to write it again."""

    text: str
    place: Place
    prefix: str = ""  # see ``Message``
    breaks: tuple[str, ...] = ()


def locate(lines: Lines, content: str, line: int) -> Place:
    """Where the text of a block stands that begins on ``line`` or somewhat below it.

    White space around each line, and the closing marks of a heading, are left out. For the
    content ``"two\\nlines"`` of ``"> two\\n>  lines"`` the spans are (2, 5) and (3, 8).
    """
    pieces = [piece.strip(_BLANK) for piece in content.split("\n")]
    # The parser drops whole lines from a block's start if they hold but U+00A0 and the like.
    while pieces[0] not in lines.shown[line]:
        line += 1
    spans: list[tuple[int, int]] = []
    for number, piece in enumerate(pieces, line):
        start = lines.shown[number].rindex(piece)
        spans.append((start, start + len(piece)))
    return Place(line, tuple(spans))


def without_task_mark(lines: Lines, place: Place) -> Place:
    """``place`` without the box of a task list: ``[x] words``."""
    first, *others = place.spans
    task = _TASK.match(lines.shown[place.line], first[0])
    return Place(place.line, ((task.end(), first[1]), *others)) if task else place


def words_at(lines: Lines, place: Place) -> Words:
    """The prose at a place: soft line breaks are a space, hard ones a line end."""
    text, breaks = _fold(lines, place)
    return Words(
        text=text, place=place, prefix=line_prefix(lines, place), breaks=breaks
    )


def words_in_line(lines: Lines, line: int, start: int, end: int) -> Words:
    """The prose at some columns of a line."""
    return Words(text=lines.shown[line][start:end], place=Place(line, ((start, end),)))


def line_prefix(lines: Lines, place: Place) -> str:
    """What stands before the text on a continuation line of this block.

    ``"> "`` in a quote, and also in ``"> 1. words"``: there with three spaces behind it.
    """
    if len(place.spans) > 1:
        return lines.shown[place.line + 1][: place.spans[1][0]]
    # There is none: quote marks go on, anything else ("- ", "1. ") becomes indentation.
    return _NO_QUOTE_MARK.sub(" ", lines.shown[place.line][: place.spans[0][0]])


def _fold(lines: Lines, place: Place) -> tuple[str, tuple[str, ...]]:
    """The text on one line, and the marks of its hard breaks.

    ``"one\\n> two\\\\\\n> three"`` is ``"one two\\nthree"`` with one break, marked by a backslash.
    """
    *upper, (last_start, last_end) = place.spans
    parts: list[str] = []
    breaks: list[str] = []
    for number, (start, _) in enumerate(upper, place.line):
        # The mark of a break stands behind the words: look at the line to its end.
        rest = lines.shown[number][start:]
        if found := _HARD_BREAK.search(rest):
            mark = found[1] or found[0]
            breaks.append(mark)
            parts.append(rest[: -len(mark)].rstrip(" \t") + "\n")
        else:
            parts.append(rest.rstrip(" \t") + " ")
    parts.append(lines.shown[place.last][last_start:last_end])
    return "".join(parts), tuple(breaks)


# What containers may stand before the header of a table: "> - [^1]: | Head |". Only a row that
# opens with a pipe can stand behind a marker: without one, the marker is part of the cell.
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
# markdown-it looks at one character before it: behind two backslashes it is escaped as well.
_PIPE = re.compile(r"(?<!\\)\|")
# Before the rows below the header, markers are indentation or quote marks.
_INDENT = " \t>"


def cell_spans(line: str, *, is_header: bool) -> list[tuple[int, int]]:
    """Columns of the cells of a table row, without the white space around their words.

        "| one | two |"     (2, 5), (8, 11)
        "> one | two"       (2, 5), (8, 11)
        "| a \\| b |"        (2, 8)

    ``is_header``: more kinds of marks may stand before the first row of a table.
    """
    start = _row_start(line, is_header=is_header)
    row = line[start:].rstrip()
    pipes = [match.start() for match in _PIPE.finditer(row)]
    # A pipe at either end of the row closes it, and there is no cell outside; else the end does.
    if not row.startswith("|"):
        pipes.insert(0, -1)
    if pipes[-1] != len(row) - 1:
        pipes.append(len(row))
    return [_words(row, pipe + 1, end, start) for pipe, end in pairwise(pipes)]


def _row_start(line: str, *, is_header: bool) -> int:
    """The column behind the marks of what the table stands in: 2 for ``> | a | b |``."""
    markers = _MARKERS.match(line) if is_header else None
    if markers:
        return markers.end()
    return len(line) - len(line.lstrip(_INDENT))


def _words(row: str, begin: int, end: int, start: int) -> tuple[int, int]:
    """Columns in the line of the words within ``[begin, end)`` of the row from ``start`` on."""
    text = row[begin:end]
    body = text.strip()
    offset = start + begin
    if body:
        offset += text.index(body)
    return offset, offset + len(body)
