"""Functions for the checks of markup: validate fixes, count visible marks, quote text.

A mark is a character of markup, such as a star or a backtick. A mark is visible if the parser
treats it as text, usually because of a mistake. A fix is a corrected msgstr.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from pipeline.core.checks.model import Subject
from pipeline.core.checks.parsed import Atom, Parsed
from pipeline.findings import Span

_NO_WORD = re.compile(r"[\W_]+")
_LONGEST_QUOTE = 60  # characters
_FULL_WIDTH = range(0xFF01, 0xFF5F)
_OFFSET = 0xFEE0  # between the code points of a full-width form and its ASCII form
# Full-width and Chinese punctuation with its ASCII equivalents, for markup and code, where
# only ASCII works. Letters and digits are excluded, because they are words.
ASCII_EQUIVALENTS: dict[int, int] = {
    **{wide: wide - _OFFSET for wide in _FULL_WIDTH if not chr(wide).isalnum()},
    **str.maketrans("\u3000。、“”‘’【】〈〉《》", " .,\"\"''[]<><>"),
}


def are_words_kept(before: str, after: str) -> bool:
    """Return whether two texts have the same words: only white space and punctuation differ.

    ``用**词**。`` and ``用 *词*，`` have the same words.
    """
    return _NO_WORD.sub("", before) == _NO_WORD.sub("", after)


def count_extra_marks(subject: Subject, *marks: str) -> int:
    """Return how many more of the ``marks`` are visible in the translation than in the English.

    The result is negative if fewer are visible. Marks that the translation escapes do not count,
    because the translator wants readers to see them.
    """
    count = 0
    for mark in marks:
        count += subject.chinese.literal.count(mark) - subject.english.plain.count(mark)
    return count


def restores_atoms(subject: Subject, fix: str, *names: Atom) -> bool:
    """Return whether a fix restores the atoms of the classes ``names`` and damages nothing.

    The fix must meet these conditions:

    - It has the same words as the msgstr.
    - A parser finds the same blocks in it as in the English.
    - Its atoms of the classes ``names`` are those of the English.
    - In no class does it have more atoms that differ from the English than the msgstr has.
    """
    # The first condition is the cheapest one: the others need a parser.
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
    """Return whether a fix restores some atoms of a class and damages nothing.

    It damages nothing if it meets all conditions of :func:`restores_atoms` except the third one.
    """
    if not restores_atoms(subject, fix):
        return False
    before = _distance(subject.english, subject.chinese, name)
    return _distance(subject.english, subject.read(fix), name) < before


def _distance(english: Parsed, chinese: Parsed, name: Atom) -> int:
    """Return the number of distinct atoms of a class that only one of the two texts has."""
    return len(english.of(name).keys() ^ chinese.of(name).keys())


def first_valid_fix(subject: Subject, fixes: Iterable[str], *names: Atom) -> str | None:
    """Return the first of ``fixes`` that :func:`restores_atoms` accepts, or None.

    Skip a fix that equals the msgstr. Consume ``fixes`` lazily, because each test needs a parser.
    """
    for fix in fixes:
        if fix != subject.msgstr and restores_atoms(subject, fix, *names):
            return fix
    return None


def without_backslashes(subject: Subject, pairs: Iterable[str]) -> str | None:
    r"""Return the msgstr without some backslashes, such as ``用\词`` -> ``用词``, or None.

    Each of ``pairs`` is a backslash and the character after it. Return None if one of these
    characters is ASCII: in ``\n`` or ``\beta``, the backslash may be part of a path or a formula.
    Also return None if :func:`restores_atoms` rejects the result.
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
    """Return how many more marks are visible in ``parsed`` than in the English.

    ``meant`` is the pattern of the marks. Count the marks of the English twice, once with escaped
    marks and once without them, and use the larger number.
    """
    english = subject.english
    most = max(len(meant.findall(english.plain)), len(meant.findall(english.literal)))
    return len(meant.findall(parsed.literal)) - most


def is_same_but_marks(before: Parsed, after: Parsed) -> bool:
    """Return whether two texts differ only in marks: blocks, atoms and visible words are equal.

    An underscore counts as a mark even if it is visible.
    """
    if after.blocks != before.blocks or after.atoms != before.atoms:
        return False
    return are_words_kept(before.visible, after.visible)


def missing(english: Parsed, chinese: Parsed, name: Atom) -> list[str]:
    """Return the atoms of a class that the first text has and the second one lacks, in order.

    To get the atoms that only the translation has, exchange the arguments.
    """
    theirs, ours = english.of(name), chinese.of(name)
    if theirs == ours:  # fast path for most messages
        return []
    return [value for value in theirs if value not in ours]


def fewer(english: Parsed, chinese: Parsed, name: Atom) -> list[str]:
    """Return the atoms of a class that occur less often in the translation, or never.

    If the English has ``f``, ``f``, ``g`` and the translation ``f``, return ``f`` and ``g``.
    """
    return list(english.of(name) - chinese.of(name))


def is_han(character: str) -> bool:
    """Return whether a character is a Chinese character or Chinese punctuation.

    Punctuation that both languages use (“, …, —, ·) counts as Chinese.
    """
    return unicodedata.east_asian_width(character) in "WF" or character in "“”‘’…—·"


def quote(text: str) -> str:
    """Return a text for a message: in quotation marks, and truncated if it is long."""
    if len(text) > _LONGEST_QUOTE:
        return f"“{text[:_LONGEST_QUOTE]}…”"
    return f"“{text}”"


def as_replacement(text: str) -> str:
    """Return ``text``, escaped for use as the replacement in `re.sub`."""
    return text.replace("\\", r"\\")


def spans_of(text: str, *pieces: str) -> tuple[Span, ...]:
    """Return the first position of each piece in ``text``; skip empty and absent pieces.

    "用 `f` 和 `f`" with the piece "`f`" -> 2 to 5
    """
    spans = []
    for piece in filter(None, pieces):
        start = text.find(piece)
        if start >= 0:
            spans.append((start, start + len(piece)))
    return tuple(spans)
