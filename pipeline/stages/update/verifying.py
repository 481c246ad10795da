"""Verify: prove that memory, catalogues and upstream agree.

Every memory is opened as if there were no catalogue, and what comes of it is compared with the
catalogue that lies there. Every difference is a finding, none is silence. Nothing is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipeline.adapters.files import read_bytes
from pipeline.core.memory.record import Memory
from pipeline.core.pin.lock import parse_lock
from pipeline.entries import Entry
from pipeline.errors import InputError, UpstreamError
from pipeline.findings import Finding, Severity
from pipeline.packages import how_to_run
from pipeline.run import Run
from pipeline.stages.update.checkouts import moves_of
from pipeline.stages.update.english import English, open_english
from pipeline.stages.update.rebuild import rebuilt
from pipeline.stages.update.state import read_state
from pipeline.stages.update.workspace import Workspace, how_to_store


def verify_memory(run: Run) -> tuple[Finding, ...]:
    """Prove that memory, catalogues and upstream agree; return what does not.

    A catalogue that was not opened yet is no difference, be it that there is none, or that git has
    checked out another memory since it was stored. Raises UpstreamError if nothing has been pulled.
    """
    paths = run.paths
    if not paths.lock.is_file():
        raise UpstreamError(
            f"nothing has been pulled yet from {run.name!r}",
            hint=f"Run: {how_to_run('pull', run.name)}",
        )
    lock = parse_lock(read_bytes(paths.lock), where=str(paths.lock))
    findings: list[Finding] = []
    for locale in run.locales:
        work = Workspace.of(replace(run, dry=True), locale)
        # No page is split beforehand: those of the memory are read as they are needed.
        with (
            run.log.step("memory verify") as step,
            open_english(run, (), lock) as english,
        ):
            files = work.files.memories()
            memories = work.read_memories(run.name, files)
            waiting = _waiting(work, files)
            # One by one, so that a page which is wrong hides no other.
            for page, memory in memories.items():
                _verify_page(work, english, memory, is_waiting=page in waiting)
            for page in work.files.catalog_pages():
                if page not in files and page not in waiting:
                    work.tell(_lacks_memory(page, work.files.catalog_name(page)))
            entries = sum(len(memory.entries) for memory in memories.values())
            step.result = f"{len(memories)} pages, {entries} entries"
        for of_page in work.result().findings.values():
            findings += of_page
    return tuple(findings)


def _waiting(work: Workspace, memories: Mapping[str, bytes]) -> set[str]:
    """The pages whose catalogue the next sync will let follow what git has checked out."""
    state = read_state(work.paths, work.locale)
    removed = state.pages.keys() - memories.keys()
    waiting: set[str] = set()
    for page, move in moves_of(work, state, memories, removed=removed).items():
        if move.by_git and state.has_stored(page, work.files.catalog(page)):
            waiting.add(page)
    return waiting


def _verify_page(
    work: Workspace, english: English, memory: Memory, *, is_waiting: bool
) -> None:
    """Compare a catalogue with its memory, unless the catalogue ``is_waiting`` to be opened."""
    page = memory.page
    # Also where there is no catalogue: that its English cannot be had is a finding all the same.
    opened = rebuilt(work, english, memory)
    if is_waiting:
        return
    try:
        local = work.read_catalog(page, work.files.catalog(page))
    except InputError as error:
        work.tell(Finding.of(error, page=page))
        return
    # What is missing is told already, and makes any two catalogues differ.
    if local is None or opened.missing:
        return
    # A catalogue that was just made has no lines yet.
    ours = [replace(entry, line=0) for entry in local.entries]
    theirs = opened.catalog.entries
    first = _first_difference(ours, theirs)
    if first is None:
        return
    where = work.files.catalog_name(page)
    if first < len(ours):
        where = f"{where}:{local.entries[first].line}"
    work.tell(_differs(page, where, work.files.memory_name(page)))


def _first_difference(ours: Sequence[Entry], theirs: Sequence[Entry]) -> int | None:
    """The number, from 0, of the first entry that the two do not have alike; None if all are."""
    for number, (our, their) in enumerate(zip(ours, theirs, strict=False)):
        if our != their:
            return number
    # One of them may be the other one, cut short.
    if len(ours) == len(theirs):
        return None
    return min(len(ours), len(theirs))


def _lacks_memory(page: str, where: str) -> Finding:
    return Finding(
        code="memory-lacks-page",
        severity=Severity.ERROR,
        where=where,
        text="has no memory",
        page=page,
        hint=how_to_store(),
    )


def _differs(page: str, where: str, memory: str) -> Finding:
    return Finding(
        code="memory-differs",
        severity=Severity.ERROR,
        where=where,
        text=f"differs from {memory}",
        page=page,
        hint=f"{how_to_store()}. It merges the two, entry by entry.",
    )
