"""A memory as a catalogue: digests become English again, as far as it is known.

Closing the catalogue gives the memory back. An entry whose English is not known is never guessed
at: it stays in the memory, and the caller says so.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pipeline.core.catalog.change import diff
from pipeline.core.catalog.states import states_of
from pipeline.core.memory.notes import (
    DIFF,
    SAME,
    SAME_AS_PREVIOUS,
    TOUCH,
    sources_of,
    translators_of,
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
    live = _by_digest(entry for entry in memory.entries if not entry.obsolete)
    obsolete = _by_digest(entry for entry in memory.entries if entry.obsolete)
    entries: list[Entry] = []
    missing: list[Entry] = []
    used: set[Key] = set()
    for blank in wanted:
        code = digest(blank.msgid)
        remembered = live.get(code) or obsolete.get(code) or []
        opened = [_open(entry, blank, texts) for entry in remembered]
        # A page is whole: where nothing could be opened, the message stands without a translation.
        entries += [entry for entry in opened if entry] or [blank]
        for entry in remembered:
            used.add(key_of(entry))
            if entry.previous and _previous(entry, texts) is None:
                missing.append(entry)
    for entry in memory.entries:
        if key_of(entry) in used or not text_of(entry):
            continue
        text = texts.get(entry.msgid)
        left_over = None
        if text is not None:
            left_over = _open(entry, Entry(msgid=text, obsolete=True), texts)
        if left_over:
            entries.append(left_over)
        if left_over is None or (entry.previous and left_over.previous is None):
            missing.append(entry)
    catalog = Catalog(header=dict(header), comment=memory.comment, entries=tuple(entries))
    return Opened(catalog=catalog, missing=tuple(missing))


def editing_fields(memory: Memory) -> dict[str, str]:
    """What a catalogue's header says of its team, and of who touched it last.

    The newest of the entries' notes tells the latter.
    """
    notes = {note for entry in memory.entries for note in translators_of(entry)}
    touches = [touch for touch in map(TOUCH.fullmatch, notes) if touch]
    if not touches:
        return dict(memory.extra)
    # Of two notes of one moment the text decides, so that the choice is the same in every run.
    newest = max(touches, key=lambda touch: (_moment(touch[2]), touch[0]))
    who, when, generator = newest.groups()
    fields = {
        "PO-Revision-Date": when,
        "Last-Translator": who,
        "X-Generator": generator or "",
    }
    known = {name: value for name, value in fields.items() if value}
    return known | dict(memory.extra)


def _open(entry: Entry, blank: Entry, texts: Texts) -> Entry | None:
    """``blank``, a message in English, with what the memory's ``entry`` holds for it.

    None if the translation cannot be had without English that is not known.
    """
    previous = _previous(entry, texts)
    msgstr = _restored(entry, blank.msgid, previous)
    if msgstr is None:
        return None
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
    by_digest: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_digest[entry.msgid].append(entry)
    return by_digest


def _moment(when: str) -> float:
    """A date as gettext writes it, in seconds; one that is none is older than all others."""
    try:
        return datetime.strptime(when, "%Y-%m-%d %H:%M%z").timestamp()
    except (ValueError, OverflowError):
        return float("-inf")
