"""History of upstream's pages: the versions of each page, and when each of them was current.

``read_history`` takes the changed files of each commit. All names that a page has ever had form its
*family*.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import PurePosixPath

from pipeline.core.pin.lock import PAGE_SUFFIXES, Page, SourceFile, page_path, pages_of

# Change of one document: its path, its blob ("" if deleted), and its old path ("" unless renamed).
Change = tuple[str, str, str]
# Commit of the docs: its id, its date in ISO 8601, and its changes.
Commit = tuple[str, str, Sequence[Change]]

# Approximate number of versions of a page that ``History.samples`` returns.
_SAMPLES = 4
_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """Version of a page."""

    page: Page
    first: str  # first commit with this version
    last: str  # last commit with this version
    since: str  # date of ``first``
    until: str = ""  # date of the next version; "" if this version is still current

    @property
    def blob(self) -> str:
        """Return the blob of the version's first document, the notebook in a jupytext pair."""
        return self.page.files[0].blob

    @property
    def days(self) -> float:
        """Return how many days the version was current; infinity if it still is."""
        if not self.until:
            return float("inf")
        return (moment(self.until) - moment(self.since)).total_seconds() / 86400


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All versions of all pages."""

    versions: Mapping[str, tuple[Version, ...]]  # by page, the oldest first
    # By page: all names that the page has had.
    families: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def family(self, page: str) -> tuple[Version, ...]:
        """Return the versions of a page under all names of its family, the oldest first."""
        pages = sorted(self.families.get(page, {page}))
        found = chain.from_iterable(self.versions.get(name, ()) for name in pages)
        return tuple(sorted(found, key=lambda version: moment(version.since)))

    def samples(self) -> list[Version]:
        """Return a few versions of every page, spread over its history.

        The first and the last version are always included.
        """
        samples: list[Version] = []
        for versions in self.versions.values():
            step = max(1, len(versions) // _SAMPLES)
            samples += dict.fromkeys([*versions[::step], versions[-1]])
        return samples


def moment(date: str) -> datetime:
    """Parse the date of a commit; an invalid date comes before all others."""
    try:
        read = datetime.fromisoformat(date)
    except ValueError:
        return _OLDEST
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def read_history(commits: Sequence[Commit]) -> History:
    """Return the versions of all pages. ``commits`` are in git's order, the newest first."""
    replay = _Replay()
    for commit in reversed(commits):
        replay.add(commit)
    replay.close()
    return History(
        versions={page: tuple(found) for page, found in replay.versions.items()},
        families=_families(replay.renames),
    )


def only_version(page: Page, commit: str, date: str) -> Version:
    """Return a page at one commit as its only version."""
    return Version(page=page, first=commit, last=commit, since=date)


class _Replay:
    """State of the docs while the commits are applied one by one."""

    def __init__(self) -> None:
        self.versions: dict[str, list[Version]] = defaultdict(list)
        self.renames: list[tuple[str, str]] = []
        self._blobs: dict[str, dict[str, str]] = defaultdict(dict)
        self._open: dict[str, Version] = {}  # the current version of each page
        self._last = ""  # id of the preceding commit

    def add(self, commit: Commit) -> None:
        """Apply a commit."""
        touched: dict[str, None] = {}
        commit_id, date, changes = commit
        for changed, blob, renamed in changes:
            path = PurePosixPath(changed)
            if path.suffix not in PAGE_SUFFIXES:
                continue
            name = page_path(str(path.with_suffix("")))
            touched[name] = None
            if blob:
                self._blobs[name][changed] = blob
            else:
                self._blobs[name].pop(changed, None)
            before = PurePosixPath(renamed)
            if before.suffix in PAGE_SUFFIXES:
                self.renames.append((str(before.with_suffix("")), name))
        for name in touched:
            self._renew(name, commit_id, date)
        self._last = commit_id

    def close(self) -> None:
        """Add the versions that are still current to ``versions``. Call this after all commits."""
        for name in list(self._open):
            self._end(name, until="")

    def _renew(self, name: str, commit_id: str, date: str) -> None:
        """Start a new version of a page if its content has changed.

        A commit that changes only the mode of a file makes no new version.
        """
        blobs = sorted(self._blobs[name].items())
        pages = pages_of([SourceFile(path=path, blob=blob) for path, blob in blobs])
        if name in self._open:
            if pages and pages[0] == self._open[name].page:
                return
            self._end(name, until=date)
        for page in pages[:1]:
            self._open[name] = only_version(page, commit_id, date)

    def _end(self, name: str, *, until: str) -> None:
        """End the current version of a page. Its last commit is the one in ``_last``."""
        version = self._open.pop(name)
        last = self._last or version.first
        self.versions[name].append(replace(version, last=last, until=until))


def _families(renames: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """Return, for each renamed page, all of its names.

    The renames a → b and b → c make one family of three names.
    """
    families: dict[str, set[str]] = {}
    for before, after in renames:
        joined = families.get(before, {before}) | families.get(after, {after})
        for name in joined:
            families[name] = joined
    return {name: frozenset(family) for name, family in families.items()}
