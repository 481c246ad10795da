"""Comments that silence a check for one entry: ``# pipeline: ignore=M203 reason``."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pipeline.entries import Entry

_IGNORE = re.compile(r"pipeline:\s*ignore=([A-Z]\d+(?:\s*,\s*[A-Z]\d+)*)\s*(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignore:
    """The codes that a comment takes out for its entry, and why."""

    codes: tuple[str, ...]
    reason: str


def ignores_of(entry: Entry) -> Iterator[Ignore]:
    """What the comments of an entry say."""
    for comment in entry.comments:
        if match := _IGNORE.fullmatch(comment.strip()):
            yield Ignore(codes=tuple(re.split(r"\s*,\s*", match[1])), reason=match[2].strip())


def is_guards(code: str) -> bool:
    """Whether nobody can silence it."""
    return code.startswith("G")


def silence_problems(
    entry: Entry, known: Collection[str], used: Collection[str]
) -> Iterator[tuple[str, str]]:
    """What is wrong with the comments that silence checks for an entry: text and hint. ``used`` are the codes that they took out."""
    for ignore in ignores_of(entry):
        for code in ignore.codes:
            if code not in known:
                yield (
                    f"there is no check {code} to silence",
                    "Look the code up in the list of checks, or delete the comment.",
                )
            elif is_guards(code):
                yield (
                    f"{code} cannot be silenced",
                    "Mend the translation: what it adds would never be built.",
                )
            elif code not in used:
                yield (
                    f"nothing is wrong that {code} tells of",
                    "Delete the comment: it would hide a mistake made later.",
                )
        if not ignore.reason:
            yield (
                f"{', '.join(ignore.codes)} is silenced without a reason",
                "Write it behind the code, for whoever comes after you.",
            )
