"""Upstream's English: at the pin, and at any older commit that its history still has.

In go pages and commits, out come the messages that a page asked to be translated there. The memory
holds digests only, and this is where its English comes from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from typing import TYPE_CHECKING

from pipeline.adapters.files import read_bytes
from pipeline.core.catalog.update import wanted_entries
from pipeline.core.document.reader import SplitPage, read_document
from pipeline.core.memory.record import digest, layout_of
from pipeline.core.pin.lock import Lock, Page, SourceFile, pages_of
from pipeline.entries import Entry
from pipeline.errors import InputError, UpstreamError
from pipeline.folders import OUTSIDE, is_outside
from pipeline.paths import Paths
from pipeline.reading import Reading
from pipeline.run import Run

if TYPE_CHECKING:
    from pipeline.adapters.upstream import Repository


@dataclass(frozen=True, slots=True, kw_only=True)
class _OlderCommit:
    """The pages of an older commit, and the repository that their documents are read from."""

    commit: str
    repository: Repository
    pages: Mapping[str, Page]


@dataclass(kw_only=True)
class English:
    """Upstream's English: of the pin, and of any older commit as far as its history can be had.

    Everything is read when it is asked for, and once.
    """

    paths: Paths
    lock: Lock
    pages: Mapping[str, SplitPage]  # those that this run has split already
    repository: Callable[[], Repository | None]  # None: upstream is a plain folder
    reading: Reading  # how documents are written
    # What was read so far, by page, or by commit and page.
    pinned: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    older: dict[tuple[str, str], tuple[Entry, ...] | None] = field(default_factory=dict)
    commits: dict[str, _OlderCommit | UpstreamError] = field(default_factory=dict)

    def at_pin(self, page: str) -> tuple[Entry, ...] | None:
        """What ``page`` asks for at the pin; None if there is no such page."""
        if page not in self.pinned:
            split = self.pages.get(page)
            if split is not None:
                self.pinned[page] = wanted_entries(page, split.documents)
            elif page in self._listed:
                # This run is not about that page, but some of its texts may have come from there.
                self.pinned[page] = _wanted(
                    self._listed[page], self._read_checked_out, self.reading
                )
        return self.pinned.get(page)

    def at(self, commit: str, page: str, *, layout: str = "") -> tuple[Entry, ...]:
        """What ``page`` asked for at ``commit``, or at a ref; nothing if it had no such page.

        The name may be of a time when other docs folders were configured. Where it then means
        several pages, it is the one with this ``layout``, or else the first.
        Raises UpstreamError if the commit cannot be had.
        """
        pages = self._pages_at(commit, page)
        for wanted in pages:
            if layout_of(wanted) == layout:
                return wanted
        return pages[0] if pages else ()

    def texts_at(self, commit: str, page: str) -> dict[str, str]:
        """All English by digest that ``page`` asked for at ``commit``, or at a ref.

        It is that of every page that the name may mean. Raises UpstreamError as ``at`` does.
        """
        texts: dict[str, str] = {}
        for wanted in self._pages_at(commit, page):
            texts.update(texts_by_digest(wanted))
        return texts

    def _pages_at(self, commit: str, page: str) -> list[tuple[Entry, ...]]:
        """What the pages asked for at ``commit`` that ``page`` may be called now."""
        found: list[tuple[Entry, ...]] = []
        for name in self.lock.docs.names_of(page):
            wanted = self._one_at(commit, name)
            if wanted is not None:
                found.append(wanted)
        return found

    def _one_at(self, commit: str, page: str) -> tuple[Entry, ...] | None:
        """What the page of today's name ``page`` asked for; None if there was none."""
        if commit in (self.lock.commit, self.lock.ref):
            return self.at_pin(page)
        if (commit, page) not in self.older:
            self.older[commit, page] = self._at_older(self._commit(commit), page)
        return self.older[commit, page]

    def commit_of(self, ref: str) -> str:
        """The commit that ``ref`` (or a commit) names here. Raises UpstreamError."""
        if ref in (self.lock.commit, self.lock.ref):
            return self.lock.commit
        return self._commit(ref).commit

    def texts_at_pin(self) -> dict[str, str]:
        """All English of the pin by digest."""
        for page in self._listed:
            self.at_pin(page)
        texts: dict[str, str] = {}
        # Most of it is known by now; what is not is read and split here.
        for entries in self.pinned.values():
            texts.update(texts_by_digest(entries))
        return texts

    @cached_property
    def _listed(self) -> dict[str, Page]:
        """Every page of the lock, also those that this run has not split."""
        return {page.name: page for page in pages_of(self.lock.files)}

    def _read_checked_out(self, file: SourceFile) -> bytes:
        return read_bytes(self.paths.docs / file.path)

    def _at_older(self, commit: _OlderCommit, page: str) -> tuple[Entry, ...] | None:
        """What ``page`` asked for at an older commit; None if it had no such page."""
        if page not in commit.pages:
            return None
        return _wanted(
            commit.pages[page],
            lambda file: commit.repository.read(file.blob),
            self.reading,
        )

    def _commit(self, commit: str) -> _OlderCommit:
        """An older commit. One that cannot be had is asked for once, and refused from then on."""
        # Without network every question takes its time to fail, and there are many of them.
        if commit not in self.commits:
            try:
                self.commits[commit] = self._fetch(commit)
            except UpstreamError as error:
                self.commits[commit] = error
        known = self.commits[commit]
        if isinstance(known, UpstreamError):
            raise known
        return known

    def _fetch(self, commit: str) -> _OlderCommit:
        """The listing of an older commit, whose files are here then. Raises UpstreamError."""
        repository = self.repository()
        if repository is None:
            raise UpstreamError(
                f"a plain folder has no history: what was there at {commit[:12]} is not known"
            )
        # A lock of other docs folders is not looked for: the memory knows pages by their names.
        found = repository.resolve(commit)
        entries = repository.fetch(found, self.lock.docs, needs_all=False)
        files = [SourceFile(path=entry.path, blob=entry.blob) for entry in entries]
        # What pages include today from outside of the docs, as it was then.
        outside = [file.path for file in self.lock.files if is_outside(file.path)]
        if outside:
            places = [self.lock.docs.place_of(path) for path in outside]
            for entry in repository.fetch_places(found, places):
                path = f"{OUTSIDE}/{entry.path}"
                files.append(SourceFile(path=path, blob=entry.blob))
        pages = {page.name: page for page in pages_of(files)}
        return _OlderCommit(commit=found, repository=repository, pages=pages)


