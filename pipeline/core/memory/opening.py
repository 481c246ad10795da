"""Opening of a memory: its conversion to a catalogue, with English in place of digests.

Opening is the inverse of closing (``closing``). The invariant: the English of an entry is never
guessed. An entry with unknown English stays in the memory, and is returned as missing, so that the
caller can report it. ``kept_entries`` opens the entries that a merge did not keep, for a file that
people read. ``restore_english`` repairs messages whose English somebody edited in a catalogue.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import SequenceMatcher

from msgspec import Struct, field
from msgspec.structs import replace
from rapidfuzz import fuzz, process

from pipeline.core.catalog.change_class import diff
from pipeline.core.catalog.origins import FUZZY, is_emptied, states_of
from pipeline.core.memory.record import (
    DIFF,
    SAME,
    SAME_AS_PREVIOUS,
    Key,
    Memory,
    Texts,
    digest,
    key_of,
    restore,
    sources_of,
    text_of,
    translators_of,
)
from pipeline.entries import Catalog, Entry


class Opened(Struct, frozen=True, kw_only=True):
    """A rebuilt catalogue, and the ``missing`` entries: those whose English is unknown."""

    catalog: Catalog
    missing: tuple[Entry, ...] = ()


def open_memory(
    memory: Memory, wanted: Sequence[Entry], *, texts: Texts, header: Mapping[str, str]
) -> Opened:
    """Return the catalogue of a memory and the entries that cannot be opened.

    ``wanted`` has the page's entries at the memory's commit or, if that is unavailable, at the
    pinned commit. ``texts`` has all known English by digest. Entries whose message is not on the
    page become obsolete.
    """
    entries: list[Entry] = []
    missing: list[Entry] = []
    remembered = _by_digest(memory.entries)
    used: set[Key] = set()
    for blank in wanted:
        # There are several entries if a translator used contexts.
        of_message = remembered.get(digest(blank.msgid), [])
        used.update(map(key_of, of_message))
        opened = [open_entry(entry, blank, texts) for entry in of_message]
        # Every message of the page gets an entry, even if nothing could be opened. If only the
        # previous English of an entry is unknown, the entry is opened without it, and is also
        # returned as missing.
        entries += list(filter(None, opened)) or [blank]
        missing += [entry for entry in of_message if _lacks_previous(entry, texts)]
    for entry in memory.entries:
        # The remaining entries have no message on the page. Entries without a translation are left
        # out.
        if key_of(entry) in used or not text_of(entry):
            continue
        # The English may be in upstream's history, or on another page.
        text = texts.get(entry.msgid)
        blank = Entry(msgid=text or "", obsolete=True)
        kept = None if text is None else open_entry(entry, blank, texts)
        if kept:
            entries.append(kept)
        if kept is None or _lacks_previous(entry, texts):
            missing.append(entry)
    catalog = Catalog(header=dict(header), comment=memory.comment, entries=tuple(entries))
    return Opened(catalog=catalog, missing=tuple(missing))


def _lacks_previous(entry: Entry, texts: Texts) -> bool:
    """Return whether the previous English of an entry is unknown."""
    return bool(entry.previous) and _previous(entry, texts) is None


def open_entry(entry: Entry, blank: Entry, texts: Texts) -> Entry | None:
    """Return ``blank``, a message in English, with the content of the memory's ``entry``.

    Return None if the translation contains ``⟦N⟧`` and the English for it is unknown.
    """
    previous = _previous(entry, texts)
    msgstr = restored_msgstr(entry, blank.msgid, previous)
    if msgstr is None:
        return None
    # The English for the diff in a note. A translation that was adapted to a change has no previous
    # English, but a ``source:`` note. If both are missing, ``DIFF`` stays in the note.
    old = previous if entry.previous else _joined_sources(entry, texts)
    words = DIFF if old is None else diff(old, blank.msgid)
    states = [note.replace(DIFF, words) for note in states_of(entry)]
    return replace(
        blank,
        msgstr=msgstr,
        fuzzy=entry.fuzzy,
        previous=previous,
        context=entry.context,
        comments=entry.comments,
        flags=entry.flags,
        notes=(*blank.notes, *states),
    )


def restored_msgstr(entry: Entry, msgid: str | None, previous: str | None) -> str | None:
    """Return the msgstr of an entry as in a catalogue; None if it needs English that is unknown.

    ``msgid`` is the English of the entry, ``previous`` its previous English; each is None if
    unknown. This is the inverse of ``record.stored``.
    """
    if SAME in entry.notes:
        return msgid
    if SAME_AS_PREVIOUS in entry.notes:
        return previous
    # ``⟦N⟧`` refers to the English that the msgstr was written for.
    is_for_msgid = entry.source_text == entry.msgid
    return restore(entry.msgstr, msgid if is_for_msgid else previous)


def _previous(entry: Entry, texts: Texts) -> str | None:
    """Return the previous English of a fuzzy entry, or None if it is unknown.

    It may be the joined text of several messages, which the notes ``source:`` name.
    """
    if entry.previous is None:
        return None
    if entry.previous in texts:
        return texts[entry.previous]
    joined = _joined_sources(entry, texts)
    if joined is not None and digest(joined) == entry.previous:
        return joined
    return None


def _joined_sources(entry: Entry, texts: Texts) -> str | None:
    """Return the joined English of the messages that a translation was made from.

    Return None if there are no such messages, or if one is unknown.
    """
    codes = [source.digest for source in sources_of(entry)]
    # This comparison looks up the few codes, and does not iterate over the many texts.
    if not codes or not texts.keys() >= set(codes):
        return None
    return " ".join(texts[code] for code in codes)


def _by_digest(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """Return the entries of each message by digest; several if a translator used contexts.

    Obsolete entries are included only for messages without a live entry. Entries with words that
    somebody removed are left out.
    """
    live: dict[str, list[Entry]] = defaultdict(list)
    obsolete: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if is_emptied(entry):
            continue
        by_digest = obsolete if entry.obsolete else live
        by_digest[entry.msgid].append(entry)
    return obsolete | live


def kept_entries(entries: Iterable[Entry], texts: Texts, *, reason: str) -> list[Entry]:
    """Return entries of a memory for a file that people read, with ``reason`` as msgctxt.

    If the English of an entry is unknown, the digest and the stored msgstr stay. The translator's
    name becomes a comment.
    """
    kept: list[Entry] = []
    for entry in entries:
        blank = Entry(msgid=texts.get(entry.msgid, entry.msgid))
        opened = open_entry(entry, blank, texts)
        if opened is None:
            opened = replace(entry, msgid=blank.msgid, previous=None, obsolete=False)
        # Two entries must not have the same context and English, so the reason is added to an
        # existing context.
        context = reason if opened.context is None else f"{opened.context}: {reason}"
        comments = (*opened.comments, *translators_of(entry))
        kept.append(replace(opened, context=context, comments=comments, notes=()))
    return kept


def add_kept(catalog: Catalog, entries: Iterable[Entry]) -> Catalog:
    """Return ``catalog`` with ``entries`` appended, except translations that it already has."""
    translations = {(entry.msgid, entry.msgstr) for entry in catalog.entries}
    keys = {(entry.context, entry.msgid) for entry in catalog.entries}
    added: list[Entry] = []
    for entry in entries:
        if (entry.msgid, entry.msgstr) in translations:
            continue
        reason, number = entry.context, 1
        while (entry.context, entry.msgid) in keys:
            # The third entry replaced for the same reason gets "replaced (3)".
            number += 1
            entry = replace(entry, context=f"{reason} ({number})")  # noqa: PLW2901
        translations.add((entry.msgid, entry.msgstr))
        keys.add((entry.context, entry.msgid))
        added.append(entry)
    return replace(catalog, entries=(*catalog.entries, *added))


# Repair of messages whose English somebody edited in a catalogue. People must write the msgstr and
# leave the msgid unchanged. A changed msgid is no message of the page. The memory would store the
# translation with the digest of a text that upstream never had, so no other clone could use it.

# Minimum ratio of rapidfuzz, in percent, between an edited text and its original. Similar texts are
# searched only if neither the translation nor the position identifies the message.
_LIKE = 60.0
# "other" is the class in reports for a change without a known class.
_NOTE = f"{FUZZY} other: its English was edited here, and is put back"


class Restored(Struct, frozen=True, kw_only=True):
    """A catalogue with upstream's English restored, and the entries that had been edited."""

    catalog: Catalog
    edited: tuple[Entry, ...] = ()


