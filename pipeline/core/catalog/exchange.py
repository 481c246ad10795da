"""Three-way merge of a catalogue that somebody edited with another tool, such as Weblate.

The base is the catalogue that was exported for that tool. "Ours" is the current catalogue, "theirs"
the catalogue that the tool returned. The result has our catalogue with the returned work merged in,
and the list of conflicts. If both sides changed an entry, our version stays. An empty entry in the
returned catalogue deletes no translation.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set

from msgspec import Struct
from msgspec.structs import replace

from pipeline.entries import Catalog, Entry

_Key = tuple[str | None, str]  # msgctxt and msgid
Words = tuple[str | None, str, str]  # msgctxt, msgid and msgstr


class Conflict(Struct, frozen=True, kw_only=True):
    """An entry that both sides have changed. ``theirs.line`` is the line in the returned file."""

    ours: Entry
    theirs: Entry


class ReturnedMerge(Struct, frozen=True, kw_only=True):
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
    exported = _by_key(base.entries if base else ())
    returned = _by_key(entry for entry in theirs if not entry.obsolete)
    for key, entry in list(returned.items()):
        if _is_known(entry, exported.get(key), older):
            del returned[key]
    entries: list[Entry] = []
    conflicts: list[Conflict] = []
    changed = 0
    for our in ours.entries:
        their, before = returned.get(_key(our)), exported.get(_key(our))
        if their is None or not _has_news(our, their):
            entries.append(our)
            continue
        # Without a base, only an empty entry of ours is certainly older than the returned one.
        is_older_here = _work(our) == _work(before) if before else not our.msgstr
        if is_older_here:
            entries.append(_with_news(our, their))
            changed += 1
        else:
            entries.append(our)
            conflicts.append(Conflict(ours=our, theirs=their))
    known = _by_key(ours.entries)
    strays: list[Entry] = []
    for key, entry in returned.items():
        if key not in known and entry.msgstr:
            strays.append(_stray(entry))
    return ReturnedMerge(
        catalog=replace(ours, entries=(*entries, *strays)),
        changed=changed,
        conflicts=tuple(conflicts),
        strays=len(strays),
    )


def _is_known(theirs: Entry, base: Entry | None, older: Set[Words]) -> bool:
    """Return whether the returned entry has no new work.

    It has none if it equals ``base``, the exported entry, or if our catalogue once had its
    translation (``older``).
    """
    if base is not None and not _has_news(base, theirs):
        return True
    words = (*_key(theirs), _without_edges(theirs.msgstr))
    return words in older and (base is None or base.msgstr != words[2])


def _with_news(ours: Entry, theirs: Entry) -> Entry:
    """Return our entry with the change that the other tool has made."""
    return replace(
        ours,
        msgstr=_without_edges(theirs.msgstr),
        fuzzy=theirs.fuzzy,
        # Tools drop the previous English, but a fuzzy entry needs it.
        previous=ours.previous if theirs.fuzzy else None,
        comments=theirs.comments or ours.comments,
    )


def _stray(theirs: Entry) -> Entry:
    """Return a returned translation of English that our catalogue lacks, as an obsolete entry.

    The next update can reuse it for similar messages.
    """
    return Entry(
        msgid=theirs.msgid,
        msgstr=_without_edges(theirs.msgstr),
        fuzzy=theirs.fuzzy,
        previous=theirs.previous if theirs.fuzzy else None,
        context=theirs.context,
        comments=theirs.comments,
        obsolete=True,
    )


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
