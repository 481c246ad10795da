"""Open: bring what the memory holds into the catalogues.

Catalogues that are missing are rebuilt; what came in with the memory is merged into the others.
In goes the memory, as git has it now; out come working catalogues. Three versions of a page meet
here: ``ours`` is the catalogue, ``theirs`` the memory, ``base`` the memory that both started from.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from pipeline.adapters import po
from pipeline.core.document.read import SplitPage
from pipeline.core.memory import record as core
from pipeline.core.memory.close import close_catalog
from pipeline.core.memory.file import memory_file, read_memory
from pipeline.core.memory.reconcile import Held, Merged, held_by, held_in, reconcile
from pipeline.core.memory.record import Memory, digest
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Finding, Severity
from pipeline.run import Run
from pipeline.stages.update.english import English, open_english
from pipeline.stages.update.rebuild import rebuilt
from pipeline.stages.update.state import State, read_state
from pipeline.stages.update.workspace import MemoryResult, Workspace


def open_memory(
    run: Run, pages: Sequence[SplitPage], *, locale: str, lock: Lock
) -> MemoryResult:
    """Bring what the memory holds into the working catalogues, before these are updated.

    ``pages`` are those of the pin that this run has split. Catalogues that are missing are rebuilt
    at the memory's commit; in those that exist entries are merged. English that cannot be had is a
    finding; its translations stay in the memory.
    """
    work = Workspace.of(run, locale)
    work.sweep()
    with run.log.step("memory") as step, open_english(run, pages, lock) as english:
        state = read_state(run.paths, locale)
        # Most pages of most runs agree: reading two files is all that they cost.
        due = {
            page: data
            for page, data in work.files.memories().items()
            if not state.agrees(page, work.files.catalog(page), data)
        }
        opening = _Opening(work, english, state)
        for page, memory in work.read_memories(run.name, due).items():
            opening.open_page(memory, due[page])
        state.write(run.paths, locale, dry=run.dry)
        step.result = "nothing to open"
        if due:
            step.result = (
                f"{len(due)} pages compared, {len(work.changes)} files written"
            )
    return work.result()


class _Opening:
    """One pass over the memory of a locale."""

    def __init__(self, work: Workspace, english: English, state: State) -> None:
        self.work = work
        self.english = english
        self.state = state
        # It reads every catalogue: once, if at all.
        self.held_elsewhere: Callable[[], Held] = cache(partial(_held_elsewhere, work))

    def open_page(self, theirs: Memory, data: bytes) -> None:
        """Merge a memory (``data`` is its file) with its catalogue, and write what came of it."""
        work, page = self.work, theirs.page
        before = work.files.catalog(page)
        try:
            local = work.read_catalog(page, before)
        except InputError:
            return  # update says so; the file is left for a person to mend
        memory = theirs
        if local is not None:
            merged = self._merge(local, theirs, data)
            if not merged.taken:
                # All of it is in the catalogue: there is nothing to open, only to start from.
                self.state.keep(page, data, None)
                return
            memory = merged.memory
        # Before anything is written: what it reads may fail.
        opened = rebuilt(work, self.english, memory, local=local)
        if memory is not theirs:
            # With what was done here: who did it is known now, and would not be after, when the
            # catalogue is written by us.
            written = po.format_catalog(memory_file(memory))
            if not work.write_memory(page, written, before=data):
                return
            data = written
        after = po.format_catalog(opened.catalog)
        work.opened[page] = opened.catalog
        # A memory without any English left makes no catalogue.
        if opened.catalog.entries and not work.write_catalog(
            page, after, before=before
        ):
            return
        self.state.keep(page, data, None if opened.missing else after)

    def _merge(self, local: Catalog, theirs: Memory, data: bytes) -> Merged:
        """Merge the catalogue into the memory, and tell where the two have gone apart."""
        base = self._base(theirs, data)
        # Where the English of an entry stands is no matter here: the result is opened again.
        ours = close_catalog(
            local, theirs, old=base or theirs, live=theirs.live, find=lambda _: None
        )
        held = held_by([ours])
        merged = reconcile(ours, theirs, base=base, held=held)
        if merged.taken:
            # A translation that this catalogue lacks may only have moved to another one.
            held |= self.held_elsewhere()
            merged = reconcile(ours, theirs, base=base, held=held)
        self._tell_of_differences(merged, theirs, lines=_lines(ours, local))
        return merged

    def _base(self, theirs: Memory, data: bytes) -> Memory | None:
        """The memory that both sides started from, as far as it is known and can be read."""
        known = self.state.base(theirs.page)
        if known is None:
            return None
        if known == data:
            return theirs
        try:
            return read_memory(
                po.read_catalog(known, where="base").catalog,
                upstream=theirs.upstream,
                locale=self.work.locale,
                page=theirs.page,
                where="base",
            )
        except InputError:
            return None

    def _tell_of_differences(
        self, merged: Merged, theirs: Memory, *, lines: dict[core.Key, int]
    ) -> None:
        """A finding for every entry that now has a comment with what gave way.

        ``lines`` are those of the catalogue as it was. The comments move everything below them:
        each finding names the line where its entry will stand.
        """
        differences: list[tuple[Entry, Entry | None]] = [*merged.conflicts]
        differences += [(our, None) for our in merged.taken_back]
        differences.sort(key=lambda pair: lines[core.key_of(pair[0])])
        added = 0
        for our, their in differences:
            added += core.text_of(their or our).count("\n") + 1
            line = lines[core.key_of(our)] + added
            where = f"{self.work.files.catalog_name(theirs.page)}:{line}"
            memory_name = self.work.files.memory_name(theirs.page)
            if their is None:
                self.work.tell(_taken_back(theirs.page, where, memory_name))
            else:
                self.work.tell(
                    _conflict(theirs.page, where, f"{memory_name}:{their.line}")
                )


def _lines(ours: Memory, local: Catalog) -> dict[core.Key, int]:
    """The line in the catalogue of every entry that its memory has."""
    lines: dict[core.Key, int] = {}
    known = ours.by_key()
    for entry in local.entries:
        closed = known[entry.context, digest(entry.msgid)]
        lines[core.key_of(closed)] = entry.line
    return lines


def _held_elsewhere(work: Workspace) -> Held:
    """The translations in every working catalogue as it was before this run.

    Each goes with the English that it was written for.
    """
    catalogs = []
    for page in work.files.catalog_pages():
        try:
            catalogs.append(
                work.read_catalog(page, work.files.catalog(page)) or Catalog()
            )
        except InputError:
            continue  # update says so
    return held_in(catalogs)


def _conflict(page: str, where: str, other: str) -> Finding:
    return Finding(
        code="memory-conflict",
        severity=Severity.WARNING,
        where=where,
        text=f"was translated here and, differently, in {other}; the one here is kept",
        page=page,
        hint="The other one stands in a comment above the entry: take it, or delete the comment.",
    )


def _taken_back(page: str, where: str, memory: str) -> Finding:
    return Finding(
        code="memory-taken-back",
        severity=Severity.WARNING,
        where=where,
        text=f"the translation that stood here is gone from {memory}",
        page=page,
        hint=(
            "Someone took it back, or one side of a git conflict was dropped. "
            "It stands in a comment: put it back, or delete that."
        ),
    )
