"""The ``#.`` notes of a memory's entries: where their English is found, and who translated them.

==============================  =========================================================
``seen: COMMIT PAGE``           where the English of an entry stood that is not on the
                                page at the header's commit
``previous seen: COMMIT PAGE``  the same for the English that a fuzzy translation was
                                written for
``source: DIGEST COMMIT PAGE``  one of several messages that this translation was put
                                together from, or the one it followed
``same: as the English``        the msgstr is the English itself (or ``as the previous
                                English``), so it is left out
``translator: WHO, WHEN``       who last touched the entry, from the catalogue's header
``carried over: …``             the catalogue's own notes (see ``states``), also
                                ``fuzzy: …``, with ``DIFF`` where they quote English
==============================  =========================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from pipeline.entries import Entry

# What stands in place of a diff. No catalogue has it: a diff shows words.
DIFF = "[-…-]{+…+}"
# These stand for a msgstr that would be English.
SAME, SAME_AS_PREVIOUS = "same: as the English", "same: as the previous English"
# What the other notes begin with.
SEEN, PREVIOUS_SEEN = "seen: ", "previous seen: "
SOURCE, TRANSLATOR = "source: ", "translator: "

# Who, when, and with which tool: the groups of a translator's note.
TOUCH = re.compile(
    r"translator: (.*?), (\d{4}-\d\d-\d\d \d\d:\d\d[+-]\d{4})(?:, (.+))?"
)
_DIGEST, _COMMIT, _PAGE = r"([0-9a-f]{32})", r"([0-9a-f]{40})", r"(\S.*)"
_SOURCE = re.compile(f"{SOURCE}{_DIGEST} {_COMMIT} {_PAGE}")
# What a note that begins so must look like.
_PATTERNS = {
    SEEN: re.compile(f"{SEEN}{_COMMIT} {_PAGE}"),
    PREVIOUS_SEEN: re.compile(f"{PREVIOUS_SEEN}{_COMMIT} {_PAGE}"),
    SOURCE: _SOURCE,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an English message can be found."""

    commit: str
    page: str


class English(NamedTuple):
    """The digest of an English message, and where it was last seen, if a note says so."""

    digest: str
    place: Place | None


def seen_note(prefix: str, place: Place) -> str:
    """The note that English stood at ``place``; ``prefix`` is ``SEEN`` or ``PREVIOUS_SEEN``.

    ``SEEN`` and the page ``guide/start`` at ``1f0c…`` → ``seen: 1f0c… guide/start``.
    ``place_of`` is the inverse.
    """
    return f"{prefix}{place.commit} {place.page}"


def source_note(code: str, place: Place) -> str:
    """The note that a translation was made from the message with digest ``code``.

    It ends like that of ``seen_note``: ``source: 9a8b… 1f0c… guide/start``.
    ``sources_of`` is the inverse.
    """
    return f"{SOURCE}{code} {place.commit} {place.page}"


def translators_of(entry: Entry) -> tuple[str, ...]:
    """The notes that say who touched an entry, and when.

    ``translator: Li Lei <li@example.org>, 2026-05-01 09:30+0800, Poedit 3.4``
    """
    return entry.notes_with(TRANSLATOR)


def same_note_of(entry: Entry) -> str:
    """The note that the translation is the English itself; empty if there is none.

    It is ``SAME`` or ``SAME_AS_PREVIOUS``, and stands in place of a msgstr.
    """
    for note in entry.notes:
        if note in (SAME, SAME_AS_PREVIOUS):
            return note
    return ""


def place_of(entry: Entry, prefix: str) -> Place | None:
    """The place in the note that begins with ``prefix``: ``SEEN`` or ``PREVIOUS_SEEN``.

    None if there is no such note. ``read_memory`` lets none in that is malformed.
    """
    matches = _matches(_PATTERNS[prefix], entry)
    if not matches:
        return None
    # An entry has one such note. If git has merged two into it, the first one counts.
    return Place(commit=matches[0][1], page=matches[0][2])


def sources_of(entry: Entry) -> list[English]:
    """The messages that a translation was put together from, or the one it followed.

    They come in the order of the notes, which is that of the messages in the joined text.
    """
    return [
        English(match[1], Place(commit=match[2], page=match[3]))
        for match in _matches(_SOURCE, entry)
    ]


def english_of(entry: Entry) -> Iterator[English]:
    """All English that it takes to open an entry, each with its place if a note tells it.

    First its message, then what the translation was written for, or made from.
    """
    yield English(entry.msgid, place_of(entry, SEEN))
    sources = sources_of(entry)
    # Joined sources are the previous English, which then never stood anywhere as one message.
    if entry.previous is not None and not sources:
        yield English(entry.previous, place_of(entry, PREVIOUS_SEEN))
    yield from sources


def commits_in(entries: Iterable[Entry]) -> frozenset[str]:
    """The commits that the notes of ``entries`` name."""
    commits: set[str] = set()
    for entry in entries:
        for _, place in english_of(entry):
            if place:
                commits.add(place.commit)
    return frozenset(commits)


def renamed_places(entry: Entry, rename: Callable[[str, Place], Place]) -> Entry:
    """``entry`` with other places in its notes: ``rename`` takes the English's digest and place."""
    codes = {SEEN: entry.msgid, PREVIOUS_SEEN: entry.previous or ""}
    notes: list[str] = []
    for note in entry.notes:
        source = _SOURCE.fullmatch(note)
        if source:
            place = Place(commit=source[2], page=source[3])
            notes.append(source_note(source[1], rename(source[1], place)))
            continue
        renamed = note
        for prefix, code in codes.items():
            seen = _PATTERNS[prefix].fullmatch(note)
            if seen:
                place = Place(commit=seen[1], page=seen[2])
                renamed = seen_note(prefix, rename(code, place))
        notes.append(renamed)
    return replace(entry, notes=tuple(notes))


def _matches(pattern: re.Pattern[str], entry: Entry) -> list[re.Match[str]]:
    """Those notes of an entry that ``pattern`` describes, as it reads them, in order."""
    return [match for match in map(pattern.fullmatch, entry.notes) if match]


def malformed_note(entry: Entry) -> str:
    """The first note that must name a commit and a page, and does not; empty if there is none.

    A merge of git's, or a hand, may leave such a note: ``seen: HEAD guide/start``.
    """
    for note in entry.notes_with(tuple(_PATTERNS)):
        # "previous seen: 1f0c… guide/start" → "previous seen: "
        prefix = f"{note.partition(':')[0]}: "
        if not _PATTERNS[prefix].fullmatch(note):
            return note
    return ""
