"""Last change of each page's translation, with date and author, from the project's git.

The input is the commits that changed the translation memory. A commit counts if it added, changed
or removed finished translations of the page. Uncommitted changes have no date, so they are ignored.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from pathlib import PurePosixPath

from msgspec import Struct, to_builtins

from pipeline.adapters import po, version_control
from pipeline.adapters.memo import Memo
from pipeline.adapters.version_control import FileChange
from pipeline.core.memory.record import text_of
from pipeline.errors import ConfigError, InputError
from pipeline.site.plan import Site

_COUNTING = "1"  # version of the counting rules; part of the memo's keys
_SUFFIX = ".po"


class Counted(Struct, frozen=True, kw_only=True):
    """How many finished translations of a page a commit added, changed and removed."""

    added: int = 0
    changed: int = 0
    removed: int = 0


class PageChange(Counted, frozen=True, kw_only=True):
    """The last commit that changed finished translations of a page.

    ``freshness.json`` and the site's record ``history.json`` have the same keys.
    """

    page: str
    commit: str
    date: str
    author: str


def last_changes(site: Site) -> tuple[PageChange, ...]:
    """Return the last change of every page that has one, newest first; none without git."""
    memo = Memo(site.paths.memo(site.locale, "history"), Counted)
    root = site.settings.root
    folder = site.paths.memories(site.locale).relative_to(root).as_posix()
    listed = version_control.changes_below(root, folder)
    # Pages whose last change has not been found yet.
    waiting = set(site.names)
    found: list[PageChange] = []
    asked: set[str] = set()
    # A commit may change many files; git reads all of them in one call.
    for _, together in groupby(listed, key=attrgetter("commit")):
        changes = {_page_of(change.path, folder): change for change in together}
        changes = {page: changes[page] for page in sorted(waiting & changes.keys())}
        asked.update(map(_subject, changes.values()))
        _count_unknown(site, list(changes.values()), memo)
        for page, change in changes.items():
            counted = memo.get(_subject(change), _COUNTING)
            if counted not in (None, Counted()):
                waiting.discard(page)
                made = PageChange(
                    **to_builtins(counted),
                    page=page,
                    commit=change.commit,
                    date=change.date,
                    author=change.author,
                )
                found.append(made)
        if not waiting:
            break
    # Drop the results for commits that are not needed any more.
    memo.keep_only(asked)
    memo.save()
    return tuple(found)


def _subject(change: FileChange) -> str:
    """Return the memo's subject for a change: the ids of the file's two versions in git."""
    return f"{change.before or '-'} {change.after or '-'}"


def _page_of(path: str, folder: str) -> str:
    """Return the page of a memory file; empty for other files."""
    name = PurePosixPath(path).relative_to(folder).as_posix()
    return name.removesuffix(_SUFFIX) if name.endswith(_SUFFIX) else ""


def _count_unknown(site: Site, changes: Sequence[FileChange], memo: Memo[Counted]) -> None:
    """Count the changes that the memo lacks, and add them to it."""
    unknown = [change for change in changes if memo.get(_subject(change), _COUNTING) is None]
    blobs: dict[str, None] = {}
    for change in unknown:
        blobs |= dict.fromkeys(filter(None, (change.before, change.after)))
    if not blobs:
        return
    try:
        data = version_control.read_blobs(site.settings.root, blobs)
    except ConfigError:
        return  # git has not all versions, as in a partial clone
    for change in unknown:
        memo.put(_subject(change), _COUNTING, _counted(change, data))


def _counted(change: FileChange, data: Mapping[str, bytes]) -> Counted:
    """Count the changes of finished translations. ``data`` maps ids of versions to bytes."""
    before, after = data.get(change.before, b""), data.get(change.after, b"")
    # Compare without the headers first: a new pin changes every file, but usually only the header.
    if before.partition(b"\n\n")[2] == after.partition(b"\n\n")[2]:
        return Counted()
    try:
        return count(_finished(before, change.path), _finished(after, change.path))
    except InputError:
        return Counted()  # a version is damaged, so the changes are unknown


def count(before: Mapping[str, str], after: Mapping[str, str]) -> Counted:
    """Count the differences between two versions of a page's finished translations.

    Both map the key of a message to its translation.
    """
    both = before.keys() & after.keys()
    return Counted(
        added=len(after.keys() - before.keys()),
        changed=sum(before[key] != after[key] for key in both),
        removed=len(before.keys() - after.keys()),
    )


def _finished(data: bytes, where: str) -> dict[str, str]:
    """Return the finished translations of a memory file, by section and digest."""
    if not data:
        return {}
    entries = po.read_catalog(data, where=where).catalog.entries
    return {
        f"{entry.context or ''}\4{entry.msgid}": text
        for entry in entries
        if (text := text_of(entry)) and not entry.fuzzy and not entry.obsolete
    }
