"""Helpers of the checks of markup: they judge whether a fix is safe, count marks, quote text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from pipeline.core.checks.model import Subject
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.findings import Span

_NO_WORD = re.compile(r"[\W_]+")
_LONGEST_QUOTE = 60  # characters
_OFFSET = 0xFEE0  # from a full-width form to the ASCII character that it widens
# Full-width and Chinese marks, and what was meant where only ASCII works. Letters and digits are
# left out: those are words.
NARROW: dict[int, str] = {
    **{
        code: chr(code - _OFFSET)
        for code in range(0xFF01, 0xFF5F)
        if not chr(code).isalnum()
    },
    **{
        ord(wide): narrow
        for wide, narrow in zip(
            "\u3000。、“”‘’【】〈〉《》", " .,\"\"''[]<><>", strict=True
        )
    },
}


def are_words_kept(before: str, after: str) -> bool:
    """Return whether two texts differ in white space, punctuation and marks only.

    ``用**词**。`` and ``用 *词*，`` do.
    """
    return _NO_WORD.sub("", before) == _NO_WORD.sub("", after)


def excess(subject: Subject, *marks: str) -> int:
    """Return how many more of some marks a reader of the translation sees than one of the English.

    Marks that the translation escapes do not count, for those are meant to be seen. It is below
    zero if the English shows more.
    """
    count = 0
    for mark in marks:
        count += subject.chinese.literal.count(mark) - subject.english.plain.count(mark)
    return count


def regains(subject: Subject, fix: str, *names: Atom) -> bool:
    """Return whether a fix makes a translation right without spoiling anything.

    It must keep the words, stand as the right block, and have all English atoms of the classes
    ``names``. No other class may be further from the English than before.
    """
    # The cheapest question comes first: the others ask a parser.
    if not are_words_kept(subject.msgstr, fix):
        return False
    english, chinese, fixed = subject.english, subject.chinese, subject.read(fix)
    if fixed.blocks != english.blocks:
        return False
    for name in names:
        if _distance(english, fixed, name) > 0:
            return False
    for name in Atom:
        if _distance(english, fixed, name) > _distance(english, chinese, name):
            return False
    return True


def improves(subject: Subject, fix: str, name: Atom) -> bool:
    """Return whether a fix has more English atoms of a class, and spoils nothing (`regains`)."""
    if not regains(subject, fix):
        return False
    before = _distance(subject.english, subject.chinese, name)
    return _distance(subject.english, subject.read(fix), name) < before


def _distance(english: Parsed, chinese: Parsed, name: Atom) -> int:
    """Return how many atoms of a class only one of two texts has, however often."""
    return len(english.of(name).keys() ^ chinese.of(name).keys())


def first_regaining(subject: Subject, fixes: Iterable[str], *names: Atom) -> str | None:
    """Return the first of ``fixes`` that changes something and :func:`regains` what it should.

    None if none does. To try one takes a parser, so that the fixes are taken one by one.
    """
    for fix in fixes:
        if fix != subject.msgstr and regains(subject, fix, *names):
            return fix
    return None


def without_backslashes(subject: Subject, pairs: Iterable[str]) -> str | None:
    """Return the msgstr without the backslashes of ``pairs``; each stands before a character.

    ``用\\词`` -> ``用词``. None for ``\\n`` and ``\\beta``: such a backslash may be part of a
    path or a formula.
    """
    fix = subject.msgstr
    for pair in pairs:
        if pair[1].isascii():
            return None
        fix = fix.replace(pair, pair[1], 1)
    if regains(subject, fix):
        return fix
    return None


def count_stray(subject: Subject, parsed: Parsed, meant: re.Pattern[str]) -> int:
    """Return how many more marks that are ``meant`` show in ``parsed`` than in the English.

    Of the English those count that it escapes, or those that it does not: whichever are more.
    """
    english = subject.english
    most = max(len(meant.findall(english.plain)), len(meant.findall(english.literal)))
    return len(meant.findall(parsed.literal)) - most


def is_same_but_marks(before: Parsed, after: Parsed) -> bool:
    """Return whether only marks differ: two texts have the same blocks, atoms and words.

    Words are compared as a reader sees them: an underscore that shows is a mark.
    """
    if after.blocks != before.blocks or after.atoms != before.atoms:
        return False
    return are_words_kept(before.visible, after.visible)


def missing(english: Parsed, chinese: Parsed, name: Atom) -> list[str]:
    """Return the English atoms of a class that the translation never names, in order.

    With the two texts the other way around: atoms that the English never names.
    """
    theirs, ours = english.of(name), chinese.of(name)
    if theirs == ours:  # as mostly
        return []
    return [value for value in theirs if value not in ours]


def fewer(english: Parsed, chinese: Parsed, name: Atom) -> list[str]:
    """Return the English atoms of a class that the translation names less often, or never.

    For ``f``, ``f`` and ``g`` in English and ``f`` in Chinese: both, each once.
    """
    return list(english.of(name) - chinese.of(name))


def is_han(character: str) -> bool:
    """Return whether it is a Chinese character or a Chinese mark.

    Of some marks English has the same characters: “, …, —, ·. Those count as Chinese.
    """
    return unicodedata.east_asian_width(character) in "WF" or character in "“”‘’…—·"


def quote(text: str) -> str:
    """Return a piece of a message, in a sentence about it: in quotation marks, and not too long."""
    if len(text) > _LONGEST_QUOTE:
        return f"“{text[:_LONGEST_QUOTE]}…”"
    return f"“{text}”"


def as_replacement(text: str) -> str:
    """Return ``text`` as `re.sub` has to be given it, where a backslash would mean something."""
    return text.replace("\\", r"\\")


def spans_of(text: str, *pieces: str) -> tuple[Span, ...]:
    """Return where each piece stands first. Pieces that are empty or not in the text are left out.

    ``用 `f` 和 `f``` with ```f``` -> 2 to 5
    """
    spans = []
    for piece in filter(None, pieces):
        start = text.find(piece)
        if start >= 0:
            spans.append((start, start + len(piece)))
    return tuple(spans)
