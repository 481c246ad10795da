"""Bring together what was translated here and what came in with the memory: entry by entry, against what both started from."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from pipeline.core.memory.close import stored
from pipeline.core.memory.record import Memory, digest, in_order, text_of, work_of, written_for
from pipeline.entries import Catalog, Entry

OTHER, TAKEN_BACK = "someone else wrote:", "someone else took this back:"

Held = AbstractSet[
    tuple[str, str]
]  # digest of an English message, and a translation that was written for it


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A memory that holds what was done here and elsewhere."""

    memory: Memory
    taken: bool  # something came from elsewhere
    conflicts: tuple[
        tuple[Entry, Entry], ...
    ] = ()  # changed here and elsewhere, differently: (ours, theirs); ours stays
    taken_back: tuple[
        Entry, ...
    ] = ()  # translations here that are no more elsewhere, and stand nowhere else there


def held_in(catalogs: Iterable[Catalog]) -> Held:
    """All translations in working catalogues, each with the English that it was written for."""
    entries = (entry for catalog in catalogs for entry in catalog.entries if entry.msgstr)
    return {
        (digest(written_for(entry)), "".join((text, *note)))
        for entry in entries
        for text, note in [stored(entry)]
    }


def held_by(memories: Iterable[Memory]) -> Held:
    """The same for memories."""
    return {_written(entry) for memory in memories for entry in memory.entries if text_of(entry)}


def _written(entry: Entry) -> tuple[str, str]:
    return written_for(entry), text_of(entry)


def reconcile(ours: Memory, theirs: Memory, *, base: Memory | None, held: Held) -> Merged:
    """Merge by entry, into the page as it is in ``theirs``.

    ``ours`` is the working catalogue, closed; ``theirs`` the committed memory; ``base`` what both started from, if that is
    known. ``held`` are the translations in all working catalogues: what moved from one entry to another is not restored.
    Without a base a finished translation here stays, an unfinished one gives way.
    """
    our_entries, their_entries = ours.by_key(), theirs.by_key()
    base_entries = base.by_key() if base else {}
    entries: list[Entry] = []
    conflicts: list[tuple[Entry, Entry]] = []
    taken_back: list[Entry] = []
    theirs_hold = held_by([theirs])
    taken = False
    for key, their in their_entries.items():
        our, before = our_entries.get(key), base_entries.get(key)
        if our is None:
            taken |= bool(text_of(their)) and _written(their) not in held
            entries.append(their)
            continue
        stays, conflict = _choose(our, their, before)
        if conflict:
            conflicts.append((our, their))
            our = _with_other(our, f"{OTHER} {text_of(their)}")
        if not stays and text_of(our) and not text_of(their) and _written(our) not in theirs_hold:
            taken_back.append(our)
            their = _with_other(their, f"{TAKEN_BACK} {text_of(our)}")  # noqa: PLW2901 - with what would be lost
        entries.append(replace(our, obsolete=their.obsolete) if stays else their)
        taken |= not stays and work_of(our) != work_of(their)
    for key, our in our_entries.items():
        before = base_entries.get(key)
        moved = (
            before is not None and work_of(before) == work_of(our) and _written(our) in theirs_hold
        )
        if key not in their_entries and text_of(our) and not moved:
            entries.append(replace(our, obsolete=True))
    memory = replace(theirs, entries=in_order(entries))
    return Merged(
        memory=memory, taken=taken, conflicts=tuple(conflicts), taken_back=tuple(taken_back)
    )


def keep_unheld(memory: Memory, old: Memory, held: Held) -> tuple[Entry, ...]:
    """Entries of ``old`` whose translation is nowhere else: not in ``memory`` and not in ``held``."""
    known = memory.by_key()
    kept = (entry for key, entry in old.by_key().items() if key not in known)
    return tuple(entry for entry in kept if text_of(entry) and _written(entry) not in held)


def _with_other(entry: Entry, note: str) -> Entry:
    """``entry`` with the translation that gave way in a comment, where a person finds it."""
    return entry if note in entry.comments else replace(entry, comments=(*entry.comments, note))


def _choose(our: Entry, their: Entry, before: Entry | None) -> tuple[bool, bool]:
    """Whether ours stays, and whether both were changed, differently."""
    if work_of(our) == work_of(their):
        return False, False
    if before and work_of(our) == work_of(before):
        return False, False
    if before and work_of(their) == work_of(before):
        return True, False
    if not text_of(our) or not text_of(their):
        return bool(text_of(our)) or not text_of(their), False
    if before is None and our.fuzzy:
        return their.fuzzy, False
    return True, before is not None or not their.fuzzy
