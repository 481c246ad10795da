"""Messages whose English somebody has edited in a catalogue: they get upstream's English back.

A msgid that was changed, by a slip or by damage, is the name of no message any more. Its
translation would be kept for ever under English that upstream never had, and no clone could find.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher

from rapidfuzz import fuzz, process

from pipeline.core.catalog.states import FUZZY
from pipeline.core.memory.open import open_entry
from pipeline.core.memory.record import Memory, digest, text_of
from pipeline.entries import Catalog, Entry

# How much of an edited text is still the old one, in percent of rapidfuzz's ratio, where neither
# the translation nor the place in the catalogue tells which message it was.
_LIKE = 60.0
_NOTE = f"{FUZZY} other: its English was edited here, and is put back"


@dataclass(frozen=True, slots=True, kw_only=True)
class PutBack:
    """A catalogue with upstream's English, and the entries that had another one."""

    catalog: Catalog
    edited: tuple[Entry, ...] = ()


def strangers_in(catalog: Catalog, base: Memory) -> set[str]:
    """The texts of live entries that the memory ``base`` of the page does not speak of."""
    known = {entry.msgid for entry in base.entries}
    live = (entry.msgid for entry in catalog.entries if not entry.obsolete)
    return {text for text in live if digest(text) not in known}


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
    if not strangers or not missing:
        return PutBack(catalog=catalog)
    translations = _translations(base, missing)
    search = _Search(strangers=strangers, missing=missing)
    search.by_translation(catalog, translations)
    search.by_place(catalog, [entry.msgid for entry in wanted])
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
        is_stored = (original, entry.msgstr) in translations
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

    def by_translation(
        self, catalog: Catalog, translations: Collection[tuple[str, str]]
    ) -> None:
        """An entry with the very translation that was stored for a message was that one."""
        messages = {msgstr: text for text, msgstr in translations}
        for entry in catalog.entries:
            text = messages.get(entry.msgstr)
            if entry.msgid in self.strangers and text in self.missing:
                self._take(entry.msgid, text)

    def by_place(self, catalog: Catalog, texts: Sequence[str]) -> None:
        """What stands alone between the same two neighbours is the same message."""
        live = [entry.msgid for entry in catalog.entries if not entry.obsolete]
        # With what is found by now, both are alike but for what was edited.
        live = [self.found.get(text, text) for text in live]
        matcher = SequenceMatcher(a=live, b=texts, autojunk=False)
        for kind, from_live, to_live, from_text, to_text in matcher.get_opcodes():
            here, there = live[from_live:to_live], texts[from_text:to_text]
            if kind != "replace" or len(here) != 1 or len(there) != 1:
                continue
            if here[0] in self.strangers and there[0] in self.missing:
                self._take(here[0], there[0])

    def by_likeness(self) -> None:
        """The rest by how much of the text is still the same."""
        for stranger in sorted(self.strangers):
            best = process.extractOne(
                stranger, self.missing, scorer=fuzz.ratio, score_cutoff=_LIKE
            )
            if best is not None:
                self._take(stranger, best[0])

    def _take(self, stranger: str, text: str) -> None:
        self.found[stranger] = text
        self.strangers.discard(stranger)
        self.missing.remove(text)


def _translations(base: Memory, texts: Iterable[str]) -> set[tuple[str, str]]:
    """The translations that were stored for messages, each with its English."""
    english = {digest(text): text for text in texts}
    translations: set[tuple[str, str]] = set()
    for entry in base.entries:
        if entry.msgid not in english or not text_of(entry):
            continue
        text = english[entry.msgid]
        opened = open_entry(entry, Entry(msgid=text), english)
        if opened is not None:
            translations.add((text, opened.msgstr))
    return translations


def _waiting(entry: Entry) -> Entry:
    """An entry whose translation a person has to look at; a blank one as it is."""
    if entry.fuzzy or not entry.msgstr:
        return entry
    notes = (*entry.notes, _NOTE)
    return replace(entry, fuzzy=True, previous=entry.msgid, notes=notes)
