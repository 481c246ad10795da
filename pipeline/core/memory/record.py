"""Records of the translation memory of a page, and the notes of its entries.

A memory is a catalogue with digests in place of English. It is committed, so it must not contain
upstream's text. With upstream's documents, it can be converted to a catalogue again ("opened").
In a translation, ``⟦N⟧`` replaces a long code span, link or formula (see ``redact``). The ``#.``
notes of an entry say in which commit and page its English is, and who translated it:

==============================  =========================================================
``seen: COMMIT PAGE``           place of the entry's English, if the page does not have
                                it at the header's commit
``previous seen: COMMIT PAGE``  place of the previous English: a fuzzy translation was
                                written for this text
``source: DIGEST COMMIT PAGE``  another message, whose translation was adapted to this
                                message or became a part of this translation
``same: as the English``        the msgstr equals the English and is left out (also
                                ``same: as the previous English``)
``translator: WHO, WHEN``       who last edited the entry, from the catalogue's header
``carried over: …``             a note of the catalogue (see ``states_of``), like
                                ``fuzzy: …``; ``DIFF`` replaces a diff of English
==============================  =========================================================
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.core.document.prose import atoms_of
from pipeline.entries import Entry

# Placeholder for a diff in a note. A real diff never looks like this, because it contains words.
DIFF = "[-…-]{+…+}"
# Notes that replace a msgstr which is English.
SAME, SAME_AS_PREVIOUS = "same: as the English", "same: as the previous English"
# Prefixes of the other notes.
SEEN, PREVIOUS_SEEN = "seen: ", "previous seen: "
SOURCE, TRANSLATOR = "source: ", "translator: "

# Groups of a translator note: who, when, with which tool.
TOUCH = re.compile(r"translator: (.*?), (\d{4}-\d\d-\d\d \d\d:\d\d[+-]\d{4})(?:, (.+))?")
# A note about a place. Only a ``source:`` note has a digest.
_PLACE_NOTE = re.compile(
    rf"(?P<prefix>{SEEN}|{PREVIOUS_SEEN}|{SOURCE}(?P<digest>[0-9a-f]{{32}}) )"
    r"(?P<commit>[0-9a-f]{40}) (?P<page>\S.*)"
)


class Place(Struct, frozen=True, kw_only=True):
    """Commit and page where an English message can be found."""

    commit: str
    page: str


class English(NamedTuple):
    """Digest of an English message, and the place of the message, if a note names the place."""

    digest: str
    place: Place | None


def place_note(prefix: str, place: Place) -> str:
    """Return the note that names ``place`` as the place of English.

    ``prefix`` is ``SEEN`` or ``PREVIOUS_SEEN``. ``SEEN`` and the page ``guide/start`` at ``1f0c…``
    → ``seen: 1f0c… guide/start``. ``place_of`` is the inverse.
    """
    return f"{prefix}{place.commit} {place.page}"


def source_note(code: str, place: Place) -> str:
    """Return the note about a message whose translation became a part of another translation.

    ``code`` is the digest of the message: ``source: 9a8b… 1f0c… guide/start``. ``sources_of`` is
    the inverse.
    """
    return place_note(f"{SOURCE}{code} ", place)


def translators_of(entry: Entry) -> tuple[str, ...]:
    """Return the notes that say who edited an entry, and when.

    ``translator: Li Lei <li@example.org>, 2026-05-01 09:30+0800, Poedit 3.4``
    """
    return entry.notes_with(TRANSLATOR)


def same_note_of(entry: Entry) -> str:
    """Return the note that replaces a msgstr which is English, or "" without such a note.

    The note is ``SAME`` or ``SAME_AS_PREVIOUS``.
    """
    for note in entry.notes:
        if note in (SAME, SAME_AS_PREVIOUS):
            return note
    return ""


def place_of(entry: Entry, prefix: str) -> Place | None:
    """Return the place in the note that begins with ``prefix``, or None without such a note.

    ``prefix`` is ``SEEN`` or ``PREVIOUS_SEEN``. The note has the right format, because
    ``read_memory`` rejects all others.
    """
    # An entry has one such note. If a git merge left two, the first one counts.
    for note in _place_notes(entry):
        if note["prefix"] == prefix:
            return _place_in(note)
    return None


def sources_of(entry: Entry) -> list[English]:
    """Return the messages whose translations became the entry's translation.

    The notes ``source:`` name these messages. If there are several, they are in the order of the
    joined text.
    """
    return [
        English(note["digest"], _place_in(note)) for note in _place_notes(entry) if note["digest"]
    ]


def english_of(entry: Entry) -> Iterator[English]:
    """Yield all English that is needed to open an entry, with its place if a note has it.

    The entry's message comes first, then the previous English or the sources.
    """
    yield English(entry.msgid, place_of(entry, SEEN))
    sources = sources_of(entry)
    # With sources, the previous English is their joined text, which is no message itself.
    if entry.previous is not None and not sources:
        yield English(entry.previous, place_of(entry, PREVIOUS_SEEN))
    yield from sources


def commits_in(entries: Iterable[Entry]) -> frozenset[str]:
    """Return the commits that the notes of ``entries`` name."""
    commits: set[str] = set()
    for entry in entries:
        for _, place in english_of(entry):
            if place:
                commits.add(place.commit)
    return frozenset(commits)


def renamed_places(entry: Entry, rename: Callable[[str, Place], Place]) -> Entry:
    """Return ``entry`` with each place in its notes replaced by ``rename(digest, place)``."""
    codes = {SEEN: entry.msgid, PREVIOUS_SEEN: entry.previous or ""}

    def renamed(note: str) -> str:
        match = _PLACE_NOTE.fullmatch(note)
        if match is None:
            return note
        code = match["digest"] or codes[match["prefix"]]
        return place_note(match["prefix"], rename(code, _place_in(match)))

    return replace(entry, notes=tuple(map(renamed, entry.notes)))


def _place_notes(entry: Entry) -> list[re.Match[str]]:
    """Return the notes of an entry about places, in order, as matches of ``_PLACE_NOTE``."""
    return list(filter(None, map(_PLACE_NOTE.fullmatch, entry.notes)))


def _place_in(note: re.Match[str]) -> Place:
    return Place(commit=note["commit"], page=note["page"])


def malformed_note(entry: Entry) -> str:
    """Return the first note about a place that has a wrong format, or "".

    A git merge or an edit may leave such a note: ``seen: HEAD guide/start``.
    """
    for note in entry.notes_with((SEEN, PREVIOUS_SEEN, SOURCE)):
        if not _PLACE_NOTE.fullmatch(note):
            return note
    return ""


Key = tuple[str | None, str]  # msgctxt and digest
Texts = Mapping[str, str]  # digest → English


class Memory(Struct, frozen=True, kw_only=True):
    """Memory of one page in one locale. ``msgid`` and ``previous`` of its entries are digests.

    ``layout`` is a digest of the page's messages in order: pages with equal layouts look the same
    to translators.
    """

    upstream: str
    locale: str
    page: str
    commit: str
    ref: str
    layout: str
    project: str = ""  # Project-Id-Version of the catalogue
    date: str = ""  # POT-Creation-Date of the catalogue
    # Header fields that belong to the team.
    extra: Mapping[str, str] = field(default_factory=dict)
    comment: tuple[str, ...] = ()  # comments above the header of the catalogue
    # Refs of the commits in notes, by commit. A copy of upstream may have the same refs with other
    # commit ids.
    refs: Mapping[str, str] = field(default_factory=dict)
    entries: tuple[Entry, ...] = ()

    @property
    def live(self) -> frozenset[str]:
        """Return the digests of the messages on the page at the memory's commit."""
        return frozenset(entry.msgid for entry in self.entries if not entry.obsolete)

    @property
    def known_refs(self) -> dict[str, str]:
        """Return the known refs of all commits that this memory names."""
        known = dict(self.refs)
        if self.ref:
            known[self.commit] = self.ref
        return known

    def by_key(self) -> dict[Key, Entry]:
        """Return the entries by context and digest, in order.

        A git merge may leave two entries with the same key. In that case the last one counts.
        """
        return {key_of(entry): entry for entry in self.entries}


