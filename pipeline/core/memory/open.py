"""A memory as a catalogue: digests become English again, as far as it is known.

Closing the catalogue gives the memory back. An entry whose English is not known is never guessed
at: it stays in the memory, and the caller says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pipeline.core.catalog.change import diff
from pipeline.core.catalog.states import states_of
from pipeline.core.memory.notes import (
    DIFF,
    SAME,
    SAME_AS_PREVIOUS,
    sources_of,
)
from pipeline.core.memory.record import Key, Memory, Texts, digest, key_of, text_of
from pipeline.core.memory.redact import restore
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
    remembered = _by_digest(memory.entries)
    entries: list[Entry] = []
    missing: list[Entry] = []
    used: set[Key] = set()
    for blank in wanted:
        # Several entries if a translator told contexts apart.
        of_message = remembered.get(digest(blank.msgid), [])
        opened = [open_entry(entry, blank, texts) for entry in of_message]
        # A page is whole: where nothing could be opened, the message stands without a translation.
        entries += [entry for entry in opened if entry] or [blank]
        missing += [entry for entry in of_message if _lacks_previous(entry, texts)]
        used.update(map(key_of, of_message))
    for entry in memory.entries:
        # What is left has no message on the page. Without a translation there is nothing to keep.
        if key_of(entry) in used or not text_of(entry):
            continue
        left_over = _open_obsolete(entry, texts)
        if left_over:
            entries.append(left_over)
        if left_over is None or _lacks_previous(entry, texts):
            missing.append(entry)
    catalog = Catalog(
        header=dict(header), comment=memory.comment, entries=tuple(entries)
    )
    return Opened(catalog=catalog, missing=tuple(missing))


def _open_obsolete(entry: Entry, texts: Texts) -> Entry | None:
    """An entry whose message is not on the page any more; None if its English is not known."""
    text = texts.get(entry.msgid)
    if text is None:
        return None
    return open_entry(entry, Entry(msgid=text, obsolete=True), texts)


def _lacks_previous(entry: Entry, texts: Texts) -> bool:
    """Whether an entry was written for English that is not known."""
    return bool(entry.previous) and _previous(entry, texts) is None


def open_entry(entry: Entry, blank: Entry, texts: Texts) -> Entry | None:
    """``blank``, a message in English, with what the memory's ``entry`` holds for it.

    None if the translation cannot be had without English that is not known.
    """
    previous = _previous(entry, texts)
    msgstr = _restored(entry, blank.msgid, previous)
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


def _restored(entry: Entry, msgid: str, previous: str | None) -> str | None:
    """The msgstr of an entry whose English is ``msgid``; None if it needs unknown English."""
    if SAME in entry.notes:
        return msgid
    if SAME_AS_PREVIOUS in entry.notes:
        return previous
    # The atoms are those of the English that it was written for.
    if entry.fuzzy and entry.previous:
        return restore(entry.msgstr, previous)
    return restore(entry.msgstr, msgid)


def _previous(entry: Entry, texts: Texts) -> str | None:
    """The English that a fuzzy translation was written for, if it is known."""
    if entry.previous is None:
        return None
    known = texts.get(entry.previous)
    if known is None:
        # It may never have been one message: the update has joined several ones.
        joined = _joined_sources(entry, texts)
        if joined is not None and digest(joined) == entry.previous:
            return joined
    return known


def _joined_sources(entry: Entry, texts: Texts) -> str | None:
    """The English of the messages that a translation was made from.

    None if there are no such messages, or one is not known.
    """
    parts = [texts.get(source.digest) for source in sources_of(entry)]
    known = [part for part in parts if part is not None]
    if not known or len(known) < len(parts):
        return None
    return " ".join(known)


def _by_digest(entries: Iterable[Entry]) -> dict[str, list[Entry]]:
    """The entries of each message: several if a translator told contexts apart.

    Those that the page had lost count only where there is no live one.
    """
    live: dict[str, list[Entry]] = defaultdict(list)
    obsolete: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_digest = obsolete if entry.obsolete else live
        by_digest[entry.msgid].append(entry)
    return obsolete | live
