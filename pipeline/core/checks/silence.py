"""Comments that silence a check for one entry: ``# pipeline: ignore=M203 reason``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pipeline.core.checks.base import Problem
from pipeline.entries import Entry

_IGNORE = re.compile(
    r"pipeline:\s*ignore=([A-Z]\d+(?:\s*,\s*[A-Z]\d+)*)\s*(.*)", re.DOTALL
)
# What compares formulas and roles, of which renderers make markup of their own. The guard looks at
# them first; whoever finds a way past it shall not get further by a comment beside his words.
_FOR_SAFETY = frozenset(("M106", "M203", "M205"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """The codes that a comment takes out for its entry, and why."""

    codes: tuple[str, ...]
    reason: str


def ignores_of(entry: Entry) -> Iterator[Ignore]:
    """What the comments of an entry silence.

    ``pipeline: ignore=M203, M304 the value is the same`` -> two codes, and the reason
    """
    for comment in entry.comments:
        if match := _IGNORE.fullmatch(comment.strip()):
            codes, reason = match.groups()
            yield Ignore(
                codes=tuple(re.split(r"\s*,\s*", codes)),
                reason=reason.strip(),
            )


def silenced_codes(entry: Entry) -> frozenset[str]:
    """Return the codes that the comments of an entry take out."""
    codes = (code for ignore in ignores_of(entry) for code in ignore.codes)
    return frozenset(filter(may_silence, codes))


def is_guards(code: str) -> bool:
    """Whether a code is one of the guard's, which nobody can silence."""
    return code.startswith("G")


def may_silence(code: str) -> bool:
    """Whether a comment in a catalogue can silence a code: none of the guard's, nor for safety."""
    return not is_guards(code) and code not in _FOR_SAFETY


def silence_problems(
    entry: Entry, known: Collection[str], used: Collection[str]
) -> Iterator[Problem]:
    """What is wrong with the comments that silence checks for an entry.

    ``known`` are all codes that there are, ``used`` those that a comment took out of the results.
    """
    for ignore in ignores_of(entry):
        for code in ignore.codes:
            if problem := _problem_with(code, known, used):
                yield problem
        if not ignore.reason:
            yield Problem(
                text=f"{', '.join(ignore.codes)} is silenced without a reason",
                hint="Write it behind the code, for whoever comes after you.",
            )


def _problem_with(
    code: str, known: Collection[str], used: Collection[str]
) -> Problem | None:
    """What is wrong with silencing one code; None if that is right."""
    if code not in known:
        return Problem(
            text=f"there is no check {code} to silence",
            hint="Look the code up in the list of checks, or delete the comment.",
        )
    if not may_silence(code):
        return Problem(
            text=f"{code} cannot be silenced",
            hint="Mend the translation: as it is, it would never be built.",
        )
    if code not in used:
        return Problem(
            text=f"nothing is wrong that {code} tells of",
            hint="Delete the comment: it would hide a mistake made later.",
        )
    return None
