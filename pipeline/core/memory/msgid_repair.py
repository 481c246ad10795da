"""Repair of messages whose English somebody edited in a catalogue.

People must write the ``msgstr`` and leave the ``msgid`` unchanged. A changed msgid is no message of
the page. The memory would store the translation with the digest of a text that upstream never had,
so no other clone could use the translation. The input is the catalogue, the memory in which the
catalogue was last stored, and the page at that time. The output is the catalogue with upstream's
English.
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

# Minimum ratio of rapidfuzz, in percent, between an edited text and its original. Similar texts are
# searched only if neither the translation nor the position identifies the message.
_LIKE = 60.0
# "other" is the class in reports for a change without a known class.
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
    ``newer`` has the texts of the page at the pinned commit. These do not count as edits, because
    an interrupted run may already have updated the catalogue. If ``base`` has the translation of a
    repaired entry, the entry keeps its state. Any other translation becomes fuzzy, because it is
    unknown which English it was made for.
    """
    present = {entry.msgid for entry in catalog.entries}
    missing = [entry.msgid for entry in wanted if entry.msgid not in present]
    strangers = unknown_texts(catalog, base).difference(newer)
    # A stranger is a text that is no message of the page. If no message is missing, somebody has
    # added the entry.
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
    """Search for the original of each of ``strangers`` among the ``missing`` messages.

    Strangers are texts that are no messages of the page. Call the methods in their order: the first
    one is the most certain. A matched stranger and its message are removed from both collections.
    """

    strangers: set[str]
    missing: list[str]
    found: dict[str, str] = field(default_factory=dict)

    def by_translation(self, catalog: Catalog, stored: Iterable[_Stored]) -> None:
        """Match strangers whose translation equals the stored translation of a message."""
        messages = {known.msgstr: known.text for known in stored}
        for entry in catalog.entries:
            if entry.msgstr in messages:
                self._take(entry.msgid, messages[entry.msgstr])

    def by_place(self, live: Sequence[str], texts: Sequence[str]) -> None:
        """Match a stranger with a message if both are between the same two neighbours.

        ``live`` has the texts of the catalogue, ``texts`` those of the page, both in order.
        """
        # After the matches so far, the two lists differ only in texts that are not matched yet.
        here = [self.found.get(text, text) for text in live]
        matcher = SequenceMatcher(a=here, b=texts, autojunk=False)
        for _, start, end, text_start, text_end in matcher.get_opcodes():
            # If several texts are between the neighbours, it is unknown which belong together.
            if (end - start, text_end - text_start) == (1, 1):
                self._take(here[start], texts[text_start])

    def by_likeness(self) -> None:
        """Match the remaining strangers with the most similar message."""
        # Sort the strangers: if two of them are similar to one message, every run chooses the same
        # one.
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
    """Yield the translations that ``base`` has of the messages ``texts``, as in a catalogue."""
    english = {digest(text): text for text in texts}
    for entry in base.entries:
        text = english.get(entry.msgid)
        if text is None or not text_of(entry):
            continue
        # ``open_entry`` restores long atoms. It returns None if their English is unknown.
        opened = open_entry(entry, Entry(msgid=text), english)
        if opened is not None:
            yield _Stored(text, opened.msgstr)


def _waiting(entry: Entry) -> Entry:
    """Return an entry as fuzzy, for a person to review. An entry without msgstr stays unchanged."""
    if entry.fuzzy or not entry.msgstr:
        return entry
    notes = (*entry.notes, _NOTE)
    return replace(entry, fuzzy=True, previous=entry.msgid, notes=notes)
