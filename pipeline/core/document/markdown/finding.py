"""Where the words of a block stand in its lines, and what they say once they are folded.

markdown-it gives the text of a block without the marks of its containers, and the lines that it
was taken from. Each line of that text is looked for at the end of its source line.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipeline.core.document.markdown.lines import Lines, Place

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
