"""Open: rebuild the catalogues that are missing, merge what came in with the memory into those that
exist."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from pipeline.adapters import po
from pipeline.core.document.read import SplitPage
from pipeline.core.memory import close as memory_close
from pipeline.core.memory import record as core
from pipeline.core.memory.file import memory_file, read_memory
from pipeline.core.memory.reconcile import Held, Merged, held_by, held_in, reconcile
from pipeline.core.memory.record import Memory, digest
from pipeline.core.pin.lock import Lock
from pipeline.entries import Catalog, Entry
from pipeline.errors import InputError
from pipeline.findings import Severity
from pipeline.run import Run
from pipeline.stages.update.english import English, open_english
from pipeline.stages.update.rebuild import rebuilt
from pipeline.stages.update.workspace import MemoryResult, State, Workspace, read_state


def open_memory(run: Run, pages: Sequence[SplitPage], *, locale: str, lock: Lock) -> MemoryResult:
    """Bring what the memory holds into the working catalogues, before these are updated.

    ``pages`` are those of the pin that this run has split. Catalogues that are missing are rebuilt
    at the memory's commit; in those that exist entries are merged. English that cannot be had is a
    finding; its translations stay in the memory.
    """
    work = Workspace.of(run, locale)
    work.sweep()
    with run.log.step("memory") as step, open_english(run, pages, lock) as english:
        state = read_state(run.paths, locale)
        others = cache(partial(_held_elsewhere, work))  # reads every catalogue: once, if at all
        due = {
            page: data
            for page, data in work.where.memories().items()
            if not state.agrees(page, work.where.catalog(page), data)
        }
        for page, memory in work.read_memories(run.name, due).items():
            _open_page(work, english, memory, due[page], state, others=others)
        state.write(run.paths, locale, dry=run.dry)
        step.result = (
            f"{len(due)} pages compared, {len(work.changes)} files written"
            if due
            else "nothing to open"
        )
    return MemoryResult(findings=work.result(), changes=tuple(work.changes), opened=work.opened)


def _open_page(
    work: Workspace,
    english: English,
    theirs: Memory,
    data: bytes,
    state: State,
    *,
    others: Callable[[], Held],
) -> None:
    """Merge the memory of one page with its working catalogue, and write what came of it."""
    page = theirs.page
    before = work.where.catalog(page)
    try:
        local = work.read_catalog(page, before)
    except InputError:
        return  # update says so; the file is left for a person to mend
    memory = theirs
    if local is not None:
        merged = _merged(work, local, theirs, data, state, others=others)
        if not merged.taken:
            state.keep(page, data, None)
            return
        memory = merged.memory
    opened = rebuilt(work, english, memory, local)
    written = data
    if (
        memory is not theirs
    ):  # with what was done here: who did it is known now, and would not be after
        written = po.format_catalog(memory_file(memory))
        if not work.write(work.paths.memory(work.locale, page), page, written, before=data):
            return
    after = po.format_catalog(opened.catalog)
    work.opened[page] = opened.catalog
    if opened.catalog.entries and not work.write(
        work.paths.catalog(work.locale, page), page, after, before=before
    ):
        return
    state.keep(page, written, None if opened.missing else after)


def _merged(
    work: Workspace,
    local: Catalog,
    theirs: Memory,
    data: bytes,
    state: State,
    *,
    others: Callable[[], Held],
) -> Merged:
    page, base_data = theirs.page, state.base(theirs.page)
    base = theirs if base_data == data else _base(work, theirs, base_data)
    ours = memory_close.close_catalog(
        local, theirs, old=base or theirs, live=theirs.live, find=lambda _: None
    )
    merged = reconcile(ours, theirs, base=base, held=held_by([ours]))
    if merged.taken:  # a translation that this catalogue lacks may have moved to another one
        merged = reconcile(ours, theirs, base=base, held=held_by([ours]) | others())
    lines = {
        core.key_of(closed): entry.line
        for closed, entry in zip(_unsorted(ours, local), local.entries, strict=True)
    }
    told = [*merged.conflicts, *((our, None) for our in merged.taken_back)]
    added = 0  # lines of comments that hold what gave way
    for our, their in sorted(told, key=lambda one: lines[core.key_of(one[0])]):
        added += core.text_of(their or our).count("\n") + 1
        where = f"{work.where.of_catalog(page)}:{lines[core.key_of(our)] + added}"
        if their:
            other = f"{work.where.of_memory(page)}:{their.line}"
            code, text = (
                "memory-conflict",
                f"was translated here and, differently, in {other}; the one here is kept",
            )
            hint = (
                "The other one stands in a comment above the entry: take it, or delete the comment."
            )
        else:
            code, text = (
                "memory-taken-back",
                f"the translation that stood here is gone from {work.where.of_memory(page)}",
            )
            hint = "Someone took it back, or one side of a git conflict was dropped. It stands in a comment: put it back, or delete that."
        work.find(page, code, where, text, hint=hint, severity=Severity.WARNING)
    return merged


def _unsorted(ours: Memory, local: Catalog) -> list[Entry]:
    known = ours.by_key()
    return [known[entry.context, digest(entry.msgid)] for entry in local.entries]


def _base(work: Workspace, theirs: Memory, data: bytes | None) -> Memory | None:
    if data is None:
        return None
    try:
        file = po.read_catalog(data, where="base").catalog
        return read_memory(
            file, upstream=theirs.upstream, locale=work.locale, page=theirs.page, where="base"
        )
    except InputError:
        return None


def _held_elsewhere(work: Workspace) -> Held:
    """The translations in every working catalogue as it was before this run, with what they were
    written for."""
    catalogs = []
    for page in work.where.catalog_pages():
        try:
            catalogs.append(work.read_catalog(page, work.where.catalog(page)) or Catalog())
        except InputError:
            continue  # update says so
    return held_in(catalogs)
