"""The translation memory: the catalogue of a page, entry by entry, with digests in place of the English.

It is committed, so it holds no upstream text; opening it with upstream's documents at hand gives the catalogue back. What
the English cannot be found without stands in ``#.`` notes:

    seen: COMMIT PAGE            where the English of an entry stood that is not on the page at the header's commit
    previous seen: COMMIT PAGE   the same for the English that a fuzzy translation was written for
    source: DIGEST COMMIT PAGE   one of several messages that this translation was put together from, or the one it followed
    same: as the English         the msgstr is the English itself (or ``as the previous English``), so it is left out
    translator: WHO, WHEN        from the catalogue's header: who last touched the entry
    carried over: …, fuzzy: …    the catalogue's own notes, with ``DIFF`` where they quote English

Long code spans, links and formulas of a translation are ⟦N⟧ (see ``redact``). Every message of the page has an entry, live
ones in the order of their digests, then ``END``, then obsolete ones: two branches that translate different messages, or one
that does and one that upgrades, change different lines, with unchanged ones between them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError

Key = tuple[str | None, str]  # msgctxt and digest
Texts = Mapping[str, str]  # digest → English

DIFF = "[-…-]{+…+}"
COMMENT = (
    "Translation memory: each msgid is a digest of upstream's English. Translate in the catalogues, not here.",
)
END = Entry(msgid="end of the page; what follows is gone from it", obsolete=True)
STATES = ("carried over:", "fuzzy:")
SAME, SAME_AS_PREVIOUS = "same: as the English", "same: as the previous English"

SEEN, PREVIOUS_SEEN, SOURCE, TRANSLATOR = "seen: ", "previous seen: ", "source: ", "translator: "
_DIGEST = re.compile(r"[0-9a-f]{32}")
_COMMIT = re.compile(r"[0-9a-f]{40}")
FROM = re.compile(r"source: ([0-9a-f]{32}) ([0-9a-f]{40}) (\S.*)")
_CHECKED = {
    prefix: re.compile(prefix + r"([0-9a-f]{40}) (\S.*)") for prefix in (SEEN, PREVIOUS_SEEN)
} | {SOURCE: FROM}
TOUCH = re.compile(r"translator: (.*?), (\d{4}-\d\d-\d\d \d\d:\d\d[+-]\d{4})(?:, (.+))?")
FIELDS = ("X-Upstream", "X-Upstream-Ref", "X-Upstream-Commit", "X-Upstream-Page")
STANDARD = (
    "Project-Id-Version",
    "POT-Creation-Date",
    "Language",
    "MIME-Version",
    "Content-Type",
    "Content-Transfer-Encoding",
)
EDITING = (
    "PO-Revision-Date",
    "Last-Translator",
    "X-Generator",
)  # change with every edit: kept with the entries instead
_MEND = (
    "Mend it, or restore the file from version control; the pipeline leaves it alone until then."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where an English message can be found."""

    commit: str
    page: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """The memory of one page in one locale. ``msgid`` and ``previous`` of its entries are digests.

    ``layout`` is a digest of the page's messages in their order: equal layout, equal page as far as translators see it.
    """

    upstream: str
    locale: str
    page: str
    commit: str
    ref: str
    layout: str
    project: str = ""  # Project-Id-Version of the catalogue
    date: str = ""  # its POT-Creation-Date
    extra: Mapping[str, str] = field(default_factory=dict)  # header fields that are the team's
    comment: tuple[str, ...] = ()  # above the catalogue's header
    entries: tuple[Entry, ...] = ()

    @property
    def live(self) -> frozenset[str]:
        """Digests of the messages on the page."""
        return frozenset(entry.msgid for entry in self.entries if not entry.obsolete)

    def by_key(self) -> dict[Key, Entry]:
        """The entries by context and digest, in their order."""
        return {key_of(entry): entry for entry in self.entries}


def digest(text: str) -> str:
    """What stands for an English message: the first 32 hex digits of the SHA-256 of its UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def key_of(entry: Entry) -> Key:
    """What an entry of a memory is found by."""
    return entry.context, entry.msgid


def text_of(entry: Entry) -> str:
    """The translation of a memory's entry, or the note that it is the English itself; empty if there is none."""
    return entry.msgstr or next(
        (note for note in entry.notes if note in (SAME, SAME_AS_PREVIOUS)), ""
    )


def work_of(entry: Entry) -> tuple[object, ...]:
    """What people put into an entry: equal work, nothing to merge."""
    return text_of(entry), entry.fuzzy, entry.previous, entry.comments, entry.flags


def written_for(entry: Entry) -> str:
    """The English (or its digest) that a translation was written for."""
    return entry.previous if entry.fuzzy and entry.previous else entry.msgid


def states_of(entry: Entry) -> tuple[str, ...]:
    return tuple(note for note in entry.notes if note.startswith(STATES))


def translators_of(entry: Entry) -> tuple[str, ...]:
    return tuple(note for note in entry.notes if note.startswith(TRANSLATOR))


def place_of(entry: Entry, prefix: str) -> Place | None:
    note = next((note for note in entry.notes if note.startswith(prefix)), "")
    match = _CHECKED[prefix].fullmatch(note)
    return Place(commit=match[1], page=match[2]) if match else None


