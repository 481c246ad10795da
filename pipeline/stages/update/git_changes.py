"""Changes by git to a locale's files since the last run, and the translators that git knows.

When people switch, merge or rebase branches, or stash changes, git changes the memory files. It
does not change the catalogues, which it ignores. This module is used before a memory file and its
catalogue are merged. It finds out whether git or a person changed the memory file, and whether git
still has the old version.

The header of a catalogue names only its last translator. If people commit catalogues, the commits
that added the lines name the other translators.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cache, partial
from itertools import dropwhile, takewhile
from math import inf
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct

from pipeline.adapters import po, version_control
from pipeline.core.memory.closing import close_catalog
from pipeline.core.memory.merge import differences
from pipeline.core.memory.record import TOUCH, TRANSLATOR, Memory
from pipeline.core.pin.lock import blob_id
from pipeline.entries import Catalog, Entry
from pipeline.stages.update.locale import Locale
from pipeline.stages.update.state import Branch

# Returns when the msgstr of an entry was last committed, in seconds since 1970.
MomentOf = Callable[[Entry], float]


def touches_in_git(root: Path, path: str) -> Callable[[str], str]:
    """Return a function that maps a msgstr of the catalogue ``path`` to a note: author and date.

    The function returns an empty string if no commit contains the words. It runs git only once.
    """

    @cache
    def authors() -> dict[str, str]:
        return version_control.authors_of_lines(root, path)

    def touch_of(msgstr: str) -> str:
        found = authors()
        if not found:
            return ""  # the common case: no commit has the file
        note = f"{TRANSLATOR}{found.get(_line_of(msgstr), '')}"
        return note if TOUCH.fullmatch(note) else ""

    return touch_of


def moments_in_git(root: Path, path: str) -> MomentOf:
    """Return a function that returns when an entry's msgstr was last committed.

    The function returns seconds since 1970, or infinity if git has no version of the file. It runs
    git only once.
    """

    @cache
    def lines() -> list[tuple[str, float]]:
        return version_control.moments_of_lines(root, path)

    def moment_of_msgstr(entry: Entry) -> float:
        msgstr = dropwhile(lambda line: not line[0].startswith("msgstr"), lines()[entry.line - 1 :])
        block = takewhile(lambda line: line[0].strip() != "", msgstr)
        return max((moment for _, moment in block), default=inf)

    return moment_of_msgstr


def _line_of(msgstr: str) -> str:
    """Return a msgstr's longest line, as in the file. Short lines may be in other entries, too."""
    entry = Entry(msgid="-", msgstr=msgstr)
    data = po.format_catalog(Catalog(entries=(entry,))).decode("utf-8")
    _, _, lines = data.partition('msgid "-"\n')
    return max(lines.split("\n"), key=len)


class Move(Struct, frozen=True, kw_only=True):
    """How the memory file of a page has changed since the last run.

    ``by_git`` is true if git has checked out the file, so the change is intended. Otherwise
    somebody has edited or damaged the file. ``is_kept`` is true if git has the old version.
    """

    by_git: bool = False
    is_kept: bool = False

    @property
    def is_silent(self) -> bool:
        """Return whether the change needs no report, because git can restore the old file."""
        return self.by_git and self.is_kept


NO_MOVE = Move()


def moves_of(locale: Locale, pages: Iterable[str], *, removed: Collection[str]) -> dict[str, Move]:
    """Return the pages whose memory file has changed since the last run, and how.

    ``pages`` have a memory file; ``removed`` are the pages whose memory file is gone.
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
        return {}  # the common case: git is not needed
    root = locale.paths.root
    known = version_control.blobs_in_git(root, now.values())
    folder = locale.paths.memories(locale.name).relative_to(root).as_posix()
    kept = version_control.blobs_in_history(root, folder)
    # If git's index still has a missing file, a person or a program has removed it, not git.
    names = {page: locale.memory_name(page) for page in before if page not in now}
    expected = version_control.files_in_index(root, names.values())
    moves: dict[str, Move] = {}
    for page, blob in before.items():
        is_kept = blob in kept
        # An interrupted run may have overwritten the file from git with a merged file. In that
        # case, the merged file counts as a file from git.
        is_checked_out = now.get(page) in known or locale.state.has_announced(
            page, memories.get(page, b"")
        )
        is_removed = page in names and names[page] not in expected
        by_git = is_checked_out or (is_removed and is_kept)
        moves[page] = Move(by_git=by_git, is_kept=is_kept)
    return moves


class Start(NamedTuple):
    """Common base of a catalogue and its memory, and how the memory file has changed since.

    ``seen`` is the memory of the last run, if it is not the base.
    """

    base: Memory | None
    move: Move
    seen: Memory | None = None


def start_in_git(locale: Locale, local: Catalog, theirs: Memory) -> Start:
    """Find the common base in git if the state lacks it, for example after ``build/`` was deleted.

    The base is the newest version of the memory file with the same translations as the catalogue.
    If there is none, return a ``Start`` without a base.
    """
    if _distance(local, theirs) == 0:
        return Start(theirs, NO_MOVE)  # the common case
    for base in memories_in_git(locale, theirs.page):
        if _distance(local, base) == 0:
            blob = blob_id(locale.memory_files[theirs.page])
            by_git = bool(version_control.blobs_in_git(locale.paths.root, {blob}))
            return Start(base, Move(by_git=by_git, is_kept=True))
    return Start(None, NO_MOVE)


def overwritten_by_git(locale: Locale) -> frozenset[str]:
    """Return the pages whose catalogue git has overwritten, and record the current branch.

    Some branches commit catalogues, which git ignores on all other branches. When somebody checks
    out such a branch, git overwrites the working catalogues. The memory of the last run is not the
    base of an overwritten catalogue.
    """
    root = locale.paths.root
    folder = locale.paths.catalogs(locale.name).relative_to(root).as_posix()
    tracked = version_control.tracked_though_ignored(root, folder)
    state = locale.state
    before = state.branch
    state.branch = Branch(head=version_control.checked_out(root), has_catalogs=bool(tracked))
    # If the previous branch commits catalogues, too, git refuses to overwrite uncommitted changes.
    if before is None or before.has_catalogs or before.head == state.branch.head:
        return frozenset()
    names = {page: locale.catalog_name(page) for page in state.pages}
    return frozenset(page for page, name in names.items() if name in tracked)


def start_of_overwritten(locale: Locale, local: Catalog, theirs: Memory) -> Memory:
    """Return the version of a memory file that is most similar to a catalogue from git."""
    if _distance(local, theirs) == 0:
        return theirs  # the common case
    versions = (theirs, *memories_in_git(locale, theirs.page))
    return min(versions, key=partial(_distance, local))


def _distance(local: Catalog, version: Memory) -> int:
    """Return in how many entries a catalogue and a version of its memory differ."""
    return differences(close_catalog(local, version, old=version), version)


def memories_in_git(locale: Locale, page: str) -> Iterator[Memory]:
    """Yield the versions of a page's memory file in git, newest first."""
    for data in version_control.versions_in_git(locale.paths.root, locale.memory_name(page)):
        version = locale.past_memory(page, data)
        if version is not None:
            yield version
