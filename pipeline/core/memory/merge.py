"""Three-way merges of a page's memory, entry by entry.

``reconcile`` merges a working catalogue with the committed memory, given their common base. If both
have changed an entry, the function keeps one version, and returns the other one for the caller to
save.

``merge_branches`` merges the memory files of two branches. git merges by line, so it reports a
conflict even for adjacent entries, or if one branch has moved to another release. Here, only
different translations of the same entry are a conflict.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from collections.abc import Set as AbstractSet
from enum import Enum, auto
from typing import NamedTuple, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.core.catalog.origins import EMPTIED, is_emptied, is_remembered_draft
from pipeline.core.memory.file import moment_of
from pipeline.core.memory.record import (
    SAME,
    SAME_AS_PREVIOUS,
    SEEN,
    Key,
    Memory,
    as_obsolete,
    digest,
    human_work,
    in_order,
    key_of,
    place_of,
    stored,
    text_of,
    with_refs,
)
from pipeline.entries import Catalog, Entry

# Pairs of the digest of an English message and its translation (see ``text_of``).
Translations = AbstractSet[tuple[str, str]]


class Conflict(NamedTuple):
    """An entry that both sides have changed in different ways. Our version is kept."""

    ours: Entry
    theirs: Entry


class Merged(Struct, kw_only=True):
    """A memory with the work of both sides, and the entries that are not kept.

    Of an entry in conflict, the memory has our version.
    """

    memory: Memory
    taken: bool = False  # whether the catalogue has to change
    conflicts: list[Conflict] = field(default_factory=list)
    # Entries of the catalogue whose translation the memory has replaced or removed.
    given_up: list[Entry] = field(default_factory=list)
    # Entries of the memory whose translation somebody has removed from the catalogue. ``memory``
    # has their words in obsolete entries.
    emptied: list[Entry] = field(default_factory=list)
    # Entries of the catalogue whose translation is older than the translation in the memory.
    outdated: list[Entry] = field(default_factory=list)


class _Side(Enum):
    """Side whose version of an entry is kept."""

    OURS = auto()
    THEIRS = auto()
    CONFLICT = auto()  # ours is kept and the conflict is reported


# The side that is kept if two translations differ and the base is unknown. The key is a pair:
# whether our translation is fuzzy, and whether theirs is. A person has written or confirmed a
# finished translation; a fuzzy one may come from an update.
_WITHOUT_BASE = {
    (False, False): _Side.CONFLICT,
    (False, True): _Side.OURS,
    (True, False): _Side.THEIRS,
    (True, True): _Side.OURS,
}


def translations_in_catalogs(catalogs: Iterable[Catalog]) -> Translations:
    """Return all translations of working catalogues, with the digest of their English.

    Long atoms of the translations are replaced by ``⟦N⟧``, as in a memory.
    """
    held: set[tuple[str, str]] = set()
    for catalog in catalogs:
        for entry in catalog.entries:
            if entry.msgstr:
                held.add(_key(entry, stored(entry).text, digest))
    return held


def translations_in_memories(memories: Iterable[Memory]) -> Translations:
    """Return all translations in memories, obsolete ones included."""
    held: set[tuple[str, str]] = set()
    for memory in memories:
        for entry in memory.entries:
            if text_of(entry):
                held.add(_translation_key(entry))
    return held


# Triples: the digest of an English message, its translation, and whether that is finished.
Held = AbstractSet[tuple[str, str, bool]]


def held_in_memories(memories: Iterable[Memory]) -> Held:
    """Return all translations in memories.

    A finished translation is in the result twice, as finished and as not finished. So it is also
    found for a fuzzy entry with the same translation.
    """
    held: set[tuple[str, str, bool]] = set()
    for memory in memories:
        for entry in memory.entries:
            if text_of(entry):
                held.add((*_translation_key(entry), False))
                held.add((*_translation_key(entry), not entry.fuzzy))
    return held


def translations_seen_at(memory: Memory, commits: Collection[str]) -> Translations:
    """Return the translations in ``memory`` whose ``seen`` note names one of ``commits``."""
    found: set[tuple[str, str]] = set()
    for entry in memory.entries:
        place = place_of(entry, SEEN)
        if place and place.commit in commits and text_of(entry):
            found.add(_translation_key(entry))
    return found


def reconcile(
    ours: Memory,
    theirs: Memory,
    *,
    base: Memory | None,
    held: Translations,
    follows: bool = False,
    is_older: Callable[[Entry, Entry], bool] = lambda our, their: False,
) -> Merged:
    """Merge a working catalogue and the committed memory, entry by entry.

    The result describes the page of ``theirs``. Without a base, our translation is kept, unless it
    is fuzzy and theirs is finished.

    - ``ours``: the working catalogue, closed as a memory.
    - ``theirs``: the committed memory.
    - ``base``: their common base, or None if unknown.
    - ``held``: the translations of all working catalogues. If the memory has a translation that is
      held already, the translation has only moved, so this catalogue need not get it.
    - ``follows``: whether git has changed the memory. If it has, an entry that the memory lacks was
      deleted on purpose: it is removed unless it was changed here. If it has not, the memory may be
      damaged, so the entry is kept.
    - ``is_older(our, their)``: whether our entry was written before the entry of the memory. If so,
      ours is no new work: git has checked out an old version of the catalogue.
    """
    merge = _Merge(
        merged=Merged(memory=theirs),
        ours=ours.by_key(),
        theirs=theirs.by_key(),
        base=base.by_key() if base else {},
        held=held,
        theirs_hold=translations_in_memories([theirs]),
        live=theirs.live,
        follows=follows,
        is_older=is_older,
    )
    for key, their in merge.theirs.items():
        merge.add(key, their)
    for key, our in merge.ours.items():
        if key not in merge.theirs:
            merge.add_ours(key, our)
    memory = replace(theirs, entries=in_order(merge.entries))
    return replace(merge.merged, memory=memory)


def lost_in(memory: Memory, old: Memory, held: Translations) -> tuple[Entry, ...]:
    """Return the entries of ``old`` whose translation is neither in ``memory`` nor ``held``.

    ``memory`` may lack the whole entry, or have it with another translation or none.
    """
    now = memory.by_key()
    lost: list[Entry] = []
    for key, entry in old.by_key().items():
        text = text_of(entry)
        if not text or _translation_key(entry) in held:
            continue
        # A change of the fuzzy flag alone loses no words.
        if key not in now or text_of(now[key]) != text:
            lost.append(entry)
    return tuple(lost)


def differences(ours: Memory, stored: Memory) -> int:
    """Return the number of entries that differ in people's work, or that only one side has.

    Blank entries do not count.
    """
    our_work, their_work = _work(ours), _work(stored)
    keys = our_work.keys() | their_work.keys()
    return sum(our_work.get(key) != their_work.get(key) for key in keys)


def _work(memory: Memory) -> dict[Key, tuple[object, ...]]:
    """Return people's work in a memory by key; blank entries are left out."""
    work = {key: human_work(entry) for key, entry in memory.by_key().items()}
    return {key: content for key, content in work.items() if any(content)}