def texts_by_digest(entries: Sequence[Entry]) -> dict[str, str]:
    """The English of ``entries``, by its digest."""
    return {digest(entry.msgid): entry.msgid for entry in entries}


def _wanted(
    page: Page, read: Callable[[SourceFile], bytes], reading: Reading
) -> tuple[Entry, ...]:
    """What ``page`` asks for, as far as its documents can be read."""
    # Of a pair one list is made, whichever of the two can be read.
    documents = []
    for file in page.files:
        try:
            documents.append(read_document(file.path, read(file), reading))
        except InputError:
            continue  # split says so for the pin; an older commit cannot be mended
    return wanted_entries(page.name, documents)


@contextmanager
def open_english(run: Run, pages: Sequence[SplitPage], lock: Lock) -> Iterator[English]:
    """Upstream's English, with its repository kept open for as long as the body takes."""
    with ExitStack() as stack:

        @cache
        def repository() -> Repository | None:
            """Opened when it is asked for: most runs need the pin alone."""
            from pipeline.adapters.upstream import CHECK_ADDRESS, open_upstream

            opened = open_upstream(run.settings, run.upstream, way_out=CHECK_ADDRESS)
            return stack.enter_context(opened)

        yield English(
            paths=run.paths,
            lock=lock,
            pages={page.page.name: page for page in pages},
            repository=repository,
            reading=run.upstream.reading,
        )
