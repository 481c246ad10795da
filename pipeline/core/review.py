"""Review: how the translations of two commits differ, message by message.

Memories go in; the changes that a person has to look at come out. What follows by itself is only
counted: text that moved, was carried over, or went from the page. No translation vanishes without
being one of the two.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pipeline.core.catalog.origins import CARRIED
from pipeline.core.memory.opening import restored_msgstr
from pipeline.core.memory.record import (
    TOUCH,
    TRANSLATOR,
    Key,
    Texts,
    key_of,
    text_of,
    translators_of,
    work_of,
)
from pipeline.entries import Entry

Entries = Mapping[str, Sequence[Entry]]  # by the path of the memory file

# What the update may change in a translation that it carries over: white space, hosts of links,
# and numbers of long atoms.
_FREE = re.compile(r"\s+|https?://[!-~]+|⟦\d+⟧")


class Happened(StrEnum):
    """What has happened to a message, for a person to look at."""

    TRANSLATED = "translated"
    CHANGED = "changed"
    CONFIRMED = "confirmed"  # it was fuzzy, and is no more
    FUZZY = "fuzzy"
    WITHDRAWN = "withdrawn"  # the translation is gone, and stands nowhere else
    REMARKS = "remarks"  # only comments or flags are other ones


class Quiet(StrEnum):
    """What happens by itself, and is only counted."""

    MOVED = "moved"  # the same message with the same translation, on another page
    CARRIED = "carried over"
    GONE = "gone from the page"  # the translation is kept, obsolete or elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A message that a person has to look at. Both entries are of a memory.

    ``new`` is None if the page has no entry of it any more. ``old`` is what its translation was
    before, perhaps for other English or on another page; None if it had none.
    """

    path: str  # of the memory file, that ``new`` is in
    happened: Happened
    new: Entry | None
    old: Entry | None = None

    @property
    def line(self) -> int:
        """The line of the entry in its file, from 1; the first one if it is gone."""
        return self.new.line if self.new else 1

    @property
    def entry(self) -> Entry:
        """The entry that says which message it is."""
        entry = self.new or self.old
        assert entry
        return entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """All changes, file by file in the order of their entries, and how much happened by itself."""

    changes: tuple[Change, ...] = ()
    quiet: Mapping[Quiet, int] = field(default_factory=dict)


def compare(
    before: Entries, after: Entries, *, elsewhere: Iterable[Entry] = ()
) -> Compared:
    """How the memories of two commits differ.

    Files that are equal need not be given; ``elsewhere`` are their entries, from which
    translations may have been carried over.
    """
    comparing = _Comparing(before, after, elsewhere)
    changes: list[Change] = []
    for path in sorted(before.keys() | after.keys()):
        changes += comparing.changes_of(path)
    return Compared(changes=tuple(changes), quiet=dict(comparing.quiet))


def has_carried(before: Entries, after: Entries) -> bool:
    """Whether anything has been carried over, for which ``compare`` wants all entries there are."""
    old = {(entry.msgid, entry.notes) for entry in _all(before)}
    for entry in _all(after):
        if entry.notes_with(CARRIED) and (entry.msgid, entry.notes) not in old:
            return True
    return False


