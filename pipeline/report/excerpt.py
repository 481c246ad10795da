"""A long text on one line: the parts around what matters, and a sign for what is left out.

A text and spans in it go in, pieces come out that are at most as wide as asked. Nothing invisible
comes out, and nothing vanishes without the sign.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from pipeline.findings import Span

MARKED = 3  # spans that are shown of one long text
_LEFT_OUT = "…"


def excerpt(text: str, spans: Sequence[Span], width: int) -> list[tuple[str, bool]]:
    """The parts of ``text`` around ``spans``, and whether each is inside of one.

    ``("…前面", False), ("jit", True), ("后面…", False)``

    They fit on one line of ``width`` columns, of which a Chinese character takes two. Characters
    that cannot be seen are escaped. Without spans it is the beginning of the text.
    """
    shown = [_visible(character) for character in text]
    places = _inside(spans, len(text))
    is_marked = [False] * len(text)
    for start, end in places:
        is_marked[start:end] = [True] * (end - start)
    is_kept = _kept([columns_of(character) for character in shown], places, width)
    pieces: list[tuple[str, bool]] = []
    for character, marked, kept in zip(shown, is_marked, is_kept, strict=True):
        before, was_marked = pieces[-1] if pieces else ("", not marked)
        if not kept and before.endswith(_LEFT_OUT):
            continue  # one sign for all that is left out between two parts
        # What is left out inside of a span is marked like the span.
        added = character if kept else _LEFT_OUT
        if marked == was_marked:
            pieces[-1] = (before + added, marked)
        else:
            pieces.append((added, marked))
    return pieces


def _inside(spans: Sequence[Span], length: int) -> list[Span]:
    """``spans`` as far as they lie in a text of ``length``; empty ones are left out.

    ``(-2, 3), (5, 5), (8, 99)`` in a text of 10 → ``(0, 3), (8, 10)``.
    """
    places = [(max(0, start), min(end, length)) for start, end in spans]
    return [(start, end) for start, end in places if start < end]


def _kept(columns: Sequence[int], places: Sequence[Span], width: int) -> list[bool]:
    """Which characters are shown, of those that take ``columns`` each."""
    if sum(columns) <= width:
        return [True] * len(columns)
    ends = _ends(places)
    room = width - 2 * len(ends)  # each end may get a sign on either side
    kept = [False] * len(columns)
    # A window around each end grows by a character on either side, all in turn, while there is
    # room. Each side is a place to go on, and the step to the next one.
    sides = [(end, step) for end in ends for step in (-1, 1)]
    while sides:
        growing = []
        for at, step in sides:
            if not 0 <= at < len(columns):
                continue  # the text ends here
            # A place where another window has been is paid for.
            cost = 0 if kept[at] else columns[at]
            if cost > room:
                continue
            room -= cost
            kept[at] = True
            growing.append((at + step, step))
        sides = growing
    return kept


def _ends(places: Sequence[Span]) -> list[int]:
    """The characters to show something around: the start of the text if no place is marked.

    Both ends of a place tell more than its middle: ``第1句话。…9句话。``. A place of one character
    has one end: ``(3, 4), (7, 10)`` → ``3, 7, 9``.
    """
    ends: list[int] = []
    for start, end in places[:MARKED]:
        ends += dict.fromkeys((start, end - 1))
    return ends or [0]


def _visible(character: str) -> str:
    """``character``, or what stands for it if nobody can see it: ``⏎``, ``\\u200b``."""
    if character.isprintable():
        return character
    if character == "\n":
        return "⏎"
    return character.encode("unicode_escape").decode("ascii")


@lru_cache(maxsize=8192)
def columns_of(text: str) -> int:
    """How wide ``text`` is on a terminal; cached, because each character is asked about."""
    from rich.cells import cell_len

    return cell_len(text)