def digest(text: str) -> str:
    """Return the digest of an English message: 32 hex digits of the SHA-256 of its UTF-8.

    Lone surrogates, which JSON may contain, are allowed.
    """
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def layout_of(wanted: Sequence[Entry]) -> str:
    """Return a digest of the messages of a page in order, with their kinds and headings.

    The digest changes if a message moves to another section. It does not depend on the notes that
    show code.
    """
    lines = ("\0".join((entry.msgid, *entry.notes[:1])) for entry in wanted)
    return digest("\n".join(lines))


def key_of(entry: Entry) -> Key:
    """Return the key of a memory's entry: its msgctxt, if any, and its digest."""
    return entry.context, entry.msgid


def text_of(entry: Entry) -> str:
    """Return the translation of a memory's entry, or the note that replaces it, or "".

    See ``same_note_of`` for the note.
    """
    return entry.msgstr or same_note_of(entry)


def human_work(entry: Entry) -> tuple[object, ...]:
    """Return the parts of an entry that people write, for comparisons.

    Entries with equal parts need no merge. Notes about places and translators are not included.
    """
    return text_of(entry), entry.fuzzy, entry.previous, entry.comments, entry.flags


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Return live entries sorted by digest, then obsolete ones in their given order.

    With this order, the memory does not change if upstream moves a paragraph.
    """

    def rank(entry: Entry) -> tuple[bool, str]:
        """Return the sort key, equal for obsolete entries to keep their order."""
        return entry.obsolete, "" if entry.obsolete else entry.msgid

    return tuple(sorted(entries, key=rank))


def as_obsolete(entry: Entry, *, old: Memory, live: Collection[str]) -> Entry:
    """Return an entry of ``old`` as obsolete, with notes about the places of its English.

    ``live`` has the digests of the current page. English of the current page needs no note.
    """
    remade = entry.notes_with((SEEN, PREVIOUS_SEEN, TRANSLATOR))
    # Use the same order of notes as ``closing``, so that closing the entry again changes nothing.
    notes = [note for note in entry.notes if note not in remade]
    for prefix, code in ((SEEN, entry.msgid), (PREVIOUS_SEEN, entry.previous)):
        place = _left_place(entry, prefix, code, old)
        if place and code not in live:
            notes.append(place_note(prefix, place))
    notes += translators_of(entry)
    return replace(entry, obsolete=True, notes=tuple(notes), line=0)


def with_refs(memory: Memory, old: Memory | None, known: Mapping[str, str]) -> Memory:
    """Return ``memory`` with the ``known`` refs of the commits that its notes name.

    ``old`` is the page's current memory. Commits that ``old`` names without a ref get no ref here
    either, so that a memory does not change if nobody has edited it.
    """
    refs = dict(known)
    if old:
        refs.update(dict.fromkeys(commits_in(old.entries), ""))
        refs.update(old.refs)
    named = {commit: refs.get(commit, "") for commit in commits_in(memory.entries)}
    return replace(memory, refs={commit: ref for commit, ref in named.items() if ref})


def _left_place(entry: Entry, prefix: str, code: str | None, old: Memory) -> Place | None:
    """Return the place of English that an entry of ``old`` needs; None if unknown.

    ``code`` is the digest of the English. The place is in the note with ``prefix``. Without a note,
    it is the page of ``old``, if this page has the English.
    """
    place = place_of(entry, prefix)
    if place is None and code in old.live:
        return Place(commit=old.commit, page=old.page)
    return place


def index_places(memories: Iterable[Memory]) -> dict[str, Place]:
    """Return the place of the English of each digest in ``memories``.

    The place is the page that has the message or, if no page has it, the place in a note. If
    several memories have a place, the first memory counts.
    """
    places: dict[str, Place] = {}
    known = tuple(memories)
    # A page that has the message is better evidence than an old note.
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


# Redaction: long atoms become ⟦N⟧ in a memory, and are restored in a catalogue. Atoms are code,
# links and formulas, which a translation repeats unchanged. A link of a dozen words is text of
# upstream, which must not be in this repository. Short atoms such as ``jax.jit`` stay.
_LONG = 4  # minimum number of words of a long atom
_SHORTEST = 2 * _LONG  # minimum number of characters of that many words
_WORD = re.compile(r"[A-Za-z][A-Za-z']+")
_URL = re.compile(r"https?://[!-;=?-_a-z{|}~]+")
_TRAILING = ".,;:!?)*_"  # at the end of a URL, these belong to the sentence
_BRACKET = "⟦"
_MARK = re.compile(r"⟦(\d+)⟧")


class Stored(NamedTuple):
    """A msgstr in the form of a memory. If the msgstr is English, a note replaces it."""

    msgstr: str = ""
    notes: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the msgstr or the note, as ``text_of`` does for an entry of a memory."""
        return "".join((self.msgstr, *self.notes))


