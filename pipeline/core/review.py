"""Review of two commits: the differences between their translations, message by message.

:func:`compare` takes the translation memories of both commits. It returns the changes that a person
should look at, and counts of automatic changes. The pipeline makes automatic changes: it moves a
translation to another page, or carries it over to another message. If a message leaves its page,
the translation becomes obsolete. Every translation that disappears is either listed or counted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from itertools import chain

from msgspec import Struct, field

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

# The parts of a translation that an update may change when it carries the translation over: white
# space, URLs, and the numbers of placeholders for long atoms.
_FREE = re.compile(r"\s+|https?://[!-~]+|⟦\d+⟧")


class ChangeKind(StrEnum):
    """Kind of change to a message that a person should look at."""

    TRANSLATED = "translated"
    CHANGED = "changed"
    CONFIRMED = "confirmed"  # no longer fuzzy
    FUZZY = "fuzzy"
    WITHDRAWN = "withdrawn"  # the translation was removed and exists nowhere else
    REMARKS = "remarks"  # only comments or flags changed


class AutomaticChange(StrEnum):
    """Kind of automatic change. Such changes are only counted."""

    MOVED = "moved"  # the same message and translation on another page
    CARRIED = "carried over"  # the same translation for another message
    GONE = "gone from the page"  # the translation is now obsolete or on another page


class Change(Struct, frozen=True, kw_only=True):
    """A change that a person should look at, with the entries of both memories."""

    path: str  # the memory file with the change
    happened: ChangeKind
    new: Entry | None  # None if the file no longer has the entry
    # The previous translation, which may be of other English or from another page. None if there
    # was none.
    old: Entry | None = None

    @property
    def line(self) -> int:
        """Return the 1-based line of the new entry in its file, or 1 if the entry was removed."""
        return self.new.line if self.new else 1

    @property
    def entry(self) -> Entry:
        """Return the new entry, or the old one if the entry was removed."""
        entry = self.new or self.old
        assert entry
        return entry


class Compared(Struct, frozen=True, kw_only=True):
    """The differences between the memories of two commits."""

    changes: tuple[Change, ...] = ()  # sorted by file, in the order of its entries
    quiet: Mapping[AutomaticChange, int] = field(default_factory=dict)


def compare(
    before: Entries,
    after: Entries,
    *,
    elsewhere: Iterable[Entry] = (),
    shown: Collection[str] = (),
) -> Compared:
    """Return the differences between the memories of two commits.

    ``before`` and ``after`` may omit files that are equal in both commits. If translations may have
    been carried over from such files, ``elsewhere`` must have their entries.

    ``shown`` are the upstream commits of the releases that are published beside the pinned one. In
    the memory, messages that only these releases have are obsolete, although readers see them.
    """
    comparing = _Comparison(before, after, elsewhere, shown)
    changes: list[Change] = []
    for path in sorted(before.keys() | after.keys()):
        changes += comparing.changes_of(path)
    return Compared(changes=tuple(changes), quiet=dict(comparing.quiet))


def has_carried(before: Entries, after: Entries) -> bool:
    """Return whether any translation was carried over, so that ``compare`` needs all entries."""
    old = {(entry.msgid, entry.notes) for entry in chain.from_iterable(before.values())}
    for entry in chain.from_iterable(after.values()):
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
        self.before = before
        self.after = after
        self.quiet: Counter[AutomaticChange] = Counter()
        # Old translations, by the English that they were written for. The sets below identify
        # translations that only moved, and finished ones that were only carried over.
        self._old: dict[str, Entry] = {}
        self._works: set[tuple[object, ...]] = set()
        self._finished: set[str] = set()
        for entry in (*elsewhere, *chain.from_iterable(before.values())):
            if not text_of(entry):
                continue
            self._old[entry.source_text] = entry
            self._works.add((entry.msgid, human_work(entry)))
            if not entry.fuzzy:
                self._finished.add(_bare(entry))
        self._remaining = set(map(_bare, chain.from_iterable(after.values())))

    def changes_of(self, path: str) -> Iterator[Change]:
        """Yield the changes in one file that a person should look at; count the others."""
        before = _by_key(self.before.get(path, ()))
        after = _by_key(self.after.get(path, ()))
        for key, new in after.items():
            yield from self._compared(path, new, before.get(key))
        for key, old in before.items():
            if key not in after and text_of(old):
                yield from self._gone(path, old, None)

    def _compared(self, path: str, new: Entry, same: Entry | None) -> Iterator[Change]:
        """Yield the change to the entry ``new`` if a person should look at it; otherwise count it.

        ``same`` is the old entry with the same key, or None.
        """
        if same and human_work(new) == human_work(same) and new.obsolete == same.obsolete:
            return
        if not text_of(new):
            if same and text_of(same):
                yield from self._gone(path, same, new)
            return
        if new.obsolete and not self._is_shown(new):
            # The memory keeps the translation in case its English returns, so no work is lost.
            # Readers do not see the translation.
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
        """Yield the change for a removed translation; count it if the translation exists elsewhere.

        ``new`` is the entry, which has no translation now, or None if the entry was removed.
        """
        if new is None and _bare(old) in self._remaining:
            # The translation is on another page, or obsolete, so it is not lost.
            self.quiet[AutomaticChange.GONE] += not old.obsolete
            return
        yield Change(path=path, happened=ChangeKind.WITHDRAWN, new=new, old=old)

    def _quiet(self, new: Entry) -> AutomaticChange | None:
        """Return the kind of automatic change, or None if a person should look at the entry."""
        if (new.msgid, human_work(new)) in self._works:
            return AutomaticChange.MOVED
        # The note about the carry-over does not suffice, because a person may have edited the
        # translation afterwards. So an old entry must have the same translation.
        is_carried = new.notes_with(CARRIED) and not new.fuzzy
        if is_carried and _bare(new) in self._finished:
            return AutomaticChange.CARRIED
        return None


def _happened(new: Entry, old: Entry | None) -> ChangeKind:
    """Return the kind of change to a message that now has a translation."""
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
    """Return the translation of an entry without the parts that an update may change."""
    if entry.msgstr:
        return _FREE.sub("", entry.msgstr)
    # Without a msgstr, a note says that the translation equals the English. Add the English, so
    # that such translations of different messages are not equal.
    return f"{text_of(entry)}: {entry.source_text}"


def _by_key(entries: Iterable[Entry]) -> dict[Key, Entry]:
    """Return the entries by context and digest of their English.

    A live entry takes precedence over an obsolete one with the same key.
    """
    obsolete_first = sorted(entries, key=lambda entry: not entry.obsolete)
    return {key_of(entry): entry for entry in obsolete_first}


def translation_of(entry: Entry, texts: Texts) -> str:
    """Return the translation of a memory entry, with its placeholders ⟦N⟧ replaced.

    A placeholder stands for a long link, formula or piece of code in the English. ``texts`` maps
    digests to English texts. If ``texts`` lacks the English of the entry, return the translation
    with its placeholders: ``见[指南⟦1⟧。``
    """
    previous = texts.get(entry.previous) if entry.previous else None
    restored = restored_msgstr(entry, texts.get(entry.msgid), previous)
    return text_of(entry) if restored is None else restored


def translator_of(entry: Entry) -> str:
    """Return the last translator of an entry and the date: ``Li Lei, 2026-05-01``; "" if unknown.

    Leave out the e-mail address, because more people see reports than memories.
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
    """Return the state of a translation: ``finished``, ``fuzzy`` or ``untranslated``."""
    if entry is None or not text_of(entry):
        return "untranslated"
    return "fuzzy" if entry.fuzzy else "finished"