def layout_of(wanted: Sequence[Entry]) -> str:
    """Digest of what a page asks to be translated: its messages in their order, with kind and headings."""
    return digest("\n".join("\0".join((entry.msgid, *entry.notes)) for entry in wanted))


def read_memory(file: Catalog, *, upstream: str, locale: str, page: str, where: str) -> Memory:
    """Check what was read from a memory file. Raises InputError with ``file:line``."""
    header = file.header
    values = [header.get(name, "") for name in FIELDS]
    if not all(values[:1] + values[2:]):
        raise InputError(
            f"is no memory: its header needs {', '.join(FIELDS)}", where=f"{where}:1", hint=_MEND
        )
    if values[0] != upstream or header.get("Language") != locale:
        other = f"{values[0]} in {header.get('Language') or 'no language'}"
        hint = f"This file must be of {upstream} in {locale}: move it to its own folder, or restore it from version control."
        raise InputError(f"is the memory of {other}", where=f"{where}:1", hint=hint)
    if not _COMMIT.fullmatch(values[2]) or not _DIGEST.fullmatch(values[3]):
        raise InputError(
            "X-Upstream-Commit must be 40 hex digits, X-Upstream-Page 32",
            where=f"{where}:1",
            hint=_MEND,
        )
    entries = tuple(entry for entry in file.entries if entry.msgid != END.msgid)
    for entry in entries:
        _check_entry(entry, where)
    extra = {name: value for name, value in header.items() if name not in (*FIELDS, *STANDARD)}
    comment = (
        file.comment[len(COMMENT) :] if file.comment[: len(COMMENT)] == COMMENT else file.comment
    )
    return Memory(
        upstream=upstream,
        locale=locale,
        page=page,
        commit=values[2],
        ref=values[1],
        layout=values[3],
        project=header.get("Project-Id-Version", ""),
        date=header.get("POT-Creation-Date", ""),
        extra=extra,
        comment=comment,
        entries=entries,
    )


def memory_file(memory: Memory) -> Catalog:
    """The memory, its entries ``in_order``, as a catalogue to be written. The inverse of ``read_memory``."""
    values = (memory.upstream, memory.ref, memory.commit, memory.layout)
    header = {
        "Project-Id-Version": memory.project,
        "POT-Creation-Date": memory.date,
        "Language": memory.locale,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        **dict(zip(FIELDS, values, strict=True)),
        **memory.extra,
    }
    live = sum(not entry.obsolete for entry in memory.entries)
    entries = (*memory.entries[:live], END, *memory.entries[live:])
    return Catalog(header=header, comment=(*COMMENT, *memory.comment), entries=entries)


def index_places(memories: Iterable[Memory]) -> dict[str, Place]:
    """Where each English message that any memory speaks of can be found."""
    places: dict[str, Place] = {}
    known = tuple(memories)
    for memory in known:
        for text in sorted(memory.live):
            places.setdefault(text, Place(commit=memory.commit, page=memory.page))
    for memory in known:
        for entry in memory.entries:
            for code, place in english_of(entry):
                if place:
                    places.setdefault(code, place)
    return places


def english_of(entry: Entry) -> Iterator[tuple[str, Place | None]]:
    """The digests of the English that it takes to open an entry, each with where it was last seen, if a note says so."""
    yield entry.msgid, place_of(entry, SEEN)
    sources = [match for note in entry.notes if (match := FROM.fullmatch(note))]
    if entry.previous is not None and not sources:
        yield entry.previous, place_of(entry, PREVIOUS_SEEN)
    for match in sources:
        yield match[1], Place(commit=match[2], page=match[3])


def left_over(entry: Entry, *, old: Memory, live: Collection[str]) -> Entry:
    """An entry of ``old`` that the page no longer has, as it stays: obsolete, with the place of its English."""
    kept = tuple(
        note for note in entry.notes if not note.startswith((SEEN, PREVIOUS_SEEN, TRANSLATOR))
    )
    places = []
    for prefix, code in ((SEEN, entry.msgid), (PREVIOUS_SEEN, entry.previous)):
        place = place_of(entry, prefix) or (
            Place(commit=old.commit, page=old.page) if code in old.live else None
        )
        if code not in live and place:
            places.append(f"{prefix}{place.commit} {place.page}")
    return replace(entry, obsolete=True, notes=(*kept, *places, *translators_of(entry)), line=0)


def in_order(entries: Iterable[Entry]) -> tuple[Entry, ...]:
    """Live entries by digest, so that moving a paragraph changes nothing; obsolete ones as they come."""
    known = tuple(entries)
    live = sorted((entry for entry in known if not entry.obsolete), key=lambda entry: entry.msgid)
    return (*live, *(entry for entry in known if entry.obsolete))


def _check_entry(entry: Entry, where: str) -> None:
    at = f"{where}:{entry.line}"
    for code in (entry.msgid, entry.previous):
        if code is not None and not _DIGEST.fullmatch(code):
            raise InputError(f"{code[:40]!r} is not a digest (32 hex digits)", where=at, hint=_MEND)
    for note in entry.notes:
        pattern = next(
            (pattern for prefix, pattern in _CHECKED.items() if note.startswith(prefix)), None
        )
        if pattern and not pattern.fullmatch(note):
            raise InputError(
                f"the note {note[:60]!r} must name a commit and a page", where=at, hint=_MEND
            )
