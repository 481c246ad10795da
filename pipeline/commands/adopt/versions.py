"""Upstream's pages at any commit, for those who look for the one that a copy is of.

In goes the run, out come candidates: versions of pages, read and split, each once. A plain folder
has one version of each page, the one that is pulled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain

from pipeline.adapters.files import read_bytes
from pipeline.adapters.upstream import Repository, open_upstream
from pipeline.adapters.upstream.history import DocsCommit
from pipeline.core.adoption import history as core
from pipeline.core.adoption.audit import documented_names
from pipeline.core.adoption.blocks import blocks_of
from pipeline.core.adoption.choosing import Candidate
from pipeline.core.adoption.finding import NameIndex
from pipeline.core.adoption.history import History, Version, moment, only_version
from pipeline.core.adoption.result import Release
from pipeline.core.document.read import read_document
from pipeline.core.pin.lock import Lock, Page, SourceFile, pages_of
from pipeline.errors import InputError, UpstreamError
from pipeline.run import Run

_TEMPLATE = "{version}"


@dataclass(kw_only=True)
class Versions:
    """Every version of every page. What is read is kept: copies of one folder share pages."""

    run: Run
    lock: Lock
    repository: Repository | None
    _candidates: dict[str, Candidate | None] = field(default_factory=dict)
    _reference: dict[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def history(self) -> History:
        """The versions of all pages up to the pin.

        What came later is none: it could not be adopted.
        """
        if self.repository is None:
            pinned = (self.lock.commit, self.lock.date)
            pages = self.lock.pages
            return History(
                versions={page.name: (only_version(page, *pinned),) for page in pages}
            )
        commits = self.repository.history(self.lock.commit, self.lock.docs)
        line = core.read_history([_commit_of(commit) for commit in commits])
        return core.with_releases(line, list(self._releases_beside(self.repository)))

    def _releases_beside(
        self, repository: Repository
    ) -> Iterator[tuple[core.Commit, tuple[Page, ...]]]:
        """The pages of releases that were made on branches of their own, the oldest first.

        Most of upstream's are: with a commit or two that never came back to the line.
        """
        tags = {tag.commit: tag for tag in repository.dated_tags()}
        pin = moment(self.lock.date)
        for commit in repository.beside(self.lock.commit, tags):
            if moment(tags[commit].date) > pin:
                continue  # the line is looked at up to the pin, too
            entries = repository.tree(commit, self.lock.docs)
            files = [SourceFile(path=entry.path, blob=entry.blob) for entry in entries]
            yield (
                core.Commit(commit=commit, date=tags[commit].date, changes=()),
                pages_of(files),
            )

    @cached_property
    def index(self) -> NameIndex:
        """The names on a few versions of every page: what a first guess is made by.

        To read all versions properly would take minutes.
        """
        index = NameIndex()
        samples = self.history.samples()
        self._bring(samples)
        by_blob: dict[str, Version] = {}
        for version in samples:
            # A blob may be of several versions, and says the same each time.
            by_blob.setdefault(version.blob, version)
        for version in by_blob.values():
            text = self._read(version.page.files[0]).decode("utf-8", "replace")
            index.add(version.page.name, text)
        return index

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """The releases of upstream's, from the oldest on, as far as its tags are here.

        They are called like the ref that is pulled: ``jax-v0.10.2`` → ``jax-v`` and a version.
        """
        template = self.run.upstream.ref.replace(self.lock.version, _TEMPLATE)
        before, _, after = template.partition(_TEMPLATE)
        if self.repository is None or not before:
            return ()
        releases = [
            Release(name=tag.name, date=tag.date)
            for tag in self.repository.dated_tags()
            if tag.name.startswith(before) and tag.name.endswith(after)
        ]
        return tuple(sorted(releases, key=lambda release: moment(release.date)))

    def candidates(self, versions: Sequence[Version]) -> list[Candidate]:
        """Those of ``versions`` that can be read, with their blocks.

        All their documents are brought here in one go.
        """
        self._bring(versions)
        return [found for found in map(self._candidate, versions) if found is not None]

    def at(self, ref: str, page: str) -> list[Version]:
        """The versions of all pages that ``page`` was ever called, at a ref.

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
        files = [SourceFile(path=entry.path, blob=entry.blob) for entry in entries]
        date = self.repository.date(commit)
        names = self.history.families.get(page, {page}) if page else None
        return [
            self._version_at(found, commit, date)
            for found in pages_of(files)
            if names is None or found.name in names
        ]

    def _version_at(self, page: Page, commit: str, date: str) -> Version:
        """The version of a page that stood at a commit; one of its own on a branch aside.

        Of several that were the same page it is the last that had begun by then. One of its own
        stands for its commit alone.
        """
        for version in reversed(self.history.versions.get(page.name, ())):
            has_begun = moment(version.since) <= moment(date)
            if has_begun and version.page == page:
                return version
        return only_version(page, commit, date)

    def reference(self, version: Version | None) -> frozenset[str]:
        """The names that the API's reference pages list: as of a version, or at the pin.

        They are kept by commit: copies of one folder are often of one version.
        """
        key = version.last if version else ""
        if key not in self._reference:
            files = list(self._reference_files(version))
            texts = [self._read(file).decode("utf-8", "replace") for file in files]
            self._reference[key] = documented_names(texts)
        return self._reference[key]

    def _reference_files(self, version: Version | None) -> Iterator[SourceFile]:
        """The documents in reST that stood when a version began, or that stand at the pin.

        Reference pages may be anywhere, and have been: so all of them are looked at.
        """
        files = list(self.lock.files)
        if version is not None:
            there = list(self._standing(moment(version.since)))
            self._bring(there)
            files = [file for other in there for file in other.page.files]
        yield from (file for file in files if file.path.endswith(".rst"))

    def _standing(self, when: datetime) -> Iterator[Version]:
        """The version of each page that stood at a moment, if it had one then.

        A version ends when the next one begins: at that moment it is the next one.
        """
        for version in chain.from_iterable(self.history.versions.values()):
            has_ended = version.until and moment(version.until) <= when
            if moment(version.since) <= when and not has_ended:
                yield version

    def _bring(self, versions: Sequence[Version]) -> None:
        """Have the documents of versions here before they are read one by one.

        Of a remote repository they come in one go; elsewhere they are here.
        """
        if self.repository is not None:
            blobs = list(dict.fromkeys(version.blob for version in versions))
            self.repository.bring(blobs, self.lock.commit, self.lock.docs)

    def _candidate(self, version: Version) -> Candidate | None:
        """A version, read. One that cannot be read is none: many of upstream's never could.

        A document that came back has several versions, and is read once.
        """
        if version.blob not in self._candidates:
            self._candidates[version.blob] = self._read_version(version)
        known = self._candidates[version.blob]
        if known is None or known.version == version:
            return known
        return Candidate(version, known.blocks, known.features)

    def _read_version(self, version: Version) -> Candidate | None:
        """A version with its blocks. Of a pair either document will do: people see the first."""
        for file in version.page.files:
            try:
                document = read_document(file.path, self._read(file))
            except (InputError, UpstreamError):
                continue
            return Candidate.of(version, blocks_of(document))
        return None

    def _read(self, file: SourceFile) -> bytes:
        """The bytes of a document: of a plain folder as it was pulled, else by its blob.

        Raises InputError, UpstreamError.
        """
        if self.repository is None:
            return read_bytes(self.run.paths.docs / file.path)
        return self.repository.read(file.blob)


def _commit_of(commit: DocsCommit) -> core.Commit:
    """A commit as the core knows it.

    Adapters know neither the core nor its records.
    """
    changes: list[core.Change] = []
    for change in commit.changes:
        known = core.Change(path=change.path, blob=change.blob, before=change.before)
        changes.append(known)
    return core.Commit(commit=commit.commit, date=commit.date, changes=tuple(changes))


@contextmanager
def open_versions(run: Run, lock: Lock) -> Iterator[Versions]:
    """Upstream's versions, with its repository kept open for as long as the body takes.

    Raises UpstreamError where it cannot be opened.
    """
    with open_upstream(run.settings, run.upstream) as repository:
        yield Versions(run=run, lock=lock, repository=repository)
