"""Open a memory as a catalogue: digests become English again, as far as it is known.

Closing the catalogue gives the memory back. The English of an entry is never guessed: an entry
whose English is unknown stays in the memory, and the caller reports it. Entries that gave way are
opened too, for a catalogue beside the build that people can read.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipeline.core.catalog.change import diff
from pipeline.core.catalog.origins import is_emptied, states_of
from pipeline.core.memory.record import (
    DIFF,
    SAME,
    SAME_AS_PREVIOUS,
    Key,
    Memory,
    Texts,
    digest,
    key_of,
    sources_of,
    text_of,
    translators_of,
)
from pipeline.core.memory.redaction import restore
from pipeline.entries import Catalog, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A catalogue rebuilt, and the entries of the memory whose English is not known.

    Those stay in the memory.
    """

    catalog: Catalog
    missing: tuple[Entry, ...] = ()


def open_memory(
    memory: Memory, wanted: Sequence[Entry], *, texts: Texts, header: Mapping[str, str]
) -> Opened:
    """The catalogue of a memory.

    ``wanted`` are the page's entries at the memory's commit, or else at the pin.

    ``texts`` is all English that is known. What the page no longer has is obsolete; what is in no
    text is missing.
    """
    opening = _Opening(texts=texts)
    remembered = _by_digest(memory.entries)
    used: set[Key] = set()
    for blank in wanted:
        # Several entries if a translator told contexts apart.
        of_message = remembered.get(digest(blank.msgid), [])
        opening.add_message(blank, of_message)
        used.update(map(key_of, of_message))
    for entry in memory.entries:
        # What is left has no message on the page. Without a translation there is nothing to keep.
        if key_of(entry) not in used and text_of(entry):
            opening.add_obsolete(entry)
    catalog = Catalog(
        header=dict(header), comment=memory.comment, entries=tuple(opening.entries)
    )
    return Opened(catalog=catalog, missing=tuple(opening.missing))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Opening:
    """A memory while it is opened: what becomes of its entries, in the order of the catalogue."""

    texts: Texts
    entries: list[Entry] = field(default_factory=list)  # of the catalogue
    missing: list[Entry] = field(default_factory=list)  # of the memory

    def add_message(self, blank: Entry, remembered: Sequence[Entry]) -> None:
        """Add a message of the page with what the memory has for it.

        An entry may be opened and missing: its msgstr is known, but not the English that
        it was written for.
        """
        opened = [open_entry(entry, blank, self.texts) for entry in remembered]
        # A page is whole: where nothing could be opened, the message stands without a
        # translation.
        self.entries.extend(list(filter(None, opened)) or [blank])
        self.missing.extend(filter(self._lacks_previous, remembered))

    def add_obsolete(self, entry: Entry) -> None:
        """Add an entry whose message is not on the page any more.

        Its English may be known all the same: from history, or from another page.
        """
        opened: Entry | None = None
        text = self.texts.get(entry.msgid)
        if text is not None:
            opened = open_entry(entry, Entry(msgid=text, obsolete=True), self.texts)
        if opened:
            self.entries.append(opened)
        if opened is None or self._lacks_previous(entry):
            self.missing.append(entry)

    def _lacks_previous(self, entry: Entry) -> bool:
        """Whether an entry was written for English that is not known."""
        return bool(entry.previous) and _previous(entry, self.texts) is None


def open_entry(entry: Entry, blank: Entry, texts: Texts) -> Entry | None:
    """``blank``, a message in English, with what the memory's ``entry`` holds for it.

    None if the translation cannot be had without English that is not known.
    """
    previous = _previous(entry, texts)
    msgstr = restored_msgstr(entry, blank.msgid, previous)
    if msgstr is None:
        return None
    # What followed a change has no previous English, but may have a note of its source. Without
    # either ``DIFF`` stays in the notes.
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


def restored_msgstr(
    entry: Entry, msgid: str | None, previous: str | None
) -> str | None:
    """The msgstr of an entry whose English is ``msgid``; None if it needs unknown English.

    ``previous`` is the English of ``#| msgid``, if there is one and it is known. The
    inverse of ``redact.stored``.
    """
    if SAME in entry.notes:
        return msgid
    if SAME_AS_PREVIOUS in entry.notes:
        return previous
    # The atoms are those of the English that it was written for.
    is_for_msgid = entry.written_for == entry.msgid
    return restore(entry.msgstr, msgid if is_for_msgid else previous)


def _previous(entry: Entry, texts: Texts) -> str | None:
    """The English that a fuzzy translation was written for, if it is known.

    It may never have been one message: the update joins several ones, and then the
    memory's notes name those.
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
    """The English of the messages that a translation was made from.

    None if there are no such messages, or one is not known.
    """
    codes = [source.digest for source in sources_of(entry)]
    # ``texts`` has many messages, and an entry has a few sources at most.
    if not codes or not texts.keys() >= set(codes):
        return None
    return " ".join(texts[code] for code in codes)


def _by_digest(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The entries of each message: several if a translator told contexts apart.

    Those that the page had lost count only where there is no live one; emptied ones never do.
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
    """Entries of a memory with their English, each with the ``reason`` why it is kept.

    Where the English is not known the digest stands in its place, and the msgstr is as the memory
    has it. Who has translated it is a comment.
    """
    kept: list[Entry] = []
    for entry in entries:
        blank = Entry(msgid=texts.get(entry.msgid, entry.msgid))
        opened = open_entry(entry, blank, texts)
        if opened is None:
            opened = replace(entry, msgid=blank.msgid, previous=None, obsolete=False)
        # Only one entry of a catalogue may have both the same context and the same English.
        context = reason if opened.context is None else f"{opened.context}: {reason}"
        comments = (*opened.comments, *translators_of(entry))
        kept.append(replace(opened, context=context, comments=comments, notes=()))
    return kept


def add_kept(catalog: Catalog, entries: Iterable[Entry]) -> Catalog:
    """``catalog`` with ``entries`` behind its own; one whose translation it has is left out."""
    translations = {(entry.msgid, entry.msgstr) for entry in catalog.entries}
    keys = {(entry.context, entry.msgid) for entry in catalog.entries}
    added: list[Entry] = []
    for entry in entries:
        if (entry.msgid, entry.msgstr) in translations:
            continue
        reason, number = entry.context, 1
        while (entry.context, entry.msgid) in keys:
            # The third that gave way for the same reason: "replaced (3)".
            number += 1
            entry = replace(entry, context=f"{reason} ({number})")  # noqa: PLW2901
        translations.add((entry.msgid, entry.msgstr))
        keys.add((entry.context, entry.msgid))
        added.append(entry)
    return replace(catalog, entries=(*catalog.entries, *added))
