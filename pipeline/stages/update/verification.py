"""Verification of the memory against catalogues and upstream, and other names for its commits.

``verify_memory`` opens every memory as if there were no catalogue, and compares what comes of it
with the catalogue that is there. Every difference is a finding. Nothing is written.

``restamp_memory`` replaces commits that this upstream does not have. A memory may have been made
from a copy of upstream whose commits have other ids: a filtered bundle, a mirror. Where the ref
that it names has the very same page here, the commit of that ref is written instead.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from pipeline.adapters import po
from pipeline.adapters.files import read_bytes
from pipeline.core.memory.file import memory_file
from pipeline.core.memory.record import Memory, Place, renamed_places, with_refs
from pipeline.core.pin.lock import Lock, parse_lock
from pipeline.entries import Entry
from pipeline.errors import InputError, UpstreamError
from pipeline.findings import Finding, Severity
from pipeline.packages import how_to_run
from pipeline.report.counts import written_text
from pipeline.run import Run
from pipeline.stages.update.checkouts import moves_of
from pipeline.stages.update.english import (
    English,
    open_english,
    page_under_ref,
    rebuilt,
)
from pipeline.stages.update.locale import Workspace, how_to_store, read_state


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Restamped:
    """The files written, relative to the root, and what could not be restamped."""

    findings: tuple[Finding, ...] = ()
    changes: tuple[str, ...] = ()


def restamp_memory(run: Run, lock: Lock) -> Restamped:
    """Restamp the memory of every page. Nothing else in it changes."""
    findings: list[Finding] = []
    changes: list[str] = []
    for locale in run.locales:
        work = Workspace.of(run, locale)
        with run.log.step("restamp") as step, open_english(run, (), lock) as english:
            _restamp_locale(work, english, run.name)
            step.result = "nothing to write"
            if work.changes:
                step.result = written_text(len(work.changes), dry=run.dry)
        result = work.result()
        changes += result.changes
        for of_page in result.findings.values():
            findings += of_page
    return Restamped(findings=tuple(findings), changes=tuple(changes))


def _restamp_locale(work: Workspace, english: English, upstream: str) -> None:
    files = work.files.memories()
    memories = work.read_memories(upstream, files)
    # All pages first: a note of one page may name the commit of another one's header.
    here = {page: _commit_here(work, english, memories[page]) for page in memories}
    renamed = _renamed(english, memories.values(), here)

    def rename(code: str, place: Place) -> Place:
        """A place with its commit renamed, if the English with digest ``code`` is there too."""
        commit = renamed.get(place.commit)
        if commit is None:
            return place
        known = english.texts_at(commit, place.page)
        return replace(place, commit=commit) if code in known else place

    state = read_state(work.paths, work.locale)
    for page, memory in memories.items():
        entries = tuple(renamed_places(entry, rename) for entry in memory.entries)
        stamped = replace(memory, commit=here[page], entries=entries)
        # What was renamed is called as before; what was not, too.
        new = {renamed.get(commit, commit): ref for commit, ref in memory.refs.items()}
        stamped = with_refs(stamped, None, {**memory.refs, **new})
        if stamped == memory:
            continue
        data = po.format_catalog(memory_file(stamped))
        if work.write_memory(page, data, before=files[page]):
            # It says the same as before: catalogue and memory go on to agree.
            state.restamp(page, files[page], data)
    state.write(work.paths, work.locale, dry=work.dry)


def _renamed(
    english: English, memories: Iterable[Memory], here: Mapping[str, str]
) -> dict[str, str]:
    """The commits that this upstream does not have, each with the one that takes its place.

    ``here`` has the commits that headers will name, by page.
    """
    pairs: list[tuple[str, str]] = []
    for memory in memories:
        for commit, ref in memory.refs.items():
            pairs.append((commit, _commit_of(english, commit, ref)))
        pairs.append((memory.commit, here[memory.page]))
    # Of two pages with one commit only one may have the same page under its ref here.
    return {commit: new for commit, new in pairs if new != commit}


def _commit_here(work: Workspace, english: English, memory: Memory) -> str:
    """The commit that a memory should name: its own if that can be had, else that of its ref."""
    try:
        english.at(memory.commit, memory.page)
    except UpstreamError as error:
        if page_under_ref(english, memory) is not None:
            return english.commit_of(memory.ref)
        work.tell(_not_here(work, memory, error))
    return memory.commit


def _commit_of(english: English, commit: str, ref: str) -> str:
    """``commit`` if it can be had, else that of ``ref``; itself if neither can."""
    for name in (commit, ref):
        with suppress(UpstreamError):
            return english.commit_of(name)
    return commit


def _not_here(work: Workspace, memory: Memory, error: UpstreamError) -> Finding:
    return Finding(
        code="memory-commit-unknown",
        severity=Severity.WARNING,
        where=f"{work.files.memory_name(memory.page)}:1",
        text=(
            f"names commit {memory.commit[:12]}, which this upstream does not have, "
            f"and no ref here has the same page ({error.what})"
        ),
        page=memory.page,
        hint=f"Take an upstream that has {memory.ref or 'that commit'}, and restamp there.",
    )
