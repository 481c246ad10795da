"""Merge the work of another editor into a catalogue, three-way: what it was handed is the base.

Our catalogue, what came back and what was sent go in. The catalogue comes out, with what could not
be taken. What both sides have changed stays as it is here. An entry that the editor left empty is
no deletion.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, field, replace

from pipeline.entries import Catalog, Entry

_Key = tuple[str | None, str]  # msgctxt and msgid
Words = tuple[str | None, str, str]  # msgctxt, msgid and msgstr


@dataclass(frozen=True, slots=True, kw_only=True)
class Conflict:
    """An entry that both sides have changed. ``theirs`` has the line of its file."""

    ours: Entry
    theirs: Entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Taken:
    """A catalogue with what came back, and how much that is."""

    catalog: Catalog
    changed: int = 0
    conflicts: tuple[Conflict, ...] = ()
    # Entries whose English is in the catalogue no more, kept as obsolete ones.
    strays: int = 0


def take(
    ours: Catalog,
    theirs: Sequence[Entry],
    base: Catalog | None,
    *,
    older: Set[Words] = frozenset(),
) -> Taken:
    """``ours`` with the work in ``theirs``; ``base`` is what was sent, None if nobody knows.

    ``older`` are translations that ours had at any time: no news.
    """
    taking = _Taking(
        theirs={_key(entry): entry for entry in theirs if not entry.obsolete},
        base=_by_key(base.entries if base else ()),
        older=older,
    )
    entries = list(map(taking.merged, ours.entries))
    strays = taking.strays(_by_key(ours.entries))
    return Taken(
        catalog=replace(ours, entries=(*entries, *strays)),
        changed=taking.changed,
        conflicts=tuple(taking.conflicts),
        strays=len(strays),
    )


@dataclass(slots=True, kw_only=True)
class _Taking:
    """One catalogue while the work of others comes into it."""

    theirs: dict[_Key, Entry]
    base: dict[_Key, Entry]
    older: Set[Words]
    changed: int = 0
    conflicts: list[Conflict] = field(default_factory=list)

    def merged(self, ours: Entry) -> Entry:
        """An entry of ours with what was done to it elsewhere."""
        theirs = self.theirs.get(_key(ours))
        if theirs is None or not _has_news(ours, theirs):
            return ours
        base = self.base.get(_key(ours))
        if self._is_known(theirs):
            return ours  # changed here since, and not there
        # Without a base only what is empty here is surely older.
        is_older_here = _work(ours) == _work(base) if base else not ours.msgstr
        if not is_older_here:
            self.conflicts.append(Conflict(ours=ours, theirs=theirs))
            return ours
        self.changed += 1
        return replace(
            ours,
            msgstr=_without_edges(theirs.msgstr),
            fuzzy=theirs.fuzzy,
            # Editors drop it; while the entry waits it says what for.
            previous=ours.previous if theirs.fuzzy else None,
            comments=theirs.comments or ours.comments,
        )

    def _is_known(self, theirs: Entry) -> bool:
        """Return whether nobody has worked on an entry since ours was sent, or was like it."""
        base = self.base.get(_key(theirs))
        if base is not None and not _has_news(base, theirs):
            return True
        words = (*_key(theirs), _without_edges(theirs.msgstr))
        return words in self.older and (base is None or base.msgstr != words[2])

    def strays(self, ours: dict[_Key, Entry]) -> list[Entry]:
        """Work on English that is gone: the next update finds what it is good for."""
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
    """Whether an editor has done anything to an entry that was ``known``.

    That it has no translation there says nothing: some editors leave out what is not finished, and
    some leave out comments.
    """
    if not theirs.msgstr:
        return False
    if theirs.comments and theirs.comments != known.comments:
        return True
    return (_without_edges(theirs.msgstr), theirs.fuzzy) != (known.msgstr, known.fuzzy)


def _work(entry: Entry) -> tuple[object, ...]:
    """What people put into an entry."""
    return entry.msgstr, entry.fuzzy, entry.comments


def _without_edges(msgstr: str) -> str:
    """A translation as catalogues have it: no message begins or ends with a line break."""
    return msgstr.strip("\n")


def _key(entry: Entry) -> _Key:
    """What an entry is told by."""
    return entry.context, entry.msgid


def _by_key(entries: Iterable[Entry]) -> dict[_Key, Entry]:
    """Entries by what they are told by."""
    return {_key(entry): entry for entry in entries}
