"""Messages whose English somebody has edited in a catalogue: they get upstream's English back.

A msgid that was changed, by a slip or by damage, is the name of no message any more. Its
translation would be kept for ever under English that upstream never had, and no clone could find.
In go the catalogue, the memory that it was last stored in and the page as it was then.
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

# How much of an edited text is still the old one, in percent of rapidfuzz's ratio, where neither
# the translation nor the place in the catalogue tells which message it was.
_LIKE = 60.0
# Of no class of change: "other" is what tables call it.
_NOTE = f"{FUZZY} other: its English was edited here, and is put back"


class _Stored(NamedTuple):
    """A translation that was stored, with the English of its message."""

    text: str
    msgstr: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """A catalogue with upstream's English, and the entries that had another one."""

    catalog: Catalog
    edited: tuple[Entry, ...] = ()


def strangers_in(catalog: Catalog, base: Memory) -> set[str]:
    """The texts of live entries that the memory ``base`` of the page does not speak of."""
    known = {entry.msgid for entry in base.entries}
    return {text for text in _live_texts(catalog) if digest(text) not in known}


def put_english_back(
    catalog: Catalog,
    base: Memory,
    wanted: Sequence[Entry],
    *,
    newer: Collection[str] = (),
) -> PutBack:
    """Give live entries with unknown English the message of the page that they stand for.

    ``base`` is the page's memory as last stored, ``wanted`` what the page asked for then, ``newer``
    the texts of the page at the pin, where a killed run may have brought the catalogue. A
    translation that was stored stays what it was; another one waits for a person, since nobody
    knows which English it was made for.
    """
    present = {entry.msgid for entry in catalog.entries}
    missing = [entry.msgid for entry in wanted if entry.msgid not in present]
    strangers = strangers_in(catalog, base).difference(newer)
    # Without a message that is missing, a stranger is one that somebody has added.
    if not strangers or not missing:
        return PutBack(catalog=catalog)
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
    return PutBack(
        catalog=replace(catalog, entries=tuple(entries)), edited=tuple(edited)
    )


@dataclass(slots=True, kw_only=True)
class _Search:
    """Which of the ``missing`` messages each of the ``strangers`` was. The surest ways come first.

    What is found is taken from both.
    """

    strangers: set[str]
    missing: list[str]
    found: dict[str, str] = field(default_factory=dict)

    def by_translation(self, catalog: Catalog, stored: Iterable[_Stored]) -> None:
        """An entry with the very translation that was stored for a message was that one."""
        messages = {known.msgstr: known.text for known in stored}
        for entry in catalog.entries:
            if entry.msgstr in messages:
                self._take(entry.msgid, messages[entry.msgstr])

    def by_place(self, live: Sequence[str], texts: Sequence[str]) -> None:
        """What stands alone between the same two neighbours is the same message.

        ``live`` are the texts of the catalogue, ``texts`` those of the page, in order.
        """
        # With what is found by now, both are alike but for what was edited.
        here = [self.found.get(text, text) for text in live]
        matcher = SequenceMatcher(a=here, b=texts, autojunk=False)
        for _, start, end, text_start, text_end in matcher.get_opcodes():
            # One became one: of two for two nobody knows which is which.
            if (end - start, text_end - text_start) == (1, 1):
                self._take(here[start], texts[text_start])

    def by_likeness(self) -> None:
        """The rest by how much of the text is still the same."""
        # In an order of their own: two may be like the same message.
        for stranger in sorted(self.strangers):
            best = process.extractOne(
                stranger, self.missing, scorer=fuzz.ratio, score_cutoff=_LIKE
            )
            if best is not None:
                self._take(stranger, best[0])

    def _take(self, stranger: str, text: str) -> None:
        """Note that ``stranger`` was the message ``text``, if both are still looked for."""
        if stranger in self.strangers and text in self.missing:
            self.found[stranger] = text
            self.strangers.discard(stranger)
            self.missing.remove(text)


def _live_texts(catalog: Catalog) -> list[str]:
    return [entry.msgid for entry in catalog.entries if not entry.obsolete]


def _stored_of(base: Memory, texts: Iterable[str]) -> Iterator[_Stored]:
    """The translations that were stored for the messages ``texts``, as a catalogue has them."""
    english = {digest(text): text for text in texts}
    for entry in base.entries:
        text = english.get(entry.msgid)
        if text is None or not text_of(entry):
            continue
        # With long atoms in place again; without English that is not known it cannot be had.
        opened = open_entry(entry, Entry(msgid=text), english)
        if opened is not None:
            yield _Stored(text, opened.msgstr)


def _waiting(entry: Entry) -> Entry:
    """An entry whose translation a person has to look at; a blank one as it is."""
    if entry.fuzzy or not entry.msgstr:
        return entry
    notes = (*entry.notes, _NOTE)
    return replace(entry, fuzzy=True, previous=entry.msgid, notes=notes)
