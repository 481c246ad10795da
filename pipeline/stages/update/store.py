"""Storing of the updated catalogues in the memory.

The input is catalogues; the output is memory files without any English. The invariant: the memory
loses no translation. If a translation of the old memory is in no catalogue, it stays in the memory
as an obsolete entry. Most runs change only a few pages, so only the memory files that are needed
are parsed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.adapters.version_control import files_in_history
from pipeline.core.catalog.update import Updated
from pipeline.core.memory import record as core
from pipeline.core.memory.closing import TranslatorNoteOf, close_catalog
from pipeline.core.memory.merge import (
    Held,
    held_in_memories,
    unheld_entries,
)
from pipeline.core.memory.record import Memory, Place, digest, index_places
from pipeline.core.memory.releases import finished_translations, offer
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog, Entry
from pipeline.report.counts import written_text
from pipeline.stages.update.git_changes import touches_in_git
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.releases import documents_of

# An entry of a memory file with an empty msgstr. It is untranslated, unless a note says that the
# translation is the English itself.
_UNTRANSLATED = re.compile(rb'^msgid "([0-9a-f]{32})"\nmsgstr ""\n\n', re.MULTILINE)
FEW = 8  # if more pages than this are stored, all memory files are parsed at once


class OldMemory(Struct, kw_only=True, dict=True):
    """The old memory of all pages of a locale. Invalid files become findings."""

    locale: Locale
    due: Collection[str]  # the pages whose memory this run must write
    # Refs of commits, from the memories that were read so far.
    refs: dict[str, str] = field(default_factory=dict)

    @cached_property
    def of_due(self) -> dict[str, Memory]:
        """Return the memory of the pages that are due."""
        due = [page for page in self.locale.memory_files if page in self.due]
        return self._noted(self.locale.memories(due))

    @cached_property
    def of_others(self) -> dict[str, Memory]:
        """Return the memory of all other pages, for the pinned release."""
        others = [page for page in self.locale.memory_files if page not in self.due]
        return self._noted(self.locale.stored_memories(others))

    def find(self, code: str) -> Place | None:
        """Return the place of the English with digest ``code`` from any page's memory, or None."""
        if len(self.due) > FEW:
            return self._places.get(code)
        # Only files that contain the digest can have its place.
        naming = [page for page, data in self.locale.memory_files.items() if code.encode() in data]
        return _index(self._noted(self.locale.stored_memories(naming))).get(code)

    @cached_property
    def _places(self) -> dict[str, Place]:
        return _index(self.of_due | self.of_others)

    def _noted(self, memories: dict[str, Memory]) -> dict[str, Memory]:
        """Return ``memories`` unchanged, and add their refs to ``refs``."""
        for memory in memories.values():
            self.refs |= memory.known_refs
        return memories


def _index(memories: Mapping[str, Memory]) -> dict[str, Place]:
    # Sort the pages: if several pages have a text, every run must choose the same page.
    return index_places(memories[page] for page in sorted(memories))


def store_memory(
    locale: Locale,
    updated: Mapping[str, Updated],
    *,
    wanted: Mapping[str, Sequence[Entry]],
    lock: Lock,
) -> None:
    """Store the updated catalogues in the memory. Memory files that are up to date are not written.

    ``updated`` has the results of the update. ``wanted`` has the entries at the pinned commit, for
    the pages that this run has read completely.
    """
    state, written = locale.state, len(locale.changes)
    with locale.run.log.step("memory") as step:
        # Read all catalogues, not only the updated ones, because their English is needed, too.
        catalogs = locale.readable_catalogs()
        catalogs = {page: catalogs[page] for page in catalogs if catalogs[page].entries}
        # Catalogues that need not be stored. If somebody has saved such a catalogue during this
        # run, the next run merges it.
        settled = {page for page in catalogs if locale.agrees(page)}
        settled |= locale.saved_meanwhile
        settled |= {page for page in catalogs if locale.is_unbegun(page, catalogs[page])}
        due = {page: catalogs[page] for page in catalogs if page not in settled}
        without_memory = locale.removed_memories
        gone = [page for page in without_memory if not locale.has_catalog(page)]
        state.forget(gone)
        # If a memory has no catalogue, its page may have moved.
        if due or gone or locale.memory_files.keys() - catalogs.keys():
            store = _Store(
                locale=locale,
                lock=lock,
                catalogs=catalogs,
                updated=updated,
                due=due,
                old=OldMemory(locale=locale, due=due),
                wanted=_with_dropped_pages(wanted, {*due, *locale.memory_files}, lock),
            )
            store.write_pages()
            moved = store.moved_pages()
            if locale.view is not None:
                store.offer_to_other_pages()
                moved = []  # only a run of the pinned release removes memory files
            state.forget(moved)
            # Save the state before the memory files are removed. If the run is killed in between,
            # the state must not have pages without a memory file: the next run would assume that
            # somebody else has removed the files.
            locale.save_state()
            locale.remove_memories(moved)
        step.result = "nothing to write"
        if len(locale.changes) > written:
            count = len(locale.changes) - written
            step.result = written_text(count, dry=locale.run.dry)


