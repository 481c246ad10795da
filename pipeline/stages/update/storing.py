"""Store: write what the updated catalogues hold into the memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from pipeline.adapters import po
from pipeline.adapters.files import remove_files
from pipeline.core.catalog.update import Catalogs
from pipeline.core.catalog.wanted import wanted_entries
from pipeline.core.document.read import SplitPage
from pipeline.core.memory import close as memory_close
from pipeline.core.memory import record as core
from pipeline.core.memory.file import memory_file
from pipeline.core.memory.notes import Place
from pipeline.core.memory.places import index_places
from pipeline.core.memory.reconcile import Held, held_by, keep_unheld
from pipeline.core.memory.record import Memory, digest
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog, Entry
from pipeline.run import Run
from pipeline.stages.update.workspace import MemoryResult, State, Workspace, read_state

FEW = 8  # pages: for more of them the whole memory is read at once


def store_memory(
    run: Run, pages: Sequence[SplitPage], catalogs: Catalogs, *, locale: str, lock: Lock
) -> MemoryResult:
    """Write what the updated catalogues hold into the memory. Files that agree are not touched.

    A translation of the old memory that stands in no catalogue any more stays, as obsolete.
    """
    work = Workspace.of(run, locale)
    with run.log.step("memory") as step:
        state = read_state(run.paths, locale)
        files = work.where.memories()
        due = {page: catalog for page, catalog in catalogs.by_page.items() if catalog.entries}
        due = {
            page: one
            for page, one in due.items()
            if not state.agrees(page, work.where.catalog(page), files.get(page))
        }
        gone = [
            page for page in state.pages.keys() - files.keys() if work.where.catalog(page) is None
        ]
        state.forget(gone)
        if due or gone or files.keys() - catalogs.by_page.keys():
            wanted = _wanted(pages, {*due, *files}, lock)
            store = _Store(
                work=work,
                upstream=run.name,
                lock=lock,
                catalogs=catalogs,
                due=due,
                files=files,
                wanted=wanted,
                state=state,
            )
            store.write_pages()
            store.drop_moved()
            state.write(run.paths, locale, dry=run.dry)
        step.result = f"{len(work.changes)} files written" if work.changes else "nothing to write"
    return MemoryResult(findings=work.result(), changes=tuple(work.changes))


@dataclass(kw_only=True)
class _Store:
    """The memory of all pages while some of it is written. What most runs need not know is found
    out when asked for."""

    work: Workspace
    upstream: str  # its name
    lock: Lock
    catalogs: Catalogs
    due: Mapping[str, Catalog]
    files: Mapping[str, bytes]
    wanted: Mapping[str, tuple[Entry, ...]]
    state: State

    def write_pages(self) -> None:
        """Write the memory of the pages that are due, with what stands nowhere else of what it
        held."""
        for page, memory in self.closed.items():
            old = self.memories.get(page)
            rest = self._rest(memory, old) if old else []
            data = po.format_catalog(
                memory_file(replace(memory, entries=core.in_order((*memory.entries, *rest))))
            )
            if self.work.write(
                self.work.paths.memory(self.work.locale, page),
                page,
                data,
                before=self.files.get(page),
            ):
                self.state.keep(page, data, self.catalogs.data.get(page) if not rest else None)

    def drop_moved(self) -> None:
        """Remove the memory of pages whose catalogue is gone, if other pages have all that it held."""
        work = self.work
        for page in self.files:
            is_gone = (
                page not in self.catalogs.by_page
                and page in self.wanted
                and work.where.catalog(page) is None
            )
            memory = self.others.get(page) if is_gone else None
            if memory and not keep_unheld(replace(memory, entries=()), memory, self.held):
                path = work.paths.memory(work.locale, page)
                work.changes.append(path.relative_to(work.paths.root).as_posix())
                self.state.forget([page])
                if not work.dry:
                    remove_files([path])

    @cached_property
    def memories(self) -> dict[str, Memory]:
        """The memory so far of the pages that are due."""
        return self.work.read_memories(
            self.upstream, {page: data for page, data in self.files.items() if page in self.due}
        )

    @cached_property
    def others(self) -> dict[str, Memory]:
        """The memory of all other pages."""
        return self.work.read_memories(
            self.upstream, {page: data for page, data in self.files.items() if page not in self.due}
        )

    @cached_property
    def closed(self) -> dict[str, Memory]:
        """The memory to be of the pages that are due. Where it cannot be read so far it is left
        alone; that is said already."""
        return {
            page: self._close(page, catalog)
            for page, catalog in self.due.items()
            if page in self.memories or page not in self.files
        }

    @cached_property
    def live(self) -> dict[str, frozenset[str]]:
        """The digests of each page at the pin."""
        return {
            page: frozenset(digest(entry.msgid) for entry in entries)
            for page, entries in self.wanted.items()
        }

    @cached_property
    def pinned(self) -> dict[str, Place]:
        """Where English stands at the pin."""
        places: dict[str, Place] = {}
        for page, codes in self.live.items():
            place = Place(commit=self.lock.commit, page=page)
            places.update(dict.fromkeys(codes, place))
        return places

    @cached_property
    def places(self) -> dict[str, Place]:
        """Where English stood, by all of the memory."""
        known = self.memories | self.others
        return index_places(known[page] for page in sorted(known))

    @cached_property
    def texts(self) -> list[str]:
        """The English of all catalogues."""
        return list(
            dict.fromkeys(
                entry.msgid
                for catalog in self.catalogs.by_page.values()
                for entry in catalog.entries
            )
        )

    @cached_property
    def held(self) -> Held:
        """All translations that are in a catalogue."""
        return held_by(
            [
                *self.closed.values(),
                *(one for page, one in self.others.items() if page in self.catalogs.by_page),
            ]
        )

    def _close(self, page: str, catalog: Catalog) -> Memory:
        head = self._head(page, catalog)
        origin = self.catalogs.counts[page].moved_from if page in self.catalogs.counts else ""
        old = self.memories.get(page) or (self.others.get(origin) if origin else None)
        live = self.live.get(page, head.live)
        return memory_close.close_catalog(
            catalog, head, old=old, live=live, find=self._find, texts=self.texts
        )

    def _find(self, code: str) -> Place | None:
        """Where some English can be found. The pin comes first: a killed run has brought some
        pages' memory there, others' not."""
        if code in self.pinned:
            return self.pinned[code]
        if len(self.due) > FEW:
            return self.places.get(code)
        # Reading all of the memory for a page or two takes longer than anything else that is done
        # for them.
        naming = {page: data for page, data in self.files.items() if code.encode() in data}
        known = self.work.read_memories(self.upstream, naming)
        return index_places(known[page] for page in sorted(known)).get(code)

    def _head(self, page: str, catalog: Catalog) -> Memory:
        """What the memory says of the page: as it is at the pin, or as it was if this run did not
        bring it there."""
        wanted, old = self.wanted.get(page), self.memories.get(page)
        layout = core.layout_of(wanted or ())
        date = catalog.header.get("POT-Creation-Date", "")
        if old and (wanted is None or (old.layout, old.date) == (layout, date)):
            return old  # the page is as it was: an upgrade does not touch the file
        name, locale = self.upstream, self.work.locale
        return Memory(
            upstream=name,
            locale=locale,
            page=page,
            commit=self.lock.commit,
            ref=self.lock.ref,
            layout=layout,
        )

    def _rest(self, memory: Memory, old: Memory) -> list[Entry]:
        if not keep_unheld(memory, old, held_by([memory])):
            return []  # most of the time: what others hold need not be read
        live = self.live.get(memory.page, old.live)
        return [
            core.left_over(entry, old=old, live=live)
            for entry in keep_unheld(memory, old, self.held)
        ]


def _wanted(
    pages: Sequence[SplitPage], names: Iterable[str], lock: Lock
) -> dict[str, tuple[Entry, ...]]:
    """What each page asks for at the pin: nothing if upstream dropped it. Pages that this run has
    not seen whole are left out."""
    there = {file.path.rpartition(".")[0] for file in lock.files}
    whole = (page for page in pages if len(page.documents) == len(page.page.files))
    return {page: () for page in names if page not in there} | {
        page.page.name: wanted_entries(page.page.name, page.documents) for page in whole
    }
