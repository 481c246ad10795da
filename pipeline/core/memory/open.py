"""A memory as a catalogue: digests become English again, as far as it is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from pipeline.core.catalog.change import diff
from pipeline.core.memory.record import (
    DIFF,
    FROM,
    SAME,
    SAME_AS_PREVIOUS,
    TOUCH,
    TRANSLATOR,
    Key,
    Memory,
    Texts,
    digest,
    key_of,
    states_of,
    text_of,
)
from pipeline.core.memory.redact import restore
from pipeline.entries import Catalog, Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Opened:
    """A catalogue rebuilt, and the entries (of the memory) whose English is not known; they stay in the memory."""

    catalog: Catalog
    missing: tuple[Entry, ...] = ()


def open_memory(
    memory: Memory, wanted: Sequence[Entry], *, texts: Texts, header: Mapping[str, str]
) -> Opened:
    """The catalogue of a memory. ``wanted`` are the page's entries at the memory's commit, or else at the pin.

    ``texts`` is all English that is known. What the page no longer has is obsolete; what is in no text is missing.
    """
    live, gone = (
        _by_digest(memory.entries, obsolete=False),
        _by_digest(memory.entries, obsolete=True),
    )
    entries: list[Entry] = []
    missing: list[Entry] = []
    used: set[Key] = set()
    for fresh in wanted:
        code = digest(fresh.msgid)
        found = live.get(code) or gone.get(code) or []
        opened = [one for entry in found if (one := _open(entry, fresh, texts))]
        entries += opened or [fresh]
        used.update(key_of(entry) for entry in found)
        missing += [entry for entry in found if entry.previous and _previous(entry, texts) is None]
    for entry in memory.entries:
        if key_of(entry) in used or not text_of(entry):
            continue
        text = texts.get(entry.msgid)
        old = _open(entry, Entry(msgid=text, obsolete=True), texts) if text is not None else None
        if old:
            entries.append(old)
        if old is None or (entry.previous and old.previous is None):
            missing.append(entry)
    catalog = Catalog(header=dict(header), comment=memory.comment, entries=tuple(entries))
    return Opened(catalog=catalog, missing=tuple(missing))


def editing_fields(memory: Memory) -> dict[str, str]:
    """What a catalogue's header says of its team, and of who touched it last: the newest of the entries' notes."""
    notes = {
        note for entry in memory.entries for note in entry.notes if note.startswith(TRANSLATOR)
    }
    touches = [match for note in notes if (match := TOUCH.fullmatch(note))]
    if not touches:
        return dict(memory.extra)
    who, when, generator = max(touches, key=lambda match: (_moment(match[2]), match[0])).groups()
    fields = {"PO-Revision-Date": when, "Last-Translator": who, "X-Generator": generator or ""}
    return {**{name: value for name, value in fields.items() if value}, **memory.extra}


def _open(entry: Entry, fresh: Entry, texts: Texts) -> Entry | None:
    """An entry of a memory in English: ``fresh`` with what the memory holds for it; None if that is not known."""
    previous = _previous(entry, texts)
    msgstr = restore(entry.msgstr, previous if entry.fuzzy and entry.previous else fresh.msgid)
    if SAME in entry.notes:
        msgstr = fresh.msgid
    elif SAME_AS_PREVIOUS in entry.notes:
        msgstr = previous
    if msgstr is None:
        return None
    old = previous if entry.previous else _joined(entry, texts)
    words = diff(old, fresh.msgid) if old is not None else DIFF
    return replace(
        fresh,
        msgstr=msgstr,
        fuzzy=entry.fuzzy,
        previous=previous,
        context=entry.context,
        comments=entry.comments,
        flags=entry.flags,
        notes=(*fresh.notes, *(note.replace(DIFF, words) for note in states_of(entry))),
    )


def _previous(entry: Entry, texts: Texts) -> str | None:
    """The English that a fuzzy translation was written for, if it is known."""
    if entry.previous is None:
        return None
    known = texts.get(entry.previous)
    joined = _joined(entry, texts) if known is None else None
    return joined if joined is not None and digest(joined) == entry.previous else known


def _joined(entry: Entry, texts: Texts) -> str | None:
    """The English of an entry's sources, if all of it is known."""
    sources = [texts.get(match[1]) for note in entry.notes if (match := FROM.fullmatch(note))]
    found = [text for text in sources if text is not None]
    return " ".join(found) if found and len(found) == len(sources) else None


def _by_digest(entries: Iterable[Entry], *, obsolete: bool) -> dict[str, list[Entry]]:
    found: dict[str, list[Entry]] = {}
    for entry in entries:
        if entry.obsolete == obsolete:
            found.setdefault(entry.msgid, []).append(entry)
    return found


def _moment(when: str) -> float:
    try:
        return datetime.strptime(when, "%Y-%m-%d %H:%M%z").timestamp()
    except (ValueError, OverflowError):
        return float("-inf")