def unknown_texts(catalog: Catalog, base: Memory) -> set[str]:
    """Return the texts of live entries that the page's memory ``base`` does not contain."""
    known = {entry.msgid for entry in base.entries}
    return {text for text in catalog.live_texts if digest(text) not in known}


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
    stored = _stored_of(base, missing)
    search = _Search(strangers=strangers, missing=missing)
    search.by_translation(catalog, stored)
    search.by_place(catalog.live_texts, [entry.msgid for entry in wanted])
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
        is_stored = (original, entry.msgstr) in stored
        entries.append(restored if is_stored else _waiting(restored))
    return Restored(catalog=replace(catalog, entries=tuple(entries)), edited=tuple(edited))


class _Search(Struct, kw_only=True):
    """Search for the original of each of ``strangers`` among the ``missing`` messages.

    Strangers are texts that are no messages of the page. Call the methods in their order: the first
    one is the most certain. A matched stranger and its message are removed from both collections.
    """

    strangers: set[str]
    missing: list[str]
    found: dict[str, str] = field(default_factory=dict)

    def by_translation(self, catalog: Catalog, stored: Iterable[tuple[str, str]]) -> None:
        """Match strangers whose translation equals the stored translation of a message."""
        messages = {msgstr: text for text, msgstr in stored}
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
            best = process.extractOne(stranger, self.missing, scorer=fuzz.ratio, score_cutoff=_LIKE)
            if best is not None:
                self._take(stranger, best[0])

    def _take(self, stranger: str, text: str) -> None:
        """Record that ``stranger`` was the message ``text``, if both are still unmatched."""
        if stranger in self.strangers and text in self.missing:
            self.found[stranger] = text
            self.strangers.discard(stranger)
            self.missing.remove(text)


def _stored_of(base: Memory, texts: Iterable[str]) -> set[tuple[str, str]]:
    """Return the messages among ``texts`` that ``base`` translates, each with its msgstr."""
    english = {digest(text): text for text in texts}
    stored: set[tuple[str, str]] = set()
    for entry in base.entries:
        text = english.get(entry.msgid)
        if text is None or not text_of(entry):
            continue
        # ``open_entry`` restores long atoms. It returns None if their English is unknown.
        opened = open_entry(entry, Entry(msgid=text), english)
        if opened is not None:
            stored.add((text, opened.msgstr))
    return stored


def _waiting(entry: Entry) -> Entry:
    """Return an entry as fuzzy, for a person to review. An entry without msgstr stays unchanged."""
    if entry.fuzzy or not entry.msgstr:
        return entry
    notes = (*entry.notes, _NOTE)
    return replace(entry, fuzzy=True, previous=entry.msgid, notes=notes)
