"""The commands ``memory verify`` and ``memory restamp``.

``verify_memory`` opens every memory as if there was no catalogue, and compares the result with the
existing catalogue. Every difference is a finding. Nothing is written.

``restamp_memory`` replaces commits that this upstream does not have. A memory may have been made
with a copy of upstream that has other commit ids, such as a bundle without some files. If the
memory's ref has the same page in this upstream, the commit of that ref is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from itertools import zip_longest

from msgspec import Struct
from msgspec.structs import replace

from pipeline.adapters.files import read_bytes
from pipeline.core.memory.closing import close_catalog
from pipeline.core.memory.record import Memory, Place, renamed_places, with_refs
from pipeline.core.memory.releases import is_folded
from pipeline.core.pin.lock import Lock, parse_lock
from pipeline.entries import Catalog
from pipeline.errors import InputError, UpstreamError
from pipeline.findings import Finding
from pipeline.packages import how_to_run
from pipeline.report.counts import written_text
from pipeline.run import Run
from pipeline.stages.update.english import (
    English,
    open_english,
    page_under_ref,
    rebuild_catalog,
    view_of,
)
from pipeline.stages.update.git_changes import moves_of
from pipeline.stages.update.locale import Locale, how_to_store


def verify_memory(run: Run) -> tuple[Finding, ...]:
    """Return findings where memory, catalogues and upstream disagree; empty if they agree.

    A memory that the next run will open counts as no difference. Its catalogue may be missing, or
    git may have changed the memory file since the last run. Raises UpstreamError if nothing was
    pulled.
    """
    paths = run.paths
    if not paths.lock.is_file():
        raise UpstreamError(
            f"nothing has been pulled yet from {run.name!r}",
            hint=f"Run: {how_to_run('pull', run.name)}",
        )
    lock = parse_lock(read_bytes(paths.lock), where=str(paths.lock))
    findings: list[Finding] = []
    for name in run.locales:
        locale = Locale(replace(run, dry=True), name)
        # Pages are split on demand: only those of the memory are needed.
        with (
            run.log.step("memory verify") as step,
            open_english(run, {}, lock) as english,
        ):
            locale.view = view_of(run, english)
            memories = locale.memories(locale.memory_files)
            waiting = _waiting(locale)
            # Work page by page, so that a page with an error does not hide others.
            for page, memory in memories.items():
                _verify_page(locale, english, memory, is_waiting=page in waiting)
            for page in locale.catalog_pages():
                if page in locale.memory_files or page in waiting:
                    continue
                if not _is_unbegun(locale, page):
                    locale.report_row("memory-lacks-page", page, advice=how_to_store())
            entries = sum(len(memory.entries) for memory in memories.values())
            step.result = f"{len(memories)} pages, {entries} entries"
        findings += locale.all_findings()
    return tuple(findings)


def _is_unbegun(locale: Locale, page: str) -> bool:
    """Return whether a page needs no memory yet; False for an unreadable catalogue."""
    try:
        return locale.is_unbegun(page, locale.catalog(page) or Catalog())
    except InputError:
        return False


def _waiting(locale: Locale) -> set[str]:
    """Return the pages whose catalogue the next run replaces, because git changed the memory."""
    state = locale.state
    removed = locale.removed_memories
    waiting: set[str] = set()
    for page, move in moves_of(locale, locale.memory_files, removed=removed).items():
        catalog = locale.catalog_files.get(page)
        if move.by_git and state.has_stored(page, catalog):
            waiting.add(page)
    return waiting


def _verify_page(locale: Locale, english: English, memory: Memory, *, is_waiting: bool) -> None:
    """Compare a catalogue with its memory, unless the next run will replace it (``is_waiting``)."""
    page = memory.page
    # Rebuild the catalogue even if there is none to compare, because this reports unavailable
    # English.
    opened = rebuild_catalog(locale, english, memory)
    if is_waiting:
        return
    try:
        local = locale.catalog(page)
    except InputError as error:
        locale.report(Finding.of(error, page=page))
        return
    # Missing entries are reported already. They make the catalogues different in any case.
    if local is None or opened.missing:
        return
    if locale.view is not None:
        # For a release beside the pin, the two catalogues may differ: obsolete entries have another
        # order, and each update creates the fuzzy entries anew. So compare only translations.
        own = close_catalog(local, memory, old=memory)
        if not is_folded(memory, own):
            _report_difference(locale, page)
        return
    # Entries of a new catalogue have no line numbers.
    ours = [replace(entry, line=0) for entry in local.entries]
    theirs = opened.catalog.entries
    # One list may be the beginning of the other.
    pairs = enumerate(zip_longest(ours, theirs))
    first = next((number for number, (our, their) in pairs if our != their), None)
    if first is None:
        return
    where = locale.catalog_name(page)
    if first < len(ours):
        where = f"{where}:{local.entries[first].line}"
    _report_difference(locale, page, where=where)


def _report_difference(locale: Locale, page: str, *, where: str = "") -> None:
    memory = locale.memory_name(page)
    locale.report_row("memory-differs", page, where=where, memory=memory, advice=how_to_store())


class Restamped(Struct, frozen=True, kw_only=True):
    """Result of ``restamp_memory``.

    ``changes`` are the written files, relative to the root. ``findings`` are about pages whose
    commit could not be replaced.
    """

    findings: tuple[Finding, ...] = ()
    changes: tuple[str, ...] = ()


def restamp_memory(run: Run, lock: Lock) -> Restamped:
    """Replace commits that this upstream lacks in the memory of every page, and nothing else."""
    findings: list[Finding] = []
    changes: list[str] = []
    for name in run.locales:
        locale = Locale(run, name)
        with run.log.step("restamp") as step, open_english(run, {}, lock) as english:
            _restamp_locale(locale, english)
            step.result = "nothing to write"
            if locale.changes:
                step.result = written_text(len(locale.changes), dry=run.dry)
        changes += locale.changes
        findings += locale.all_findings()
    return Restamped(findings=tuple(findings), changes=tuple(changes))


def _restamp_locale(locale: Locale, english: English) -> None:
    memories = locale.memories(locale.memory_files)
    # Find the commits of all pages first: a note may name the commit of another page's header.
    here = {page: _commit_here(locale, english, memories[page]) for page in memories}
    renamed = _renamed(english, memories.values(), here)

    def rename(code: str, place: Place) -> Place:
        """Return ``place`` with its new commit if that has the English ``code``, else unchanged."""
        commit = renamed.get(place.commit)
        if commit is None:
            return place
        known = english.texts_at(commit, place.page)
        return replace(place, commit=commit) if code in known else place

    for page, memory in memories.items():
        entries = tuple(renamed_places(entry, rename) for entry in memory.entries)
        stamped = replace(memory, commit=here[page], entries=entries)
        # Map the new commits to the refs of the commits that they replace.
        new = {renamed.get(commit, commit): ref for commit, ref in memory.refs.items()}
        stamped = with_refs(stamped, None, {**memory.refs, **new})
        if stamped == memory:
            continue
        before = locale.memory_files[page]
        if locale.write_memory(stamped):
            # The content is the same, so catalogue and memory still agree.
            locale.state.restamp(page, before, locale.memory_files[page])
    locale.save_state()


def _renamed(
    english: English, memories: Iterable[Memory], here: Mapping[str, str]
) -> dict[str, str]:
    """Return the commits that this upstream does not have, each with its replacement.

    ``here`` has the commits of the new headers, by page.
    """
    pairs: list[tuple[str, str]] = []
    for memory in memories:
        for commit, ref in memory.refs.items():
            pairs.append((commit, _commit_of(english, commit, ref)))
        pairs.append((memory.commit, here[memory.page]))
    # If only some pages of a commit are equal at its ref, the commit is replaced only for these.
    return {commit: new for commit, new in pairs if new != commit}


def _commit_here(locale: Locale, english: English, memory: Memory) -> str:
    """Return the commit for a memory's header.

    This is the memory's own commit or, if that is unavailable, the commit of its ref.
    """
    try:
        english.at(memory.commit, memory.page)
    except UpstreamError as error:
        if page_under_ref(english, memory) is not None:
            return english.commit_of(memory.ref)
        locale.report_row(
            "memory-commit-unknown",
            memory.page,
            where=f"{locale.memory_name(memory.page)}:1",
            commit=memory.commit[:12],
            reason=error.what,
            ref=memory.ref or "that commit",
        )
    return memory.commit


def _commit_of(english: English, commit: str, ref: str) -> str:
    """Return ``commit``, or the commit of ``ref`` if only ``ref`` is available."""
    for name in (commit, ref):
        with suppress(UpstreamError):
            return english.commit_of(name)
    return commit
