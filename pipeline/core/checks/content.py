"""M3: does the translation say what the English says?

These are guesses from numbers, marks and lengths. A person must look, so that none of them keeps a
message from being built.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipeline.core.checks.base import Check, Find, Problem, Subject
from pipeline.core.checks.brackets import family, full_width, read_brackets
from pipeline.core.checks.endings import find_cut, find_lost_colon
from pipeline.core.checks.lengths import find_length, find_sentence_count
from pipeline.core.checks.masked import CLOSE, HAN, OPEN, keeps_atoms
from pipeline.core.checks.quantities import find_numbers, find_units
from pipeline.core.checks.untranslated import (
    find_copied,
    find_english,
    find_untranslated_part,
)
from pipeline.findings import Severity, Span

_MARKS = f"[{OPEN}{CLOSE}]*[ ]?[{OPEN}{CLOSE}]*"
# One character that is hardly ever doubled. What stands beside it may make it part of another word:
# 在在线 is 在 + 在线, 为了了解 is 为了 + 了解, 现在在 is 现在 + 在.
_DOUBLED_CHARACTER = r"""
      (?<![参授赋应])([我你他她它这那很们与于但且该或])\1
    | (?<!目)的的(?!确) | 了了(?![解结然事]) | (?<![但可于])是是(?![否非])
    | (?<![现存所内外潜实])在在(?!编[^译]|[线场职位读途建研于])
    | 都都(?!市) | 也也(?!许) | 就就(?![业绪]) | 把把(?![手握关]) | 被被(?![动除乘减加调告测])
    | 从从(?![属未事]) | 并并(?![行发列联]) | (?<!总)和和(?![谐弦声平]) | 及及(?![时格])
    | (?<![行认作因成视])为为(?![什何数])
    """
# Several characters: 数组数组. Not 一步一步, 研究研究 and the like, which are good Chinese.
_MAY_BE_TWICE = "一|的|很|越|又|讨论|研究|考虑|尝试|商量|思考|非常|很多|许多"
_DOUBLED_WORDS = rf"""
      (?!{_MAY_BE_TWICE})([{HAN}])(?!\2)
      (?=.{{1,5}}[{OPEN}{CLOSE} ]*\2)  # what it looks ahead for is rare, and soon told
      ([{HAN}]{{1,5}})(?<!的){_MARKS}\2\3
    """
_DOUBLED_LATIN = rf"""
      (?<![\w.-])(?P<latin>[A-Za-z]{{2,}})(?=[ ]){_MARKS}(?P=latin)(?![\w.-])
    """
_DOUBLED = re.compile(
    f"{_DOUBLED_CHARACTER} | {_DOUBLED_WORDS} | {_DOUBLED_LATIN}", re.VERBOSE
)


def _find_doubled(subject: Subject) -> Iterator[Problem]:
    """Words that stand twice in a row: ``的的``, ``数组数组``, ``the the``.

    Latin words may be doubled in the English as well: "had had".
    """
    spans = [
        match.span()
        for match in _DOUBLED.finditer(subject.masked_chinese)
        if not match["latin"] or match[0] not in subject.msgid
    ]
    if spans:
        words = "”, “".join(subject.msgstr[start:end] for start, end in spans)
        yield Problem(
            text=f"says the same twice: “{words}”",
            hint="Delete one of the two.",
            spans=tuple(spans),
        )


def _find_unbalanced(subject: Subject) -> Iterator[Problem]:
    """Brackets and quotes without a partner, or with one of another width: ``（词``, ``（词)``."""
    brackets = read_brackets(subject.masked_chinese)
    if not brackets.single and not brackets.mixed:
        return
    single = _not_single_in_english(subject, brackets.single)
    if single:
        marks = " and ".join(dict.fromkeys(subject.msgstr[at] for at in single))
        yield Problem(
            text=f"has {marks} without a partner",
            hint="Add the other one of the pair, or delete it.",
            spans=tuple((at, at + 1) for at in single),
        )
    elif brackets.mixed:
        yield _mixed(subject, brackets.mixed)


def _not_single_in_english(subject: Subject, single: tuple[int, ...]) -> list[int]:
    """Those of some single brackets whose kind has its partner in the English.

    If the English ends with ``(see below``, the translation may end with ``（见下文``.
    """
    english = read_brackets(subject.masked_english)
    families = {family(subject.msgid[at]) for at in english.single}
    return [at for at in single if family(subject.msgstr[at]) not in families]


def _mixed(subject: Subject, pairs: tuple[Span, ...]) -> Problem:
    """What is to be said of pairs of a half-width bracket and a full-width one."""
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
        hint="Make both full-width.",
        spans=tuple((at, at + 1) for at in sorted(places)),
        fix=fix if keeps_atoms(text, fix, subject.markup) else None,
    )


def _find_unreviewed(subject: Subject) -> Iterator[Problem]:
    """An entry whose fuzzy mark was taken off, but not what came with the mark."""
    if subject.entry.previous is not None:
        yield Problem(
            text=(
                "is no longer marked fuzzy, but still has the English that it was written for (#|)"
            ),
            hint="Compare it with the new English; then delete the lines that start with #|.",
        )


def _warning(find: Find, *, code: str, name: str) -> Check:
    return Check(code=code, name=name, severity=Severity.WARNING, find=find)


# Nothing in it depends on what the words mean.
OF_ANY_LANGUAGE: tuple[Check, ...] = (
    _warning(_find_unreviewed, code="M313", name="fuzzy mark taken off only"),
)
# It can be told without the English.
OF_TEXT: tuple[Check, ...] = (
    _warning(_find_doubled, code="M311", name="doubled words"),
)
CHECKS: tuple[Check, ...] = (
    _warning(find_english, code="M301", name="left in English"),
    _warning(find_copied, code="M302", name="copy of the English"),
    _warning(find_untranslated_part, code="M303", name="English words left"),
    _warning(find_numbers, code="M304", name="other numbers"),
    _warning(find_units, code="M305", name="other units"),
    _warning(find_sentence_count, code="M306", name="too few or too many sentences"),
    _warning(find_length, code="M307", name="too short or too long"),
    _warning(find_lost_colon, code="M308", name="lost colon"),
    _warning(find_cut, code="M309", name="cut off"),
    *OF_TEXT,
    _warning(_find_unbalanced, code="M312", name="brackets or quotes without partner"),
    *OF_ANY_LANGUAGE,
)