class _Comparing:
    """What is known of both commits while they are compared."""

    def __init__(
        self, before: Entries, after: Entries, elsewhere: Iterable[Entry]
    ) -> None:
        self.before = {path: _by_key(entries) for path, entries in before.items()}
        self.after = {path: _by_key(entries) for path, entries in after.items()}
        self.quiet: Counter[Quiet] = Counter()
        # Translations of before, by the message that they were written for.
        self._old: dict[str, Entry] = {}
        self._works: set[tuple[object, ...]] = set()
        self._finished: set[str] = set()
        for entry in (*elsewhere, *_all(before)):
            if not text_of(entry):
                continue
            self._old[entry.written_for] = entry
            self._works.add((entry.msgid, work_of(entry)))
            if not entry.fuzzy:
                self._finished.add(_bare(entry))
        self._remaining = {_bare(entry) for entry in _all(after)}

    def changes_of(self, path: str) -> Iterator[Change]:
        """What a person has to look at in one file."""
        before, after = self.before.get(path, {}), self.after.get(path, {})
        for key, new in after.items():
            yield from self._compared(path, new, before.get(key))
        for key, old in before.items():
            if key not in after and text_of(old):
                yield from self._gone(path, old, None)

    def _compared(self, path: str, new: Entry, same: Entry | None) -> Iterator[Change]:
        """An entry and what it was at the same place; nothing if a person need not look at it."""
        if same and work_of(new) == work_of(same) and new.obsolete == same.obsolete:
            return
        if not text_of(new):
            if same and text_of(same):
                yield from self._gone(path, same, new)
            return
        if new.obsolete:
            # It waits for its text to come back. Nobody sees it, and nothing is lost.
            self.quiet[Quiet.GONE] += bool(same and not same.obsolete)
            return
        old = same if same and text_of(same) else self._old.get(new.written_for)
        quiet = self._quiet(new)
        if quiet:
            self.quiet[quiet] += 1
            return
        yield Change(path=path, happened=_happened(new, old), new=new, old=old)

    def _gone(self, path: str, old: Entry, new: Entry | None) -> Iterator[Change]:
        """A translation that its entry has no more, or whose entry is gone."""
        if new is None and _bare(old) in self._remaining:
            # Git's diff would show it as removed: it is on another page, or obsolete there.
            self.quiet[Quiet.GONE] += not old.obsolete
            return
        yield Change(path=path, happened=Happened.WITHDRAWN, new=new, old=old)

    def _quiet(self, new: Entry) -> Quiet | None:
        """Why nobody need look at a translation; None if somebody has to."""
        if (new.msgid, work_of(new)) in self._works:
            return Quiet.MOVED
        # The note alone proves nothing: a person may have edited the translation since.
        is_carried = new.notes_with(CARRIED) and not new.fuzzy
        if is_carried and _bare(new) in self._finished:
            return Quiet.CARRIED
        return None


def _happened(new: Entry, old: Entry | None) -> Happened:
    """What has happened to a message that has a translation now."""
    if new.fuzzy:
        return Happened.FUZZY
    if old is None:
        return Happened.TRANSLATED
    if old.fuzzy:
        return Happened.CONFIRMED
    if text_of(old) == text_of(new) and old.msgid == new.msgid:
        return Happened.REMARKS
    return Happened.CHANGED


def _bare(entry: Entry) -> str:
    """The translation without what the update may change in it by itself."""
    if entry.msgstr:
        return _FREE.sub("", entry.msgstr)
    # The English itself, which is another one for each message.
    return f"{text_of(entry)}: {entry.written_for}"


def _all(entries: Entries) -> Iterator[Entry]:
    """All entries of all files."""
    for of_file in entries.values():
        yield from of_file


def _by_key(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """Entries by context and digest. A live one goes before an obsolete one of the same message."""
    by_key = {key_of(entry): entry for entry in entries if entry.obsolete}
    for entry in entries:
        if not entry.obsolete:
            by_key[key_of(entry)] = entry
    return by_key


def translation_of(entry: Entry, texts: Texts) -> str:
    """The translation of a memory's entry with its long atoms.

    Where their English is not in ``texts``, as the memory has it: ``见[指南⟦1⟧。``
    """
    previous = texts.get(entry.previous) if entry.previous else None
    restored = restored_msgstr(entry, texts.get(entry.msgid), previous)
    return text_of(entry) if restored is None else restored


def translator_of(entry: Entry) -> str:
    """Who last touched an entry, and on which day: ``Li Lei, 2026-05-01``; empty if nobody knows.

    The address is left out: a report goes to places where the memory does not.
    """
    notes = translators_of(entry)
    if not notes:
        return ""
    touch = TOUCH.fullmatch(notes[-1])
    if touch is None:
        return notes[-1].removeprefix(TRANSLATOR)
    name = touch[1].partition(" <")[0]
    return f"{name}, {touch[2][:10]}"


def state_of(entry: Entry | None) -> str:
    """Whether readers see the translation: ``finished``, ``fuzzy`` or ``untranslated``."""
    if entry is None or not text_of(entry) or entry.obsolete:
        return "untranslated"
    return "fuzzy" if entry.fuzzy else "finished"
