"""What git did to a locale's files since the last run, and who translated what.

When people switch, merge, rebase or stash branches, git changes the memory files but not the
catalogues, which it ignores. Merging the two depends on two facts: whether git or a person changed
a memory file, and whether git still has the previous version. The header of a catalogue names one
person, but a pull may bring the work of several. The commits that added the lines name the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import dropwhile, takewhile
from math import inf
from pathlib import Path
from typing import NamedTuple

from pipeline.adapters import po
from pipeline.adapters.version_control import (
    authors_of_lines,
    blobs_in_git,
    blobs_in_history,
    checked_out,
    files_in_index,
    moments_of_lines,
    tracked_though_ignored,
    versions_in_git,
)
from pipeline.core.memory.closing import close_to_compare
from pipeline.core.memory.merge import differences, is_stored
from pipeline.core.memory.record import TOUCH, TRANSLATOR, Memory
from pipeline.core.pin.lock import blob_id
from pipeline.entries import Catalog, Entry
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.state import Branch

# Returns when the msgstr of an entry was last committed.
MomentOf = Callable[[Entry], float]


def touches_in_git(root: Path, path: str) -> Callable[[str], str]:
    """Return a function that maps a msgstr of ``path`` to a note with its author and date.

    The note is empty if no commit contains the words. git runs once, at the function's first call.
    """

    @cache
    def authors() -> dict[str, str]:
        return authors_of_lines(root, path)

    def touch_of(msgstr: str) -> str:
        found = authors()
        if not found:
            return ""  # the common case: no commit has the file
        note = f"{TRANSLATOR}{found.get(_line_of(msgstr), '')}"
        return note if TOUCH.fullmatch(note) else ""

    return touch_of


def moments_in_git(root: Path, path: str) -> MomentOf:
    """Return a function that returns when an entry's msgstr was last committed.

    It returns seconds since 1970, or infinity if git has no version of the file. git runs once, at
    the function's first call.
    """

    @cache
    def lines() -> list[tuple[str, float]]:
        return moments_of_lines(root, path)

    def moment_of_msgstr(entry: Entry) -> float:
        msgstr = dropwhile(
            lambda line: not line[0].startswith("msgstr"), lines()[entry.line - 1 :]
        )
        block = takewhile(lambda line: line[0].strip() != "", msgstr)
        return max((moment for _, moment in block), default=inf)

    return moment_of_msgstr


def _line_of(msgstr: str) -> str:
    """Return the longest line of a msgstr as its file has it: short lines may occur elsewhere."""
    entry = Entry(msgid="-", msgstr=msgstr)
    data = po.format_catalog(Catalog(entries=(entry,))).decode("utf-8")
    _, _, lines = data.partition('msgid "-"\n')
    return max(lines.split("\n"), key=len)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """How the memory of a page changed since it was last seen here.

    ``by_git``: the file is as git checked it out, so the difference is intended. Otherwise,
    somebody edited or damaged the file. ``is_kept``: git has the previous version.
    """

    by_git: bool = False
    is_kept: bool = False

    @property
    def is_silent(self) -> bool:
        """Return whether the change needs no report, because git can restore the old file."""
        return self.by_git and self.is_kept


NO_MOVE = Move()


def moves_of(
    locale: Locale, pages: Iterable[str], *, removed: Collection[str]
) -> dict[str, Move]:
    """Return the pages whose memory has changed since the last run, with the kind of change.

    ``pages`` have a memory; ``removed`` are the pages whose memory is gone.
    """
    before: dict[str, str] = {}
    now: dict[str, str] = {}
    memories = locale.memory_files
    for page in (*pages, *removed):
        base = locale.state.base(page)
        if base is None or base == memories.get(page):
            continue
        before[page] = blob_id(base)
        if page in memories:
            now[page] = blob_id(memories[page])
    if not before:
        return {}  # the common case, in which git is not run
    root = locale.paths.root
    known = blobs_in_git(root, now.values())
    folder = locale.paths.memories(locale.name).relative_to(root).as_posix()
    kept = blobs_in_history(root, folder)
    # If the index still has a missing file, a person or a program removed it, not git.
    names = {page: locale.memory_name(page) for page in before if page not in now}
    expected = files_in_index(root, names.values())
    moves: dict[str, Move] = {}
    for page, blob in before.items():
        is_kept = blob in kept
        # An interrupted run may have replaced git's version by a merged one. Treat that as git's.
        is_checked_out = now.get(page) in known or locale.state.has_announced(
            page, memories.get(page, b"")
        )
        is_removed = page in names and names[page] not in expected
        by_git = is_checked_out or (is_removed and is_kept)
        moves[page] = Move(by_git=by_git, is_kept=is_kept)
    return moves


class Start(NamedTuple):
    """Common base of a catalogue and its memory, and how the memory changed since.

    ``seen`` is the memory that was last seen here, if it is not the base.
    """

    base: Memory | None
    move: Move
    seen: Memory | None = None


def start_in_git(locale: Locale, local: Catalog, theirs: Memory) -> Start:
    """Find the common base in git, for example after somebody has deleted ``build/``.

    The base is the newest version of the memory with the same work as the catalogue. Return a
    ``Start`` without a base if there is none.
    """
    if is_stored(close_to_compare(local, theirs, old=theirs), theirs):
        return Start(theirs, NO_MOVE)  # the common case
    for base in memories_in_git(locale, theirs.page):
        if is_stored(close_to_compare(local, base, old=base), base):
            blob = blob_id(locale.memory_files[theirs.page])
            by_git = bool(blobs_in_git(locale.paths.root, {blob}))
            return Start(base, Move(by_git=by_git, is_kept=True))
    return Start(None, NO_MOVE)


def overwritten_by_git(locale: Locale) -> frozenset[str]:
    """Return the pages whose catalogue git replaced; record in the state what git tracks now.

    Some branches commit catalogues, which git ignores on all others. Checking out such a branch
    overwrites the working catalogues. The last seen memory is then not the base of the new ones.
    """
    root = locale.paths.root
    folder = locale.paths.catalogs(locale.name).relative_to(root).as_posix()
    tracked = tracked_though_ignored(root, folder)
    state = locale.state
    before = state.branch
    state.branch = Branch(head=checked_out(root), has_catalogs=bool(tracked))
    # If git tracked the catalogues before, it refused to overwrite uncommitted changes.
    if before is None or before.has_catalogs or before.head == state.branch.head:
        return frozenset()
    names = {page: locale.catalog_name(page) for page in state.pages}
    return frozenset(page for page, name in names.items() if name in tracked)


def start_of_overwritten(locale: Locale, local: Catalog, theirs: Memory) -> Memory:
    """Return the version of the memory that is most similar to a catalogue from git."""

    def distance(version: Memory) -> int:
        return differences(close_to_compare(local, version, old=version), version)

    if distance(theirs) == 0:
        return theirs  # the common case
    return min((theirs, *memories_in_git(locale, theirs.page)), key=distance)


def memories_in_git(locale: Locale, page: str) -> Iterator[Memory]:
    """Yield the versions of a page's memory in git, newest first."""
    for data in versions_in_git(locale.paths.root, locale.memory_name(page)):
        version = locale.past_memory(page, data)
        if version is not None:
            yield version
