"""Bring together what was translated here and what came in with the memory.

That is a three-way merge by entry, against what both started from. No translation that a person
wrote is dropped in silence: what gives way is told, and stands in a comment.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import NamedTuple

from pipeline.core.memory.record import Key, Memory, digest, in_order, text_of, work_of
from pipeline.core.memory.redact import stored
from pipeline.entries import Catalog, Entry

# What a comment begins with that holds the translation which gave way.
OTHER, TAKEN_BACK = "someone else wrote:", "someone else took this back:"

# Digests of English messages, each with a translation that was written for it (``text_of``).
Held = AbstractSet[tuple[str, str]]


class Conflict(NamedTuple):
    """An entry that was changed here and elsewhere, differently; ours stays."""

    ours: Entry
    theirs: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Merged:
    """A memory that holds what was done here and elsewhere."""

    memory: Memory
    taken: bool  # something came from elsewhere
    conflicts: tuple[Conflict, ...] = ()
    # Translations here that are no more elsewhere, and stand nowhere else there.
    taken_back: tuple[Entry, ...] = ()


class _Side(Enum):
    """Whose version of an entry stays."""

    OURS = auto()
    THEIRS = auto()
    CONFLICT = auto()  # ours, but theirs is told


# Which of two different translations stays where nobody knows what both started from. Only
# a finished one was surely written by a person; the update may have made the other. The
# keys: whether ours is fuzzy, whether theirs is.
_WITHOUT_BASE = {
    (False, False): _Side.CONFLICT,
    (False, True): _Side.OURS,
    (True, False): _Side.THEIRS,
    (True, True): _Side.OURS,
}


def held_in(catalogs: Iterable[Catalog]) -> Held:
    """All translations in working catalogues, each with the English that it was written for.

    They are as a memory would have them: without long atoms of the English.
    """
    held: set[tuple[str, str]] = set()
    for catalog in catalogs:
        for entry in catalog.entries:
            if entry.msgstr:
                held.add((digest(entry.written_for), stored(entry).text))
    return held


def held_by(memories: Iterable[Memory]) -> Held:
    """All translations in memories, obsolete ones included: ``held_in`` for memories."""
    held: set[tuple[str, str]] = set()
    for memory in memories:
        for entry in memory.entries:
            if text_of(entry):
                held.add(_held(entry))
    return held


def reconcile(
    ours: Memory, theirs: Memory, *, base: Memory | None, held: Held
) -> Merged:
    """Merge by entry, into the page as it is in ``theirs``.

    ``ours`` is the working catalogue, closed; ``theirs`` the committed memory; ``base`` what both
    started from, if that is known. ``held`` are the translations in all working catalogues: what
    moved from one entry to another is not restored. Without a base a finished translation here
    stays, an unfinished one gives way.
    """
    merge = _Merge(
        ours=ours.by_key(),
        base=base.by_key() if base else {},
        held=held,
        theirs_hold=held_by([theirs]),
    )
    their_entries = theirs.by_key()
    for key, their in their_entries.items():
        merge.add(key, their)
    for key, our in merge.ours.items():
        if key not in their_entries:
            merge.add_ours(key, our)
    return Merged(
        memory=replace(theirs, entries=in_order(merge.entries)),
        taken=merge.taken,
        conflicts=tuple(merge.conflicts),
        taken_back=tuple(merge.taken_back),
    )


def keep_unheld(memory: Memory, old: Memory, held: Held) -> tuple[Entry, ...]:
    """Entries of ``old`` whose translation is neither in ``memory`` nor in ``held``.

    ``memory`` is what is to be written in place of ``old``: they would be lost by that.
    """
    known = memory.by_key()
    unheld: list[Entry] = []
    for key, entry in old.by_key().items():
        # An entry without a translation holds nothing that could be lost.
        is_unheld = text_of(entry) != "" and _held(entry) not in held
        if is_unheld and key not in known:
            unheld.append(entry)
    return tuple(unheld)


@dataclass(slots=True, kw_only=True)
class _Merge:
    """One merge while it is made."""

    ours: Mapping[Key, Entry]
    base: Mapping[Key, Entry]  # empty if nobody knows what both started from
    held: Held  # in all working catalogues
    theirs_hold: Held  # in the memory that comes in
    entries: list[Entry] = field(default_factory=list)
    taken: bool = False
    conflicts: list[Conflict] = field(default_factory=list)
    taken_back: list[Entry] = field(default_factory=list)

    def add(self, key: Key, their: Entry) -> None:
        """Add an entry that the memory has, in the version that stays.

        Whether it is obsolete is up to the memory, which has the page as it is now.
        """
        our = self.ours.get(key)
        if our is None:
            # New from elsewhere, unless it only moved there from another entry of ours.
            self.taken |= text_of(their) != "" and _held(their) not in self.held
            self.entries.append(their)
            return
        match _choose(our, their, self.base.get(key)):
            case _Side.THEIRS:
                self._take(our, their)
                return
            case _Side.CONFLICT:
                self.conflicts.append(Conflict(our, their))
                our = _with_comment(our, f"{OTHER} {text_of(their)}")
        self.entries.append(replace(our, obsolete=their.obsolete))

    def add_ours(self, key: Key, our: Entry) -> None:
        """Add an entry of the catalogue alone, as obsolete, if its translation would be lost.

        The page as the memory has it lacks the message.
        """
        if not text_of(our):
            return
        before = self.base.get(key)
        is_unchanged = before is not None and work_of(before) == work_of(our)
        # Elsewhere the memory was brought to another release, and the translation went along to
        # another entry.
        if is_unchanged and _held(our) in self.theirs_hold:
            return
        self.entries.append(replace(our, obsolete=True))

    def _take(self, our: Entry, their: Entry) -> None:
        """Add ``their``, with what would be lost of ``our`` in a comment.

        That is a translation which was taken back elsewhere, and moved to no other entry.
        """
        if text_of(our) and not text_of(their) and _held(our) not in self.theirs_hold:
            self.taken_back.append(our)
            their = _with_comment(their, f"{TAKEN_BACK} {text_of(our)}")
        self.entries.append(their)
        self.taken |= work_of(our) != work_of(their)


def _choose(our: Entry, their: Entry, before: Entry | None) -> _Side:
    """Whose version of an entry stays, given what both started from: the first rule that fits.

    ``before`` is None if that is not known, or had no such entry.
    """
    our_work, their_work = work_of(our), work_of(their)
    base_work = work_of(before) if before else None
    # It is the same on both sides, or nobody has changed it here.
    if our_work in (their_work, base_work):
        return _Side.THEIRS
    # Nobody has changed it there.
    if their_work == base_work:
        return _Side.OURS
    # Both have changed it, or nobody knows what it was before. A translation is more than none.
    if not text_of(their):
        return _Side.OURS
    if not text_of(our):
        return _Side.THEIRS
    if before:
        return _Side.CONFLICT
    return _WITHOUT_BASE[our.fuzzy, their.fuzzy]


def _held(entry: Entry) -> tuple[str, str]:
    """An entry of a memory as an element of ``Held``."""
    return entry.written_for, text_of(entry)


def _with_comment(entry: Entry, comment: str) -> Entry:
    """``entry`` with the translation that gave way in a comment, where a person finds it.

    ``# someone else wrote: 茶很烫。`` stands there once, however often the two are merged.
    """
    if comment in entry.comments:
        return entry
    return replace(entry, comments=(*entry.comments, comment))
