"""Upstream's pages at any commit, for those who look for the one that a copy is of.

In goes the run, out come candidates: versions of pages, read and split, each once. A plain folder
has one version of each page, the one that is pulled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property

from pipeline.adapters.files import read_bytes
from pipeline.adapters.upstream import Repository, open_upstream
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

_TEMPLATE = "{jax}"


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
        """The versions of all pages up to the pin."""
        if self.repository is None:
            versions = {
                page.name: (only_version(page, self.lock.commit, self.lock.date),)
                for page in pages_of(self.lock.files)
            }
            return History(versions=versions)
        commits = self.repository.history(self.lock.commit, self.lock.docs)
        line = core.read_history(
            [
                core.Commit(
                    commit=commit.commit,
                    date=commit.date,
                    changes=tuple(
                        core.Change(
                            path=change.path, blob=change.blob, before=change.before
                        )
                        for change in commit.changes
                    ),
                )
                for commit in commits
            ]
        )
        return core.with_releases(line, list(self._releases_beside(self.repository)))

    def _releases_beside(
        self, repository: Repository
    ) -> Iterator[tuple[core.Commit, tuple[Page, ...]]]:
        """The pages of releases that were made on branches of their own, the oldest first."""
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
        """The names on a few versions of every page: what a first guess is made by."""
        index = NameIndex()
        samples = self.history.samples()
        self._bring(samples)
        seen: set[str] = set()
        for version in samples:
            if version.blob not in seen:
                seen.add(version.blob)
                text = self._read(version.page.files[0]).decode("utf-8", "replace")
                index.add(version.page.name, text)
        return index

    @cached_property
    def releases(self) -> tuple[Release, ...]:
        """The releases of upstream's, from the oldest on, as far as its tags are here."""
        if self.repository is None:
            return ()
        before, _, after = self.run.upstream.ref.replace(
            self.lock.jax, _TEMPLATE
        ).partition(_TEMPLATE)
        tags = [
            tag
            for tag in self.repository.dated_tags()
            if before and tag.name.startswith(before) and tag.name.endswith(after)
        ]
        releases = [Release(name=tag.name, date=tag.date) for tag in tags]
        return tuple(sorted(releases, key=lambda release: moment(release.date)))

    def candidates(self, versions: Sequence[Version]) -> list[Candidate]:
        """Those of ``versions`` that can be read, with their blocks."""
        self._bring(versions)
        found = [self._candidate(version) for version in versions]
        return [candidate for candidate in found if candidate is not None]

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
        entries = self.repository.fetch(commit, self.lock.docs)
        files = [SourceFile(path=entry.path, blob=entry.blob) for entry in entries]
        date = self.repository.date(commit)
        names = self.history.families.get(page, {page}) if page else None
        return [
            self._version_at(found, commit, date)
            for found in pages_of(files)
            if names is None or found.name in names
        ]

    def _version_at(self, page: Page, commit: str, date: str) -> Version:
        """The version of a page that stood at a commit; one of its own on a branch aside."""
        for version in reversed(self.history.versions.get(page.name, ())):
            if version.page == page and moment(version.since) <= moment(date):
                return version
        return only_version(page, commit, date)

    def reference(self, version: Version | None) -> frozenset[str]:
        """The names that the API's reference pages list: as of a version, or at the pin."""
        key = version.last if version else ""
        if key not in self._reference:
            files = list(self._reference_files(version))
            texts = [self._read(file).decode("utf-8", "replace") for file in files]
            self._reference[key] = documented_names(texts)
        return self._reference[key]

    def _reference_files(self, version: Version | None) -> Iterator[SourceFile]:
        """The documents in reST that stood when a version ended, or that stand at the pin."""
        if version is None:
            yield from (file for file in self.lock.files if file.path.endswith(".rst"))
            return
        when = moment(version.since)
        there: list[Version] = []
        for versions in self.history.versions.values():
            there += [
                other
                for other in versions
                if moment(other.since) <= when
                and (not other.until or when < moment(other.until))
            ]
        self._bring(there)
        for other in there:
            yield from (file for file in other.page.files if file.path.endswith(".rst"))

    def _bring(self, versions: Sequence[Version]) -> None:
        """Have the documents of versions here before they are read one by one."""
        if self.repository is not None:
            blobs = list(dict.fromkeys(version.blob for version in versions))
            self.repository.bring(blobs, self.lock.commit, self.lock.docs)

    def _candidate(self, version: Version) -> Candidate | None:
        """A version, read. One that cannot be read is none: many of upstream's never could."""
        known = self._candidates.get(version.blob)
        if version.blob not in self._candidates:
            known = None
            # Of a pair either document will do; the first is the one that people see.
            for file in version.page.files:
                try:
                    document = read_document(file.path, self._read(file))
                except (InputError, UpstreamError):
                    continue
                known = Candidate.of(version, blocks_of(document))
                break
            self._candidates[version.blob] = known
        if known is None or known.version == version:
            return known
        return Candidate(version, known.blocks, known.features)

    def _read(self, file: SourceFile) -> bytes:
        if self.repository is None:
            return read_bytes(self.run.paths.docs / file.path)
        return self.repository.read(file.blob)


@contextmanager
def open_versions(run: Run, lock: Lock) -> Iterator[Versions]:
    """Upstream's versions, with its repository kept open for as long as the body takes."""
    with open_upstream(run.settings, run.upstream) as repository:
        yield Versions(run=run, lock=lock, repository=repository)
