"""Bold and italics of reStructuredText whose stars show.

What stands around the marks is no matter: the page gets ``\\ `` where docutils wants the marks apart from the words. What stands
within is: no white space beside the marks, and no other mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import are_words_kept, quote
from pipeline.core.checks.parsed import Parsed, blanked
from pipeline.core.document.message import Markup

# A run that can have been meant to open or close something: not `2 * 3`.
_MEANT = re.compile(r"(?<!\s)\*+|\*+(?!\s)")
# What looks like bold or italics, with the full-width stars and the underscores of Markdown.
_PAIR = re.compile(
    r"(?<![*＊])(?P<mark>\*{1,3}|＊{1,2}|(?<![A-Za-z0-9_])__(?=[^_]))(?P<inner>[^*＊]*[^\s*＊][^*＊]*?)(?P=mark)(?![*＊])"
)
_LETTER = re.compile(r"[A-Za-z0-9]")
# What may stand before and behind marks. The page puts marks apart from Chinese by itself.
_BEFORE = re.compile(r"[\s'\"(<\[{/:\x80-\U0010ffff-]|\Z")
_BEHIND = re.compile(r"[\s.,;:!?'\")>\]}/\\\x80-\U0010ffff-]|\Z")


def find_unrendered(subject: Subject) -> Iterator[Problem]:
    """Bold or italics that do not show."""
    source, english, chinese = subject.msgstr, subject.english, subject.chinese
    if not re.search(r"[*＊]|__", source):
        return
    lost = english.count("strong", "em") - chinese.count("strong", "em")
    stray = _stray(subject, chinese)
    if stray <= 0 and lost <= 0:
        return
    broken = [pair for pair in _broken(source) if stray > 0 or "*" not in pair["mark"]]
    if broken:
        yield Problem(
            text=f"{quote(broken[0][0])} does not show as {'bold' if len(broken[0]['mark']) > 1 else 'italics'}",
            hint=_hint(source, broken[0]),
            spans=tuple(pair.span() for pair in broken),
            fix=_fix(subject),
        )
    elif stray > 0 and lost > 0:
        lone = [match.span() for match in _MEANT.finditer(_without_marks(source))]
        yield Problem(
            text="a star shows that has no partner",
            hint="Write the same stars before and behind the words.",
            spans=tuple(lone),
        )


def _stray(subject: Subject, parsed: Parsed) -> int:
    """How many more stars show than in the English."""
    english = subject.english
    return len(_MEANT.findall(parsed.literal)) - max(
        len(_MEANT.findall(text)) for text in (english.plain, english.literal)
    )


def _rendered(source: str) -> list[tuple[int, int]]:
    from pipeline.core.rst.inline import marks

    return [(mark.start, mark.end) for mark in marks(source) if mark.kind in ("strong", "emphasis")]


def _without_marks(source: str) -> str:
    """``source`` with what is bold or in italics blanked as well."""
    hidden = blanked(source, " ", Markup.RST)
    for start, end in _rendered(source):
        hidden = hidden[:start] + " " * (end - start) + hidden[end:]
    return hidden


def _broken(source: str) -> list[re.Match[str]]:
    """What looks like bold or italics and is none."""
    rendered = _rendered(source)
    return [
        pair
        for pair in _PAIR.finditer(blanked(source, markup=Markup.RST))
        if pair.span() not in rendered or len(pair["mark"]) > 2
    ]


def _hint(source: str, pair: re.Match[str]) -> str:
    if "*" not in pair["mark"] or len(pair["mark"]) > 2:
        return "Write ** before and behind bold words, * before and behind words in italics; reST knows no other marks, nor both at once."
    if any(start < pair.start() and pair.end() < end for start, end in _rendered(source)):
        return "reST knows no italics within bold: end the one before the other begins."
    if pair["inner"] != pair["inner"].strip():
        return "Delete the space between the stars and the words."
    return "Put a space between the stars and the words beside them."


def _fix(subject: Subject) -> str | None:
    """The msgstr with every pair mended, if docutils agrees that nothing else has changed."""
    source = subject.msgstr
    for pair in reversed(_broken(source)):  # so that the places of the others hold
        source = _mended(source, pair)
    before, after = subject.chinese, subject.read(source)
    is_same = (
        after.blocks == before.blocks
        and after.atoms == before.atoms
        and are_words_kept(before.visible, after.visible)
    )
    is_mended = (
        after.count("strong", "em") >= before.count("strong", "em") and _stray(subject, after) <= 0
    )
    return source if is_same and is_mended and source != subject.msgstr else None


def _mended(source: str, pair: re.Match[str]) -> str:
    """``source`` with one pair written so that it renders: its stars close to the words, and apart from what stands beside them."""
    start, end = pair.span("inner")
    before, inner, after = source[: pair.start()], source[start:end], source[pair.end() :]
    stars = "*" * min(len(pair["mark"]), 2)
    return f"{before}{_gap(before[-1:], _BEFORE)}{stars}{inner.strip()}{stars}{_gap(after[:1], _BEHIND)}{after}"


def _gap(beside: str, allowed: re.Pattern[str]) -> str:
    """What parts stars from a character beside them: a space that is seen from a letter, one that is not from a bracket."""
    return "" if allowed.match(beside) else " " if _LETTER.match(beside) else "\\ "
