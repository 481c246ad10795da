"""Mistakes that change the meaning of a Chinese sentence.

A defect has pairs of a pattern and its replacement, and each mistake is one replacement. Only prose
is changed: matches are found in text without atoms.
"""

from __future__ import annotations

import random
import re
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from pipeline.core.checks.masked import OTHER, WORD
from pipeline.core.checks.meaning.untranslated import count_han
from pipeline.core.checks.model import Subject

_ATOMS = re.compile(f"[{WORD}-{OTHER}]")
_CLAUSE = re.compile(r"[^，；：。！？（）\n]+[，；：。！？]")
_SHORTEST_CLAUSE = 6  # characters


class Defect(Struct, frozen=True, kw_only=True):
    """Class of mistakes, and the share of them that checks must detect at least."""

    name: str
    least: float
    changes: tuple[tuple[str, str], ...] = ()
    opposites: str = ""  # pairs, which white space separates
    # Whoever drops a word cannot be told unless the English has it.
    english: str = ""

    @property
    def all_changes(self) -> list[tuple[str, str]]:
        """Return all changes, with the opposites in both directions."""
        found: list[tuple[str, str]] = []
        for pair in self.opposites.split():
            first, second = pair.split("/")
            found += ((first, second), (second, first))
        return [*found, *self.changes]


_TABLE = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
DEFECTS = msgspec.convert(tomllib.loads(_TABLE)["defect"], tuple[Defect, ...])


def damage(subject: Subject, defect: Defect, chance: random.Random) -> Subject | None:
    """Return the entry with one mistake of this class, or None if none is possible."""
    if defect.english and not re.search(defect.english, subject.masked_english.lower()):
        return None
    changed = list(_changed(subject, defect.all_changes))
    return _with(subject, chance.choice(changed)) if changed else None


def _changed(subject: Subject, changes: Sequence[tuple[str, str]]) -> Iterator[str]:
    """Yield the msgstr with each possible single change."""
    msgstr = subject.msgstr
    for pattern, replacement in changes:
        for match in re.finditer(pattern, subject.masked_chinese):
            new = match.expand(replacement)
            yield msgstr[: match.start()] + new + msgstr[match.end() :]


def drop_clause(subject: Subject, chance: random.Random) -> Subject | None:
    """Return the entry without one of its clauses.

    Clauses with code are kept, because the checks M2… report lost code anyway.
    """
    text = subject.masked_chinese
    clauses = list(_CLAUSE.finditer(text))
    plain = [
        clause
        for clause in clauses
        if count_han(clause[0]) >= _SHORTEST_CLAUSE and not _ATOMS.search(clause[0])
    ]
    if len(clauses) < 2 or not plain:
        return None
    clause = chance.choice(plain)
    msgstr = subject.msgstr
    return _with(subject, msgstr[: clause.start()] + msgstr[clause.end() :])


def _with(subject: Subject, msgstr: str) -> Subject:
    return Subject(replace(subject.entry, msgstr=msgstr), subject.page)