def unheld_entries(memory: Memory, old: Memory, held: Held) -> tuple[Entry, ...]:
    """Return the entries of ``old`` that ``memory`` lacks and whose translation is not ``held``.

    They would be lost if ``memory`` replaced ``old``. A finished translation that other memories
    have only as fuzzy is not held: nothing would show any more that a person has confirmed it.
    """
    known = memory.by_key()
    unheld: list[Entry] = []
    for key, entry in old.by_key().items():
        # Entries without a translation, and drafts, are no loss.
        has_words = text_of(entry) != "" and not is_remembered_draft(entry)
        is_held = (*_translation_key(entry), not entry.fuzzy) in held
        if has_words and not is_held and key not in known:
            unheld.append(entry)
    return tuple(unheld)


class _Merge(Struct, kw_only=True):
    """A merge of catalogue and memory in progress."""

    merged: Merged  # the result, without its entries
    ours: Mapping[Key, Entry]
    theirs: Mapping[Key, Entry]
    base: Mapping[Key, Entry]  # empty if the base is unknown
    held: Translations  # translations in all working catalogues
    theirs_hold: Translations  # translations in the incoming memory
    # Digests of the messages that the page has according to the incoming memory.
    live: Collection[str]
    follows: bool
    is_older: Callable[[Entry, Entry], bool]
    entries: list[Entry] = field(default_factory=list)

    def add(self, key: Key, their: Entry) -> None:
        """Add the kept version of an entry that the memory has.

        The memory decides whether the entry is obsolete, because only the memory describes the
        current page.
        """
        our = self.ours.get(key)
        if our is None:
            # The catalogue must get this translation, unless some catalogue has it already.
            self.merged.taken |= text_of(their) != "" and _translation_key(their) not in self.held
            self.entries.append(their)
            return
        before = self.base.get(key)
        side = _choose(our, their, before)
        if side is _Side.THEIRS:
            self._take(our, their)
            return
        if self._is_outdated(our, their, before):
            if text_of(our):
                self.merged.outdated.append(our)
            self.entries.append(their)
            self.merged.taken = True
            return
        if side is _Side.CONFLICT:
            self.merged.conflicts.append(Conflict(our, their))
        self.entries.append(replace(our, obsolete=their.obsolete))
        if text_of(their) and not text_of(our):
            self._keep_emptied(our, their)

    def add_ours(self, key: Key, our: Entry) -> None:
        """Add an entry that only the catalogue has, unless git has moved or removed its words.

        The memory may lack the entry for three reasons: another release has no such message, a
        translator has added a context here, or the memory file is damaged.
        """
        if not text_of(our) or is_remembered_draft(our):
            return
        before = self.base.get(key)
        is_unchanged = before is not None and human_work(before) == human_work(our)
        # The memory was updated to another release, at which another entry has the translation.
        if is_unchanged and _translation_key(our) in self.theirs_hold:
            return
        if is_unchanged and self.follows:
            self.merged.given_up.append(our)
            self.merged.taken = True
            return
        is_gone = is_emptied(our) or our.msgid not in self.live
        self.entries.append(replace(our, obsolete=is_gone))

    def _is_outdated(self, our: Entry, their: Entry, before: Entry | None) -> bool:
        """Return whether ``our`` is only an older version that git has checked out again."""
        is_other = text_of(our) != text_of(their)
        has_moved = before is not None and human_work(their) != human_work(before)
        return is_other and not has_moved and self.is_older(our, their)

    def _keep_emptied(self, our: Entry, their: Entry) -> None:
        """Keep the words of ``their``, which somebody has removed, in an obsolete entry.

        This is not needed in three cases: a comment quotes the words (as for a rejected
        translation), another entry has them, or they are a draft, which can be made again.
        """
        words = " ".join(text_of(their).split())
        is_noted = any(words in comment for comment in our.comments)
        if is_noted or is_remembered_draft(their) or _translation_key(their) in self.held:
            return
        entry = replace(their, context=EMPTIED, obsolete=True, comments=(), flags=())
        known = self.ours.keys() | self.theirs.keys() | set(map(key_of, self.entries))
        number = 1
        while key_of(entry) in known:
            number += 1
            entry = replace(entry, context=f"{EMPTIED} ({number})")
        self.entries.append(entry)
        self.merged.emptied.append(their)
        self.merged.taken = True

    def _take(self, our: Entry, their: Entry) -> None:
        """Add ``their``, and record ``our`` if its translation is lost.

        The translation is lost if no entry of the memory has it.
        """
        is_same = text_of(our) in ("", text_of(their))
        # A replaced draft is no loss and is not reported.
        is_lost = not is_same and not is_remembered_draft(our)
        if is_lost and _translation_key(our) not in self.theirs_hold:
            self.merged.given_up.append(our)
        self.entries.append(their)
        self.merged.taken |= human_work(our) != human_work(their)


