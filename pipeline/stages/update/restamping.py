"""Restamp: name commits that this upstream has, in place of those that it has not.

A memory may have been made from a copy of upstream whose commits have other ids: a filtered bundle,
a mirror. Where the ref that it names has the very same page here, the commit of that ref says the
same, and everybody can find it. In goes the memory, out comes the memory with other commits in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace

from pipeline.adapters import po
from pipeline.core.memory.file import memory_file
from pipeline.core.memory.record import Memory, Place, renamed_places, with_refs
from pipeline.core.pin.lock import Lock
from pipeline.errors import UpstreamError
from pipeline.findings import Finding, Severity
from pipeline.report.counts import written_text
from pipeline.run import Run
from pipeline.stages.update.english import English, open_english
from pipeline.stages.update.rebuild import page_under_ref
from pipeline.stages.update.state import read_state
from pipeline.stages.update.workspace import Workspace


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
