"""When readers last got another translation of each page: from the project's git.

The memory of the translations is committed, so its commits tell. In go its versions, out come
changes of finished translations. That is the whole truth only of what is committed: what lies in
the working tree alone has no date, and is no change yet. The clock is never asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter
from pathlib import PurePosixPath

from pipeline.adapters import po, version_control
from pipeline.adapters.memo import Memo
from pipeline.adapters.version_control import FileChange
from pipeline.core.memory.record import text_of
from pipeline.entries import Entry
from pipeline.errors import ConfigError, InputError
from pipeline.site.plan import Site

_COUNTING = "1"  # of how changes are counted: part of the memo's keys
_SUFFIX = ".po"


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """How many finished translations of a page came, changed and went with a commit."""

    added: int = 0
    changed: int = 0
    removed: int = 0

    @property
    def any(self) -> bool:
        """Whether a reader could see a difference."""
        return bool(self.added or self.changed or self.removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageChange(Counted):
    """The last commit that changed what readers see of a page's translation.

    ``freshness.json`` and the record of the site have it with these keys.
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
    waiting = set(site.names)
    found: list[PageChange] = []
    asked: set[str] = set()
    # A commit may touch all pages: git is asked once for what it did to them.
    for _, together in groupby(listed, key=attrgetter("commit")):
        changes = {_page_of(change.path, folder): change for change in together}
        changes = {page: changes[page] for page in sorted(waiting & changes.keys())}
        asked.update(map(_subject, changes.values()))
        _count_unknown(site, list(changes.values()), memo)
        for page, change in changes.items():
            counted = memo.recall(_subject(change), _COUNTING)
            if counted is not None and counted.any:
                waiting.discard(page)
                found.append(_page_change(page, change, counted))
        if not waiting:
            break
    memo.keep_only(asked)
    memo.save()
    return tuple(found)


def _page_change(page: str, change: FileChange, counted: Counted) -> PageChange:
    """Return the change of a file as one of its page."""
    return PageChange(
        page=page,
        commit=change.commit,
        date=change.date,
        author=change.author,
        added=counted.added,
        changed=counted.changed,
        removed=counted.removed,
    )


def _subject(change: FileChange) -> str:
    """Return the subject of a change in the memo: its result depends on the two blobs."""
    return f"{change.before or '-'} {change.after or '-'}"


def _page_of(path: str, folder: str) -> str:
    """Return the page of a file of the memory; an empty name for other files."""
    name = PurePosixPath(path).relative_to(folder).as_posix()
    return name.removesuffix(_SUFFIX) if name.endswith(_SUFFIX) else ""


def _count_unknown(
    site: Site, changes: Sequence[FileChange], memo: Memo[Counted]
) -> None:
    """Count those changes that the memo does not know, and keep them there."""
    unknown = [
        change for change in changes if memo.recall(_subject(change), _COUNTING) is None
    ]
    blobs: dict[str, None] = {}
    for change in unknown:
        blobs |= dict.fromkeys(filter(None, (change.before, change.after)))
    if not blobs:
        return
    try:
        data = version_control.read_blobs(site.settings.root, blobs)
    except ConfigError:
        return  # a partial clone, which lacks some of them
    for change in unknown:
        memo.keep(_subject(change), _COUNTING, _counted(change, data))


def _counted(change: FileChange, data: Mapping[str, bytes]) -> Counted:
    """Count what a commit did to the finished translations; ``data`` has its blobs."""
    before, after = data.get(change.before, b""), data.get(change.after, b"")
    # A new pin touches every file, and of most only the header.
    if before.partition(b"\n\n")[2] == after.partition(b"\n\n")[2]:
        return Counted()
    try:
        return count(_finished(before, change.path), _finished(after, change.path))
    except InputError:
        return Counted()  # damaged then: nobody can tell


def count(before: Mapping[str, str], after: Mapping[str, str]) -> Counted:
    """Count how two versions of a page's finished translations differ, by message."""
    both = before.keys() & after.keys()
    return Counted(
        added=len(after.keys() - before.keys()),
        changed=sum(before[key] != after[key] for key in both),
        removed=len(before.keys() - after.keys()),
    )


def _finished(data: bytes, where: str) -> dict[str, str]:
    """Return the finished translations of a file of the memory, by message."""
    if not data:
        return {}
    entries = po.read_catalog(data, where=where).catalog.entries
    return dict(_shown_texts(entries))


def _shown_texts(entries: Iterable[Entry]) -> Iterator[tuple[str, str]]:
    """Yield what readers see, with a key for the message: its digest and section."""
    for entry in entries:
        text = text_of(entry)
        if text and not entry.fuzzy and not entry.obsolete:
            yield f"{entry.context or ''}\4{entry.msgid}", text