def _choose(our: Entry, their: Entry, before: Entry | None) -> _Side:
    """Return the side whose version of an entry is kept; the first rule that fits decides.

    ``before`` is the entry of the base, or None if there is none.
    """
    our_work, their_work = human_work(our), human_work(their)
    base_work = human_work(before) if before else None
    # The two versions are equal, or we have not changed the entry.
    if our_work in (their_work, base_work):
        return _Side.THEIRS
    # The other side has not changed the entry.
    if their_work == base_work:
        return _Side.OURS
    # Both sides have changed the entry, or the base is unknown. Any translation is better than
    # none.
    if not text_of(their):
        return _Side.OURS
    if not text_of(our):
        return _Side.THEIRS
    # A draft is replaced by a person's words and by newer drafts. That is no conflict.
    if is_remembered_draft(our):
        return _Side.THEIRS
    if is_remembered_draft(their):
        return _Side.OURS
    if before:
        return _Side.CONFLICT
    return _WITHOUT_BASE[our.fuzzy, their.fuzzy]


def _translation_key(entry: Entry) -> tuple[str, str]:
    """Return an entry of a memory as an element of ``Translations``."""
    return _key(entry, text_of(entry), lambda code: code)


def _key(entry: Entry, text: str, code_of: Callable[[str], str]) -> tuple[str, str]:
    """Return ``text``, the translation of ``entry``, as an element of ``Translations``.

    ``code_of`` returns the digest of an English text of the entry. The result begins with the
    digest of the English that ``text`` was written for. In a fuzzy entry this is the previous
    English, so a note such as ``SAME`` is converted: the result must equal that of a finished entry
    of the previous English with the same translation.
    """
    source = entry.source_text
    if source != entry.msgid:
        if text == SAME_AS_PREVIOUS:
            text = SAME
        elif text == SAME:  # equals the current English, so it differs from the previous one
            text = code_of(entry.msgid)
    return code_of(source), text


