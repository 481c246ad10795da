"""Drafts: translations that a machine has made, and that no person has looked at.

A note tells them, with a digest of their words: ``draft: some-model, prompt 1, 2026-05-01,
1f0c9a7b``. So a draft is known as one only while its words are the machine's. As soon as a person
changes or confirms them, the note says where they came from: ``drafted: some-model, prompt 1,
2026-05-01``. The invariant: to everything but a person's eyes a draft is an empty entry.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass

from pipeline.core.catalog.states import DRAFT, DRAFTED
from pipeline.entries import Entry

GLOSSARY = "glossary"  # in place of a model: the words are a row of the glossary
UNDATED = "undated"  # in place of a date: a plain folder has no commits
_ORIGIN = r"(?P<model>\S.*), prompt (?P<prompt>\d+), (?P<date>\d{4}-\d\d-\d\d|undated)"
_NOTE = re.compile(rf"{DRAFT} (?P<origin>{_ORIGIN}), (?P<digest>[0-9a-f]{{8}})")
_DIGITS = 8  # of the digest: who changes words does not mean to keep it


@dataclass(frozen=True, slots=True, kw_only=True)
class Origin:
    """What made a draft: a model, asked with the prompt of a number, for the English of a day."""

    model: str
    prompt: int
    date: str  # of the upstream commit: 2026-05-01, or UNDATED

    @property
    def is_term(self) -> bool:
        """Whether the words are a row of the glossary, and no model was asked."""
        return self.model == GLOSSARY

    def note(self, msgstr: str) -> str:
        """The note of a draft with these words."""
        made_by = f"{self.model}, prompt {self.prompt}, {self.date}"
        return f"{DRAFT} {made_by}, {_digest(msgstr)}"


def origin_of(entry: Entry) -> Origin | None:
    """What made the words of a draft; None if the entry is none, or a person has changed them."""
    match = _note_of(entry)
    if match is None or not entry.is_waiting:
        return None
    # Poedit, Weblate and editors keep the note, whatever somebody does to the words.
    if match["digest"] != _digest(entry.msgstr):
        return None
    return Origin(model=match["model"], prompt=int(match["prompt"]), date=match["date"])


def is_draft(entry: Entry) -> bool:
    """Whether the words of an entry are a machine's, as it left them."""
    return origin_of(entry) is not None


def is_replaceable(entry: Entry) -> bool:
    """Whether an entry is a draft that nobody has put anything into, not even a remark."""
    return is_draft(entry) and not entry.comments


def are_replaceable(entries: Iterable[Entry]) -> bool:
    """Whether there are entries, and all of them are drafts that may go."""
    found = list(entries)
    return bool(found) and all(map(is_replaceable, found))


def is_remembered_draft(entry: Entry) -> bool:
    """The same as ``is_draft`` for an entry of a memory.

    Its msgstr lacks long atoms, so that the digest cannot be compared; closing has done that.
    """
    return entry.fuzzy and any(note.startswith(DRAFT) for note in entry.notes)


def settled_notes(entry: Entry) -> tuple[str, ...]:
    """The notes of an entry, of which none calls the words of a person a draft."""
    match = _note_of(entry)
    if match is None or is_draft(entry):
        return entry.notes
    drafted = f"{DRAFTED} {match['origin']}"
    return tuple(drafted if note == match[0] else note for note in entry.notes)


def _note_of(entry: Entry) -> re.Match[str] | None:
    """The note of a draft, whether its words are still there or not."""
    for note in entry.notes:
        match = _NOTE.fullmatch(note)
        if match:
            return match
    return None


def _digest(msgstr: str) -> str:
    data = msgstr.encode("utf-8", "surrogatepass")
    return hashlib.sha256(data).hexdigest()[:_DIGITS]