def stored(entry: Entry) -> Stored:
    """Return the msgstr of a catalogue's ``entry`` in the form of a memory, without English.

    The note ``SAME`` replaces a msgstr that equals the msgid, and the note ``SAME_AS_PREVIOUS``
    replaces a msgstr that equals the previous msgid. In any other msgstr, the long atoms are
    replaced (see ``redact``).
    """
    if not entry.msgstr:
        return Stored()
    if entry.msgstr == entry.msgid:
        return Stored(notes=(SAME,))
    if entry.msgstr == entry.previous:
        return Stored(notes=(SAME_AS_PREVIOUS,))
    return Stored(msgstr=redact(entry.msgstr, entry.source_text))


def redact(msgstr: str, english: str) -> str:
    """Return ``msgstr`` with ⟦N⟧ for each long atom that it shares with ``english``.

    N counts the long atoms of the English from 1; ⟦0⟧ is an escaped bracket.
    "输入 `cup of tea for two`。" → "输入 ⟦1⟧。"
    """
    numbers: dict[str, int] = {_BRACKET: 0}
    # Most translations have too few English words for a long atom.
    if len(_WORD.findall(msgstr)) >= _LONG:
        for number, atom in enumerate(_long_atoms(english), start=1):
            numbers.setdefault(atom, number)
    present = [atom for atom in numbers if atom in msgstr]
    if not present:
        return msgstr
    if len(present) == 1:
        (atom,) = present  # the common case, which needs no pattern
        return msgstr.replace(atom, f"⟦{numbers[atom]}⟧")
    # Longest first: an atom may be part of another one.
    present.sort(key=len, reverse=True)
    pattern = "|".join(map(re.escape, present))
    return re.sub(pattern, lambda match: f"⟦{numbers[match[0]]}⟧", msgstr)