Value = TypeVar("Value")


def merge_branches(base: Memory | None, ours: Memory, theirs: Memory) -> Merged:
    """Merge two versions of a page's memory; ``base`` is None if both added the file.

    If one side has upgraded the page to another release, the result describes the page at that
    release. If both sides have upgraded, the later release counts.
    """
    head = _head_side(base, ours, theirs)
    # Without a base, no side can have removed anything.
    before = base or replace(head, entries=(), extra={}, comment=())
    merge = _BranchMerge(ours=ours, theirs=theirs, live=head.live)
    old, our, their = before.by_key(), ours.by_key(), theirs.by_key()
    # First the entries of the side whose page is kept, then those that only the other side has.
    for key in our | their if head is ours else their | our:
        merge.add(old.get(key), our.get(key), their.get(key))
    memory = replace(
        head,
        extra=_merged_fields(before.extra, ours.extra, theirs.extra),
        comment=_changed(before.comment, ours.comment, theirs.comment),
        entries=in_order(merge.entries),
    )
    memory = with_refs(memory, None, ours.known_refs | theirs.known_refs)
    return Merged(memory=memory, conflicts=merge.conflicts)


class _BranchMerge(Struct, kw_only=True):
    """A merge of two branches in progress."""

    ours: Memory
    theirs: Memory
    live: Collection[str]  # digests of the messages on the kept page
    entries: list[Entry] = field(default_factory=list)
    conflicts: list[Conflict] = field(default_factory=list)

    def add(self, before: Entry | None, our: Entry | None, their: Entry | None) -> None:
        """Add the merged version of an entry, unless one side has removed the entry."""
        if our and their:
            self._add_both(before, our, their)
        elif our:
            self._add_alone(before, our, self.ours)
        else:
            assert their, "one side has the entry"
            self._add_alone(before, their, self.theirs)

    def _add_both(self, before: Entry | None, our: Entry, their: Entry) -> None:
        """Add an entry that both sides have, with the translation that ``_chosen`` returns."""
        chosen = _chosen(before, our, their)
        if chosen is None:
            conflict = self._placed(our, self.ours), self._placed(their, self.theirs)
            self.conflicts.append(Conflict(*conflict))
        memory = self.theirs if chosen is their else self.ours
        # Comments and flags are merged separately from the translation.
        blank = before or Entry(msgid=our.msgid)
        merged = replace(
            chosen or our,
            comments=_union(blank.comments, our.comments, their.comments),
            flags=_union(blank.flags, our.flags, their.flags),
        )
        self._add(merged, memory)

    def _add_alone(self, before: Entry | None, entry: Entry, memory: Memory) -> None:
        """Add an entry that only one side has, unless the other side has removed it."""
        # An entry that this side has changed stays, although the other side has removed it.
        if before is None or _content(before) != _content(entry):
            self._add(entry, memory)

    def _add(self, entry: Entry, memory: Memory) -> None:
        placed = self._placed(entry, memory)
        # An obsolete entry without a translation is useless.
        if text_of(placed) or not placed.obsolete:
            self.entries.append(placed)

    def _placed(self, entry: Entry, memory: Memory) -> Entry:
        """Return ``entry`` of ``memory`` as it is on the kept page."""
        placed = as_obsolete(entry, old=memory, live=self.live)
        is_gone = is_emptied(entry) or entry.msgid not in self.live
        return replace(placed, obsolete=is_gone)


