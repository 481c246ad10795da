"""One memory for several releases: conversion of a page's memory to another release, and back.

A project may publish several releases of the docs. All share one committed memory, which describes
each page at the pinned release. ``at_release`` converts the memory of a page to another release.
``fold`` adds translations that were made for that release to the shared memory.

The invariants: folding an unchanged memory changes nothing, and folding removes no entry. So runs
of two releases, in any order, do not undo each other's work.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec.structs import replace

from pipeline.core.catalog.origins import is_emptied, is_remembered_draft
from pipeline.core.catalog.reuse import Finished, finished_in, is_spare
from pipeline.core.memory.merge import lost_in
from pipeline.core.memory.record import (
    Memory,
    as_obsolete,
    human_work,
    in_order,
    same_note_of,
    text_of,
    translators_of,
    with_refs,
)
from pipeline.entries import Entry


def at_release(shared: Memory, head: Memory) -> Memory:
    """Return the ``shared`` memory of a page, converted to the release of ``head``.

    The live entries of ``head`` are the messages of the page at that release; their translations
    are ignored. Obsolete entries that an update of the page would drop are left out.
    """
    live = head.live
    finished = _finished(shared.entries)
    entries: dict[str, list[Entry]] = {code: [] for code in sorted(live)}
    obsolete: list[Entry] = []
    for entry in shared.entries:
        if entry.msgid in live and not _is_only_kept(entry, shared.live):
            entries[entry.msgid].append(_placed(entry, shared, live, obsolete=False))
        elif _is_lasting(entry, finished):
            obsolete.append(_placed(entry, shared, live, obsolete=True))
    messages: list[Entry] = []
    for code, known in entries.items():
        messages += known or [Entry(msgid=code)]
    # If the messages differ, the date of the shared memory belongs to another text.
    date = shared.date if head.layout == shared.layout else ""
    memory = replace(
        shared,
        commit=head.commit,
        ref=head.ref,
        layout=head.layout,
        date=date,
        entries=(*messages, *obsolete),
    )
    return with_refs(memory, None, shared.known_refs)


def fold(shared: Memory, own: Memory) -> Memory:
    """Return the ``shared`` memory with the work in ``own``, the page's memory at another release.

    If the pinned release lacks a message, its translation becomes obsolete, with the place of its
    English. Drafts, and fuzzy entries that only repeat a finished translation, are left out: the
    update of the pinned page would drop them. Return ``shared`` itself if there is nothing to add.
    """
    before = at_release(shared, own).by_key()
    finished = _finished(own.entries)
    known = shared.by_key()
    entries = dict(known)
    for key, entry in own.by_key().items():
        old = before.get(key, Entry(msgid=entry.msgid))
        if human_work(entry) == human_work(old):
            continue
        if text_of(entry) and not _is_lasting(entry, finished):
            continue
        # An entry whose translation was removed matters only if the shared memory has the entry.
        if key not in known and not text_of(entry):
            continue
        is_gone = is_emptied(entry) or entry.msgid not in shared.live
        if key in known:
            is_gone = known[key].obsolete
        entries[key] = _placed(entry, own, shared.live, obsolete=is_gone)
    if entries == known:
        return shared
    folded = replace(shared, entries=in_order(entries.values()))
    return with_refs(folded, shared, shared.known_refs | own.known_refs)


def is_folded(memory: Memory, own: Memory) -> bool:
    """Return whether ``own`` has all translations of ``memory`` and no further work."""
    return fold(memory, own) is memory and not lost_in(own, memory, frozenset())


def offer(shared: Memory, translations: Mapping[str, Entry]) -> Memory:
    """Return the ``shared`` memory with ``translations`` for its untranslated messages.

    ``translations`` are finished entries of other pages, by digest of their English. Return
    ``shared`` itself if none of them fits.
    """
    entries: list[Entry] = []
    for entry in shared.entries:
        found = translations.get(entry.msgid)
        if found is None or entry.obsolete or entry.context or text_of(entry):
            entries.append(entry)
            continue
        notes = (*filter(None, (same_note_of(found),)), *translators_of(found))
        entries.append(replace(entry, msgstr=found.msgstr, notes=notes))
    if tuple(entries) == shared.entries:
        return shared
    return replace(shared, entries=tuple(entries))


def finished_translations(memories: Iterable[Memory]) -> dict[str, Entry]:
    """Return the finished translations without context in ``memories`` by digest."""
    found: dict[str, Entry] = {}
    for memory in memories:
        for entry in memory.entries:
            if text_of(entry) and not entry.fuzzy and entry.context is None:
                found.setdefault(entry.msgid, entry)
    return found


def _is_only_kept(entry: Entry, live: Collection[str]) -> bool:
    """Return whether an obsolete entry stays obsolete even if its English is on a page.

    This is so if the memory has a live entry for the message, or if somebody removed the
    translation from the catalogue.
    """
    return entry.obsolete and (entry.msgid in live or is_emptied(entry))


def _is_lasting(entry: Entry, finished: Finished) -> bool:
    """Return whether the update of a page without the message would keep the entry."""
    if not text_of(entry) or is_remembered_draft(entry):
        return False
    return not is_spare(_with_text(entry), finished)


def _finished(entries: Iterable[Entry]) -> Finished:
    return finished_in(map(_with_text, entries))


def _with_text(entry: Entry) -> Entry:
    """Return ``entry``, with the msgstr ``=`` if a note replaces its msgstr."""
    return replace(entry, msgstr="=") if same_note_of(entry) else entry


def _placed(entry: Entry, memory: Memory, live: Collection[str], *, obsolete: bool) -> Entry:
    """Return an entry of ``memory`` for a page with the messages ``live``."""
    placed = as_obsolete(entry, old=memory, live=live)
    return replace(placed, obsolete=obsolete, line=entry.line)
