"""Who has translated the entries of a catalogue that git has, by the commits that brought them.

A catalogue's header names one person, and a pull may bring the work of several. In go a page and
its catalogue, out comes a translator's note for each entry that a commit has changed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from pipeline.adapters import po
from pipeline.adapters.version_control import Revision, revisions_of, run_git
from pipeline.core.memory.header import touch_note
from pipeline.core.memory.notes import TOUCH, TRANSLATOR
from pipeline.core.memory.record import Key, digest
from pipeline.entries import Catalog
from pipeline.errors import InputError
from pipeline.stages.update.workspace import Workspace

_Words = tuple[str, bool]  # msgstr, and whether it waits


@dataclass(frozen=True)
class Authors:
    """The authors of one page's catalogue. Git is asked when somebody is."""

    work: Workspace
    page: str
    local: Catalog
    _changes: dict[Revision, _Change] = field(default_factory=dict)  # as far as read

    def touch_of(self, key: Key) -> str:
        """Return the note of who has translated an entry; empty where the header counts.

        That is where nothing is committed, or the words of the entry are not.
        """
        words = self._words.get(key)
        for revision in self._revisions:
            change = self._changes.get(revision) or self._change(revision)
            self._changes[revision] = change
            if change.after.get(key) != words:
                return ""  # newer than the commit
            if change.before.get(key) != words:
                return change.note
        return ""

    @cached_property
    def _words(self) -> dict[Key, _Words]:
        return _words_of(self.local)

    @cached_property
    def _revisions(self) -> tuple[Revision, ...]:
        name = self.work.files.catalog_name(self.page)
        return tuple(revisions_of(self.work.paths.root, name))

    def _change(self, revision: Revision) -> _Change:
        before, after = self._read(revision.before), self._read(revision.after)
        note = touch_note(after.header)
        # Whoever saves a file by hand leaves the name that stands there.
        if note in ("", touch_note(before.header)):
            note = f"{TRANSLATOR}{revision.author}, {revision.date}"
        return _Change(
            note=note if TOUCH.fullmatch(note) else "",
            before=_words_of(before),
            after=_words_of(after),
        )

    def _read(self, blob: str) -> Catalog:
        data = run_git(self.work.paths.root, "cat-file", "blob", blob)
        try:
            return po.read_catalog(data, where=blob).catalog
        except InputError:
            return Catalog()  # there was no file, or a broken one


@dataclass(frozen=True, slots=True, kw_only=True)
class _Change:
    """What a commit did to the catalogue, and the note of who did it."""

    note: str
    before: dict[Key, _Words]
    after: dict[Key, _Words]


def _words_of(catalog: Catalog) -> dict[Key, _Words]:
    return {
        (entry.context, digest(entry.msgid)): (entry.msgstr, entry.fuzzy)
        for entry in catalog.entries
        if entry.msgstr
    }
