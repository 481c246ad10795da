"""The translation memory of a page, its entries, and the notes of an entry.

A memory is a catalogue with digests in place of the English. It is committed, so it holds no
upstream text. With upstream's documents at hand it opens to the catalogue again. Long code spans,
links and formulas of a translation are ⟦N⟧ (see ``redaction``). The ``#.`` notes of an entry say
where its English is found, and who translated it:

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
``carried over: …``             the catalogue's own notes (see ``states_of``), also
                                ``fuzzy: …``, with ``DIFF`` where they quote English
==============================  =========================================================
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
    matches = _matching_notes(_PATTERNS[prefix], entry)
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
        for match in _matching_notes(_SOURCE, entry)
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


def _matching_notes(pattern: re.Pattern[str], entry: Entry) -> list[re.Match[str]]:
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


Key = tuple[str | None, str]  # msgctxt and digest
Texts = Mapping[str, str]  # digest → English


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The memory of one page in one locale. ``msgid`` and ``previous`` of its entries are digests.

    ``layout`` is a digest of the page's messages in their order: equal layout, equal page as far as
    translators see it.
    """

    upstream: str
    locale: str
    page: str
    commit: str
    ref: str
    layout: str
    project: str = ""  # Project-Id-Version of the catalogue
    date: str = ""  # its POT-Creation-Date
    # Header fields that are the team's.
    extra: Mapping[str, str] = field(default_factory=dict)
    comment: tuple[str, ...] = ()  # above the catalogue's header
    # What people call the commits of notes: a copy of upstream may have other ids for them.
    refs: Mapping[str, str] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()

    @property
    def live(self) -> frozenset[str]:
        """Digests of the messages on the page at the memory's commit."""
        return frozenset(entry.msgid for entry in self.entries if not entry.obsolete)

    @property
    def known_refs(self) -> dict[str, str]:
        """The refs of all commits that this memory names, as far as it knows them."""
        known = dict(self.refs)
        if self.ref:
            known[self.commit] = self.ref
        return known

    def by_key(self) -> dict[Key, Entry]:
        """The entries by context and digest, in their order.

        Of two entries with one key, which a merge of git's may leave, the last counts.
        """
        return {key_of(entry): entry for entry in self.entries}


def digest(text: str) -> str:
    """What stands for an English message: the first 32 hex digits of the SHA-256 of its UTF-8.

    A half of a surrogate pair, which JSON may hold, has a digest as well.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def layout_of(wanted: Sequence[Entry]) -> str:
    """Digest of what a page asks for: its messages in order, with kind and headings.

    A message that moved to another section changes it, though no msgid does. The code that it leads
    to does not: the memory knows nothing of that.
    """
    lines = ("\0".join((entry.msgid, *entry.notes[:1])) for entry in wanted)
    return digest("\n".join(lines))


def key_of(entry: Entry) -> Key:
    """What an entry of a memory is found by: its msgctxt, if it has one, and its digest."""
    return entry.context, entry.msgid


def text_of(entry: Entry) -> str:
    """The translation of a memory's entry, or the note that it is the English itself.

    Empty if there is no translation.
    """
    return entry.msgstr or same_note_of(entry)


def work_of(entry: Entry) -> tuple[object, ...]:
    """What people put into an entry: equal work, nothing to merge.

    Where its English stands, and who touched it, is not part of it.
    """
    return text_of(entry), entry.fuzzy, entry.previous, entry.comments, entry.flags


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Live entries by digest, then obsolete ones as they come.

    So moving a paragraph changes nothing.
    """

    def rank(entry: Entry) -> tuple[bool, str]:
        """Equal for all obsolete entries: sorting keeps those as they are."""
        return entry.obsolete, "" if entry.obsolete else entry.msgid

    return tuple(sorted(entries, key=rank))


def left_over(entry: Entry, *, old: Memory, live: Collection[str]) -> Entry:
    """An entry of ``old`` that the page no longer has: obsolete, with the place of its English.

    ``live`` are the digests of the page as it is now: of these no place needs to be told.
    """
    remade = entry.notes_with((SEEN, PREVIOUS_SEEN, TRANSLATOR))
    # The order is that of ``closing``, so that closing it once more changes nothing.
    notes = [note for note in entry.notes if note not in remade]
    for prefix, code in ((SEEN, entry.msgid), (PREVIOUS_SEEN, entry.previous)):
        place = _left_place(entry, prefix, code, old)
        if place and code not in live:
            notes.append(seen_note(prefix, place))
    notes += translators_of(entry)
    return replace(entry, obsolete=True, notes=tuple(notes), line=0)


def with_refs(memory: Memory, old: Memory | None, known: Mapping[str, str]) -> Memory:
    """``memory`` with the refs of the commits that its notes name, as far as they are ``known``.

    What ``old``, the same page's memory so far, names without a ref stays without one: so nothing
    changes in a memory that nobody has touched.
    """
    refs = dict(known)
    if old:
        refs.update(dict.fromkeys(commits_in(old.entries), ""))
        refs.update(old.refs)
    named = {commit: refs.get(commit, "") for commit in commits_in(memory.entries)}
    return replace(memory, refs={commit: ref for commit, ref in named.items() if ref})


def _left_place(
    entry: Entry, prefix: str, code: str | None, old: Memory
) -> Place | None:
    """Where the English ``code`` of an entry of ``old`` stands; None if nobody knows.

    As long as it stood on the page itself, no note had to say where.
    """
    place = place_of(entry, prefix)
    if place is None and code in old.live:
        return Place(commit=old.commit, page=old.page)
    return place


def index_places(memories: Iterable[Memory]) -> dict[str, Place]:
    """Where each English message that a memory speaks of can be found, by its digest.

    Of several memories that tell it the first one counts, so that the order in which they
    come decides. A note counts less than any page that has the message itself.
    """
    places: dict[str, Place] = {}
    known = tuple(memories)
    # A page that has the message at its own commit is a better witness than a note of long ago.
    for memory in known:
        place = Place(commit=memory.commit, page=memory.page)
        for code in memory.live:
            places.setdefault(code, place)
    for memory in known:
        for entry in memory.entries:
            for code, seen in english_of(entry):
                if seen:
                    places.setdefault(code, seen)
    return places
