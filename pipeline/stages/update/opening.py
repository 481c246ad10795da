"""Opening of the memory: brings its content into the working catalogues.

A missing catalogue is rebuilt from the memory. If git has changed a memory file, for example by
switching to another branch (``git_changes``), the catalogue is rebuilt from that file. If a
catalogue has work that is not stored in the memory, the two are merged, entry by entry (``merge``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache

from msgspec.structs import replace

from pipeline.adapters import po
from pipeline.core.memory.file import EDITING
from pipeline.core.memory.merge import Merged, Translations, translations_in_catalogs
from pipeline.core.memory.opening import Opened, restore_english, unknown_texts
from pipeline.core.memory.record import Memory, with_refs
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.report.counts import counted, written_text
from pipeline.stages.update import git_changes
from pipeline.stages.update.english import (
    English,
    open_english,
    page_at,
    rebuild_catalog,
    view_of,
)
from pipeline.stages.update.git_changes import Move, Start
from pipeline.stages.update.locale import Locale, how_to_store
from pipeline.stages.update.merge import Sides, merge_sides, save_dropped_translations


def open_memory(locale: Locale, wanted: Mapping[str, Sequence[Entry]], lock: Lock) -> None:
    """Bring the content of the memory into the working catalogues, before their update.

    ``wanted`` has the entries of the pages that this run has split, at the pinned commit of
    ``lock``. Missing catalogues are rebuilt at the memory's commit; existing ones are merged by
    entry. Translations whose English is unavailable stay in the memory and are reported.
    """
    run = locale.run
    with run.log.step("memory") as step, open_english(run, wanted, lock) as english:
        locale.view = view_of(run, english)
        # In most runs, catalogue and memory file of most pages agree. For such a page, reading the
        # two files is enough.
        due = [page for page in locale.memory_files if not locale.agrees(page)]
        removed = locale.removed_memories
        moves = git_changes.moves_of(locale, due, removed=removed)
        overwritten = git_changes.overwritten_by_git(locale)
        if overwritten:
            first, count = min(overwritten), len(overwritten)
            what = "it" if count == 1 else f"{count} catalogues"
            locale.report_row("catalogue-overwritten", first, what=what, advice=how_to_store())
        opening = _Opening(locale, english, moves, overwritten)
        for page in sorted(removed):
            opening.close_page(page)
        for memory in locale.memories(due).values():
            opening.open_page(memory)
        locale.save_state()
        step.result = "nothing to open"
        compared = len(due) + len(moves.keys() & removed)
        if compared:
            written = written_text(len(locale.changes), dry=run.dry)
            step.result = f"{counted(compared, 'page')} compared, {written}"


class _Opening:
    """One pass over the memory of a locale."""

    def __init__(
        self,
        locale: Locale,
        english: English,
        moves: Mapping[str, Move],
        overwritten: Collection[str],
    ) -> None:
        self.locale = locale
        self.state = locale.state
        self.english = english
        self.moves = moves
        self.overwritten = overwritten
        # Returns the translations of all catalogues before this run, with digests of their English.
        self.held_elsewhere: Callable[[], Translations] = cache(
            lambda: translations_in_catalogs(locale.readable_catalogs().values())
        )

    def open_page(self, theirs: Memory) -> None:
        """Merge a memory with its catalogue and write both."""
        locale, page = self.locale, theirs.page
        try:
            local = locale.catalog(page)
        except InputError:
            # ``stage.update_catalog_files`` reports the error. A person must fix the file; until
            # then, readers get the translations of the memory.
            locale.unreadable[page] = self._rebuilt(theirs).catalog
            return
        if local is None:
            # A release beside the pin starts from the catalogue of the pinned page, as in an
            # upgrade. So its update can offer translations of similar messages.
            opened = self._rebuilt(locale.stored_memories([page])[page])
            self._keep_last(theirs, opened.catalog)
            self._write(theirs, opened)
            return
        base, move, seen = self._start(local, theirs)
        mended = self._with_english(local, base)
        root, name = locale.paths.root, locale.catalog_name(page)
        sides = Sides(
            local=mended,
            theirs=theirs,
            base=base,
            move=move,
            seen=seen,
            touch_of=git_changes.touches_in_git(root, name),
            moment_of=git_changes.moments_in_git(root, name),
            other_commits=locale.elsewhere.commits,
        )
        merged = merge_sides(sides, self.held_elsewhere)
        if not merged.taken and not move.by_git and mended is local:
            # The catalogue has everything that the memory has, so only record the base.
            save_dropped_translations(locale, sides, merged, local)
            self.state.keep(page, locale.memory_files[page], None)
            return
        memory = merged.memory
        if memory.entries == theirs.entries:
            memory = theirs
        # Rebuild the catalogue before anything is written, because rebuilding may fail.
        opened = self._rebuilt(memory, local=mended)
        written = po.write_catalog(opened.catalog).catalog
        save_dropped_translations(locale, sides, merged, written)
        if memory is not theirs:
            # Store the local changes in the memory before the catalogue is overwritten. Afterwards
            # it is unknown who made these changes.
            refs = theirs.known_refs | (base.known_refs if base else {})
            memory = with_refs(memory, theirs, refs)
            if move.by_git:
                # If this run is killed before it writes the catalogue, the next run must not take
                # the new memory file for an edit by a person.
                self.state.announce(page, locale.format_memory(memory))
                locale.save_state()
            if not locale.write_memory(memory):
                return
        self._write(memory, opened)

    def close_page(self, page: str) -> None:
        """Remove the catalogue of a page whose memory file git has removed.

        A catalogue with work that is not stored stays. If a person or a program, not git, has
        removed the memory file, the catalogue stays unchanged and is stored again later.
        """
        locale, move = self.locale, self.moves.get(page, git_changes.NO_MOVE)
        base = locale.past_memory(page, self.state.base(page))
        if base is None:
            return
        # A memory of the page without any entries.
        nothing = replace(base, entries=())
        try:
            local = locale.catalog(page)
        except InputError:
            return  # ``stage.update_catalog_files`` reports the error
        if local is None:
            self._keep_last(nothing, Catalog())
            return
        mended = self._with_english(local, base)
        sides = Sides(local=mended, theirs=nothing, base=base, move=move)
        merged = merge_sides(sides, self.held_elsewhere)
        save_dropped_translations(locale, sides, merged, local)
        if not move.by_git:
            return
        if merged.memory.entries:
            opened = self._rebuilt(merged.memory, local=mended)
            locale.write_catalog(page, opened.catalog)
        else:
            locale.remove_catalogs([page])
        self.state.forget([page])

    def _keep_last(self, theirs: Memory, opened: Catalog) -> None:
        """If a page has lost its stored translations and its catalogue, save these translations.

        ``opened`` is the catalogue that will be written.
        """
        page = theirs.page
        seen = self.locale.past_memory(page, self.state.base(page))
        move = self.moves.get(page)
        if seen is None or move is None or move.is_silent:
            return  # the common case: no change of the memory, or git has the old version
        local = self._rebuilt(seen).catalog
        sides = Sides(local=local, theirs=theirs, base=None, move=move, seen=seen)
        merged = Merged(memory=theirs)
        written = po.write_catalog(opened).catalog
        save_dropped_translations(self.locale, sides, merged, written)

    def _start(self, local: Catalog, theirs: Memory) -> Start:
        """Return the common base of a catalogue and its memory."""
        page = theirs.page
        known = self.state.base(page)
        if known is None:
            return git_changes.start_in_git(self.locale, local, theirs)
        # Usually only the catalogue has changed, and the memory is its own base.
        is_same = known == self.locale.memory_files[page]
        base = theirs if is_same else self.locale.past_memory(page, known)
        move = self.moves.get(page, git_changes.NO_MOVE)
        if page in self.overwritten:
            start = git_changes.start_of_overwritten(self.locale, local, theirs)
            return Start(start, move, seen=base)
        return Start(base, move)

    def _rebuilt(self, memory: Memory, *, local: Catalog | None = None) -> Opened:
        opened = rebuild_catalog(self.locale, self.english, memory, local=local)
        branch = self.state.branch
        if local is None or branch is None or not branch.has_catalogs:
            return opened
        # On this branch, git has the catalogues, too, and Weblate edits them. Keep Weblate's header
        # fields, so that git can merge the files.
        editing = {name: local.header[name] for name in EDITING if name in local.header}
        catalog = replace(opened.catalog, header={**opened.catalog.header, **editing})
        return replace(opened, catalog=catalog)

    def _write(self, memory: Memory, opened: Opened) -> None:
        """Write an opened catalogue, and record that it agrees with its memory."""
        locale, page = self.locale, memory.page
        # If no English is known, the catalogue is empty and not written.
        if opened.catalog.entries and not locale.write_catalog(page, opened.catalog):
            return
        after = None if opened.missing else locale.catalog_files.get(page)
        self.state.keep(page, locale.memory_files[page], after)

    def _with_english(self, local: Catalog, base: Memory | None) -> Catalog:
        """Return the catalogue. If somebody has edited its English, restore upstream's."""
        if base is None or not unknown_texts(local, base):
            return local
        wanted = page_at(self.english, base)
        if wanted is None:
            return local
        pinned = self.english.at_pin(base.page) or ()
        newer = [entry.msgid for entry in pinned]
        back = restore_english(local, base, wanted, newer=newer)
        name = self.locale.catalog_name(base.page)
        for entry in back.edited:
            where = f"{name}:{entry.line}"
            self.locale.report_row("english-edited", base.page, where=where)
        return back.catalog
