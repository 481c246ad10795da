"""Three-way merges of a page's memory, entry by entry.

``reconcile`` merges a working catalogue with the committed memory, against what both started from.
Nothing is written into an entry about the other side: the caller keeps elsewhere what gives way.
``merge_branches`` merges two branches as git merges lines. A conflict is an entry that both sides
translated differently; lines that touch, an upgrade on one side or a moved note are none.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from typing import NamedTuple, TypeVar

from pipeline.core.catalog.origins import EMPTIED, is_emptied, is_remembered_draft
from pipeline.core.memory.file import moment_of
from pipeline.core.memory.record import (
    Key,
    Memory,
    digest,
    in_order,
    key_of,
    left_over,
    text_of,
    with_refs,
    work_of,
)
from pipeline.core.memory.redaction import stored
from pipeline.entries import Catalog, Entry

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
    taken: bool  # the catalogue has to change
    conflicts: tuple[Conflict, ...] = ()
    # Entries here whose translation had been stored, and gave way to another one or to none.
    given_up: tuple[Entry, ...] = ()
    # Entries of the memory that were emptied here: ``memory`` keeps their words as obsolete.
    emptied: tuple[Entry, ...] = ()
    # Entries here whose translation is older than that of the memory, which stays.
    outdated: tuple[Entry, ...] = ()


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
    ours: Memory,
    theirs: Memory,
    *,
    base: Memory | None,
    held: Held,
    follows: bool = False,
    is_older: Callable[[Entry, Entry], bool] = lambda our, their: False,
) -> Merged:
    """Merge by entry, into the page as it is in ``theirs``.

    ``ours`` is the working catalogue, closed; ``theirs`` the committed memory; ``base`` what both
    started from, if that is known. ``held`` are the translations in all working catalogues: what
    moved from one entry to another is not restored. Without a base a finished translation here
    stays, an unfinished one gives way.

    If the catalogue ``follows`` the memory, an entry that the memory lacks is meant to be gone
    unless it was changed here. Else the memory may be damaged, and the entry stays.

    ``is_older`` tells whether the first of two entries was written before the second, the memory's.
    Then it was not changed here: git has brought an old version of the catalogue back.
    """
    merge = _Merge(
        ours=ours.by_key(),
        theirs=theirs.by_key(),
        base=base.by_key() if base else {},
        held=held,
        theirs_hold=held_by([theirs]),
        live=theirs.live,
        follows=follows,
        is_older=is_older,
    )
    for key, their in merge.theirs.items():
        merge.add(key, their)
    for key, our in merge.ours.items():
        if key not in merge.theirs:
            merge.add_ours(key, our)
    return Merged(
        memory=replace(theirs, entries=in_order(merge.entries)),
        taken=merge.taken,
        conflicts=tuple(merge.conflicts),
        given_up=tuple(merge.given_up),
        emptied=tuple(merge.emptied),
        outdated=tuple(merge.outdated),
    )


def lost_in(memory: Memory, old: Memory, held: Held) -> tuple[Entry, ...]:
    """Entries of ``old`` whose translation ``memory`` has not, and nobody holds.

    The entry may be gone, or have another translation now, or none.
    """
    now = memory.by_key()
    lost: list[Entry] = []
    for key, entry in old.by_key().items():
        text = text_of(entry)
        if not text or _held(entry) in held:
            continue
        # With the same words it may have become fuzzy, or finished: nothing of it is lost.
        if key not in now or text_of(now[key]) != text:
            lost.append(entry)
    return tuple(lost)


def is_stored(ours: Memory, stored: Memory) -> bool:
    """Whether all work that ``ours`` holds is in ``stored``, and the other way round."""
    return differences(ours, stored) == 0


def differences(ours: Memory, stored: Memory) -> int:
    """Return how many entries have other work in ``ours`` than in ``stored``, or only there."""
    our_work, their_work = _work(ours), _work(stored)
    keys = our_work.keys() | their_work.keys()
    return sum(our_work.get(key) != their_work.get(key) for key in keys)


def _work(memory: Memory) -> dict[Key, tuple[object, ...]]:
    """What people have put into a memory; blank entries are nobody's work."""
    work = {key: work_of(entry) for key, entry in memory.by_key().items()}
    return {key: content for key, content in work.items() if any(content)}


def keep_unheld(memory: Memory, old: Memory, held: Held) -> tuple[Entry, ...]:
    """Entries of ``old`` whose translation is neither in ``memory`` nor in ``held``.

    ``memory`` is what is to be written in place of ``old``: they would be lost by that.
    """
    known = memory.by_key()
    unheld: list[Entry] = []
    for key, entry in old.by_key().items():
        # An entry without a translation holds nothing that could be lost, and a draft that
        # gave way is no loss.
        has_words = text_of(entry) != "" and not is_remembered_draft(entry)
        if has_words and _held(entry) not in held and key not in known:
            unheld.append(entry)
    return tuple(unheld)


