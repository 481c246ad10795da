"""M102 in reStructuredText: bold and italics whose stars show.

What stands around the marks is no matter: the page gets ``\\ `` where docutils wants the marks
apart from the words. What stands within is: no white space beside the marks, and no other mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import count_stray, is_same_but_marks, quote
from pipeline.core.checks.parsed import blanked
from pipeline.core.document.message import Markup
from pipeline.findings import Span

_ANY_MARK = re.compile(r"[*＊]|__")
# A run that can have been meant to open or close something: not `2 * 3`.
_MEANT = re.compile(r"(?<!\s)\*+|\*+(?!\s)")
# What looks like bold or italics, with the full-width stars and the underscores of Markdown.
_PAIR = re.compile(
    r"""
    (?<![*＊])(?P<mark>\*{1,3}|＊{1,2}|(?<![A-Za-z0-9_])__(?=[^_]))
    (?P<inner>[^*＊]*[^\s*＊][^*＊]*?)
    (?P=mark)(?![*＊])
    """,
    re.VERBOSE,
)
_LETTER = re.compile(r"[A-Za-z0-9]")
# What may stand before and behind marks. The page puts marks apart from Chinese by itself.
_BEFORE = re.compile(r"[\s'\"(<\[{/:\x80-\U0010ffff-]|\Z")
_BEHIND = re.compile(r"[\s.,;:!?'\")>\]}/\\\x80-\U0010ffff-]|\Z")


def find_unrendered(subject: Subject) -> Iterator[Problem]:
    """Bold or italics that do not show: ``** 词 **``, ``＊＊词＊＊``, ``**词``."""
    source, english, chinese = subject.msgstr, subject.english, subject.chinese
    if not _ANY_MARK.search(source):
        return
    lost = english.count("strong", "em") - chinese.count("strong", "em")
    stray = count_stray(subject, chinese, _MEANT)
    if max(stray, lost) <= 0:
        return
    broken = _broken_pairs(source)
    if stray <= 0:  # no star shows: only the marks of other languages can be meant
        broken = [pair for pair in broken if "*" not in pair["mark"]]
    if broken:
        yield _unrendered(subject, broken)
    elif min(stray, lost) > 0:
        rest = _without_emphasis(source)
        yield Problem(
            text="a star shows that has no partner",
            hint="Write the same stars before and behind the words.",
            spans=tuple(match.span() for match in _MEANT.finditer(rest)),
        )


def _unrendered(subject: Subject, broken: list[re.Match[str]]) -> Problem:
    """What is to be said of pairs that do not render: of the first one, with all of them marked."""
    first = broken[0]
    shape = "bold" if len(first["mark"]) > 1 else "italics"
    return Problem(
        text=f"{quote(first[0])} does not show as {shape}",
        hint=_hint(subject.msgstr, first),
        spans=tuple(pair.span() for pair in broken),
        fix=_fix(subject),
    )


def _emphasized(source: str) -> list[Span]:
    """Where docutils sees bold or italics, with their marks."""
    from pipeline.core.document.rst.inline import marks  # docutils: slow to import

    return [
        (mark.start, mark.end)
        for mark in marks(source)
        if mark.kind in ("strong", "emphasis")
    ]


def _without_emphasis(source: str) -> str:
    """``source`` with atoms, and what is bold or in italics, blanked.

    ``用 **词** 和 ``f`` *`` -> ``用        和       *``: what is left is a mark that shows.
    """
    hidden = blanked(source, " ", Markup.RST)
    for start, end in _emphasized(source):
        hidden = hidden[:start] + " " * (end - start) + hidden[end:]
    return hidden


def _broken_pairs(source: str) -> list[re.Match[str]]:
    """What looks like bold or italics and is none: ``** 词 **``, ``＊＊词＊＊``.

    So is what should be both at once: ``***词***`` shows one star.
    """
    emphasized = _emphasized(source)
    return [
        pair
        for pair in _PAIR.finditer(blanked(source, markup=Markup.RST))
        if pair.span() not in emphasized or len(pair["mark"]) > 2
    ]


def _hint(source: str, pair: re.Match[str]) -> str:
    """How to write a pair that does not render: the reason that is easiest to see comes first."""
    # ＊＊词＊＊, __词__ or ***词***
    if "*" not in pair["mark"] or len(pair["mark"]) > 2:
        return (
            "Write ** before and behind bold words, * before and behind words in italics; "
            "reST knows no other marks, nor both at once."
        )
    # **词 *词* 词**
    for start, end in _emphasized(source):
        if start < pair.start() and pair.end() < end:
            return "reST knows no italics within bold: end the one before the other begins."
    # ** 词 **
    if pair["inner"] != pair["inner"].strip():
        return "Delete the space between the stars and the words."
    return "Put a space between the stars and the words beside them."


def _fix(subject: Subject) -> str | None:
    """The msgstr with every pair mended; None if one cannot be.

    Docutils must agree that no emphasis is lost, no star shows, and nothing else has changed.
    """
    fix = subject.msgstr
    for pair in reversed(_broken_pairs(fix)):  # so that the places of the others hold
        fix = _mended(fix, pair)
    if fix == subject.msgstr:
        return None
    before, after = subject.chinese, subject.read(fix)
    if not is_same_but_marks(before, after):
        return None
    if after.count("strong", "em") < before.count("strong", "em"):
        return None
    if count_stray(subject, after, _MEANT) > 0:
        return None
    return fix


def _mended(source: str, pair: re.Match[str]) -> str:
    """``source`` with one pair written so that it renders.

    Its stars stand close to the words within, and apart from what stands beside them:
    ``a** 词 **b`` -> ``a **词** b``.
    """
    before, after = source[: pair.start()], source[pair.end() :]
    start, end = pair.span("inner")
    stars = "*" * min(len(pair["mark"]), 2)
    words = f"{stars}{source[start:end].strip()}{stars}"
    return (
        f"{before}{_gap(before[-1:], _BEFORE)}{words}{_gap(after[:1], _BEHIND)}{after}"
    )


def _gap(beside: str, allowed: re.Pattern[str]) -> str:
    """What parts stars from a character beside them, if that may not stand there.

    An edge of the text is an empty character. Between stars and Chinese nothing is needed.
    """
    if allowed.match(beside):
        return ""
    if _LETTER.match(beside):
        return " "
    return "\\ "  # beside a bracket: a gap that is not seen