def _head_side(base: Memory | None, ours: Memory, theirs: Memory) -> Memory:
    """Return the side that has upgraded the page; if both have, the side with the later release."""
    if _page_of(ours) == _page_of(theirs) or (base and _page_of(ours) == _page_of(base)):
        return theirs
    if base and _page_of(theirs) == _page_of(base):
        return ours

    def age(side: Memory) -> tuple[float, str, str]:
        """Return a sort key without ties, so that both branches choose the same side."""
        return moment_of(side.date), side.commit, side.layout

    return max(ours, theirs, key=age)


def _page_of(memory: Memory) -> tuple[str, ...]:
    return memory.commit, memory.ref, memory.layout, memory.project, memory.date


def _chosen(before: Entry | None, our: Entry, their: Entry) -> Entry | None:
    """Return the entry whose translation is kept, or None if a person must choose."""
    our_work, their_work = _translation(our), _translation(their)
    base_work = _translation(before) if before else None
    if our_work == base_work:
        return their
    if their_work in (base_work, our_work):
        return our
    # Both sides have changed the translation. Prefer a finished one to a fuzzy one, and a fuzzy one
    # to none. git still has the other version.
    if _worth(our) == _worth(their) > 0:
        return None
    return max(our, their, key=_worth)


def _worth(entry: Entry) -> int:
    """Return 0 for no translation, 1 for a fuzzy one, 2 for a finished one."""
    if not text_of(entry):
        return 0
    return 1 if entry.fuzzy else 2


def _translation(entry: Entry) -> tuple[object, ...]:
    return text_of(entry), entry.fuzzy, entry.previous


def _content(entry: Entry) -> tuple[object, ...]:
    """Return everything that people wrote in an entry."""
    return *_translation(entry), entry.comments, entry.flags


def _merged_fields(
    base: Mapping[str, str], ours: Mapping[str, str], theirs: Mapping[str, str]
) -> dict[str, str]:
    """Return merged header fields, without those that a side removed."""
    fields: dict[str, str] = {}
    for name in {**ours, **theirs}:
        value = _changed(base.get(name), ours.get(name), theirs.get(name))
        if value is not None:
            fields[name] = value
    return fields


def _changed(base: Value, ours: Value, theirs: Value) -> Value:
    """Return the value of the side that has changed it, or ours if both sides have."""
    return theirs if ours == base else ours


def _union(
    base: tuple[str, ...], ours: tuple[str, ...], theirs: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the lines of both sides, without lines that one of the sides has removed."""
    removed = (set(base) - set(ours)) | (set(base) - set(theirs))
    both = dict.fromkeys((*ours, *theirs))
    return tuple(line for line in both if line not in removed)
