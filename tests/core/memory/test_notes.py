"""core/memory/notes: places in the notes of an entry."""

from __future__ import annotations

from dataclasses import replace

from pipeline.core.memory.notes import (
    Place,
    commits_in,
    malformed_note,
    renamed_places,
)
from pipeline.entries import Entry

OLD, NEW, OTHER = "a" * 40, "b" * 40, "c" * 40
TEXT, BEFORE, PART = "1" * 32, "2" * 32, "3" * 32
ENTRY = Entry(
    msgid=TEXT,
    previous=BEFORE,
    fuzzy=True,
    notes=(
        "fuzzy: rewording",
        f"seen: {OLD} a page",
        f"previous seen: {OTHER} page",
        "translator: Li Lei, 2026-01-02 03:04+0800",
    ),
)
JOINED = replace(ENTRY, notes=(f"source: {PART} {OLD} page", "seen: nowhere"))


def test_commits_of_all_notes() -> None:
    assert commits_in([ENTRY]) == {OLD, OTHER}
    assert commits_in([JOINED]) == {OLD}
    assert commits_in([]) == frozenset()


def test_places_are_renamed_and_everything_else_stays() -> None:
    asked: list[str] = []

    def rename(code: str, place: Place) -> Place:
        asked.append(code)
        return replace(place, commit=NEW) if place.commit == OLD else place

    renamed = renamed_places(ENTRY, rename)
    assert renamed.notes == (
        "fuzzy: rewording",
        f"seen: {NEW} a page",
        *ENTRY.notes[2:],
    )
    assert renamed_places(JOINED, rename).notes == (
        f"source: {PART} {NEW} page",
        "seen: nowhere",
    )
    assert asked == [TEXT, BEFORE, PART]


def test_the_first_note_that_names_no_commit_is_told() -> None:
    assert malformed_note(ENTRY) == ""
    assert malformed_note(JOINED) == "seen: nowhere"
    assert malformed_note(replace(ENTRY, notes=(*ENTRY.notes, "source: x"))) == (
        "source: x"
    )
