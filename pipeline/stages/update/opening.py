"""Opening of the memory: brings its content into the working catalogues.

Missing catalogues are rebuilt, and changes of the memory are merged into the others. The input is
the memory as git has it now, the output is working catalogues. A catalogue without unstored work
follows the version that git checked out (``checkouts``). Otherwise both are merged by entry
(``merge``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial

from pipeline.adapters import po
from pipeline.core.document.reader import SplitPage
from pipeline.core.memory.english_edits import restore_english, unknown_texts
from pipeline.core.memory.file import EDITING, memory_file
from pipeline.core.memory.merge import Merged, Translations, translations_in_catalogs
from pipeline.core.memory.opening import Opened
from pipeline.core.memory.record import Memory, with_refs
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.report.counts import counted, written_text
from pipeline.run import Run
from pipeline.stages.update.checkouts import (
    NO_MOVE,
    Move,
    Start,
    moments_in_git,
    moves_of,
    overwritten_by_git,
    start_in_git,
    start_of_overwritten,
    touches_in_git,
)
from pipeline.stages.update.english import (
    English,
    open_english,
    page_at,
    rebuild_catalog,
)
from pipeline.stages.update.locale import (
    MemoryResult,
    State,
    Workspace,
    how_to_store,
    read_state,
)
from pipeline.stages.update.merge import Sides, merge_sides, save_dropped_translations


def open_memory(
    run: Run, pages: Sequence[SplitPage], *, locale: str, lock: Lock
) -> MemoryResult:
    """Bring the content of the memory into the working catalogues, before their update.

    ``pages`` are the pages at the pin that this run has split. Missing catalogues are rebuilt at
    the memory's commit; existing ones are merged by entry. Translations whose English is
    unavailable stay in the memory and are reported.
    """
    work = Workspace.of(run, locale)
    work.sweep()
    with run.log.step("memory") as step, open_english(run, pages, lock) as english:
        state = read_state(run.paths, locale)
        memories = work.files.memories()
        # Most pages agree in most runs; they only cost reading two files.
        due = {
            page: data
            for page, data in memories.items()
            if not state.agrees(page, work.files.catalog(page), data)
        }
        removed = state.pages.keys() - memories.keys()
        moves = moves_of(work, state, due, removed=removed)
        overwritten = overwritten_by_git(work, state)
        if overwritten:
            work.report(_overwritten(work, sorted(overwritten)))
        opening = _Opening(work, english, state, moves, overwritten)
        for page in sorted(removed):
            opening.close_page(page)
        for page, memory in work.read_memories(run.name, due).items():
            opening.open_page(memory, due[page])
        state.write(run.paths, locale, dry=run.dry)
        step.result = "nothing to open"
        compared = len(due) + len(moves.keys() & removed)
        if compared:
            written = written_text(len(work.changes), dry=run.dry)
            step.result = f"{counted(compared, 'page')} compared, {written}"
    return work.result()


class _Opening:
    """One pass over the memory of a locale."""

    def __init__(
        self,
        work: Workspace,
        english: English,
        state: State,
        moves: Mapping[str, Move],
        overwritten: Collection[str],
    ) -> None:
        self.work = work
        self.english = english
        self.state = state
        self.moves = moves
        self.overwritten = overwritten
        # Cached, because it reads every catalogue.
        self.held_elsewhere: Callable[[], Translations] = cache(
            partial(_held_elsewhere, work)
        )

    def open_page(self, theirs: Memory, data: bytes) -> None:
        """Merge a memory with its catalogue and write both; ``data`` is the memory's file."""
        work, page = self.work, theirs.page
        before = work.files.catalog(page)
        try:
            local = work.read_catalog(page, before)
        except InputError:
            # ``update`` reports it and leaves the file for a person to fix. Readers get the stored
            # version.
            work.opened[page] = self._rebuilt(theirs).catalog
            return
        if local is None or before is None:
            opened = self._rebuilt(theirs)
            self._keep_last(theirs, opened.catalog)
            self._write(theirs, opened, data=data, before=before)
            return
        base, move, seen = self._start(local, theirs, data)
        mended = self._with_english(local, base)
        root, name = work.paths.root, work.files.catalog_name(page)
        sides = Sides(
            local=mended,
            theirs=theirs,
            base=base,
            move=move,
            seen=seen,
            touch_of=touches_in_git(root, name),
            moment_of=moments_in_git(root, name),
        )
        merged = merge_sides(sides, self.held_elsewhere)
        if not merged.taken and not move.by_git and mended is local:
            # The catalogue has everything in the memory, so only the base is recorded.
            save_dropped_translations(work, sides, merged, before)
            self.state.keep(page, data, None)
            return
        memory = merged.memory
        if memory.entries == theirs.entries:
            memory = theirs
        # Rebuilt before anything is written, because it may fail.
        opened = self._rebuilt(memory, local=mended)
        save_dropped_translations(
            work, sides, merged, po.format_catalog(opened.catalog)
        )
        if memory is not theirs:
            # Store the local changes now: their translators could not be determined any more once
            # the pipeline has overwritten the catalogue.
            refs = theirs.known_refs | (base.known_refs if base else {})
            written = po.format_catalog(memory_file(with_refs(memory, theirs, refs)))
            if move.by_git:
                # If the run is killed before it writes the catalogue, the next one must not take
                # the new memory for somebody's edit.
                self.state.announce(page, written)
                self.state.write(work.paths, work.locale, dry=work.dry)
            if not work.write_memory(page, written, before=data):
                return
            data = written
        self._write(memory, opened, data=data, before=before)

    def close_page(self, page: str) -> None:
        """Remove the catalogue of a page whose memory git has removed.

        Unstored work is kept. If something other than git removed the file, everything is kept and
        stored again.
        """
        work, move = self.work, self.moves.get(page, NO_MOVE)
        before = work.files.catalog(page)
        base = work.read_base(page, self.state.base(page))
        if base is None:
            return
        # A memory of the page without any entries.
        nothing = replace(base, entries=())
        if before is None:
            self._keep_last(nothing, Catalog())
            return
        try:
            local = work.read_catalog(page, before)
        except InputError:
            return  # ``update`` reports it
        assert local is not None
        mended = self._with_english(local, base)
        sides = Sides(local=mended, theirs=nothing, base=base, move=move)
        merged = merge_sides(sides, self.held_elsewhere)
        save_dropped_translations(work, sides, merged, before)
        if not move.by_git:
            return
        if merged.memory.entries:
            opened = self._rebuilt(merged.memory, local=mended)
            data = po.format_catalog(opened.catalog)
            work.opened[page] = opened.catalog
            work.write_catalog(page, data, before=before)
        else:
            work.remove_catalog(page)
        self.state.forget([page])

    def _keep_last(self, theirs: Memory, opened: Catalog) -> None:
        """Save what was last stored here if git also removed the catalogue."""
        page = theirs.page
        seen = self.work.read_base(page, self.state.base(page))
        move = self.moves.get(page)
        if seen is None or move is None or move.is_silent:
            return  # the common case: nothing changed, or git can restore it
        local = self._rebuilt(seen).catalog
        sides = Sides(local=local, theirs=theirs, base=None, move=move, seen=seen)
        merged = Merged(memory=theirs, taken=False)
        save_dropped_translations(self.work, sides, merged, po.format_catalog(opened))

    def _start(self, local: Catalog, theirs: Memory, data: bytes) -> Start:
        """Return the common base of a catalogue and its memory, whose file is ``data``."""
        known = self.state.base(theirs.page)
        if known is None:
            return start_in_git(self.work, local, theirs, data)
        # Usually only the catalogue has changed.
        base = theirs if known == data else self.work.read_base(theirs.page, known)
        move = self.moves.get(theirs.page, NO_MOVE)
        if theirs.page in self.overwritten:
            start = start_of_overwritten(self.work, local, theirs)
            return Start(start, move, seen=base)
        return Start(base, move)

    def _rebuilt(self, memory: Memory, *, local: Catalog | None = None) -> Opened:
        opened = rebuild_catalog(self.work, self.english, memory, local=local)
        branch = self.state.branch
        if local is None or branch is None or not branch.has_catalogs:
            return opened
        # Weblate changes these fields as well. Keeping its version lets git merge the files.
        editing = {name: local.header[name] for name in EDITING if name in local.header}
        catalog = replace(opened.catalog, header={**opened.catalog.header, **editing})
        return replace(opened, catalog=catalog)

    def _write(
        self, memory: Memory, opened: Opened, *, data: bytes, before: bytes | None
    ) -> None:
        """Write an opened catalogue; ``data`` is the file of its memory."""
        page = memory.page
        after = po.format_catalog(opened.catalog)
        self.work.opened[page] = opened.catalog
        # Without any known English there is no catalogue to write.
        if opened.catalog.entries and not self.work.write_catalog(
            page, after, before=before
        ):
            return
        self.state.keep(page, data, None if opened.missing else after)

    def _with_english(self, local: Catalog, base: Memory | None) -> Catalog:
        """Return the catalogue with edited English replaced by upstream's."""
        if base is None or not unknown_texts(local, base):
            return local
        wanted = page_at(self.english, base)
        if wanted is None:
            return local
        pinned = self.english.at_pin(base.page) or ()
        newer = [entry.msgid for entry in pinned]
        back = restore_english(local, base, wanted, newer=newer)
        name = self.work.files.catalog_name(base.page)
        for entry in back.edited:
            self.work.report(_edited(base.page, f"{name}:{entry.line}"))
        return back.catalog


