"""The pages of upstream's history: which versions each had, from which commit to which.

In goes what each commit did with its files, out come versions of pages. Two pages belong to one
family if one was ever renamed to the other.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from itertools import chain
from pathlib import PurePosixPath

from pipeline.core.pin.lock import PAGE_SUFFIXES, Page, SourceFile, page_path, pages_of

# What a commit did with a document: its path, its blob (empty if it is gone then), and the path
# that it was renamed from, or nothing.
Change = tuple[str, str, str]
# A commit of the docs: its id, its date in ISO 8601, and what it did.
Commit = tuple[str, str, Sequence[Change]]

_SAMPLES = 4  # versions of a page that a first guess is made by
_OLDEST = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """A page as it stood from the commit ``first`` to the commit ``last``, both included.

    ``until`` is the date when the next version came; empty for the one that still stands.
    """

    page: Page
    first: str
    last: str
    since: str  # date of ``first``
    until: str = ""

    @property
    def blob(self) -> str:
        """The document that the version is known by: of a pair the notebook."""
        return self.page.files[0].blob

    @property
    def days(self) -> float:
        """How long it stood; very long for the one that still stands."""
        if not self.until:
            return float("inf")
        return (moment(self.until) - moment(self.since)).total_seconds() / 86400


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All versions of all pages, those of each page from the oldest on."""

    versions: Mapping[str, tuple[Version, ...]]
    families: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def family(self, page: str) -> tuple[Version, ...]:
        """Return the versions of a page, and of all that it was ever called.

        They come from the oldest on, whatever the page was called then.
        """
        pages = sorted(self.families.get(page, {page}))
        found = chain.from_iterable(self.versions.get(name, ()) for name in pages)
        return tuple(sorted(found, key=lambda version: moment(version.since)))

    def samples(self) -> list[Version]:
        """Return a few versions of every page, spread over its time.

        The first and the last one are always among them: names come and go.
        """
        samples: list[Version] = []
        for versions in self.versions.values():
            step = max(1, len(versions) // _SAMPLES)
            samples += dict.fromkeys([*versions[::step], versions[-1]])
        return samples


def moment(date: str) -> datetime:
    """Return a date of a commit; one that cannot be read is older than all others."""
    try:
        read = datetime.fromisoformat(date)
    except ValueError:
        return _OLDEST
    return read if read.tzinfo else read.replace(tzinfo=UTC)


def read_history(commits: Sequence[Commit]) -> History:
    """Return the versions of all pages. ``commits`` come as git lists them, the newest first."""
    replay = _Replay()
    for commit in reversed(commits):
        replay.add(commit)
    replay.close()
    return History(
        versions={page: tuple(found) for page, found in replay.versions.items()},
        families=_families(replay.renames),
    )


def only_version(page: Page, commit: str, date: str) -> Version:
    """Return the version of a page without a history, or at a commit that a person has named."""
    return Version(page=page, first=commit, last=commit, since=date)


class _Replay:
    """The docs while commit after commit is applied."""

    def __init__(self) -> None:
        self.versions: dict[str, list[Version]] = defaultdict(list)
        self.renames: list[tuple[str, str]] = []
        self._blobs: dict[str, dict[str, str]] = defaultdict(dict)
        self._open: dict[str, Version] = {}
        self._last = ""  # the commit before the one that is applied

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
        """End: what is open now still stands."""
        for name in list(self._open):
            self._end(name, until="")

    def _renew(self, name: str, commit_id: str, date: str) -> None:
        """Begin a new version of a page, if it is not what it was.

        A commit may touch a document and leave it as it is, mode bits for one.
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
        """End the version of a page that is open: another one comes, or none.

        The commit before this one is the last that had it.
        """
        version = self._open.pop(name)
        last = self._last or version.first
        self.versions[name].append(replace(version, last=last, until=until))


def _families(renames: Iterable[tuple[str, str]]) -> dict[str, frozenset[str]]:
    """For each page that was ever renamed all names of it.

    Also by several steps: a → b and b → c make one family of three.
    """
    families: dict[str, set[str]] = {}
    for before, after in renames:
        joined = families.get(before, {before}) | families.get(after, {after})
        for name in joined:
            families[name] = joined
    return {name: frozenset(family) for name, family in families.items()}