def _with_dropped_pages(
    wanted: Mapping[str, Sequence[Entry]], names: Iterable[str], lock: Lock
) -> dict[str, Sequence[Entry]]:
    """Return ``wanted``, with an empty list for each of ``names`` that upstream has dropped."""
    there = documents_of(lock)
    dropped: dict[str, Sequence[Entry]] = {page: () for page in names if page not in there}
    return dropped | dict(wanted)


class _Store(Struct, kw_only=True, dict=True):
    """One call of ``store_memory``. Most data are computed only if needed."""

    locale: Locale
    lock: Lock
    catalogs: Mapping[str, Catalog]
    updated: Mapping[str, Updated]
    due: Mapping[str, Catalog]  # the catalogues that differ from the memory
    old: OldMemory
    wanted: Mapping[str, Sequence[Entry]]

    def write_pages(self) -> None:
        """Write the memory of the pages that are due.

        Translations of the old memory that no catalogue has stay in the memory as obsolete entries.
        """
        for memory in self.closed.values():
            rest = self._rest(memory)
            entries = core.in_order((*memory.entries, *rest))
            whole = self._with_refs(replace(memory, entries=entries))
            if not self.locale.write_memory(whole):
                continue
            page = memory.page
            # If the memory has entries that the catalogue lacks, the next run must open it again.
            catalog = None if rest else self.locale.catalog_files.get(page)
            self.locale.state.keep(page, self.locale.memory_files[page], catalog)

    def moved_pages(self) -> list[str]:
        """Return the pages that have no catalogue, if all their translations are on other pages."""
        moved: list[str] = []
        for page in self.locale.memory_files:
            # ``wanted`` lacks pages that this run could not read completely.
            if page not in self.wanted or self.locale.has_catalog(page):
                continue
            memory = self.old.of_others.get(page)
            # Compare with an empty memory of the page, so that only translations on other pages
            # count.
            if memory is None or unheld_entries(
                replace(memory, entries=()), memory, self.held_translations
            ):
                continue
            moved.append(page)
        return moved

    def offer_to_other_pages(self) -> None:
        """Add translations of a release beside the pin to untranslated messages of other pages.

        An update of the pinned release cannot find these translations, because pages that the
        pinned release lacks are hidden from it.
        """
        translations = finished_translations(self.closed.values())
        untranslated: list[str] = []
        for page, data in self.locale.memory_files.items():
            codes = (code.decode("ascii") for code in _UNTRANSLATED.findall(data))
            # This test avoids parsing most files.
            if not translations.keys().isdisjoint(codes):
                untranslated.append(page)
        for shared in self.locale.stored_memories(untranslated).values():
            self.locale.write_stored_memory(offer(shared, translations))

    @cached_property
    def closed(self) -> dict[str, Memory]:
        """Return the new memory of the pages that are due.

        Pages whose old memory is invalid are left out. They are reported already.
        """
        there = self.locale.memory_files.keys() & self.due.keys()
        unreadable = there - self.old.of_due.keys()
        return {
            page: self._close(page, catalog)
            for page, catalog in self.due.items()
            if page not in unreadable
        }

    @cached_property
    def pin_digests(self) -> dict[str, frozenset[str]]:
        """Return the digests of each page's messages at the pinned commit."""
        digests: dict[str, frozenset[str]] = {}
        for page, entries in self.wanted.items():
            digests[page] = frozenset(digest(entry.msgid) for entry in entries)
        return digests

    @cached_property
    def pin_places(self) -> dict[str, Place]:
        """Return the places of English at the pinned commit, by digest."""
        places: dict[str, Place] = {}
        # If several pages have a text, any of them will do.
        for page, codes in self.pin_digests.items():
            place = Place(commit=self.lock.commit, page=page)
            places.update(dict.fromkeys(codes, place))
        return places

    @cached_property
    def text_ranks(self) -> dict[str, int]:
        """Return the rank of each English text in the order of all catalogues."""
        ranks: dict[str, int] = {}
        for catalog in self.catalogs.values():
            for entry in catalog.entries:
                ranks.setdefault(entry.msgid, len(ranks))
        return ranks

    @cached_property
    def held_translations(self) -> Held:
        """Return all translations that are in a catalogue."""
        # If a page is not due, its memory agrees with its catalogue.
        others = self.old.of_others
        agreed = [others[page] for page in others if page in self.catalogs]
        return held_in_memories([*self.closed.values(), *agreed])

    def _close(self, page: str, catalog: Catalog) -> Memory:
        """Return the memory of a catalogue, with the notes of the old memory."""
        head = self._head(page, catalog)
        old = self.old.of_due.get(page)
        updated = self.updated.get(page)
        if old is None and updated is not None and updated.counts.moved_from:
            # The page was renamed, so the notes about its texts are in the memory of its old name.
            old = self.old.of_others.get(updated.counts.moved_from)
        live = self.pin_digests.get(page, head.live)
        return close_catalog(
            catalog,
            head,
            old=old,
            live=live,
            find=self._find,
            texts=self.text_ranks,
            touch_of=self._touch_of(page),
        )

    def _touch_of(self, page: str) -> TranslatorNoteOf | None:
        """Return the function that finds a msgstr's author, if git ever had the catalogue."""
        root, name = self.locale.paths.root, self.locale.catalog_name(page)
        return touches_in_git(root, name) if name in self.committed else None

    @cached_property
    def committed(self) -> frozenset[str]:
        """Return the catalogues that are in any commit; usually none, because git ignores them."""
        paths = self.locale.paths
        folder = self.locale.run.shown(paths.catalogs(self.locale.name))
        return files_in_history(paths.root, folder)

    def _find(self, code: str) -> Place | None:
        """Return the place of the English with digest ``code``, or None.

        Places at the pinned commit come first. Otherwise the result would depend on how many
        memories an interrupted run has already written.
        """
        return self.pin_places.get(code) or self.old.find(code)

    def _head(self, page: str, catalog: Catalog) -> Memory:
        """Return the header data of the page's memory.

        The data describe the page at the pinned commit. If this run has not updated the page, or if
        the page is unchanged, the data of the old memory stay.
        """
        wanted, old = self.wanted.get(page), self.old.of_due.get(page)
        layout = core.layout_of(wanted or ())
        date = catalog.header.get("POT-Creation-Date", "")
        if old and (wanted is None or (old.layout, old.date) == (layout, date)):
            return old  # so an upgrade does not change the file of an unchanged page
        return Memory(
            upstream=self.locale.paths.upstream,
            locale=self.locale.name,
            page=page,
            commit=self.lock.commit,
            ref=self.lock.ref,
            layout=layout,
        )

    def _with_refs(self, memory: Memory) -> Memory:
        """Return the memory with the refs of the commits in its notes.

        Another copy of upstream may have other commits for the same refs.
        """
        known = self.old.refs
        if self.lock.ref:
            known = known | {self.lock.commit: self.lock.ref}
        return core.with_refs(memory, self.old.of_due.get(memory.page), known)

    def _rest(self, memory: Memory) -> list[Entry]:
        """Return the page's old entries whose translation is in no catalogue, made obsolete."""
        old = self.old.of_due.get(memory.page)
        # Usually the new memory has all translations. Then the other pages need not be read.
        if old is None or not unheld_entries(memory, old, held_in_memories([memory])):
            return []
        # A translation may have moved to another page.
        live = self.pin_digests.get(memory.page, old.live)
        unheld = unheld_entries(memory, old, self.held_translations)
        return [core.as_obsolete(entry, old=old, live=live) for entry in unheld]
