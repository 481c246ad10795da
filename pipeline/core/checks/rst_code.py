"""Code of reStructuredText: backquotes that show, or that make no code.

Code stands between two backquotes on each side. Whoever is used to Markdown writes one, which makes
a role; or writes code within bold, which reStructuredText does not know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from pipeline.core.checks.base import Problem, Subject
from pipeline.core.checks.mending import (
    as_replacement,
    excess,
    fewer,
    improves,
    missing,
    quote,
    spans_of,
)
from pipeline.core.checks.parsed import Atom, Parsed

_TICKS = "[`｀]"
# What code must not stand beside, for it to be the whole word.
_NOT_BEHIND, _NOT_BEFORE = "(?<![:`｀A-Za-z0-9_])", "(?![`｀A-Za-z0-9_])"


def find_code(subject: Subject) -> Iterator[Problem]:
    """Backquotes that show, or that make no code: ``f`` between one on each side.

    Code that is gone with its marks is told of by M201.
    """
    if not re.search(_TICKS, subject.msgstr):
        return
    lost = fewer(subject.english, subject.chinese, Atom.CODE)
    single = _in_too_few_backquotes(subject, lost)
    if not single and excess(subject, "`", "｀") <= 0:
        return
    mark = "｀" if "｀" in subject.chinese.literal else "`"
    text = _what_shows(subject.chinese, mark)
    if single:
        mark = f"`{single[0]}`"
        text = f"{quote(mark)} is no code: reST wants two backquotes"
    lost_roles = missing(subject.english, subject.chinese, Atom.ROLE)
    yield Problem(
        text=text,
        hint=_hint(subject.chinese, [*single, *lost]),
        spans=spans_of(subject.msgstr, mark),
        fix=_mended(subject, lost),
        is_minor=not lost and not lost_roles,  # then it is a matter of looks
    )


def _in_too_few_backquotes(subject: Subject, lost: list[str]) -> list[str]:
    """The ``lost`` code that stands in single backquotes, where the English has two.

    What the English has in single backquotes as well is right so.
    """
    theirs = _in_single_backquotes(subject.english)
    ours = _in_single_backquotes(subject.chinese)
    return [code for code in ours if code in lost and code not in theirs]


def _in_single_backquotes(parsed: Parsed) -> list[str]:
    """What stands in single backquotes, without the name of a role.

    Of ``用 `f` 和 :func:`g` 时`` it is ``f``.
    """
    roles = parsed.nodes("role")
    return [role.children[0].value for role in roles if role.value.startswith("`")]


def _is_code_within_bold(parsed: Parsed) -> bool:
    """Whether backquotes show within bold or italics: ``**用 ``f`` 时**``."""
    shown: list[str] = []
    for container in parsed.nodes("strong", "em"):
        shown += [inner.value for inner in container.children]
    return "`" in "".join(shown)


def _what_shows(chinese: Parsed, mark: str) -> str:
    """What is to be said of a ``mark`` that shows, in the words of a sentence."""
    if _is_code_within_bold(chinese):
        return "code within bold or italics shows its backquotes"
    if mark == "｀":
        return "a full-width ｀ shows"
    return "a backquote shows: one is missing or too many"


def _hint(chinese: Parsed, lost: list[str]) -> str:
    """What to do about backquotes that show, where code may be lost."""
    if _is_code_within_bold(chinese):
        return (
            "reST knows no code within bold: end the stars before it, "
            "and begin them again behind it if need be."
        )
    if lost:
        return f"Write ``{lost[0]}``."
    return "Put two backquotes before the code and two behind it."


def _mended(subject: Subject, lost: list[str]) -> str | None:
    """The msgstr with more of the lost code; None if neither way to mend it gives that.

    The marks may be too few, or stand within stars.
    """
    for mend in (_with_ticks, _taken_apart):
        fix = mend(subject.msgstr, lost)
        if improves(subject, fix, Atom.CODE):
            return fix
    return None


def _with_ticks(source: str, lost: list[str]) -> str:
    """``source`` with two backquotes on each side of lost code that has any beside it.

    A backquote on one side, one on each, or full-width ones: all become two on each side.
    Code without any mark beside it stays as it is.
    """
    for code in lost:
        words = re.escape(code)
        has_any = rf"(?={_TICKS}|{words}\s*{_TICKS})"
        loose = rf"{_TICKS}{{0,2}}\s*{words}\s*{_TICKS}{{0,2}}"
        pattern = f"{_NOT_BEHIND}{has_any}{loose}{_NOT_BEFORE}"
        source = re.sub(pattern, as_replacement(f"``{code}``"), source)
    return source


def _taken_apart(source: str, lost: list[str]) -> str:
    """``source`` with lost code taken out of stars, which begin again behind it.

    Bold is looked at before italics: two stars are no pair of single ones.
    """
    for code in lost:
        literal = f"``{code}``"
        for stars in (r"\*\*", r"\*"):
            within = rf"(?P<before>[^*]*?)\s*{re.escape(literal)}\s*(?P<after>[^*]*)"
            pattern = rf"(?<!\*)(?P<stars>{stars})(?!\*){within}(?P=stars)(?!\*)"
            source = re.sub(pattern, partial(_apart, literal), source)
    return source


def _apart(literal: str, match: re.Match[str]) -> str:
    """``**使用 ``f`` 时**`` as ``**使用** ``f`` **时**``."""
    stars = match["stars"]
    before, after = match["before"].strip(), match["after"].strip()
    parts = [literal]
    if before:
        parts.insert(0, f"{stars}{before}{stars}")
    if after:
        parts.append(f"{stars}{after}{stars}")
    return " ".join(parts)
