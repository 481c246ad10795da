"""Verify: prove that memory, catalogues and upstream agree."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pipeline.adapters.files import read_bytes
from pipeline.config import Settings, Upstream
from pipeline.core.memory.record import Memory
from pipeline.core.pin.lock import parse_lock
from pipeline.errors import InputError, UpstreamError
from pipeline.findings import Finding
from pipeline.log import Log
from pipeline.paths import Paths
from pipeline.stages.update.english import English, open_english
from pipeline.stages.update.rebuild import rebuilt
from pipeline.stages.update.workspace import STORE, Names, Run


def verify_memory(
    settings: Settings, upstream: Upstream, *, locales: Iterable[str], log: Log
) -> tuple[Finding, ...]:
    """Prove that memory, catalogues and upstream agree: every difference is a finding, none is silence. Writes nothing.

    A catalogue that was not opened yet is no difference. Raises UpstreamError if nothing has been pulled.
    """
    paths = Paths(settings.root, upstream.name)
    if not paths.lock.is_file():
        raise UpstreamError(
            f"nothing has been pulled yet from {upstream.name!r}",
            hint=f"Run: nox -s pull -- {upstream.name}",
        )
    lock = parse_lock(read_bytes(paths.lock), where=str(paths.lock))
    found: list[Finding] = []
    for locale in locales:
        run = Run(paths=paths, locale=locale, dry=True, where=Names(paths, locale))
        with (
            log.step("memory verify") as step,
            open_english(settings, upstream, (), lock) as english,
        ):
            files = run.where.memories()
            memories = run.read_memories(upstream, files)
            for memory in memories.values():
                _verify_page(run, english, memory)
            for page in run.where.catalog_pages():
                if page not in files:
                    run.find(
                        page,
                        "memory-lacks-page",
                        run.where.of_catalog(page),
                        "has no memory",
                        hint=STORE,
                    )
            step.result = f"{len(memories)} pages, {sum(len(memory.entries) for memory in memories.values())} entries"
        found += [finding for findings in run.result().values() for finding in findings]
    return tuple(found)


def _verify_page(run: Run, english: English, memory: Memory) -> None:
    page = memory.page
    opened = rebuilt(run, english, memory, None)
    try:
        local = run.read_catalog(page, run.where.catalog(page))
    except InputError as error:
        run.findings.setdefault(page, []).append(Finding.of(error, page=page))
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
    where = f"{run.where.of_catalog(page)}:{line}" if line else run.where.of_catalog(page)
    text = f"differs from {run.where.of_memory(page)}"
    run.find(
        page, "memory-differs", where, text, hint=f"{STORE}. It merges the two, entry by entry."
    )
