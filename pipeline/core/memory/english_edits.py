"""Messages whose English somebody has edited in a catalogue: they get upstream's English back.

A msgid that was changed, by a slip or by damage, is the name of no message any more. Its
translation would be kept for ever under English that upstream never had, and no clone could find.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from rapidfuzz import fuzz

from pipeline.core.catalog.states import FUZZY
from pipeline.core.memory.record import Memory, digest, text_of
from pipeline.core.memory.redact import stored
from pipeline.entries import Catalog, Entry

# How much of an edited text is still the old one, in percent of rapidfuzz's ratio, where the place
# in the catalogue does not tell which message it was.
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
    texts = [entry.msgid for entry in wanted]
    missing = set(texts) - {entry.msgid for entry in catalog.entries}
    strangers = strangers_in(catalog, base).difference(texts, newer)
    if not strangers or not missing:
        return PutBack(catalog=catalog)
    live = [entry.msgid for entry in catalog.entries if not entry.obsolete]
    originals = _originals(live, texts, strangers, missing)
    entries: list[Entry] = []
    edited: list[Entry] = []
    for entry in catalog.entries:
        if entry.obsolete or entry.msgid not in originals:
            entries.append(entry)
            continue
        edited.append(entry)
        with_english = replace(entry, msgid=originals[entry.msgid])
        entries.append(_restored(with_english, base))
    return PutBack(
        catalog=replace(catalog, entries=tuple(entries)), edited=tuple(edited)
    )


def _originals(
    live: Sequence[str], texts: Sequence[str], strangers: set[str], missing: set[str]
) -> dict[str, str]:
    """Which of the ``missing`` texts each of the ``strangers`` was: by its place, else by likeness.

    Both catalogue and page are in order, so that what stands between the same neighbours is the
    same message.
    """
    originals: dict[str, str] = {}
    matcher = SequenceMatcher(a=live, b=texts, autojunk=False)
    for kind, from_live, to_live, from_text, to_text in matcher.get_opcodes():
        if kind != "replace":
            continue
        here = [text for text in live[from_live:to_live] if text in strangers]
        there = [text for text in texts[from_text:to_text] if text in missing]
        if len(here) == len(there):
            originals.update(zip(here, there, strict=True))
    for stranger in sorted(strangers - originals.keys()):
        likeness = {text: fuzz.ratio(stranger, text) for text in sorted(missing)}
        best = max(likeness, key=likeness.__getitem__)
        if likeness[best] >= _LIKE and best not in originals.values():
            originals[stranger] = best
    return originals


def _restored(entry: Entry, base: Memory) -> Entry:
    """An entry that has its English back: as it was stored, or waiting for a person."""
    before = base.by_key().get((entry.context, digest(entry.msgid)))
    was_stored = before is not None and stored(entry).text == text_of(before)
    if was_stored or entry.fuzzy or not entry.msgstr:
        return entry
    return replace(entry, fuzzy=True, previous=entry.msgid, notes=(*entry.notes, _NOTE))
