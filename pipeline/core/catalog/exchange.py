"""Three-way merge of a catalogue that somebody edited with another tool, such as Weblate.

The base is the catalogue that was exported for that tool. "Ours" is the current catalogue, "theirs"
the catalogue that the tool returned. The result has our catalogue with the returned work merged in,
and the list of conflicts. If both sides changed an entry, our version stays. An empty entry in the
returned catalogue deletes no translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

from pipeline.entries import Catalog, Entry

_Key = tuple[str | None, str]  # msgctxt and msgid
Words = tuple[str | None, str, str]  # msgctxt, msgid and msgstr


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """An entry that both sides have changed. ``theirs.line`` is the line in the returned file."""

    ours: Entry
    theirs: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class ReturnedMerge:
    """A catalogue with the returned work merged in, and the size of the change."""

    catalog: Catalog
    changed: int = 0
    conflicts: tuple[Conflict, ...] = ()
    # Number of translations whose English the catalogue does not have any more. These translations
    # become obsolete entries.
    strays: int = 0


def merge_returned(
    ours: Catalog,
    theirs: Sequence[Entry],
    base: Catalog | None,
    *,
    older: Set[Words] = frozenset(),
) -> ReturnedMerge:
    """Merge the work in ``theirs`` into ``ours`` and return the result.

    ``base`` is the catalogue that was exported, or None if it is unknown. ``older`` has all
    translations that ``ours`` ever had. A returned translation that is among them is no new work.
    """
    merge = _Merge(
        theirs={_key(entry): entry for entry in theirs if not entry.obsolete},
        base=_by_key(base.entries if base else ()),
        older=older,
    )
    entries = list(map(merge.merged, ours.entries))
    strays = merge.strays(_by_key(ours.entries))
    return ReturnedMerge(
        catalog=replace(ours, entries=(*entries, *strays)),
        changed=merge.changed,
        conflicts=tuple(merge.conflicts),
        strays=len(strays),
    )


@dataclass(slots=True, kw_only=True)
class _Merge:
    """State of a merge into one catalogue."""

    theirs: dict[_Key, Entry]
    base: dict[_Key, Entry]
    older: Set[Words]
    changed: int = 0
    conflicts: list[Conflict] = field(default_factory=list)

    def merged(self, ours: Entry) -> Entry:
        """Return our entry, with the change that the other tool has made, if any."""
        theirs = self.theirs.get(_key(ours))
        if theirs is None or not _has_news(ours, theirs):
            return ours
        base = self.base.get(_key(ours))
        if self._is_known(theirs):
            return ours  # since the export, only we have changed the entry
        # Without a base, only an empty entry of ours is certainly older than the returned one.
        is_older_here = _work(ours) == _work(base) if base else not ours.msgstr
        if not is_older_here:
            self.conflicts.append(Conflict(ours=ours, theirs=theirs))
            return ours
        self.changed += 1
        return replace(
            ours,
            msgstr=_without_edges(theirs.msgstr),
            fuzzy=theirs.fuzzy,
            # Tools drop the previous English, but a fuzzy entry needs it.
            previous=ours.previous if theirs.fuzzy else None,
            comments=theirs.comments or ours.comments,
        )

    def _is_known(self, theirs: Entry) -> bool:
        """Return whether the returned entry has no new work.

        It has none if it equals the exported entry, or if our catalogue once had its translation.
        """
        base = self.base.get(_key(theirs))
        if base is not None and not _has_news(base, theirs):
            return True
        words = (*_key(theirs), _without_edges(theirs.msgstr))
        return words in self.older and (base is None or base.msgstr != words[2])

    def strays(self, ours: dict[_Key, Entry]) -> list[Entry]:
        """Return returned translations of English that our catalogue lacks, as obsolete entries.

        The next update can reuse them for similar messages.
        """
        strays: list[Entry] = []
        for key, theirs in self.theirs.items():
            if key not in ours and theirs.msgstr and not self._is_known(theirs):
                stray = Entry(
                    msgid=theirs.msgid,
                    msgstr=_without_edges(theirs.msgstr),
                    fuzzy=theirs.fuzzy,
                    previous=theirs.previous if theirs.fuzzy else None,
                    context=theirs.context,
                    comments=theirs.comments,
                    obsolete=True,
                )
                strays.append(stray)
        return strays


def _has_news(known: Entry, theirs: Entry) -> bool:
    """Return whether the returned entry has work that ``known`` lacks.

    An empty translation or a missing comment is no work: some tools leave out unfinished entries,
    and some drop comments.
    """
    if not theirs.msgstr:
        return False
    if theirs.comments and theirs.comments != known.comments:
        return True
    return (_without_edges(theirs.msgstr), theirs.fuzzy) != (known.msgstr, known.fuzzy)


def _work(entry: Entry) -> tuple[object, ...]:
    """Return the parts of an entry that people write."""
    return entry.msgstr, entry.fuzzy, entry.comments


def _without_edges(msgstr: str) -> str:
    """Return a translation as catalogues store it, without line breaks at both ends."""
    return msgstr.strip("\n")


def _key(entry: Entry) -> _Key:
    """Return the identity of an entry: msgctxt and msgid."""
    return entry.context, entry.msgid


def _by_key(entries: Iterable[Entry]) -> dict[_Key, Entry]:
    """Return entries by their identity."""
    return {_key(entry): entry for entry in entries}
