"""Access to upstream's pages at any commit, to find the version that a copy translates.

The output is candidates: parsed versions of pages. Each version is parsed only once. If upstream is
a plain folder, each page has one version, the pulled one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from msgspec import Struct, field
from msgspec.structs import replace

from pipeline.adapters.files import read_bytes
from pipeline.adapters.upstream.commit_log import Tag
from pipeline.adapters.upstream.repository import Repository, open_upstream
from pipeline.core.adoption.blocks import blocks_of
from pipeline.core.adoption.candidates import (
    Candidate,
    Commit,
    History,
    NameIndex,
    Version,
    moment,
    only_version,
    read_history,
)
from pipeline.core.document.reader import read_document
from pipeline.core.pin.lock import Lock, SourceFile, pages_of
from pipeline.errors import InputError, UpstreamError
from pipeline.run import Run


class Versions(Struct, kw_only=True, dict=True):
    """Every version of every page, with a cache of the parsed ones."""

    run: Run
    lock: Lock
    repository: Repository | None
    _candidates: dict[str, Candidate | None] = field(default_factory=dict)

    @cached_property
    def history(self) -> History:
        """Return the versions of all pages up to the pin.

        The history ends at the pin. Translations of older versions are carried forward to the pin
        (``core/adoption/offers``). Copies of later versions cannot be adopted.
        """
        if self.repository is None:
            pinned = (self.lock.commit, self.lock.date)
            pages = self.lock.pages
            return History(versions={page.name: (only_version(page, *pinned),) for page in pages})
        commits: list[Commit] = []
        for commit in self.repository.history(self.lock.commit, self.lock.docs):
            changes = [(one.path, one.blob, one.before) for one in commit.changes]
            commits.append((commit.commit, commit.date, changes))
        return read_history(commits)

    @cached_property
    def index(self) -> NameIndex:
        """Return an index of the identifiers and numbers on each page.

        With this index, the command guesses which page a copy translates. The index covers only a
        few versions of each page, because reading all takes minutes.
        """
        index = NameIndex()
        samples = self.history.samples()
        self._bring([version.blob for version in samples])
        # Several versions may have the same blob, which is indexed once.
        for version in {version.blob: version for version in samples}.values():
            text = self._read(version.page.files[0]).decode("utf-8", "replace")
            index.add(version.page.name, text)
        return index

    @cached_property
    def releases(self) -> list[Tag]:
        """Return the releases of upstream whose tags were fetched, the oldest first.

        Releases are the tags that are named like the pulled ref. If that is ``jax-v0.10.2``, they
        are all tags that begin with ``jax-v``.
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
        """Return those of ``versions`` that can be parsed, with their blocks."""
        self._bring([version.blob for version in versions])
        return [found for found in map(self._candidate, versions) if found is not None]

    def at(self, ref: str, page: str) -> list[Version]:
        """Return the version of ``page`` at a ref; the versions of all pages if ``page`` is empty.

        A page that upstream has renamed is found under its old names as well. Raises UpstreamError
        if the ref does not exist.
        """
        if self.repository is None:
            raise UpstreamError(
                "is a plain folder, which has only the pulled version",
                where=self.run.upstream.url,
                hint="Run again without --at, or give a repository: --upstream URL.",
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
            # If upstream restored an old text, several versions are equal: use the last one. A
            # version on another branch is not in the history, so make a record for it here.
            alone = only_version(found, commit, date)
            versions.append(known[-1] if known else alone)
        return versions

    def _bring(self, blobs: Sequence[str]) -> None:
        """Fetch documents in one request, because fetching them one by one is slow."""
        if self.repository is not None:
            self.repository.fetch_blobs(blobs, self.lock.commit, self.lock.docs)

    def _candidate(self, version: Version) -> Candidate | None:
        """Return a version with its blocks, or None if it is unreadable.

        The cache key is the document's content, so equal versions are parsed once.
        """
        if version.blob not in self._candidates:
            self._candidates[version.blob] = self._read_version(version)
        known = self._candidates[version.blob]
        return None if known is None else replace(known, version=version)

    def _read_version(self, version: Version) -> Candidate | None:
        """Return a version with its blocks, from the first of its documents that is readable.

        A page has two documents if upstream stores its notebook as ``.ipynb`` and as ``.md``.
        """
        for file in version.page.files:
            try:
                document = read_document(file.path, self._read(file))
            except (InputError, UpstreamError):
                continue
            return Candidate.of(version, blocks_of(document))
        return None

    def _read(self, file: SourceFile) -> bytes:
        """Return the bytes of a document, from upstream's repository or from the pulled folder.

        Raises InputError and UpstreamError.
        """
        if self.repository is None:
            return read_bytes(self.run.paths.docs / file.path)
        return self.repository.read(file.blob)


@contextmanager
def open_versions(run: Run, lock: Lock) -> Iterator[Versions]:
    """Open upstream's repository, yield its versions, and close it after the body.

    Raises UpstreamError if the repository cannot be opened.
    """
    with open_upstream(run.settings, run.upstream) as repository:
        yield Versions(run=run, lock=lock, repository=repository)
