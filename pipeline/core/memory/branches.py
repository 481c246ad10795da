"""Merge the memory of a page on two branches, entry by entry, as git merges lines.

In go the three versions that git has, out comes the merged one with the entries that both sides
have translated differently. Nothing else is a conflict: lines that touch, an upgrade on one side, a
note that moved. A translation is dropped only where the other side has a more finished one.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pipeline.core.catalog.states import is_emptied
from pipeline.core.memory.header import moment_of
from pipeline.core.memory.reconcile import Conflict
from pipeline.core.memory.record import (
    Key,
    Memory,
    in_order,
    left_over,
    text_of,
    with_refs,
)
from pipeline.entries import Entry

Value = TypeVar("Value")


@dataclass(frozen=True, slots=True, kw_only=True)
class MergedBranches:
    """The merged memory. Where both sides are in conflict it has the entry of ours."""

    memory: Memory
    conflicts: tuple[Conflict, ...] = ()


def merge_branches(base: Memory | None, ours: Memory, theirs: Memory) -> MergedBranches:
    """Merge two versions of a page's memory; ``base`` is None if both sides have added the file.

    If one side has moved the page to another release, the page is as it is there; of two releases
    the later one counts.
    """
    head = _head(base, ours, theirs)
    # What both have added has nothing in common that either could have removed.
    before = base or replace(head, entries=(), extra={}, comment=())
    merge = _Merge(base=before.by_key(), ours=ours, theirs=theirs, live=head.live)
    # In the order of the page that stays; what only the other side has comes behind.
    other = theirs if head is ours else ours
    for key in {**head.by_key(), **other.by_key()}:
        merge.add(key)
    memory = replace(
        head,
        extra=_merged_fields(before.extra, ours.extra, theirs.extra),
        comment=_changed(before.comment, ours.comment, theirs.comment),
        entries=in_order(merge.entries),
    )
    memory = with_refs(memory, None, ours.known_refs | theirs.known_refs)
    return MergedBranches(memory=memory, conflicts=tuple(merge.conflicts))


@dataclass(slots=True, kw_only=True)
class _Merge:
    """One merge while it is made."""

    base: Mapping[Key, Entry]
    ours: Memory
    theirs: Memory
    live: Collection[str]  # digests of the page that stays
    entries: list[Entry] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)
    our_entries: Mapping[Key, Entry] = field(init=False)
    their_entries: Mapping[Key, Entry] = field(init=False)

    def __post_init__(self) -> None:
        self.our_entries = self.ours.by_key()
        self.their_entries = self.theirs.by_key()

    def add(self, key: Key) -> None:
        """Add the entry that comes of what the sides have for ``key``, if any does.

        At least one of them has it.
        """
        before = self.base.get(key)
        our = self.our_entries.get(key)
        their = self.their_entries.get(key)
        if our and their:
            self._add_both(before, our, their)
        elif our:
            self._add_alone(before, our, self.ours)
        else:
            self._add_alone(before, self.their_entries[key], self.theirs)

    def _add_both(self, before: Entry | None, our: Entry, their: Entry) -> None:
        """Add the entry that both sides have, in the translation that stays."""
        chosen = _chosen(before, our, their)
        if chosen is None:
            conflict = self._placed(our, self.ours), self._placed(their, self.theirs)
            self.conflicts.append(Conflict(*conflict))
        memory = self.theirs if chosen is their else self.ours
        # Remarks and flags are added and taken away on both sides, each for itself.
        blank = before or Entry(msgid=our.msgid)
        merged = replace(
            chosen or our,
            comments=_union(blank.comments, our.comments, their.comments),
            flags=_union(blank.flags, our.flags, their.flags),
        )
        self._add(merged, memory)

    def _add_alone(self, before: Entry | None, entry: Entry, memory: Memory) -> None:
        """Add an entry that one side has, unless the other side has removed it."""
        # What was changed here is more than that it was removed there.
        if before is None or _content(before) != _content(entry):
            self._add(entry, memory)

    def _add(self, entry: Entry, memory: Memory) -> None:
        placed = self._placed(entry, memory)
        # Without a translation there is nothing to keep of what is gone from the page.
        if text_of(placed) or not placed.obsolete:
            self.entries.append(placed)

    def _placed(self, entry: Entry, memory: Memory) -> Entry:
        """``entry`` of ``memory`` as it stands on the page that stays."""
        placed = left_over(entry, old=memory, live=self.live)
        is_gone = is_emptied(entry) or entry.msgid not in self.live
        return replace(placed, obsolete=is_gone)


def _head(base: Memory | None, ours: Memory, theirs: Memory) -> Memory:
    """The side whose page stays: the one that has moved it, or moved it to the later release."""
    if _page(ours) == _page(theirs) or (base and _page(ours) == _page(base)):
        return theirs
    if base and _page(theirs) == _page(base):
        return ours

    def age(side: Memory) -> tuple[float, str, str]:
        """Equal for no two pages: both branches shall choose alike."""
        return moment_of(side.date), side.commit, side.layout

    return max(ours, theirs, key=age)


def _page(memory: Memory) -> tuple[str, ...]:
    return memory.commit, memory.ref, memory.layout, memory.project, memory.date


def _chosen(before: Entry | None, our: Entry, their: Entry) -> Entry | None:
    """Whose translation stays, the first rule that fits; None if a person has to choose."""
    our_work, their_work = _translation(our), _translation(their)
    base_work = _translation(before) if before else None
    if our_work == base_work:
        return their
    if their_work in (base_work, our_work):
        return our
    # Both have changed it. The more finished one is meant: git has the other one.
    if _worth(our) == _worth(their) > 0:
        return None
    return max(our, their, key=_worth)


def _worth(entry: Entry) -> int:
    """No translation, one that waits for a person, a finished one: 0, 1, 2."""
    if not text_of(entry):
        return 0
    return 1 if entry.fuzzy else 2


def _translation(entry: Entry) -> tuple[object, ...]:
    return text_of(entry), entry.fuzzy, entry.previous


def _content(entry: Entry) -> tuple[object, ...]:
    """What people have put into an entry."""
    return *_translation(entry), entry.comments, entry.flags


def _merged_fields(
    base: Mapping[str, str], ours: Mapping[str, str], theirs: Mapping[str, str]
) -> dict[str, str]:
    """Fields of a header, each as ``_changed`` has it; one that a side has removed goes."""
    fields: dict[str, str] = {}
    for name in {**ours, **theirs}:
        value = _changed(base.get(name), ours.get(name), theirs.get(name))
        if value is not None:
            fields[name] = value
    return fields


def _changed(base: Value, ours: Value, theirs: Value) -> Value:
    """The value that one side has changed; ours if both have."""
    return theirs if ours == base else ours


def _union(
    base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]
) -> tuple[str, ...]:
    """The lines of both sides, without those that either of them has removed."""
    removed = (set(base) - set(ours)) | (set(base) - set(theirs))
    both = dict.fromkeys((*ours, *theirs))
    return tuple(line for line in both if line not in removed)
