"""Review of two commits: how their translations differ, message by message.

The input is the memories of both commits. The output is the changes that a person should look at,
and counts of automatic changes. Automatic changes are text that moved, was carried over, or is gone
from the page. The invariant: every translation that vanishes is either listed or counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from pipeline.core.catalog.origins import CARRIED
from pipeline.core.memory.opening import restored_msgstr
from pipeline.core.memory.record import (
    SEEN,
    TOUCH,
    TRANSLATOR,
    Key,
    Texts,
    human_work,
    key_of,
    place_of,
    text_of,
    translators_of,
)
from pipeline.entries import Entry

Entries = Mapping[str, Sequence[Entry]]  # by path of the memory file

# What an update may change in a translation that it carries over: white space, hosts of links, and
# numbers of long atoms.
_FREE = re.compile(r"\s+|https?://[!-~]+|⟦\d+⟧")


class ChangeKind(StrEnum):
    """Kind of change to a message that a person should look at."""

    TRANSLATED = "translated"
    CHANGED = "changed"
    CONFIRMED = "confirmed"  # no longer fuzzy
    FUZZY = "fuzzy"
    WITHDRAWN = "withdrawn"  # the translation is gone and exists nowhere else
    REMARKS = "remarks"  # only comments or flags changed


class AutomaticChange(StrEnum):
    """Kind of automatic change, which is only counted."""

    MOVED = "moved"  # same message and translation on another page
    CARRIED = "carried over"
    GONE = "gone from the page"  # the translation is kept, as obsolete or elsewhere


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """A change that a person should look at, with entries of memories.

    ``new`` is None if the page no longer has the entry. ``old`` is the previous translation,
    perhaps of other English or on another page; None if there was none.
    """

    path: str  # memory file of ``new``
    happened: ChangeKind
    new: Entry | None
    old: Entry | None = None

    @property
    def line(self) -> int:
        """Return the line of the entry in its file, from 1; the first line if it is gone."""
        return self.new.line if self.new else 1

    @property
    def entry(self) -> Entry:
        """Return the entry that identifies the message."""
        entry = self.new or self.old
        assert entry
        return entry


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """All changes, by file and in the order of entries, and counts of automatic changes."""

    changes: tuple[Change, ...] = ()
    quiet: Mapping[AutomaticChange, int] = field(default_factory=dict)


def compare(
    before: Entries,
    after: Entries,
    *,
    elsewhere: Iterable[Entry] = (),
    shown: Collection[str] = (),
) -> Compared:
    """Return how the memories of two commits differ.

    Equal files need not be passed in full; ``elsewhere`` has their entries, because translations
    may have been carried over from them. ``shown`` are the commits of releases beside the pin: the
    memory has what only they have as obsolete.
    """
    comparing = _Comparison(before, after, elsewhere, shown)
    changes: list[Change] = []
    for path in sorted(before.keys() | after.keys()):
        changes += comparing.changes_of(path)
    return Compared(changes=tuple(changes), quiet=dict(comparing.quiet))


def has_carried(before: Entries, after: Entries) -> bool:
    """Return whether anything was carried over. ``compare`` then needs all entries."""
    old = {(entry.msgid, entry.notes) for entry in _all(before)}
    for entry in _all(after):
        if entry.notes_with(CARRIED) and (entry.msgid, entry.notes) not in old:
            return True
    return False


class _Comparison:
    """Comparison in progress, with indexes of both commits."""

    def __init__(
        self,
        before: Entries,
        after: Entries,
        elsewhere: Iterable[Entry],
        shown: Collection[str],
    ) -> None:
        self._shown = shown
        self.before = {path: _by_key(entries) for path, entries in before.items()}
        self.after = {path: _by_key(entries) for path, entries in after.items()}
        self.quiet: Counter[AutomaticChange] = Counter()
        # Old translations, by the English that they were written for.
        self._old: dict[str, Entry] = {}
        self._works: set[tuple[object, ...]] = set()
        self._finished: set[str] = set()
        for entry in (*elsewhere, *_all(before)):
            if not text_of(entry):
                continue
            self._old[entry.source_text] = entry
            self._works.add((entry.msgid, human_work(entry)))
            if not entry.fuzzy:
                self._finished.add(_bare(entry))
        self._remaining = {_bare(entry) for entry in _all(after)}

    def changes_of(self, path: str) -> Iterator[Change]:
        """Yield the changes in one file that a person should look at."""
        before, after = self.before.get(path, {}), self.after.get(path, {})
        for key, new in after.items():
            yield from self._compared(path, new, before.get(key))
        for key, old in before.items():
            if key not in after and text_of(old):
                yield from self._gone(path, old, None)

    def _compared(self, path: str, new: Entry, same: Entry | None) -> Iterator[Change]:
        """Yield the change from ``same`` to ``new``, if a person should look at it.

        ``same`` is the old entry with the same key, if any.
        """
        if (
            same
            and human_work(new) == human_work(same)
            and new.obsolete == same.obsolete
        ):
            return
        if not text_of(new):
            if same and text_of(same):
                yield from self._gone(path, same, new)
            return
        if new.obsolete and not self._is_shown(new):
            # It waits for its text to return. Readers do not see it, and no work is lost.
            self.quiet[AutomaticChange.GONE] += bool(same and not same.obsolete)
            return
        old = same if same and text_of(same) else self._old.get(new.source_text)
        quiet = self._quiet(new)
        if quiet:
            self.quiet[quiet] += 1
            return
        yield Change(path=path, happened=_happened(new, old), new=new, old=old)

    def _is_shown(self, entry: Entry) -> bool:
        """Return whether a release beside the pin has the message of an obsolete entry."""
        place = place_of(entry, SEEN)
        return place is not None and place.commit in self._shown

    def _gone(self, path: str, old: Entry, new: Entry | None) -> Iterator[Change]:
        """Yield the change for a translation that was removed, alone or with its entry."""
        if new is None and _bare(old) in self._remaining:
            # Not a loss: the translation is on another page, or obsolete.
            self.quiet[AutomaticChange.GONE] += not old.obsolete
            return
        yield Change(path=path, happened=ChangeKind.WITHDRAWN, new=new, old=old)

    def _quiet(self, new: Entry) -> AutomaticChange | None:
        """Return why nobody needs to look at a translation; None if somebody should."""
        if (new.msgid, human_work(new)) in self._works:
            return AutomaticChange.MOVED
        # The note alone is no proof: a person may have edited the translation since.
        is_carried = new.notes_with(CARRIED) and not new.fuzzy
        if is_carried and _bare(new) in self._finished:
            return AutomaticChange.CARRIED
        return None


def _happened(new: Entry, old: Entry | None) -> ChangeKind:
    """Return the kind of change to a message that has a translation now."""
    if new.fuzzy:
        return ChangeKind.FUZZY
    if old is None:
        return ChangeKind.TRANSLATED
    if old.fuzzy:
        return ChangeKind.CONFIRMED
    if text_of(old) == text_of(new) and old.msgid == new.msgid:
        return ChangeKind.REMARKS
    return ChangeKind.CHANGED


def _bare(entry: Entry) -> str:
    """Return the translation without the parts that an update may change."""
    if entry.msgstr:
        return _FREE.sub("", entry.msgstr)
    # The English itself, which differs from message to message.
    return f"{text_of(entry)}: {entry.source_text}"


def _all(entries: Entries) -> Iterator[Entry]:
    """Yield all entries of all files."""
    for of_file in entries.values():
        yield from of_file


def _by_key(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """Return entries by context and digest; a live entry takes precedence over an obsolete one."""
    by_key = {key_of(entry): entry for entry in entries if entry.obsolete}
    for entry in entries:
        if not entry.obsolete:
            by_key[key_of(entry)] = entry
    return by_key


def translation_of(entry: Entry, texts: Texts) -> str:
    """Return the translation of a memory's entry with its long atoms restored.

    If ``texts`` lacks their English, the translation is as in the memory: ``见[指南⟦1⟧。``
    """
    previous = texts.get(entry.previous) if entry.previous else None
    restored = restored_msgstr(entry, texts.get(entry.msgid), previous)
    return text_of(entry) if restored is None else restored


def translator_of(entry: Entry) -> str:
    """Return who last touched an entry and when: ``Li Lei, 2026-05-01``; "" if unknown.

    The e-mail address is left out, because reports are published more widely than memories.
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
    """Return the state that readers see: ``finished``, ``fuzzy`` or ``untranslated``."""
    if entry is None or not text_of(entry):
        return "untranslated"
    return "fuzzy" if entry.fuzzy else "finished"