def restore(msgstr: str, english: str | None) -> str | None:
    """Return the original of a redacted msgstr, or None if a ⟦N⟧ cannot be restored.

    ``english`` is the text that was passed to ``redact``, or None if this text is unknown.
    """
    numbers = set(_MARK.findall(msgstr))
    if not numbers:
        return msgstr
    atoms = [_BRACKET]
    # ⟦0⟧, an escaped bracket, needs no English.
    if english is not None and numbers != {"0"}:
        atoms += _long_atoms(english)
    # Compare digits as text: a file may contain a number with thousands of digits.
    known = {str(number): atom for number, atom in enumerate(atoms)}
    if not numbers <= known.keys():
        return None
    return _MARK.sub(lambda match: known[match[1]], msgstr)


def _long_atoms(english: str) -> list[str]:
    """Return the long atoms of a message, then its long URLs.

    An atom is long if it has at least ``_LONG`` words: ``cup of tea for two``, but not ``jax.jit``.
    URLs are listed separately, because a translation may have the URL without the link around it.
    """
    # A shorter text cannot have ``_LONG`` words. This test is fast, and many messages are shorter.
    if len(english) < _SHORTEST:
        return []
    urls = _URL.findall(english)
    atoms = [*atoms_of(english), *(url.rstrip(_TRAILING) for url in urls)]
    return [atom for atom in atoms if len(_WORD.findall(atom)) >= _LONG]