def _held_elsewhere(work: Workspace) -> Translations:
    """Return the translations of all working catalogues before this run.

    Each has the digest of the English that it was written for.
    """
    catalogs = []
    for page in work.files.catalog_pages():
        try:
            catalogs.append(
                work.read_catalog(page, work.files.catalog(page)) or Catalog()
            )
        except InputError:
            continue  # ``update`` reports it
    return translations_in_catalogs(catalogs)


def _overwritten(work: Workspace, pages: Sequence[str]) -> Finding:
    """Return a single warning about all catalogues that git has replaced."""
    them = "it" if len(pages) == 1 else f"{len(pages)} catalogues"
    return Finding(
        code="catalogue-overwritten",
        severity=Severity.WARNING,
        where=work.files.catalog_name(pages[0]),
        text=(
            f"git has checked out a branch's own version over {them}: "
            "edits that were not stored are gone, and what was stored is kept"
        ),
        page=pages[0],
        hint=(
            "Give a branch that commits catalogues a folder of its own: "
            "git worktree add ../FOLDER BRANCH. Before you switch branches in this one, "
            f"store your work. {how_to_store()}"
        ),
    )


def _edited(page: str, where: str) -> Finding:
    return Finding(
        code="english-edited",
        severity=Severity.WARNING,
        where=where,
        text="the English of this entry was edited; upstream's is put back",
        page=page,
        hint="A translation that was not stored before waits as fuzzy: look whether it fits.",
    )
