"""What git knows of a locale's files: who translated what, and what it did since the last run.

People switch, merge, rebase and stash branches, and the catalogues, which git ignores, stay as they
are. So it matters whether git has put a memory file where it is, and whether it still has what
stood there before. The header of a catalogue names one person, and a pull may bring the work of
several: the commits that brought its lines name the others.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
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
from pipeline.stages.update.locale import Branch, State, Workspace

# When the msgstr of an entry was last committed.
MomentOf = Callable[[Entry], float]


def touches_in_git(root: Path, path: str) -> Callable[[str], str]:
    """Return what gives the note of who has written a msgstr of the catalogue or memory ``path``.

    The note is empty where no commit has the words. Git is asked when somebody is.
    """

    @cache
    def authors() -> dict[str, str]:
        return authors_of_lines(root, path)

    def touch_of(msgstr: str) -> str:
        found = authors()
        if not found:
            return ""  # nearly always: no commit has the file
        note = f"{TRANSLATOR}{found.get(_line_of(msgstr), '')}"
        return note if TOUCH.fullmatch(note) else ""

    return touch_of


def moments_in_git(root: Path, path: str) -> MomentOf:
    """Return what gives the second since 1970 in which an entry's msgstr was last committed.

    Infinity for one of a file that git does not track. Git is asked when somebody is.
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
    """Return the line that a msgstr is in its file; of several the longest, which is its own."""
    entry = Entry(msgid="-", msgstr=msgstr)
    data = po.format_catalog(Catalog(entries=(entry,))).decode("utf-8")
    _, _, lines = data.partition('msgid "-"\n')
    return max(lines.split("\n"), key=len)


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """How the memory of a page came to be another one than that which was last seen here.

    ``by_git``: it is as git checked it out, so that whatever differs is meant. Else somebody has
    edited or damaged the file. ``is_kept``: git has the version of the last time.
    """

    by_git: bool = False
    is_kept: bool = False

    @property
    def is_silent(self) -> bool:
        """Whether nobody needs to be told, since git brings back what was there before."""
        return self.by_git and self.is_kept


NO_MOVE = Move()


def moves_of(
    work: Workspace,
    state: State,
    memories: Mapping[str, bytes],
    *,
    removed: Collection[str],
) -> dict[str, Move]:
    """The pages whose memory is not the one of the last time, with what git says of it.

    ``memories`` are the files that there are, ``removed`` the pages whose file has gone.
    """
    before: dict[str, str] = {}
    now: dict[str, str] = {}
    for page in (*memories, *removed):
        base = state.base(page)
        if base is None or base == memories.get(page):
            continue
        before[page] = blob_id(base)
        if page in memories:
            now[page] = blob_id(memories[page])
    if not before:
        return {}  # nearly always: then git is not asked
    root = work.paths.root
    known = blobs_in_git(root, now.values())
    folder = work.paths.memories(work.locale).relative_to(root).as_posix()
    kept = blobs_in_history(root, folder)
    # A file that git expects was removed by a person, or by a program of theirs.
    names = {page: work.files.memory_name(page) for page in before if page not in now}
    expected = files_in_index(root, names.values())
    moves: dict[str, Move] = {}
    for page, blob in before.items():
        is_kept = blob in kept
        # What a killed run has merged into a memory that git had checked out is as good.
        is_checked_out = now.get(page) in known or state.has_announced(
            page, memories.get(page, b"")
        )
        is_removed = page in names and names[page] not in expected
        by_git = is_checked_out or (is_removed and is_kept)
        moves[page] = Move(by_git=by_git, is_kept=is_kept)
    return moves


class Start(NamedTuple):
    """What a catalogue and its memory started from, and how the memory came to be another one.

    ``seen`` is the memory that was last seen here, where the catalogue did not start from it.
    """

    base: Memory | None
    move: Move
    seen: Memory | None = None


def start_in_git(work: Workspace, local: Catalog, theirs: Memory, data: bytes) -> Start:
    """The same where no run remembers it: somebody has deleted ``build/``.

    If all that a catalogue holds is in a version that its memory has had, it was stored there.
    ``data`` is the file of ``theirs``.
    """
    if is_stored(close_to_compare(local, theirs, old=theirs), theirs):
        return Start(theirs, NO_MOVE)  # nearly always
    for base in memories_in_git(work, theirs.page):
        if is_stored(close_to_compare(local, base, old=base), base):
            by_git = bool(blobs_in_git(work.paths.root, {blob_id(data)}))
            return Start(base, Move(by_git=by_git, is_kept=True))
    return Start(None, NO_MOVE)


def overwritten_by_git(work: Workspace, state: State) -> frozenset[str]:
    """Return the pages whose catalogue git has replaced, and note in ``state`` what git tracks.

    A branch that commits catalogues brings its own ones when it is checked out, over those that
    git ignores elsewhere. Such a catalogue did not start from what was last seen here.
    """
    root = work.paths.root
    folder = work.paths.catalogs(work.locale).relative_to(root).as_posix()
    tracked = tracked_though_ignored(root, folder)
    before = state.branch
    state.branch = Branch(head=checked_out(root), has_catalogs=bool(tracked))
    # Where git has tracked them before, it refuses to replace what was not committed.
    if before is None or before.has_catalogs or before.head == state.branch.head:
        return frozenset()
    names = {page: work.files.catalog_name(page) for page in state.pages}
    return frozenset(page for page, name in names.items() if name in tracked)


def start_of_overwritten(work: Workspace, local: Catalog, theirs: Memory) -> Memory:
    """Return the memory that a catalogue of git's was made with: the most similar version."""

    def distance(version: Memory) -> int:
        return differences(close_to_compare(local, version, old=version), version)

    if distance(theirs) == 0:
        return theirs  # nearly always
    return min((theirs, *memories_in_git(work, theirs.page)), key=distance)


def memories_in_git(work: Workspace, page: str) -> Iterator[Memory]:
    """Yield the versions of a page's memory that git has, the newest first."""
    for data in versions_in_git(work.paths.root, work.files.memory_name(page)):
        version = work.read_base(page, data)
        if version is not None:
            yield version
