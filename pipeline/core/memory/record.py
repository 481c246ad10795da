"""The translation memory: the catalogue of a page with digests in place of the English.

It is committed, so it holds no upstream text; opening it with upstream's documents at hand gives
the catalogue back. What the English cannot be found without stands in notes (see ``notes``). Long
code spans, links and formulas of a translation are ⟦N⟧ (see ``redact``).
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.core.memory.notes import (
    PREVIOUS_SEEN,
    SEEN,
    TRANSLATOR,
    Place,
    commits_in,
    place_of,
    same_note_of,
    seen_note,
    translators_of,
)
from pipeline.entries import Entry

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
    # The order is that of ``close``, so that closing it once more changes nothing.
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