@dataclass(slots=True, kw_only=True)
class _Merge:
    """One merge while it is made."""

    ours: Mapping[Key, Entry]
    theirs: Mapping[Key, Entry]
    base: Mapping[Key, Entry]  # empty if nobody knows what both started from
    held: Held  # in all working catalogues
    theirs_hold: Held  # in the memory that comes in
    live: Collection[str]  # digests of the page as that has it
    follows: bool
    is_older: Callable[[Entry, Entry], bool]
    entries: list[Entry] = field(default_factory=list)
    taken: bool = False
    conflicts: list[Conflict] = field(default_factory=list)
    given_up: list[Entry] = field(default_factory=list)
    emptied: list[Entry] = field(default_factory=list)
    outdated: list[Entry] = field(default_factory=list)

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
        before = self.base.get(key)
        side = _choose(our, their, before)
        if side is _Side.THEIRS:
            self._take(our, their)
            return
        if self._is_outdated(our, their, before):
            if text_of(our):
                self.outdated.append(our)
            self.entries.append(their)
            self.taken = True
            return
        if side is _Side.CONFLICT:
            self.conflicts.append(Conflict(our, their))
        self.entries.append(replace(our, obsolete=their.obsolete))
        if text_of(their) and not text_of(our):
            self._keep_emptied(our, their)

    def add_ours(self, key: Key, our: Entry) -> None:
        """Add an entry of the catalogue alone, if its translation would be lost.

        The memory lacks it: another release has no such message, or somebody has told
        contexts apart here, or the memory's file has lost it.
        """
        if not text_of(our) or is_remembered_draft(our):
            return
        before = self.base.get(key)
        is_unchanged = before is not None and work_of(before) == work_of(our)
        # Elsewhere the memory was brought to another release, and the translation went along to
        # another entry.
        if is_unchanged and _held(our) in self.theirs_hold:
            return
        if is_unchanged and self.follows:
            self.given_up.append(our)
            self.taken = True
            return
        is_gone = is_emptied(our) or our.msgid not in self.live
        self.entries.append(replace(our, obsolete=is_gone))

    def _is_outdated(self, our: Entry, their: Entry, before: Entry | None) -> bool:
        """Whether ``our``, unlike the memory's, is only an old version that has come back."""
        is_other = text_of(our) != text_of(their)
        has_moved = before is not None and work_of(their) != work_of(before)
        return is_other and not has_moved and self.is_older(our, their)

    def _keep_emptied(self, our: Entry, their: Entry) -> None:
        """Keep the words of ``their`` as an obsolete entry, unless they stand elsewhere.

        A rejected translation stands in a comment already, and a draft can be made again.
        """
        words = " ".join(text_of(their).split())
        is_noted = any(words in comment for comment in our.comments)
        if is_noted or is_remembered_draft(their) or _held(their) in self.held:
            return
        entry = replace(their, context=EMPTIED, obsolete=True, comments=(), flags=())
        known = self.ours.keys() | self.theirs.keys() | set(map(key_of, self.entries))
        number = 1
        while key_of(entry) in known:
            number += 1
            entry = replace(entry, context=f"{EMPTIED} ({number})")
        self.entries.append(entry)
        self.emptied.append(their)
        self.taken = True

    def _take(self, our: Entry, their: Entry) -> None:
        """Add ``their``, and note ``our`` if its translation is not there any more.

        It was replaced elsewhere, or taken back, and moved to no other entry.
        """
        is_same = text_of(our) in ("", text_of(their))
        # A draft that gives way is no loss, and nobody need hear of it.
        is_lost = not is_same and not is_remembered_draft(our)
        if is_lost and _held(our) not in self.theirs_hold:
            self.given_up.append(our)
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
    # A draft gives way to a person, and to another draft: a machine's words are no conflict.
    if is_remembered_draft(our):
        return _Side.THEIRS
    if is_remembered_draft(their):
        return _Side.OURS
    if before:
        return _Side.CONFLICT
    return _WITHOUT_BASE[our.fuzzy, their.fuzzy]


def _held(entry: Entry) -> tuple[str, str]:
    """An entry of a memory as an element of ``Held``."""
    return entry.written_for, text_of(entry)


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
    head = _head_side(base, ours, theirs)
    # What both have added has nothing in common that either could have removed.
    before = base or replace(head, entries=(), extra={}, comment=())
    merge = _BranchMerge(base=before.by_key(), ours=ours, theirs=theirs, live=head.live)
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
class _BranchMerge:
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


def _head_side(base: Memory | None, ours: Memory, theirs: Memory) -> Memory:
    """The side whose page stays: the one that has moved it, or moved it to the later release."""
    if _page_of(ours) == _page_of(theirs) or (
        base and _page_of(ours) == _page_of(base)
    ):
        return theirs
    if base and _page_of(theirs) == _page_of(base):
        return ours

    def age(side: Memory) -> tuple[float, str, str]:
        """Equal for no two pages: both branches shall choose alike."""
        return moment_of(side.date), side.commit, side.layout

    return max(ours, theirs, key=age)


def _page_of(memory: Memory) -> tuple[str, ...]:
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
