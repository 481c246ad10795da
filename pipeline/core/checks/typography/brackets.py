"""M312: brackets and quotes without a partner, and the pairing of brackets in masked text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import Struct

from pipeline.core.checks.masked import HAN, keeps_atoms, read_pattern
from pipeline.core.checks.model import Problem, Subject
from pipeline.findings import Span

_CLOSER_OF = dict(zip("（(《【[「『“‘", "）)》】]」』”’", strict=True))
_OPENER_OF = {closer: opener for opener, closer in _CLOSER_OF.items()}
_FULL = {"(": "（", ")": "）", "[": "【", "]": "】"}
# Round brackets are equivalent in half width and full width, and so are square ones.
_FAMILY = {
    **dict.fromkeys("（）()", "round"),
    **dict.fromkeys("【】[]", "square"),
}
_QUOTES = '「」『』“”‘’"'
_BRACKET = re.compile("[" + re.escape("".join((*_CLOSER_OF, *_OPENER_OF))) + "]")
# A bracket in quotes, as in “(”: the sentence is about the bracket itself.
_QUOTED = re.compile(r"(?<=[“‘「])[\[(（【](?=[”’」])|(?<=[“‘「])[\])）】](?=[”’」])")
# Closing marks that need no partner: an apostrophe, and the bracket after one or two
# characters at the start of a text or of a clause, as in ``1)``.
_NO_CLOSER = re.compile(read_pattern("no_closer"), re.VERBOSE)
_NO_BRACKET = rf"[^()\[\]{HAN}]*"
# A half-open interval: [0, 1).
_INTERVAL = re.compile(rf"\({_NO_BRACKET},{_NO_BRACKET}\]|\[{_NO_BRACKET},{_NO_BRACKET}\)")


class Brackets(Struct, frozen=True):
    """Positions of brackets and quotes in a text.

    A pair consists of the positions of the opening and the closing bracket.
    """

    pairs: tuple[Span, ...]
    single: tuple[int, ...]  # brackets without a partner
    mixed: tuple[Span, ...]  # pairs of a half-width and a full-width bracket


def read_brackets(text: str) -> Brackets:
    """Return the positions of the brackets and quotes of a masked text.

    Ignore apostrophes, quoted brackets, and the brackets in ``1)`` and ``[0, 1)``. In
    ``（甲) [乙``, the first two brackets are a mixed pair, and the last one is single.
    """
    if "]" in text or "[" in text:
        # Half-open intervals mix their brackets on purpose.
        text = _INTERVAL.sub(lambda match: " " * len(match[0]), text)
    pairs: list[Span] = []
    mixed: list[Span] = []
    single: list[int] = []
    waiting: list[int] = []  # positions of open brackets
    for at, mark in _marks_in(text):
        if mark in _CLOSER_OF:
            waiting.append(at)
            continue
        depth = _partner(text, waiting, mark)
        if depth is None:
            if not _NO_CLOSER.match(text, at):
                single.append(at)
            continue
        opening = waiting[depth]
        if text[opening] == _OPENER_OF[mark]:
            pairs.append((opening, at))
        else:
            mixed.append((opening, at))
        single += waiting[depth + 1 :]  # opened inside the pair, but never closed
        del waiting[depth:]
    single += waiting
    # Straight quotes look the same on both sides. If their number is odd, the last one
    # counts as single.
    if text.count('"') % 2:
        single.append(text.rindex('"'))
    return Brackets(tuple(pairs), tuple(sorted(single)), tuple(mixed))


def _marks_in(text: str) -> Iterator[tuple[int, str]]:
    """Yield the position and the character of each bracket and quote; skip quoted brackets."""
    marks = {match.start(): match[0] for match in _BRACKET.finditer(text)}
    if marks:
        for quoted in _QUOTED.finditer(text):
            del marks[quoted.start()]
    yield from marks.items()


def _partner(text: str, waiting: list[int], mark: str) -> int | None:
    """Return the index in ``waiting`` of the open bracket that ``mark`` closes, or None.

    If the last open bracket is the partner in any width, return it: ``（甲)``. Otherwise return the
    last exact partner. In ``（甲 [乙）``, the last bracket closes the first one, and ``[`` has no
    partner.
    """
    if not waiting:
        return None
    last = len(waiting) - 1
    if mark in _FAMILY and _FAMILY.get(text[waiting[last]]) == _FAMILY[mark]:
        return last
    for depth in range(last, -1, -1):
        if text[waiting[depth]] == _OPENER_OF[mark]:
            return depth
    return None


def family(mark: str) -> str:
    """Return the family of a bracket or quote: marks that a translation may exchange.

    ``（`` and ``)`` belong to "round", and all quotes to "quote". ``《`` is its own family.
    """
    if mark in _QUOTES:
        return "quote"
    return _FAMILY.get(mark, mark)


def full_width(mark: str) -> str:
    """Return the full-width form of a bracket, or another character unchanged."""
    return _FULL.get(mark, mark)


def find_unbalanced(subject: Subject) -> Iterator[Problem]:
    """Report brackets and quotes without a partner, or with a partner of another width.

    ``（词``, ``（词)``
    """
    brackets = read_brackets(subject.masked_chinese)
    if not brackets.single and not brackets.mixed:
        return
    single = _not_single_in_english(subject, brackets.single)
    if single:
        marks = " and ".join(dict.fromkeys(subject.msgstr[at] for at in single))
        yield Problem(
            text=f"has {marks} without a partner",
            hint="Add its partner, or delete it.",
            spans=tuple((at, at + 1) for at in single),
        )
    elif brackets.mixed:
        yield _mixed_problem(subject, brackets.mixed)


def _not_single_in_english(subject: Subject, single: tuple[int, ...]) -> list[int]:
    """Return the single brackets for which the English has no single bracket of the same family.

    If the English is ``(see below``, the translation may be ``（见下文``.
    """
    english = read_brackets(subject.masked_english)
    families = {family(subject.msgid[at]) for at in english.single}
    return [at for at in single if family(subject.msgstr[at]) not in families]


def _mixed_problem(subject: Subject, pairs: tuple[Span, ...]) -> Problem:
    """Return the problem with pairs of a half-width and a full-width bracket."""
    text, characters = subject.msgstr, list(subject.msgstr)
    places: list[int] = []
    shown: list[str] = []
    for opening, closing in pairs:
        places += (opening, closing)
        shown.append(f"{text[opening]}…{text[closing]}")
    for at in places:
        characters[at] = full_width(text[at])
    fix = "".join(characters)
    return Problem(
        text=(
            "pairs a half-width bracket with a full-width one: "
            f"{' and '.join(dict.fromkeys(shown))}"
        ),
        hint="Make both brackets full-width.",
        spans=tuple((at, at + 1) for at in sorted(places)),
        fix=fix if keeps_atoms(text, fix, subject.markup) else None,
    )
