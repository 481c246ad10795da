"""Upstream's pages at any commit, for those who look for the one that a copy is of.

In goes the run, out come candidates: versions of pages, read and split, each once. A plain folder
has one version of each page, the one that is pulled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property

from pipeline.adapters.files import read_bytes
from pipeline.adapters.upstream import Repository, open_upstream
from pipeline.adapters.upstream.history import Tag
from pipeline.core.adoption.blocks import blocks_of
from pipeline.core.adoption.candidates import Candidate, NameIndex
from pipeline.core.adoption.history import (
    Commit,
    History,
    Version,
    moment,
    only_version,
    read_history,
)
from pipeline.core.document.reader import read_document
from pipeline.core.pin.lock import Lock, SourceFile, pages_of
from pipeline.errors import InputError, UpstreamError
from pipeline.run import Run


@dataclass(kw_only=True)
class Versions:
    """Every version of every page. What is read is kept: copies of one folder share pages."""

    run: Run
    lock: Lock
    repository: Repository | None
    _candidates: dict[str, Candidate | None] = field(default_factory=dict)

    @cached_property
    def history(self) -> History:
        """The versions of all pages up to the pin: a later one could not be adopted."""
        if self.repository is None:
            pinned = (self.lock.commit, self.lock.date)
            pages = self.lock.pages
            return History(
                versions={page.name: (only_version(page, *pinned),) for page in pages}
            )
        commits: list[Commit] = []
        for commit in self.repository.history(self.lock.commit, self.lock.docs):
            changes = [(one.path, one.blob, one.before) for one in commit.changes]
            commits.append((commit.commit, commit.date, changes))
        return read_history(commits)

    @cached_property
    def index(self) -> NameIndex:
        """The names on a few versions of every page: what a first guess is made by.

        To read all versions properly would take minutes.
        """
        index = NameIndex()
        samples = self.history.samples()
        self._bring([version.blob for version in samples])
        # A blob may be of several versions, and says the same each time.
        for version in {version.blob: version for version in samples}.values():
            text = self._read(version.page.files[0]).decode("utf-8", "replace")
            index.add(version.page.name, text)
        return index

    @cached_property
    def releases(self) -> list[Tag]:
        """The releases of upstream's, from the oldest on, as far as its tags are here.

        They are called like the ref that is pulled: ``jax-v0.10.2`` → ``jax-v`` and a version.
        """
        if self.repository is None or not self.lock.version:
            return []
        before, _, after = self.run.upstream.ref.partition(self.lock.version)
        tags = self.repository.dated_tags()
        releases = [
            tag
            for tag in tags
            if before and tag.name.startswith(before) and tag.name.endswith(after)
        ]
        return sorted(releases, key=lambda tag: moment(tag.date))

    def candidates(self, versions: Sequence[Version]) -> list[Candidate]:
        """Return those of ``versions`` that can be read, with their blocks.

        All their documents are brought here in one go.
        """
        self._bring([version.blob for version in versions])
        return [found for found in map(self._candidate, versions) if found is not None]

    def at(self, ref: str, page: str) -> list[Version]:
        """Return the versions of all pages that ``page`` was ever called, at a ref.

        Raises UpstreamError if there is no such ref.
        """
        if self.repository is None:
            raise UpstreamError(
                "is a plain folder, which has no other version than the one that is pulled",
                where=self.run.upstream.url,
                hint="Leave --at out, or give a repository: --upstream URL.",
            )
        commit = self.repository.resolve(ref)
        entries = self.repository.fetch(commit, self.lock.docs, needs_all=False)
        date = self.repository.date(commit)
        names = self.history.families.get(page, {page}) if page else None
        versions: list[Version] = []
        files = [SourceFile(path=entry.path, blob=entry.blob) for entry in entries]
        for found in pages_of(files):
            if names is not None and found.name not in names:
                continue
            known = [
                version
                for version in self.history.versions.get(found.name, ())
                if moment(version.since) <= moment(date) and version.page == found
            ]
            # Of several that were the same page it is the last. A version of its own, on a branch,
            # stands for its commit alone.
            alone = only_version(found, commit, date)
            versions.append(known[-1] if known else alone)
        return versions

    def _bring(self, blobs: Sequence[str]) -> None:
        """Have documents here, in one go, before they are read one by one."""
        if self.repository is not None:
            self.repository.bring(blobs, self.lock.commit, self.lock.docs)

    def _candidate(self, version: Version) -> Candidate | None:
        """Return a version, read, or None: many of upstream's could never be read.

        A document that came back has several versions, and is read once.
        """
        if version.blob not in self._candidates:
            self._candidates[version.blob] = self._read_version(version)
        known = self._candidates[version.blob]
        return None if known is None else replace(known, version=version)

    def _read_version(self, version: Version) -> Candidate | None:
        """Return a version with its blocks. Of a pair either document will do."""
        for file in version.page.files:
            try:
                document = read_document(file.path, self._read(file))
            except (InputError, UpstreamError):
                continue
            return Candidate.of(version, blocks_of(document))
        return None

    def _read(self, file: SourceFile) -> bytes:
        """Return the bytes of a document: of a plain folder as it was pulled, else by its blob.

        Raises InputError, UpstreamError.
        """
        if self.repository is None:
            return read_bytes(self.run.paths.docs / file.path)
        return self.repository.read(file.blob)


@contextmanager
def open_versions(run: Run, lock: Lock) -> Iterator[Versions]:
    """Open upstream's versions; its repository stays open for as long as the body takes.

    Raises UpstreamError where it cannot be opened.
    """
    with open_upstream(run.settings, run.upstream) as repository:
        yield Versions(run=run, lock=lock, repository=repository)
