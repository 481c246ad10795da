"""Repair of messages whose English somebody edited in a catalogue.

An edited msgid, whether a slip or damage, identifies no message of the page. Without a repair, its
translation would stay under English that upstream never had, and no other clone could open it. The
input is the catalogue, the memory in which it was last stored, and the page at that time. The
output is the catalogue with upstream's English.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from typing import NamedTuple

from rapidfuzz import fuzz, process

from pipeline.core.catalog.origins import FUZZY
from pipeline.core.memory.opening import open_entry
from pipeline.core.memory.record import Memory, digest, text_of
from pipeline.entries import Catalog, Entry

# Minimum ratio of rapidfuzz, in percent, between an edited text and its original. It is used where
# neither the translation nor the position identifies the message.
_LIKE = 60.0
# "other" is the class that tables show for a change of no known class.
_NOTE = f"{FUZZY} other: its English was edited here, and is put back"


class _Stored(NamedTuple):
    """A stored translation with the English of its message."""

    text: str
    msgstr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """A catalogue with upstream's English restored, and the entries that had been edited."""

    catalog: Catalog
    edited: tuple[Entry, ...] = ()


def unknown_texts(catalog: Catalog, base: Memory) -> set[str]:
    """Return the texts of live entries that the page's memory ``base`` does not contain."""
    known = {entry.msgid for entry in base.entries}
    return {text for text in _live_texts(catalog) if digest(text) not in known}


def restore_english(
    catalog: Catalog,
    base: Memory,
    wanted: Sequence[Entry],
    *,
    newer: Collection[str] = (),
) -> Restored:
    """Return ``catalog`` with each edited msgid replaced by the page's message.

    ``base`` is the page's memory as last stored, ``wanted`` the entries that the page needed then.
    ``newer`` has the texts of the page at the pin, because an interrupted run may already have
    updated the catalogue. A stored translation keeps its state. Any other becomes fuzzy, since it
    is unknown which English it was made for.
    """
    present = {entry.msgid for entry in catalog.entries}
    missing = [entry.msgid for entry in wanted if entry.msgid not in present]
    strangers = unknown_texts(catalog, base).difference(newer)
    # If no message is missing, a stranger is an entry that somebody has added.
    if not strangers or not missing:
        return Restored(catalog=catalog)
    stored = set(_stored_of(base, missing))
    search = _Search(strangers=strangers, missing=missing)
    search.by_translation(catalog, stored)
    search.by_place(_live_texts(catalog), [entry.msgid for entry in wanted])
    search.by_likeness()
    entries: list[Entry] = []
    edited: list[Entry] = []
    for entry in catalog.entries:
        original = search.found.get(entry.msgid)
        if original is None or entry.obsolete:
            entries.append(entry)
            continue
        edited.append(entry)
        restored = replace(entry, msgid=original)
        is_stored = _Stored(original, entry.msgstr) in stored
        entries.append(restored if is_stored else _waiting(restored))
    return Restored(
        catalog=replace(catalog, entries=tuple(entries)), edited=tuple(edited)
    )


@dataclass(slots=True, kw_only=True)
class _Search:
    """Matching of ``strangers``, texts that no message has, with the ``missing`` messages.

    Call the surest method first. A matched text and its message are removed from both collections.
    """

    strangers: set[str]
    missing: list[str]
    found: dict[str, str] = field(default_factory=dict)

    def by_translation(self, catalog: Catalog, stored: Iterable[_Stored]) -> None:
        """Match entries whose translation is exactly the stored one of a message."""
        messages = {known.msgstr: known.text for known in stored}
        for entry in catalog.entries:
            if entry.msgstr in messages:
                self._take(entry.msgid, messages[entry.msgstr])

    def by_place(self, live: Sequence[str], texts: Sequence[str]) -> None:
        """Match a single stranger with a single message between the same two neighbours.

        ``live`` has the texts of the catalogue, ``texts`` those of the page, both in order.
        """
        # With the matches so far applied, the two lists differ only in edited texts.
        here = [self.found.get(text, text) for text in live]
        matcher = SequenceMatcher(a=here, b=texts, autojunk=False)
        for _, start, end, text_start, text_end in matcher.get_opcodes():
            # Match only one with one. With two and two, it is unknown which belong together.
            if (end - start, text_end - text_start) == (1, 1):
                self._take(here[start], texts[text_start])

    def by_likeness(self) -> None:
        """Match the rest by similarity."""
        # Sorted, because two strangers may be similar to the same message.
        for stranger in sorted(self.strangers):
            best = process.extractOne(
                stranger, self.missing, scorer=fuzz.ratio, score_cutoff=_LIKE
            )
            if best is not None:
                self._take(stranger, best[0])

    def _take(self, stranger: str, text: str) -> None:
        """Record that ``stranger`` was the message ``text``, if both are still unmatched."""
        if stranger in self.strangers and text in self.missing:
            self.found[stranger] = text
            self.strangers.discard(stranger)
            self.missing.remove(text)


def _live_texts(catalog: Catalog) -> list[str]:
    return [entry.msgid for entry in catalog.entries if not entry.obsolete]


def _stored_of(base: Memory, texts: Iterable[str]) -> Iterator[_Stored]:
    """Yield the stored translations of the messages ``texts``, as a catalogue has them."""
    english = {digest(text): text for text in texts}
    for entry in base.entries:
        text = english.get(entry.msgid)
        if text is None or not text_of(entry):
            continue
        # Restores long atoms, which is impossible if their English is unknown.
        opened = open_entry(entry, Entry(msgid=text), english)
        if opened is not None:
            yield _Stored(text, opened.msgstr)


def _waiting(entry: Entry) -> Entry:
    """Return an entry marked as fuzzy for a person to review; a blank one is unchanged."""
    if entry.fuzzy or not entry.msgstr:
        return entry
    notes = (*entry.notes, _NOTE)
    return replace(entry, fuzzy=True, previous=entry.msgid, notes=notes)
