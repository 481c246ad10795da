"""What the checks of structure and of atoms share: when a mend is safe, full-width marks, words to quote."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.parsed import Atom, Parsed

_NO_WORD = re.compile(r"[\W_]+")
# Full-width and Chinese marks, and what was meant where only ASCII works. Not letters and digits: those are words.
NARROW = {
    **{code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F) if not chr(code).isalnum()},
    **{
        ord(wide): narrow
        for wide, narrow in zip("\u3000。、“”‘’【】〈〉《》", " .,\"\"''[]<><>", strict=True)
    },
}


def are_words_kept(before: str, after: str) -> bool:
    """Whether two texts differ in white space, punctuation and marks only."""
    return _NO_WORD.sub("", before) == _NO_WORD.sub("", after)


def excess(subject: Subject, *marks: str) -> int:
    """How many more of some marks a reader of the translation sees than one of the English. Escaped ones were meant."""
    return sum(
        subject.chinese.literal.count(mark) - subject.english.plain.count(mark) for mark in marks
    )


def regains(subject: Subject, fix: str, *names: Atom) -> bool:
    """Whether a mend has the English atoms of some classes, none of the others worse, and the block and words of the translation."""
    fixed = subject.read(fix)
    return (
        are_words_kept(subject.msgstr, fix)
        and fixed.blocks == subject.english.blocks
        and all(_distance(subject.english, fixed, name) == 0 for name in names)
        and all(
            _distance(subject.english, fixed, name)
            <= _distance(subject.english, subject.chinese, name)
            for name in Atom
        )
    )


def improves(subject: Subject, fix: str, name: Atom) -> bool:
    """Whether a mend has more of the English atoms of a class, and otherwise is as :func:`regains` wants it."""
    fixed = subject.read(fix)
    return regains(subject, fix) and _distance(subject.english, fixed, name) < _distance(
        subject.english, subject.chinese, name
    )


def _distance(english: Parsed, chinese: Parsed, name: Atom) -> int:
    return len(english.of(name).keys() ^ chinese.of(name).keys())


def first_regaining(subject: Subject, fixes: Iterable[str], *names: Atom) -> str | None:
    """The first mend that :func:`regains` what it should."""
    return next(
        (fix for fix in fixes if fix != subject.msgstr and regains(subject, fix, *names)), None
    )


def repeated_mark(subject: Subject, mark: str) -> Problem:
    """A translation that begins with the mark of its block, which stands on the page already."""
    rest = subject.msgstr.strip()[len(mark) :]
    return Problem(
        text=f"starts with {quote(mark.strip())}, the mark of a {subject.kind}, which the page has already",
        hint="Delete it.",
        spans=spans_of(subject.msgstr, mark.strip()),
        fix=rest if regains(subject, rest) and not rest[:1].isdigit() else None,  # a minus is none
    )


def missing(english: Parsed, chinese: Parsed, name: Atom) -> list[str]:
    """The English atoms of a class that the translation never names."""
    theirs, ours = english.of(name), chinese.of(name)
    return [value for value in theirs if value not in ours] if theirs != ours else []


def fewer(english: Parsed, chinese: Parsed, name: Atom) -> list[str]:
    """The English atoms of a class that the translation names less often, or never."""
    return list(english.of(name) - chinese.of(name))


def is_han(character: str) -> bool:
    """Whether it is a Chinese character or a Chinese mark."""
    return unicodedata.east_asian_width(character) in "WF" or character in "“”‘’…—·"


def quote(text: str) -> str:
    """A piece of a message, in a sentence about it."""
    return f"“{text[:60]}…”" if len(text) > 60 else f"“{text}”"


def spans_of(text: str, *pieces: str) -> tuple[tuple[int, int], ...]:
    """Where each piece stands first."""
    return tuple(
        (text.index(piece), text.index(piece) + len(piece))
        for piece in pieces
        if piece and piece in text
    )
