"""Verify: prove that memory, catalogues and upstream agree."""

from __future__ import annotations

from dataclasses import replace

from pipeline.adapters.files import read_bytes
from pipeline.core.memory.record import Memory
from pipeline.core.pin.lock import parse_lock
from pipeline.errors import InputError, UpstreamError
from pipeline.findings import Finding
from pipeline.run import Run
from pipeline.stages.update.english import English, open_english
from pipeline.stages.update.rebuild import rebuilt
from pipeline.stages.update.workspace import STORE, Workspace


def verify_memory(run: Run) -> tuple[Finding, ...]:
    """Prove that memory, catalogues and upstream agree: every difference is a finding, none is
    silence. Writes nothing.

    A catalogue that was not opened yet is no difference. Raises UpstreamError if nothing has been
    pulled.
    """
    paths = run.paths
    if not paths.lock.is_file():
        raise UpstreamError(
            f"nothing has been pulled yet from {run.name!r}",
            hint=f"Run: nox -s pull -- {run.name}",
        )
    lock = parse_lock(read_bytes(paths.lock), where=str(paths.lock))
    found: list[Finding] = []
    for locale in run.locales:
        work = Workspace.of(replace(run, dry=True), locale)
        with (
            run.log.step("memory verify") as step,
            open_english(run, (), lock) as english,
        ):
            files = work.where.memories()
            memories = work.read_memories(run.name, files)
            for memory in memories.values():
                _verify_page(work, english, memory)
            for page in work.where.catalog_pages():
                if page not in files:
                    work.find(
                        page,
                        "memory-lacks-page",
                        work.where.of_catalog(page),
                        "has no memory",
                        hint=STORE,
                    )
            step.result = f"{len(memories)} pages, {sum(len(memory.entries) for memory in memories.values())} entries"
        found += [finding for findings in work.result().values() for finding in findings]
    return tuple(found)


def _verify_page(work: Workspace, english: English, memory: Memory) -> None:
    page = memory.page
    opened = rebuilt(work, english, memory, None)
    try:
        local = work.read_catalog(page, work.where.catalog(page))
    except InputError as error:
        work.findings.setdefault(page, []).append(Finding.of(error, page=page))
        return
    if local is None or opened.missing:
        return
    ours, theirs = [replace(entry, line=0) for entry in local.entries], list(opened.catalog.entries)
    if ours == theirs:
        return
    pairs = enumerate(zip(ours, theirs, strict=False))
    differ = next(
        (number for number, (our, their) in pairs if our != their), min(len(ours), len(theirs))
    )
    line = local.entries[differ].line if differ < len(ours) else 0
    where = f"{work.where.of_catalog(page)}:{line}" if line else work.where.of_catalog(page)
    text = f"differs from {work.where.of_memory(page)}"
    work.find(
        page, "memory-differs", where, text, hint=f"{STORE}. It merges the two, entry by entry."
    )
