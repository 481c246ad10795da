"""Helpers of the checks of markup, which validate fixes, count visible marks and quote text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from pipeline.core.checks.model import Subject
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.findings import Span

_NO_WORD = re.compile(r"[\W_]+")
_LONGEST_QUOTE = 60  # characters
_OFFSET = 0xFEE0  # from a full-width form to its ASCII character
# Full-width and Chinese marks, with their ASCII equivalents for places where only ASCII
# works. Letters and digits are left out: they are words.
ASCII_EQUIVALENTS: dict[int, str] = {
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
    """Return whether two texts differ only in white space, punctuation and marks.

    ``用**词**。`` and ``用 *词*，`` do.
    """
    return _NO_WORD.sub("", before) == _NO_WORD.sub("", after)


def count_extra_marks(subject: Subject, *marks: str) -> int:
    """Return how many more of some marks are visible in the translation than in the English.

    The result is negative if there are fewer. Marks that the translation escapes do not count,
    because they are meant to be visible.
    """
    count = 0
    for mark in marks:
        count += subject.chinese.literal.count(mark) - subject.english.plain.count(mark)
    return count


def restores_atoms(subject: Subject, fix: str, *names: Atom) -> bool:
    """Return whether a fix corrects a translation without damaging anything.

    The fix must keep the words, be parsed as the same blocks, and have all English atoms of the
    classes ``names``. In no other class may it differ from the English by more atoms than before.
    """
    # The cheapest condition first: the others need a parser.
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
    """Return whether a fix has more English atoms of a class, and :func:`restores_atoms`."""
    if not restores_atoms(subject, fix):
        return False
    before = _distance(subject.english, subject.chinese, name)
    return _distance(subject.english, subject.read(fix), name) < before


def _distance(english: Parsed, chinese: Parsed, name: Atom) -> int:
    """Return how many distinct atoms of a class only one of the two texts has."""
    return len(english.of(name).keys() ^ chinese.of(name).keys())


def first_valid_fix(subject: Subject, fixes: Iterable[str], *names: Atom) -> str | None:
    """Return the first of ``fixes`` that changes the msgstr and :func:`restores_atoms`, or None.

    ``fixes`` is consumed lazily, because each attempt needs a parser.
    """
    for fix in fixes:
        if fix != subject.msgstr and restores_atoms(subject, fix, *names):
            return fix
    return None


def without_backslashes(subject: Subject, pairs: Iterable[str]) -> str | None:
    r"""Return the msgstr with the backslash of each pair removed: ``用\词`` -> ``用词``.

    Return None for ``\n`` and ``\beta``: such a backslash may be part of a path or a formula. Also
    return None if the result would not be correct.
    """
    fix = subject.msgstr
    for pair in pairs:
        if pair[1].isascii():
            return None
        fix = fix.replace(pair, pair[1], 1)
    if restores_atoms(subject, fix):
        return fix
    return None


def count_stray(subject: Subject, parsed: Parsed, meant: re.Pattern[str]) -> int:
    """Return how many more marks matching ``meant`` are visible than in the English.

    The English count is the larger one of those with and without its escaped marks.
    """
    english = subject.english
    most = max(len(meant.findall(english.plain)), len(meant.findall(english.literal)))
    return len(meant.findall(parsed.literal)) - most


def is_same_but_marks(before: Parsed, after: Parsed) -> bool:
    """Return whether two texts have the same blocks, atoms and words, and differ only in marks.

    The words are the visible ones: a visible underscore counts as a mark.
    """
    if after.blocks != before.blocks or after.atoms != before.atoms:
        return False
    return are_words_kept(before.visible, after.visible)


def missing(english: Parsed, chinese: Parsed, name: Atom) -> list[str]:
    """Return the English atoms of a class that the translation lacks, in order.

    With the two texts exchanged, return the atoms that the English lacks.
    """
    theirs, ours = english.of(name), chinese.of(name)
    if theirs == ours:  # the usual case
        return []
    return [value for value in theirs if value not in ours]


def fewer(english: Parsed, chinese: Parsed, name: Atom) -> list[str]:
    """Return the English atoms of a class that occur less often in the translation, or never.

    For ``f``, ``f`` and ``g`` in English and ``f`` in Chinese: both, each once.
    """
    return list(english.of(name) - chinese.of(name))


def is_han(character: str) -> bool:
    """Return whether a character is a Chinese character or a Chinese mark.

    Marks that English shares (“, …, —, ·) count as Chinese.
    """
    return unicodedata.east_asian_width(character) in "WF" or character in "“”‘’…—·"


def quote(text: str) -> str:
    """Return an excerpt for a message: in quotation marks, and truncated if it is long."""
    if len(text) > _LONGEST_QUOTE:
        return f"“{text[:_LONGEST_QUOTE]}…”"
    return f"“{text}”"


def as_replacement(text: str) -> str:
    """Return ``text`` escaped for use as the replacement in `re.sub`."""
    return text.replace("\\", r"\\")


def spans_of(text: str, *pieces: str) -> tuple[Span, ...]:
    """Return the first position of each piece; empty and absent pieces are skipped.

    ``用 `f` 和 `f``` with ```f``` -> 2 to 5
    """
    spans = []
    for piece in filter(None, pieces):
        start = text.find(piece)
        if start >= 0:
            spans.append((start, start + len(piece)))
    return tuple(spans)
