"""Upstream's English: at the pin, and at any older commit that its history still has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from pipeline.adapters.files import read_bytes
from pipeline.core.catalog.wanted import wanted_entries
from pipeline.core.document.read import SplitPage, read_document
from pipeline.core.memory.record import digest
from pipeline.core.pin.lock import Lock, Page, SourceFile, pages_of
from pipeline.entries import Entry
from pipeline.errors import InputError, UpstreamError
from pipeline.paths import Paths
from pipeline.run import Run

if TYPE_CHECKING:
    from pipeline.adapters.upstream import Repository


@dataclass(slots=True, kw_only=True)
class English:
    """Upstream's English: of the pin, and of any older commit as far as its history can be had."""

    paths: Paths
    lock: Lock
    pages: Mapping[str, SplitPage]
    repository: Callable[[], Repository | None]
    docs: str
    pinned: dict[str, tuple[Entry, ...]] = field(default_factory=dict)
    listings: dict[str, Mapping[str, Page] | UpstreamError] = field(default_factory=dict)
    older: dict[tuple[str, str], tuple[Entry, ...]] = field(default_factory=dict)

    def at_pin(self, page: str) -> tuple[Entry, ...] | None:
        """What ``page`` asks for at the pin; None if there is no such page."""
        if page not in self.pinned:
            split = self.pages.get(page)
            if split is None and (
                known := {one.name: one for one in pages_of(self.lock.files)}.get(page)
            ):
                self.pinned[page] = self._wanted(
                    known, lambda file: read_bytes(self.paths.docs / file.path)
                )
            elif split:
                self.pinned[page] = wanted_entries(page, split.documents)
        return self.pinned.get(page)

    def at(self, commit: str, page: str) -> tuple[Entry, ...]:
        """What ``page`` asked for at ``commit``; nothing if it had no such page. Raises
        UpstreamError."""
        if commit == self.lock.commit:
            return self.at_pin(page) or ()
        if (commit, page) not in self.older:
            listing = self._listing(commit)
            repository = self.repository()
            known = listing.get(page)
            self.older[commit, page] = (
                self._wanted(known, lambda file: repository.read(file.blob))
                if known and repository
                else ()
            )
        return self.older[commit, page]

    def texts_at_pin(self) -> dict[str, str]:
        """All English of the pin by digest."""
        for page in pages_of(self.lock.files):
            self.at_pin(page.name)
        return {
            digest(entry.msgid): entry.msgid
            for entries in self.pinned.values()
            for entry in entries
        }

    def _listing(self, commit: str) -> Mapping[str, Page]:
        if commit not in self.listings:
            self.listings[commit] = self._fetch(commit)
        found = self.listings[commit]
        if isinstance(found, UpstreamError):
            raise found
        return found

    def _fetch(self, commit: str) -> Mapping[str, Page] | UpstreamError:
        try:
            repository = self.repository()
            if repository is None:
                return UpstreamError(
                    f"a plain folder has no history: what was there at {commit[:12]} is not known"
                )
            entries = repository.fetch(repository.resolve(commit), self.docs)
        except UpstreamError as error:
            return error
        return {
            page.name: page
            for page in pages_of(SourceFile(path=entry.path, blob=entry.blob) for entry in entries)
        }

    @staticmethod
    def _wanted(page: Page, read: Callable[[SourceFile], bytes]) -> tuple[Entry, ...]:
        documents = []
        for file in page.files:
            try:
                documents.append(read_document(file.path, read(file)))
            except InputError:
                continue  # split says so for the pin; an older commit cannot be mended
        return wanted_entries(page.name, documents)


@contextmanager
def open_english(run: Run, pages: Sequence[SplitPage], lock: Lock) -> Iterator[English]:
    """Upstream's English, with its repository kept open for as long as the body takes."""
    paths, upstream = run.paths, run.upstream
    known: list[Repository | None] = []
    with ExitStack() as stack:

        def repository() -> Repository | None:
            """Opened when it is asked for: most runs need the pin alone."""
            if not known:
                from pipeline.adapters.upstream import Kind, open_repository, read_address

                address = read_address(
                    upstream.url, base=Path.cwd() if upstream.url_replaced else run.settings.root
                )
                store = (paths.cache / "git" / f"{upstream.name}.git").resolve()
                way_out = "Check the address and the network, and run again."
                is_folder = address.kind is Kind.FOLDER
                known.append(
                    None
                    if is_folder
                    else stack.enter_context(open_repository(address, store=store, way_out=way_out))
                )
            return known[0]

        by_name = {page.page.name: page for page in pages}
        yield English(
            paths=paths, lock=lock, pages=by_name, repository=repository, docs=upstream.docs
        )
